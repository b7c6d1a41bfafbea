// SPDX-License-Identifier: Apache-2.0

public import GAEN

/// One advertisement that was heard: what it said, when, and how loud.
public struct Sighting: Hashable, Sendable {
    /// The identifier (RPI) that was heard, 16 bytes chosen by the sender.
    public var identifier: RollingProximityIdentifier
    /// The associated encrypted metadata (AEM) that came with the identifier, 4 bytes, still encrypted.
    public var metadata: AssociatedEncryptedMetadata
    /// The time when it was heard, Unix seconds.
    public var time: UInt32
    /// The time when the scan before the one that heard it stopped, Unix seconds; 0 when unknown.
    public var previousScan: UInt32
    /// Received strength in dBm, calibrated; -127 to 126.
    public var rssi: Int8

    /// A sighting of these parts, unchecked; times are in Unix seconds, `rssi` in dBm.
    public init(
        identifier: RollingProximityIdentifier, metadata: AssociatedEncryptedMetadata, time: UInt32,
        previousScan: UInt32 = 0, rssi: Int8
    ) {
        self.identifier = identifier
        self.metadata = metadata
        self.time = time
        self.previousScan = previousScan
        self.rssi = rssi
    }

    /// The interval it was heard in.
    @inlinable var interval: UInt32 { time / UInt32(ENIN.seconds) }
}

/// Constants of matching, with their sources.
public enum MatchingRules {
    /// Intervals of ten minutes by which a sighting may lie before or after its identifier's, inclusive: clocks differ by up to two hours
    /// (`tkMatchingClockDriftRollingPeriods` 12; `RollingProximityIdValidator`).
    public static let toleranceIntervals: UInt32 = 12
    /// Seconds after the first valid sighting of an identifier, inclusive, within which more of it count; later ones are replays: nobody sends one
    /// longer than twice ten minutes (`ExposureMatchingTracer.getValidSightingsForRpi`).
    public static let replayCutSeconds: UInt32 = 1_200
    /// Days for which a diagnosis key is considered, by whole UTC days (`ExposureNotificationClient`: older than 14 days are ignored).
    public static let keyRetentionDays: UInt32 = 14
    /// Seconds: sightings at most this far after the one before belong to the same scan
    /// (1.5 x (4 s scan + 13 s extension); `KeyExposureEvaluator`). Compared against whole seconds, so 25 is in, 26 is out.
    public static let sameScanSeconds: UInt32 = 25
    /// Seconds after which an exposure window ends and the next begins (`maxExposureWindowDurationMinutes` 30).
    public static let windowSeconds: UInt32 = 1_800
    /// Longest time a scan may stand for, in minutes (`maxMinutesSinceLastScan`).
    public static let maximumMinutesSinceLastScan = 5
    /// The time that a scan stands for when the one before is unknown, in minutes (`defaultMinutesSinceLastScan`).
    public static let defaultMinutesSinceLastScan = 2
}
