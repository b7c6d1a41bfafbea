// SPDX-License-Identifier: Apache-2.0

public import GAEN

/// An advertisement that was received: its identifier and metadata, when it was received, and how strong.
public struct Sighting: Hashable, Sendable {
    /// The identifier (RPI) that was heard, 16 bytes chosen by the sender.
    public var identifier: RollingProximityIdentifier
    /// The associated encrypted metadata (AEM) that came with the identifier, 4 bytes, still encrypted.
    public var metadata: AssociatedEncryptedMetadata
    /// The time at which it was received, in Unix seconds.
    public var time: UInt32
    /// The time at which the scan before this one stopped, in Unix seconds; 0 when unknown.
    public var previousScan: UInt32
    /// The received signal strength in dBm after calibration, -127 to 126; not checked.
    public var rssi: Int8

    /// Creates a sighting from these parts, which are not checked; times are in Unix seconds, `rssi` in dBm.
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

    /// The number of the interval in which the sighting was received (``ENIN``).
    @inlinable var interval: UInt32 { time / UInt32(ENIN.seconds) }
}

/// The constants of matching, with their sources.
public enum MatchingRules {
    /// The number of ten-minute intervals by which a sighting may lie before or after the interval of its identifier,
    /// inclusive: clocks may differ by up to two hours (`tkMatchingClockDriftRollingPeriods` 12;
    /// `RollingProximityIdValidator`).
    public static let toleranceIntervals: UInt32 = 12
    /// The number of seconds after the first valid sighting of an identifier, inclusive, within which further
    /// sightings count. Later ones are replays, since no device sends an identifier for more than twice ten minutes
    /// (`ExposureMatchingTracer.getValidSightingsForRpi`).
    public static let replayCutSeconds: UInt32 = 1_200
    /// The number of whole UTC days for which a diagnosis key is considered (`ExposureNotificationClient`: older than
    /// 14 days are ignored).
    public static let keyRetentionDays: UInt32 = 14
    /// The maximum number of seconds between two sightings of the same scan (1.5 x (4 s scan + 13 s extension);
    /// `KeyExposureEvaluator`). It is compared with whole seconds: 25 is within the scan, 26 is not.
    public static let sameScanSeconds: UInt32 = 25
    /// The number of seconds after which an exposure window ends and the next begins
    /// (`maxExposureWindowDurationMinutes` 30).
    public static let windowSeconds: UInt32 = 1_800
    /// The longest time that a scan may stand for, in minutes (`maxMinutesSinceLastScan`).
    public static let maximumMinutesSinceLastScan = 5
    /// The time that a scan stands for when the one before is unknown, in minutes (`defaultMinutesSinceLastScan`).
    public static let defaultMinutesSinceLastScan = 2
}
