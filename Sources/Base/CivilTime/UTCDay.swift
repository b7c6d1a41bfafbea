// SPDX-License-Identifier: Apache-2.0

/// A day of UTC, by its number since 1970-01-01. Days have 86,400 seconds here, as Unix time has it: a leap second repeats the one before.
public struct UTCDay: Sendable, Hashable, Comparable {
    /// Seconds in a day; 86,400, because Unix time does not count leap seconds.
    public static let seconds: Int64 = 86_400

    /// Days since 1970-01-01, UTC; negative before. Any value is allowed, also one for which ``CivilDate`` has no date.
    public let number: Int64

    /// The day of that number since 1970-01-01. Numbers outside of `Int64` become its ends. Cannot fail.
    public init(number: some BinaryInteger) { self.number = Int64(clamping: number) }

    /// The day of a moment in Unix seconds, also before 1970. Cannot fail.
    public init(containing unixSeconds: Int64) {
        let (days, rest) = unixSeconds.quotientAndRemainder(dividingBy: Self.seconds)
        number = rest < 0 ? days - 1 : days
    }

    /// Whether `left` is the earlier day.
    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    /// The day's first second, in Unix seconds; days so far away that they have none are brought into range.
    public var start: Int64 {
        let (start, isTooFar) = number.multipliedReportingOverflow(by: Self.seconds)
        return isTooFar ? (number < 0 ? .min : .max) : start
    }

    /// The day in the calendar; a day outside of the years 0 to 9999 becomes the first or last of them.
    public var date: CivilDate { CivilDate(day: number) }

    /// Seconds of a moment (Unix seconds) since its day began: 0 to 86,399. Cannot fail.
    public static func second(of unixSeconds: Int64) -> Int64 {
        let rest = unixSeconds % seconds
        return rest < 0 ? rest + seconds : rest
    }
}

/// Days and times as people write them.
extension UTCDay {
    /// The day as `YYYY-MM-DD` ("2026-11-21"), from days since 1970-01-01; every day after 9999-12-31 reads as that day.
    /// Cannot fail.
    public static func text(day: UInt32) -> String { CivilDate(day: Int64(day)).isoText }

    /// The moment to the minute, rounded down ("2026-11-21 06:07 UTC"), from Unix seconds; after the year 9999 the number
    /// alone. Cannot fail.
    public static func text(time: UInt64) -> String {
        guard let seconds = Int64(exactly: time), CivilDate.numbers.contains(UTCDay(containing: seconds).number) else {
            return "\(time)"
        }
        let minute = second(of: seconds) / 60
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(UTCDay(containing: seconds).date.isoText) \(two(minute / 60)):\(two(minute % 60)) UTC"
    }
}
