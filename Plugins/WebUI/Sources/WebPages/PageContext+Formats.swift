// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// Numbers, days and spans of time in the reader's language.
extension PageContext {
    /// With marks between thousands.
    func number(_ number: Int64) -> String {
        let digits = Array("\(number.magnitude)")
        var text = number < 0 ? "\u{2212}" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, digits.count > 4 || language == .english, (digits.count - index) % 3 == 0 {
                text += language.groupMark
            }
            text.append(digit)
        }
        return text
    }

    func number(_ number: Int) -> String { self.number(Int64(number)) }
    func number(_ number: UInt64) -> String { self.number(Int64(clamping: number)) }

    /// With one place behind the mark, none where it would be zero.
    func number(_ number: Double) -> String {
        guard number.isFinite, abs(number) < 1e15 else { return "–" }
        let tenths = Int64((abs(number) * 10).rounded())
        let sign = number < 0 && tenths > 0 ? "\u{2212}" : ""
        let whole = self.number(tenths / 10)
        return sign + (tenths % 10 == 0 ? whole : "\(whole)\(language.decimalMark)\(tenths % 10)")
    }

    /// Bytes in the largest unit that leaves a number above 1.
    func bytes(_ count: UInt64) -> String {
        let units = [t("unit.bytes"), t("unit.kilobytes"), t("unit.megabytes"), t("unit.gigabytes")]
        var value = Double(count)
        var unit = 0
        while value >= 1_000, unit < 3 {
            value /= 1_000
            unit += 1
        }
        return number(value) + "\u{A0}" + units[unit]
    }

    /// Like Sunday, 22 November 2026.
    func longDay(_ day: Int) -> String {
        let date = UTCDay(number: day).date
        return t(
            "date.long",
            [
                "weekday": t(.weekdays, "\(date.weekday + 1)"), "day": dayOfMonth(date),
                "month": t(.months, "\(date.month)"),
                "year": "\(date.year)",
            ])
    }

    /// Like 22 November.
    func shortDay(_ day: Int) -> String {
        let date = UTCDay(number: day).date
        return t("date.short", ["day": dayOfMonth(date), "month": t(.months, "\(date.month)")])
    }

    /// Like Sun 22.
    func tinyDay(_ day: Int) -> String {
        let date = UTCDay(number: day).date
        return t("date.tiny", ["weekday": t(.shortWeekdays, "\(date.weekday + 1)"), "day": "\(date.day)"])
    }

    private func dayOfMonth(_ date: CivilDate) -> String {
        language == .french && date.day == 1 ? "1er" : "\(date.day)"
    }

    /// A day by its distance from today where that is said more easily.
    func dayName(_ day: Int) -> String {
        guard timeIsKnown else { return longDay(day) }
        return switch today - day {
        case 0: t("date.today", ["date": longDay(day)])
        case 1: t("date.yesterday", ["date": longDay(day)])
        default: longDay(day)
        }
    }

    /// Days since 1970, UTC.
    var today: Int { dayNumber(of: now) }

    /// A moment, with its zone.
    func moment(_ unixSeconds: Int64) -> String {
        t("date.moment", ["date": shortDay(dayNumber(of: unixSeconds)), "time": clock(unixSeconds)])
    }

    /// Hours and minutes, UTC.
    func clock(_ unixSeconds: Int64) -> String {
        let second = Int(UTCDay.second(of: unixSeconds))
        return padded(second / 3_600, 2) + ":" + padded(second / 60 % 60, 2)
    }

    /// A moment as an element that the page may show in the reader's own time zone.
    func momentElement(_ unixSeconds: Int64) -> HTML {
        el(.time, .datetime(Self.isoMoment(unixSeconds)), .localTime, text: moment(unixSeconds))
    }

    /// How long ago, in the one unit that fits; the moment itself while the time is not known.
    func ago(_ unixSeconds: Int64) -> String {
        guard timeIsKnown else { return moment(unixSeconds) }
        let seconds = max(0, now - unixSeconds)
        return switch seconds {
        case ..<90: t("ago.now")
        case ..<5_400: t("ago.minutes", counting: seconds / 60)
        case ..<129_600: t("ago.hours", counting: (seconds + 1_800) / 3_600)
        default: t("ago.days", counting: seconds / UTCDay.seconds)
        }
    }

    /// A span of time in the one unit that fits.
    func span(_ seconds: Int64) -> String {
        switch max(0, seconds) {
        case let seconds where seconds < 120: t("span.seconds", counting: seconds)
        case let seconds where seconds < 7_200: t("span.minutes", counting: seconds / 60)
        case let seconds where seconds < 172_800: t("span.hours", counting: seconds / 3_600)
        case let seconds: t("span.days", counting: seconds / UTCDay.seconds)
        }
    }

    /// For machines: 2026-11-22T05:47:21Z.
    static func isoMoment(_ unixSeconds: Int64) -> String {
        let second = Int(UTCDay.second(of: unixSeconds))
        let clock = padded(second / 3_600, 2) + ":" + padded(second / 60 % 60, 2) + ":" + padded(second % 60, 2)
        return UTCDay(containing: unixSeconds).date.isoText + "T" + clock + "Z"
    }
}

/// Days since 1970 of a moment in Unix seconds.
func dayNumber(of unixSeconds: Int64) -> Int { Int(UTCDay(containing: unixSeconds).number) }

/// A whole number with zeros before it.
private func padded(_ number: Int, _ width: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
