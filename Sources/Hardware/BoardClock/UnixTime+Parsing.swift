// SPDX-License-Identifier: Apache-2.0

public import TimeTrust

extension UnixTime {
    /// The first moment of the year 10000: years have four digits.
    static let end = UnixTime(seconds: 253_402_300_800)

    /// Reads a time that a person typed, always in UTC: `2026-11-21T10:00:00Z` or `2026-11-21 10:00` (with `T` or a space;
    /// seconds and `Z` are optional), Unix seconds, or `now`.
    ///
    /// The text `now` stands for the parameter `now`, by default the time of the system clock. Throws
    /// ``ClockFailure/Code/malformedTime`` for any other form, and ``ClockFailure/Code/timeOutOfRange`` for hours, days and
    /// months that do not exist, for leap seconds, and for times before 2020 (`TrustedTime.Limits.earliest`) or after 9999,
    /// which would otherwise be refused later without the person noticing.
    public init(parsing text: String, now: UnixTime = BoardClock.system()) throws(ClockFailure) {
        let time: UnixTime
        if text == "now" {
            time = now
        } else if let seconds = DecimalText.number(text) {
            time = UnixTime(seconds: seconds)
        } else {
            time = UnixTime(seconds: try Self.civil(Array(text.utf8)))
        }
        guard time >= TrustedTime.Limits.earliest, time < Self.end else { throw ClockFailure(.timeOutOfRange) }
        self = time
    }

    private static func civil(_ text: [UInt8]) throws(ClockFailure) -> Int64 {
        var rest = text[...]
        if rest.last == UInt8(ascii: "Z") { rest.removeLast() }
        // Digits as 0, T as a blank.
        let shape = rest.map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt8(ascii: "0")
            case UInt8(ascii: "T"): UInt8(ascii: " ")
            default: byte
            }
        }
        guard ["0000-00-00 00:00", "0000-00-00 00:00:00"].contains(where: { $0.utf8.elementsEqual(shape) }) else {
            throw ClockFailure(.malformedTime)
        }
        let number = { (range: Range<Int>) in text[range].reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) } }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), rest.count > 16 ? number(17..<19) : 0)
        guard year >= 1970, (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day), hour < 24,
            minute < 60, second < 60
        else { throw ClockFailure(.timeOutOfRange) }
        return ((Self.day(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
    }

    private static func isLeap(_ year: Int64) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01 of a date that exists.
    private static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let before = year - 1
        // 719,162 days lie between 0001-01-01 and 1970-01-01.
        let years = before * 365 + before / 4 - before / 100 + before / 400 - 719_162
        return years + (1..<month).reduce(0) { $0 + days(in: $1, of: year) } + day - 1
    }
}
