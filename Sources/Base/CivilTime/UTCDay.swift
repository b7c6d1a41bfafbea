// SPDX-License-Identifier: Apache-2.0

/// A day in UTC, identified by its number since 1970-01-01. Every day has 86,400 seconds, as in Unix time: a leap second
/// repeats the second before it.
public struct UTCDay: Sendable, Hashable, Comparable {
    /// The number of seconds in a day: 86,400, because Unix time does not count leap seconds.
    public static let seconds: Int64 = 86_400

    /// The number of days since 1970-01-01, UTC; negative before it. Any value is allowed, even one for which ``CivilDate``
    /// has no date.
    public let number: Int64

    /// Creates the day with this number, counted from 1970-01-01. A number that does not fit into `Int64` becomes the
    /// nearest one that does. Cannot fail.
    public init(number: some BinaryInteger) { self.number = Int64(clamping: number) }

    /// Creates the day that contains a moment in Unix seconds, which may be before 1970. Cannot fail.
    public init(containing unixSeconds: Int64) {
        let (days, rest) = unixSeconds.quotientAndRemainder(dividingBy: Self.seconds)
        number = rest < 0 ? days - 1 : days
    }

    /// Returns whether `left` is the earlier day.
    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    /// The day's first second, in Unix seconds. For a day too far away to have one, this is the nearest `Int64` value.
    public var start: Int64 {
        let (start, isTooFar) = number.multipliedReportingOverflow(by: Self.seconds)
        return isTooFar ? (number < 0 ? .min : .max) : start
    }

    /// The day as a calendar date. A day before the year 0 becomes 0000-01-01, one after the year 9999 becomes 9999-12-31.
    public var date: CivilDate { CivilDate(day: number) }

    /// Returns the number of seconds between the start of the day and a moment in Unix seconds: 0 to 86,399. Cannot fail.
    public static func second(of unixSeconds: Int64) -> Int64 {
        let rest = unixSeconds % seconds
        return rest < 0 ? rest + seconds : rest
    }
}

/// Days and times as people write them.
extension UTCDay {
    /// Returns the day as `YYYY-MM-DD` ("2026-11-21"). `day` counts days since 1970-01-01; any day after 9999-12-31 gives
    /// "9999-12-31". Cannot fail.
    public static func text(day: UInt32) -> String { CivilDate(day: Int64(day)).isoText }

    /// Returns a moment, in Unix seconds, as date and time to the minute, rounded down ("2026-11-21 06:07 UTC"). For a
    /// moment after the year 9999 the text is the number of seconds alone. Cannot fail.
    public static func text(time: UInt64) -> String {
        guard let seconds = Int64(exactly: time), CivilDate.numbers.contains(UTCDay(containing: seconds).number) else {
            return "\(time)"
        }
        let minute = second(of: seconds) / 60
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(UTCDay(containing: seconds).date.isoText) \(two(minute / 60)):\(two(minute % 60)) UTC"
    }
}
