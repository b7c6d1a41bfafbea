// SPDX-License-Identifier: Apache-2.0

import KeyExport

/// The unit of time in check-ins and warnings: intervals of ten minutes, counted since 1970.
public enum CheckInInterval {
    /// The length of an interval in seconds: ten minutes (cwa-app-android, as ENIN).
    public static let seconds: Int64 = 600
}

/// The stay of an infectious person at a venue (`CheckInRecord`, also the content of `TraceTimeIntervalWarning`). It
/// can be created only with plausible values.
public struct CheckInRecord: Sendable, Hashable {
    /// The number of the first interval, in units of ``CheckInInterval/seconds`` since 1970; 0 to 2³¹ - 1.
    public let start: UInt32
    /// The number of intervals, 1 to 2³¹ - 1.
    public let period: UInt32
    /// The person's level of transmission risk, 1 to 8.
    public let level: UInt8

    /// The levels of transmission risk that a record may have (cwa-app-android `TraceTimeIntervalWarning.isValid`).
    public static let levels: ClosedRange<Int64> = 1...8

    /// Creates a record of `period` intervals from `start` on. Returns `nil` for implausible values: a negative start
    /// (the apps read numbers of 2^31 and above as negative), a period of 0 or less, or a level outside 1 to 8
    /// (cwa-app-android `TraceTimeIntervalWarning.isValid`).
    public init?(start: Int64, period: Int64, level: Int64) {
        guard (0...Int64(Int32.max)).contains(start), (1...Int64(Int32.max)).contains(period), Self.levels.contains(level)
        else { return nil }
        self.start = UInt32(start)
        self.period = UInt32(period)
        self.level = UInt8(level)
    }

    /// The time of the record in Unix seconds, without its end; never empty.
    public var seconds: Range<Int64> {
        let start = Int64(start) * CheckInInterval.seconds
        return start..<start + Int64(period) * CheckInInterval.seconds
    }

    var encoded: [UInt8] {
        var writer = ProtobufWriter()
        if start != 0 { writer.number(1, UInt64(start)) }
        writer.number(2, UInt64(period))
        writer.number(3, UInt64(level))
        return writer.bytes
    }

    /// What a message says, plausible or not; `nil` when it is malformed.
    struct Numbers {
        var start: UInt32 = 0
        var period: UInt32 = 0
        var level: UInt32 = 0

        init() {}

        init?(_ message: UnsafeRawBufferPointer) {
            let isWhole = ProtobufCursor.forEachField(of: message) { field, value in
                switch field {
                case 1: store(value.uint32, in: &start)
                case 2: store(value.uint32, in: &period)
                case 3: store(value.uint32, in: &level)
                default: true
                }
            }
            guard isWhole else { return nil }
        }

        var record: CheckInRecord? { CheckInRecord(start: Int64(start), period: Int64(period), level: Int64(level)) }
    }
}
