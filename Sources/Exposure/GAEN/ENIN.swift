// SPDX-License-Identifier: Apache-2.0

/// An Exposure Notification interval number: the number of whole ten minutes since 1970-01-01 00:00 UTC.
///
/// The numbers reach to the year 83,000, so arithmetic on real times cannot overflow. Arithmetic on numbers from a
/// file can, and must be checked. (Cryptography specification v1.2, "ENIntervalNumber".)
public struct ENIN: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The length of one interval in seconds: ten minutes (Cryptography Specification 1.2, "ENIntervalNumber").
    public static let seconds: Int64 = 600
    /// The number of intervals in a UTC day, which is also the longest rolling period of a TEK (Cryptography
    /// Specification 1.2, "TEKRollingPeriod").
    public static let perDay: UInt32 = 144

    /// The number of whole ten minutes since 1970-01-01 00:00 UTC; any value is valid.
    public let number: UInt32

    /// Creates the interval with this number of ten-minute steps since 1970-01-01 00:00 UTC; any 32 bits are allowed.
    /// Cannot fail.
    @inlinable public init(_ number: UInt32) { self.number = number }

    /// Creates the interval that contains this Unix time; returns `nil` before 1970 and when the number does not fit
    /// into 32 bits.
    public init?(unixSeconds: Int64) {
        guard unixSeconds >= 0, let number = UInt32(exactly: unixSeconds / Self.seconds) else { return nil }
        self.number = number
    }

    /// The first second of the interval, as Unix time.
    public var unixSeconds: Int64 { Int64(number) * Self.seconds }
    /// The UTC day that contains the interval, in days since 1970-01-01.
    @inlinable public var day: UInt32 { number / Self.perDay }
    /// The first interval of the same UTC day, with which a full-day TEK starts.
    public var startOfDay: ENIN { ENIN(day * Self.perDay) }
    /// The number of intervals from this one, inclusive, to the next UTC midnight: 1 to 144.
    public var intervalsToMidnight: UInt32 { Self.perDay - number % Self.perDay }

    /// Orders by time: the earlier interval is less.
    @inlinable public static func < (left: ENIN, right: ENIN) -> Bool { left.number < right.number }
    /// The number in decimal, for logs and for texts that are signed (``UploadProof``).
    public var description: String { "\(number)" }
}
