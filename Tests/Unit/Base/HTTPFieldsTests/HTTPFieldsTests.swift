// SPDX-License-Identifier: Apache-2.0

import CivilTime
import HTTPFields
import Testing

@Suite struct HTTPFieldsTests {
    /// The three examples of RFC 9110 5.6.7 are one moment.
    @Test func datesOfTheStandard() {
        #expect(HTTPDate.unixSeconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.unixSeconds("Sunday, 06-Nov-94 08:49:37 GMT", now: 1_700_000_000) == 784_111_777)
        #expect(HTTPDate.unixSeconds("Sun Nov  6 08:49:37 1994") == 784_111_777)
        #expect(HTTPDate.unixSeconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        #expect(HTTPDate.unixSeconds("Tue, 29 Feb 2028 23:59:60 GMT") == 1_835_481_599)
        #expect(HTTPDate.unixSeconds("Wed, 01-Jan-70 00:00:00 GMT", now: 0) == 0)
        #expect(HTTPDate.unixSeconds("Wed, 01-Jan-25 00:00:00 GMT", now: 1_600_000_000) == 1_735_689_600)
    }

    @Test func whatIsNoDate() {
        for text in [
            "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
            "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
            "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 29 Feb 2027 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1969 08:49:37 GMT",
            "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:-9:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT GMT GMT GMT GMT",
            "Sun, 06 Nov 1994 08:49:37:11 GMT", "Sun, ٠٦ Nov 1994 08:49:37 GMT", "-1", "1e9",
        ] { #expect(HTTPDate.unixSeconds(text) == nil, "\(text)") }
    }

    @Test func everyDayThereAndBack() throws {
        for day in stride(from: Int64(0), to: 2_932_897, by: 1) where day % 13 == 0 || day < 40_000 {
            let date = CivilDate(day: day)
            #expect(date.dayNumber == day)
            if day % 97 == 0 {
                let second = day * 86_400 + day % 86_400
                #expect(HTTPDate.unixSeconds(try #require(HTTPDate.text(unixSeconds: second))) == second)
                #expect(CivilDate(isoText: date.isoText) == date)
            }
        }
        #expect(CivilDate(day: 0).isoText == "1970-01-01" && CivilDate(day: 18_506).compactText == "20200901")
        for text in [
            "2020-13-01", "2020-00-01", "2020-02-30", "20-02-03", "2020-2-03", "2020/02/03", "2020-02-03 ", "٢٠٢٠-02-03",
        ] {
            #expect(CivilDate(isoText: text) == nil)
        }
        #expect(CivilDate(day: .max).year == 9_999 && CivilDate(day: .min).year == 0)
        #expect(HTTPDate.text(unixSeconds: -1) == nil && HTTPDate.text(unixSeconds: .max) == nil)
    }

    @Test func retryAfterTagsAndAges() {
        #expect(RetryAfter.seconds("120", date: nil, now: 0) == 120)
        #expect(RetryAfter.seconds(" 0 ", date: nil, now: 0) == 0)
        #expect(RetryAfter.seconds("99999999999999999999", date: nil, now: 0) == .max)
        #expect(RetryAfter.seconds("-1", date: nil, now: 0) == nil)
        #expect(RetryAfter.seconds("1.5", date: nil, now: 0) == nil)
        // From the server's clock where it told it, whatever ours shows.
        #expect(RetryAfter.seconds("Sun, 06 Nov 1994 08:49:37 GMT", date: 784_111_700, now: 0) == 77)
        #expect(RetryAfter.seconds("Sun, 06 Nov 1994 08:49:37 GMT", date: nil, now: 784_111_770) == 7)
        #expect(RetryAfter.seconds("Sun, 06 Nov 1994 08:49:37 GMT", date: nil, now: 900_000_000) == 0)

        for text in ["abc", "\"abc\"", "W/\"abc\"", "\"\"abc\"\"", " \"abc\" ", "\"W/abc\""] {
            #expect(EntityTag.bare(text) == "abc")
        }
        for text in ["", "\"\"", "a\"b", "a b", "a\u{1}", "ä", String(repeating: "a", count: 129)] {
            #expect(EntityTag.bare(text) == nil)
        }
        #expect(CacheControl.maximumAge("public,max-age=300") == 300)
        #expect(CacheControl.maximumAge("Public, Max-Age=\"0\"") == 0)
        for text in ["", "no-store", "max-age", "max-age=", "max-age=-1", "s-maxage=3"] {
            #expect(CacheControl.maximumAge(text) == nil)
        }
    }
}
