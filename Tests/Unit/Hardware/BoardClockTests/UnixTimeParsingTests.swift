// SPDX-License-Identifier: Apache-2.0

import BoardClock
import Glibc
import RandomValues
import Testing
import TimeTrust

struct UnixTimeParsingTests {
    /// `date -u -d … +%s`
    @Test(arguments: [
        ("2026-11-21T10:00:00Z", 1_795_255_200 as Int64), ("2026-11-21 10:00", 1_795_255_200),
        ("2026-11-21T10:00", 1_795_255_200),
        ("2026-11-21 10:00:07Z", 1_795_255_207), ("1795255207", 1_795_255_207), ("2020-01-01 00:00", 1_577_836_800),
        ("1577836800", 1_577_836_800), ("2024-02-29T23:59:59Z", 1_709_251_199), ("9999-12-31 23:59:59", 253_402_300_799),
        ("253402300799", 253_402_300_799),
    ])
    func `Reads what a person types`(text: String, seconds: Int64) throws {
        #expect(try UnixTime(parsing: text) == UnixTime(seconds: seconds))
    }

    @Test func `"now" is the system clock's time, if that can be`() throws {
        let clock = UnixTime(milliseconds: 1_795_255_200_123)
        #expect(try UnixTime(parsing: "now", now: clock) == clock)
        #expect(code { _ = try UnixTime(parsing: "now", now: UnixTime(seconds: 12)) } == .timeOutOfRange)
        let before = BoardClock.system()
        let now = try UnixTime(parsing: "now")
        #expect(before <= now && now <= BoardClock.system())
    }

    @Test(arguments: [
        "", " ", "Z", "today", "NOW", "now ", "2026-11-21", "10:00", "2026-11-21T10", "2026-11-21T10:00:00+01:00",
        "26-11-21 10:00",
        "2026-11-21  10:00", "2026-11-21t10:00", "2026/11/21 10:00", "2026-11-21T10:00:00.5Z", "2026-11-21T10:00ZZ",
        "-1795255200",
        "+1795255200", "1795255200.5", "0x6B01F0A0", "99999999999999999999", "2026-1-1 10:00", "２０２６-11-21 10:00",
        "2026-11-21T10:00:00\u{0}", "2026-11-21 10:00\n",
    ])
    func `Refuses other forms`(text: String) { #expect(code { _ = try UnixTime(parsing: text) } == .malformedTime) }

    @Test(arguments: [
        "2019-12-31T23:59:59Z", "1577836799", "0", "20261121", "253402300800", "9223372036854775807", "0000-01-01 00:00",
        "2026-00-10 10:00", "2026-13-10 10:00", "2026-11-00 10:00", "2026-11-31 10:00", "2026-02-29 10:00",
        "2100-02-29 10:00",
        "2026-11-21 24:00", "2026-11-21 10:60", "2026-12-31 23:59:60",
    ])
    func `Refuses times that cannot be`(text: String) {
        #expect(code { _ = try UnixTime(parsing: text) } == .timeOutOfRange)
    }

    /// Every text of the right shape, whether such a day exists or not, against the C library.
    @Test func `Agrees with timegm`() {
        var random = SeededGenerator(seed: 1)
        var read = 0
        for _ in 0..<50_000 {
            var fields = tm()
            fields.tm_year = Int32.random(in: 120...8_099, using: &random)
            fields.tm_mon = Int32.random(in: 0...11, using: &random)
            fields.tm_mday = Int32.random(in: 1...31, using: &random)
            fields.tm_hour = Int32.random(in: 0...23, using: &random)
            fields.tm_min = Int32.random(in: 0...59, using: &random)
            fields.tm_sec = Int32.random(in: 0...59, using: &random)
            let two = { (value: Int32) in value < 10 ? "0\(value)" : "\(value)" }
            let text =
                "\(fields.tm_year + 1_900)-\(two(fields.tm_mon + 1))-\(two(fields.tm_mday))T\(two(fields.tm_hour)):"
                + "\(two(fields.tm_min)):\(two(fields.tm_sec))Z"
            let day = fields.tm_mday
            // Turns 31 April into 1 May: then the day was none.
            let seconds = timegm(&fields)
            let parsed = try? UnixTime(parsing: text)
            #expect(parsed?.seconds == (fields.tm_mday == day ? Int64(seconds) : nil), "\(text)")
            if parsed != nil { read += 1 }
        }
        #expect(read > 40_000)
    }

    @Test func `Random bytes are refused or read, never worse`() {
        let letters = Array("0123456789-:TZ now+".utf8) + [0, 0xC3, 0xFF]
        var random = SeededGenerator(seed: 2)
        for _ in 0..<50_000 {
            let bytes = (0..<Int.random(in: 0...22, using: &random)).map { _ in
                letters[Int.random(in: 0..<letters.count, using: &random)]
            }
            _ = try? UnixTime(parsing: String(decoding: bytes, as: UTF8.self))
        }
    }
}
