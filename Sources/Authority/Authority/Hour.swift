// SPDX-License-Identifier: Apache-2.0

import TimeTrust

/// Hours and days since 1970, UTC: what packages are named after.
enum Hour {
    static let seconds: Int64 = 3_600

    /// The hour that contains this time (Unix seconds).
    static func containing(_ time: Int64) -> Int64 { time.flooredToHour }
    /// First second.
    static func start(_ hour: Int64) -> Int64 { hour * seconds }
    static func day(_ hour: Int64) -> Int64 { hour / 24 }
    static func ofDay(_ hour: Int64) -> Int64 { hour % 24 }
    /// "2026-11-21".
    static func date(ofDay day: Int64) -> String { CalendarDay.text(day: UInt32(clamping: day)) }
    /// "2026-11-21T06:07:08Z" for Unix seconds.
    static func text(_ time: Int64) -> String {
        let day = time / 86_400
        let rest = time % 86_400
        return "\(date(ofDay: day))T\(pad(rest / 3_600)):\(pad(rest % 3_600 / 60)):\(pad(rest % 60))Z"
    }
    /// The day "2026-11-21" names; `nil` for anything else.
    static func day(date: String) -> Int64? {
        let parts = date.split(separator: "-", omittingEmptySubsequences: false)
        guard date.utf8.count == 10, parts.count == 3, let year = Int64(parts[0]), (1970...9999).contains(year) else {
            return nil
        }
        // Found by asking: the estimate is at most a few days early.
        let estimate = (year - 1970) * 365
        for day in estimate...(estimate + 2_500) where Self.date(ofDay: day) == date { return day }
        return nil
    }

    private static func pad(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Int64 {
    fileprivate var flooredToHour: Int64 { self >= 0 ? self / Hour.seconds : (self - Hour.seconds + 1) / Hour.seconds }
}
