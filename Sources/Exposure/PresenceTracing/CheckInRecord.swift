// SPDX-License-Identifier: Apache-2.0

import KeyExport

/// The unit in which check-ins and warnings are told: intervals of ten minutes, counted since 1970.
public enum CheckInInterval {
    /// Seconds of each interval: ten minutes, 600 (cwa-app-android, as ENIN).
    public static let seconds: Int64 = 600
}

/// A stay of somebody infectious at a venue (`CheckInRecord`, also the content of `TraceTimeIntervalWarning`). Plausible by
/// its making.
public struct CheckInRecord: Sendable, Hashable {
    /// Number of the first interval, in units of ``CheckInInterval/seconds`` since 1970; 0 to 2³¹ - 1.
    public let start: UInt32
    /// The number of intervals, 1 to 2³¹ - 1.
    public let period: UInt32
    /// Level of transmission risk of the person, 1 to 8.
    public let level: UInt8

    /// The levels of transmission risk that a record may have (cwa-app-android `TraceTimeIntervalWarning.isValid`).
    public static let levels: ClosedRange<Int64> = 1...8

    /// A record of `period` intervals from `start` on; `nil` for what no check-in can be: a negative start (numbers beyond
    /// 2^31 are negative to the apps), no time, a level that there is not (cwa-app-android
    /// `TraceTimeIntervalWarning.isValid`).
    public init?(start: Int64, period: Int64, level: Int64) {
        guard (0...Int64(Int32.max)).contains(start), (1...Int64(Int32.max)).contains(period), Self.levels.contains(level)
        else { return nil }
        self.start = UInt32(start)
        self.period = UInt32(period)
        self.level = UInt8(level)
    }

    /// The time of the record in Unix seconds, the end excluded; never empty.
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
