// SPDX-License-Identifier: Apache-2.0

import CivilTime

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
    static func date(ofDay day: Int64) -> String { UTCDay(number: day).date.isoText }
    /// "2026-11-21T06:07:08Z" for Unix seconds.
    static func text(_ time: Int64) -> String {
        let rest = UTCDay.second(of: time)
        return "\(UTCDay(containing: time).date.isoText)T\(pad(rest / 3_600)):\(pad(rest % 3_600 / 60)):\(pad(rest % 60))Z"
    }
    /// The day "2026-11-21" names; `nil` for anything else.
    static func day(date: String) -> Int64? {
        guard let date = CivilDate(isoText: date), date.year >= 1970 else { return nil }
        return date.dayNumber
    }

    private static func pad(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Int64 {
    fileprivate var flooredToHour: Int64 { self >= 0 ? self / Hour.seconds : (self - Hour.seconds + 1) / Hour.seconds }
}
