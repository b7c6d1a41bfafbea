// SPDX-License-Identifier: Apache-2.0

/// UTC days and times as people write them, without a calendar library.
public enum CalendarDay {
    /// "2026-11-21" for days since 1970.
    public static func text(day: UInt32) -> String {
        // Civil date from a day count, by 400-year eras that begin on 1 March (Howard Hinnant, "chrono-compatible low-level
        // date algorithms").
        let shifted = Int(day) + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(year)-\(padded(month))-\(padded(day))"
    }

    /// "2026-11-21 06:07 UTC" for Unix seconds from 1970 on.
    public static func text(time: UInt64) -> String {
        guard let day = UInt32(exactly: time / 86_400), day < 100_000_000 else { return "\(time)" }
        let minute = time % 86_400 / 60
        return "\(text(day: day)) \(padded(Int(minute / 60))):\(padded(Int(minute % 60))) UTC"
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension UnixTime {
    /// "2026-11-21 06:07 UTC".
    public var inWords: String { CalendarDay.text(time: UInt64(clamping: seconds)) }
}
