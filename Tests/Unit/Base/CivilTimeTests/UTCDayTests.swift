// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Testing

@Suite struct UTCDayTests {
    /// (Unix seconds, day, second of the day)
    @Test(
        arguments: [
            (0, 0, 0), (86_399, 0, 86_399), (86_400, 1, 0), (-1, -1, 86_399), (-86_400, -1, 0), (-86_401, -2, 86_399),
            (1_795_240_428, 20_778, 21_228),
        ] as [(Int64, Int64, Int64)])
    func momentsHaveADay(time: Int64, day: Int64, second: Int64) {
        #expect(UTCDay(containing: time).number == day)
        #expect(UTCDay.second(of: time) == second)
        #expect(UTCDay(number: day).start + second == time)
    }

    @Test func theFarthestMomentsHaveADay() {
        for time in [Int64.min, .max] {
            let day = UTCDay(containing: time)
            #expect(UTCDay(containing: max(day.start, .min)) == day || day.start == .min)
            #expect((0..<86_400).contains(UTCDay.second(of: time)))
        }
        #expect(UTCDay(number: Int64.max).start == .max && UTCDay(number: Int64.min).start == .min)
        #expect(UTCDay(number: UInt64.max).number == .max)
    }

    /// The same as counting.
    @Test func daysFollowEachOther() {
        var last = CivilDate(day: -1_000)
        for number in Int64(-999)...40_000 {
            let next = UTCDay(number: number).date
            #expect(next.dayNumber == number)
            #expect(next.weekday == (last.weekday + 1) % 7)
            #expect(next.day == last.day + 1 || next.day == 1 && next.month == last.month % 12 + 1)
            last = next
        }
    }

    @Test func namedDays() {
        #expect(CivilDate(day: 0).isoText == "1970-01-01" && CivilDate(day: 0).weekday == 3)
        #expect(CivilDate(day: 11_016).isoText == "2000-02-29")
        #expect(CivilDate(day: 20_779).isoText == "2026-11-22" && CivilDate(day: 20_779).weekday == 6)
        #expect(UTCDay(containing: -1).date.isoText == "1969-12-31")
        #expect(CivilDate(day: CivilDate.numbers.lowerBound).isoText == "0000-01-01")
        #expect(CivilDate(day: CivilDate.numbers.upperBound).isoText == "9999-12-31")
    }

    /// Pages, console and authority once wrote days after the year 9999 in three ways: as 9999, with five digits, and as a number.
    @Test func afterTheYear9999() {
        #expect(UTCDay.text(day: .max) == "9999-12-31")
        #expect(UTCDay.text(time: 253_402_300_799) == "9999-12-31 23:59 UTC")
        #expect(UTCDay.text(time: 253_402_300_800) == "253402300800")
        #expect(UTCDay.text(time: .max) == "18446744073709551615")
    }
}
