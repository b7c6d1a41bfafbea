// SPDX-License-Identifier: Apache-2.0

/// Exposure Notification interval number: the number of whole ten minutes since 1970-01-01 00:00 UTC.
///
/// Covers 1970 to the year 83,000, so arithmetic on real times cannot overflow; what comes from a file may, and goes
/// through the failable paths. (Cryptography specification v1.2, "ENIntervalNumber".)
public struct ENIN: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Length of one interval in seconds: ten minutes (Cryptography Specification 1.2, "ENIntervalNumber").
    public static let seconds: Int64 = 600
    /// Intervals of one UTC day, and the longest rolling period of a TEK (Cryptography Specification 1.2,
    /// "TEKRollingPeriod").
    public static let perDay: UInt32 = 144

    /// Whole ten minutes since 1970-01-01 00:00 UTC; any value is valid.
    public let number: UInt32

    /// The interval with this number: ten minutes each since 1970. Any 32 bits are allowed. Cannot fail.
    @inlinable public init(_ number: UInt32) { self.number = number }

    /// The interval that contains this time; `nil` before 1970 or beyond the range.
    public init?(unixSeconds: Int64) {
        guard unixSeconds >= 0, let number = UInt32(exactly: unixSeconds / Self.seconds) else { return nil }
        self.number = number
    }

    /// First second of the interval, Unix time, UTC.
    public var unixSeconds: Int64 { Int64(number) * Self.seconds }
    /// The UTC day that has the interval, in days since 1970-01-01.
    @inlinable public var day: UInt32 { number / Self.perDay }
    /// First interval of the same UTC day: where a full-day TEK starts.
    public var startOfDay: ENIN { ENIN(day * Self.perDay) }
    /// Intervals from this one, inclusive, to the next UTC midnight: 1 to 144.
    public var intervalsToMidnight: UInt32 { Self.perDay - number % Self.perDay }

    /// Orders by time: the earlier interval is less.
    @inlinable public static func < (left: ENIN, right: ENIN) -> Bool { left.number < right.number }
    /// The number in decimal, for logs and texts that are signed (``UploadProof``).
    public var description: String { "\(number)" }
}
