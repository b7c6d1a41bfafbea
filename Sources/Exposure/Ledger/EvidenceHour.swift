// SPDX-License-Identifier: Apache-2.0

/// The record of a device's activity in one UTC hour. It has only counts, so that the status "active" rests on what
/// the device did.
public struct EvidenceHour: Sendable, Hashable {
    /// The hour, in hours since 1970-01-01, UTC.
    public var hour: UInt32
    /// The number of scans that ended in the hour, including those cut short; 0 or more.
    public var scans: UInt32 = 0
    /// The number of these scans in which no advertising report with data arrived, 0 or more.
    public var quietScans: UInt32 = 0
    /// The number of advertising reports in scans, of any kind and from any device, 0 or more.
    public var reports: UInt32 = 0
    /// The number of these reports that were well-formed Exposure Notification beacons, 0 or more.
    public var exposureNotifications: UInt32 = 0
    /// The number of identifiers that were passed to the vault, counted again in each scan; 0 or more.
    public var storedIdentifiers: UInt32 = 0
    /// The number of own identifiers that were sent, which is the number of rotations; 0 or more.
    public var identifiersSent: UInt32 = 0
    /// The number of seconds in which an identifier was sent: 0 to 3,600 from one process; more if several processes
    /// added to the hour, or seconds of unknown time were added.
    public var secondsOnAir: UInt32 = 0
    /// The number of seconds in which the receiver listened. The core does not count them and stores 0.
    public var secondsListening: UInt32 = 0
    /// The number of recovery steps that the radio took after troubles, 0 or more.
    public var troubles: UInt32 = 0

    /// Creates an hour whose counts are all 0; `hour` is in hours since 1970, UTC. Cannot fail.
    public init(hour: UInt32) { self.hour = hour }

    private static var counts: [WritableKeyPath<EvidenceHour, UInt32>] {
        [
            \.scans, \.quietScans, \.reports, \.exposureNotifications, \.storedIdentifiers, \.identifiersSent,
            \.secondsOnAir, \.secondsListening, \.troubles,
        ]
    }

    /// Adds the counts of `other`, whatever hour it has; a sum beyond 32 bits becomes the largest number.
    public mutating func add(_ other: EvidenceHour) {
        for count in Self.counts {
            let (sum, isOver) = self[keyPath: count].addingReportingOverflow(other[keyPath: count])
            self[keyPath: count] = isOver ? .max : sum
        }
    }

    /// Version (1), hour (4), the nine counts (4 each) in the order above.
    var bytes: [UInt8] {
        var writer = LedgerWriter()
        writer.write(UInt8(1))
        writer.write(hour)
        for count in Self.counts { writer.write(self[keyPath: count]) }
        return writer.bytes
    }

    /// `nil` for anything ``bytes`` cannot have been.
    init?(_ bytes: [UInt8]) {
        var reader = LedgerReader(bytes)
        guard reader.integer(UInt8.self) == 1, let hour = reader.integer(UInt32.self) else { return nil }
        self.init(hour: hour)
        for count in Self.counts {
            guard let value = reader.integer(UInt32.self) else { return nil }
            self[keyPath: count] = value
        }
        guard reader.isAtEnd else { return nil }
    }
}
