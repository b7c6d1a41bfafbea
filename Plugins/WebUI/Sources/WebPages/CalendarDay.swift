// SPDX-License-Identifier: Apache-2.0

/// A day of the Gregorian calendar, from days since 1970 (UTC).
public struct CalendarDay: Sendable, Equatable {
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31.
    public let dayOfMonth: Int
    /// 0 for Monday to 6 for Sunday.
    public let weekday: Int

    /// - Parameter day: days since 1970-01-01; what is outside of the years 0 to 9999 counts as the nearest day within.
    public init(daysSince1970 day: Int) {
        // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": eras of 400 years that begin in March.
        let bounded = min(max(day, -719_468), 2_932_896)
        let shifted = bounded + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        // The first of January 1970 was a Thursday.
        weekday = ((bounded + 3) % 7 + 7) % 7
    }

    /// The day of a moment.
    public init(unixSeconds: Int64) {
        self.init(daysSince1970: Self.day(of: unixSeconds))
    }

    /// Days since 1970 of a moment.
    static func day(of unixSeconds: Int64) -> Int {
        Int(unixSeconds >= 0 ? unixSeconds / 86_400 : (unixSeconds - 86_399) / 86_400)
    }

    /// Like 2026-11-22.
    public var iso: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))" }
}

/// A whole number with zeros before it.
func padded(_ number: Int, _ width: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
