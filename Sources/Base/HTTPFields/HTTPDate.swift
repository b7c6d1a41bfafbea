// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// Dates in HTTP headers (RFC 9110 5.6.7): the preferred form, and the two obsolete forms that a recipient must accept.
public enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let longestText = 40

    /// Reads a date of the years 1970 to 9999 and returns it in Unix seconds. Returns `nil` if the text is not a
    /// date in one of the three forms. The name of the day is not compared with the date, and a leap second (60)
    /// counts as the second before it. `now` (Unix seconds) determines the century of a year with two digits: at
    /// most 50 years ahead. With the default of 0 that is the twentieth, so only 70 to 99 are read. A text of more
    /// than 40 bytes is refused.
    public static func unixSeconds(_ text: String, now: Int64 = 0) -> Int64? {
        guard text.utf8.count <= longestText else { return nil }
        let words = text.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
        switch words.count {
        case 6 where words[5] == "GMT":
            // Sun, 06 Nov 1994 08:49:37 GMT
            guard words[1].utf8.count == 2, words[3].utf8.count == 4 else { return nil }
            return seconds(year: number(words[3]), month: words[2], day: number(words[1]), time: words[4])
        case 4 where words[3] == "GMT":
            // Sunday, 06-Nov-94 08:49:37 GMT
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard date.count == 3, date[2].utf8.count == 2, let short = number(date[2]) else { return nil }
            return seconds(
                year: fullYear(short, now: now), month: date[1], day: number(date[0]), time: words[2])
        case 5:
            // Sun Nov  6 08:49:37 1994
            guard words[4].utf8.count == 4 else { return nil }
            return seconds(year: number(words[4]), month: words[1], day: number(words[2]), time: words[3])
        default: return nil
        }
    }

    /// Returns the preferred form, such as `Sun, 06 Nov 1994 08:49:37 GMT`, of a moment in Unix seconds. Returns `nil`
    /// outside the years 1970 to 9999.
    public static func text(unixSeconds: Int64) -> String? {
        guard unixSeconds >= 0, unixSeconds < 253_402_300_800 else { return nil }
        let date = UTCDay(containing: unixSeconds).date
        let second = Int(UTCDay.second(of: unixSeconds))
        let clock = [second / 3_600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
        return
            "\(days[date.weekday]), \(padded(date.day, 2)) \(months[date.month - 1]) \(padded(date.year, 4)) \(clock) GMT"
    }

    private static func seconds(year: Int?, month: String, day: Int?, time: String) -> Int64? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let year, (1_970...9_999).contains(year), let day, let index = months.firstIndex(of: month),
            let date = CivilDate(year: year, month: index + 1, day: day),
            clock.count == 3, clock.allSatisfy({ $0.utf8.count == 2 }),
            let hour = number(clock[0]), let minute = number(clock[1]), let second = number(clock[2]),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return UTCDay(number: date.dayNumber).start + Int64(hour * 3_600 + minute * 60 + min(second, 59))
    }

    /// Digits only: no sign, no space.
    private static func number(_ text: String) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }

    private static func fullYear(_ short: Int, now: Int64) -> Int {
        let thisYear = UTCDay(containing: max(now, 0)).date.year
        let year = thisYear - thisYear % 100 + short
        return year > thisYear + 50 ? year - 100 : year
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
