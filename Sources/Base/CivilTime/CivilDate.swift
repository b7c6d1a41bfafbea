// SPDX-License-Identifier: Apache-2.0

/// A day of the proleptic Gregorian calendar in UTC, from 0000-01-01 to 9999-12-31.
public struct CivilDate: Sendable, Hashable {
    /// The year of the Gregorian calendar, 0 to 9999.
    public let year: Int
    /// The month of the year, 1 to 12.
    public let month: Int
    /// The day of the month, 1 to 31.
    public let day: Int

    /// The numbers of the days that this type can represent, 0000-01-01 to 9999-12-31, in days since 1970-01-01.
    public static let numbers: ClosedRange<Int64> = -719_528...2_932_896

    /// Creates a date from a year, a month and a day. Returns `nil` if the calendar has no such day or the year is not 0 to
    /// 9999.
    public init?(year: Int, month: Int, day: Int) {
        guard (0...9_999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
        guard day <= length else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Creates the date of a day number, counted from 1970-01-01. A number outside ``numbers`` becomes the first or the
    /// last day of that range.
    public init(day number: Int64) {
        // Days are counted from 0000-03-01 in eras of 400 years (Hinnant, "chrono-compatible low-level date algorithms").
        let shifted = min(max(number, Self.numbers.lowerBound), Self.numbers.upperBound) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    }

    /// Reads a date in the form `YYYY-MM-DD`, in ASCII digits. Returns `nil` for any other text and for days that do not
    /// exist.
    public init?(isoText text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == 45, bytes[7] == 45 else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            bytes[range].reduce(Int?(0)) { value, byte in
                guard let value, (48...57).contains(byte) else { return nil }
                return value * 10 + Int(byte - 48)
            }
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The number of days since 1970-01-01, negative before it. Always within ``numbers``.
    public var dayNumber: Int64 {
        let shiftedYear = Int64(month <= 2 ? year - 1 : year)
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let shiftedMonth = Int64(month > 2 ? month - 3 : month + 9)
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The day of the week, from 0 for Monday to 6 for Sunday.
    public var weekday: Int {
        // The first of January 1970 was a Thursday.
        Int(((dayNumber + 3) % 7 + 7) % 7)
    }

    /// The date as `YYYY-MM-DD` with leading zeros: always ten ASCII characters (ISO 8601, extended form).
    public var isoText: String { "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))" }

    /// The date as `YYYYMMDD` with leading zeros: always eight digits (ISO 8601, basic form).
    public var compactText: String { digits(year, 4) + digits(month, 2) + digits(day, 2) }

    private func digits(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
