// SPDX-License-Identifier: Apache-2.0

import KeyExport

/// A check-in of the first version, as it is sent to the submission server (`CheckIn`, spec cwa-protocols 5).
/// Everybody can read it.
public struct PlainCheckIn: Sendable, Hashable {
    /// The venue that was visited. Every holder of its id can read and write warnings of the venue.
    public let location: LocationID
    /// The time of the stay, and the person's level of transmission risk.
    public let record: CheckInRecord

    /// The maximum length of a stay in a message that is read, in intervals of ten minutes, inclusive: 144, a UTC
    /// day (cwa-app-android cuts at midnight).
    public static let maximumPeriod: UInt32 = 144

    /// Creates a check-in from these parts, which are not checked: the record may be longer than ``maximumPeriod``.
    public init(location: LocationID, record: CheckInRecord) {
        self.location = location
        self.record = record
    }

    /// Reads a protobuf message. Throws `malformedCheckIn` when it is malformed, when the id does not have 32
    /// bytes, when the stay does not end after its start or is longer than ``maximumPeriod``, or when the level is
    /// not 1 to 8.
    public init(decoding bytes: [UInt8]) throws(PresenceTracingError) {
        var location: [UInt8] = []
        var (start, end, level): (UInt32, UInt32, UInt32) = (0, 0, 0)
        let isWhole = bytes.withUnsafeBytes { message in
            ProtobufCursor.forEachField(of: message) { field, value in
                switch field {
                case 1: store(value.bytes, in: &location)
                case 2: store(value.uint32, in: &start)
                case 3: store(value.uint32, in: &end)
                case 4: store(value.uint32, in: &level)
                default: true
                }
            }
        }
        guard isWhole, let id = LocationID(location),
            let record = CheckInRecord(start: Int64(start), period: Int64(end) - Int64(start), level: Int64(level)),
            record.period <= Self.maximumPeriod
        else { throw PresenceTracingError(.malformedCheckIn) }
        self.init(location: id, record: record)
    }

    /// The protobuf message (`CheckIn`). Cannot fail.
    public var encoded: [UInt8] {
        var writer = ProtobufWriter()
        writer.data(1, location.bytes)
        if record.start != 0 { writer.number(2, UInt64(record.start)) }
        writer.number(3, UInt64(record.start) + UInt64(record.period))
        writer.number(4, UInt64(record.level))
        return writer.bytes
    }
}
