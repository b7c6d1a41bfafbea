// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyExport
import Testing

@Suite struct KeyFreshnessTests {
    private static let day: Int64 = 86_400
    /// Noon of a day.
    private let now: Int64 = 20_000 * 86_400 + 43_200
    private let home = KeyFreshness.Wanted(name: "home", region: "EUR", isContinuous: true)

    private func period(_ start: Int64, _ end: Int64, _ region: String = "EUR") throws -> ExportPeriod {
        try #require(ExportPeriod(start: start, end: end, region: region))
    }

    /// Days of the last 14, and the hours of today.
    private func full(_ wanted: [KeyFreshness.Wanted], except missing: Int64? = nil) throws -> KeyFreshness {
        var freshness = KeyFreshness()
        freshness.want(wanted, by: "sync", at: now)
        for back in Int64(1)...14 where back != missing {
            let start = (20_000 - back) * Self.day
            freshness.take(try period(start, start + Self.day), from: "home", by: "sync", at: now)
        }
        for hour in Int64(0)..<12 {
            let start = 20_000 * Self.day + hour * 3_600
            freshness.take(try period(start, start + 3_600), from: "home", by: "sync", at: now)
        }
        freshness.settle(at: now)
        return freshness
    }

    @Test func whatIsWholeIsCurrentForTwoDays() throws {
        let freshness = try full([home])
        #expect(freshness.verdict(at: now) == .current(until: now))
        #expect(freshness.days("home", by: "sync", at: now) == Array(19_986..<20_000))
        #expect(freshness.verdict(at: now + 2 * Self.day - 1) == .current(until: now))
        #expect(freshness.verdict(at: now + 2 * Self.day) == .behind(until: now, source: "home"))
    }

    /// The clock was three days behind while everything was fetched, and nothing is fetched twice: setting it right is enough.
    @Test(arguments: [Int64(1), 3, 13, 4_000], [true, false]) func whatCameBeforeTheClockWasSetCounts(
        behind: Int64, isContinuous: Bool
    ) throws {
        let wanted = KeyFreshness.Wanted(name: "home", region: "EUR", isContinuous: isContinuous, authority: nil)
        let then = now - behind * Self.day
        var freshness = KeyFreshness()
        freshness.want([wanted], by: "sync", at: then)
        for round in 0..<2 {
            for back in Int64(0)...14 where back > 0 || round == 1 {
                let start = (20_000 - back) * Self.day
                freshness.take(
                    try period(start, start + (back == 0 ? 43_200 : Self.day)), from: "home", by: "sync", at: then)
                freshness.settle(at: then)
            }
            #expect(freshness.until("home", by: "sync", at: then) ?? 0 <= then)
        }
        let stored = try JSONDecoder().decode(KeyFreshness.self, from: JSONEncoder().encode(freshness))
        #expect(stored == freshness)
        #expect(stored.verdict(at: now) == .current(until: now))
        #expect(stored.days("home", by: "sync", at: now) == Array(19_986..<20_000))
        #expect(stored.until("home", by: "sync", at: now) == now)
        // A day that really is missing stays missing.
        #expect(stored.verdict(at: now + 2 * Self.day) == .behind(until: now, source: "home"))
        // What comes later goes on where that ended.
        var later = stored
        later.take(try period(now, now + 3_600), from: "home", by: "sync", at: now + 3_600)
        later.settle(at: now + 3_600)
        #expect(later.verdict(at: now + 3_600) == .current(until: now + 3_600))
    }

    /// A gap holds back everything behind it, where every period has a file.
    @Test(arguments: [Int64(2), 3, 7, 13]) func aGapIsSeen(back: Int64) throws {
        let gap = (20_000 - back) * Self.day
        var freshness = try full([home], except: back)
        #expect(freshness.until("home", by: "sync", at: now) == gap)
        #expect(freshness.verdict(at: now) == .fetching(source: "home"))
        #expect(freshness.verdict(at: now + 2 * Self.day) == .behind(until: gap, source: "home"))
        #expect(freshness.days("home", by: "sync", at: now).count == 13)
        // Closed by whatever way: another caller's stick.
        freshness.take(try period(gap, gap + Self.day), from: nil, by: "ctl", at: now)
        freshness.settle(at: now)
        #expect(freshness.verdict(at: now) == .current(until: now))
        let list = KeyFreshness.Wanted(name: "home", region: "EUR", isContinuous: false)
        #expect(try full([list], except: back).verdict(at: now) == .current(until: now))
    }

    @Test func anotherRegionMakesNothingFresh() throws {
        var freshness = try full([home])
        let later = now + 3 * Self.day
        freshness.take(try period(later - 3_600, later, "NL"), from: "home", by: "sync", at: later)
        freshness.settle(at: later)
        #expect(freshness.verdict(at: later) == .behind(until: now, source: "home"))
        // The same letters in another form are the same region.
        freshness.take(try period(now, later, "eur"), from: "home", by: "sync", at: later)
        #expect(freshness.verdict(at: later) == .current(until: later))
    }

    /// What is signed for a time that has not come, or is long over, proves nothing.
    @Test func unbelievablePeriodsCountForNothing() throws {
        var freshness = KeyFreshness()
        freshness.want([home], by: "sync", at: now)
        for (start, end) in [
            (now - 3_600, 2_208_988_800), (now, now + 4 * 3_600), (now - 30 * Self.day, now - 15 * Self.day),
        ] {
            freshness.take(try period(start, end), from: "home", by: "sync", at: now)
        }
        freshness.settle(at: now)
        #expect(freshness.until("home", by: "sync", at: now) == nil)
        #expect(ExportPeriod(start: 0, end: 0, region: "") == nil && ExportPeriod(start: 5, end: 5, region: "") == nil)
        #expect(ExportPeriod(start: 1, end: .max, region: "") == nil)
        // An hour under way that is published at once.
        freshness.take(try period(now - 1_800, now + 1_800), from: "home", by: "sync", at: now)
        #expect(freshness.until("home", by: "sync", at: now) == now)
    }

    /// Of several sources the one that is furthest behind counts; one that is taken away does not.
    @Test func theWorstSourceCounts() throws {
        let other = KeyFreshness.Wanted(name: "other", region: "GB", isContinuous: true)
        var freshness = try full([home, other])
        #expect(freshness.verdict(at: now) == .fetching(source: "other"))
        freshness.take(try period(now - Self.day, now, "GB"), from: "other", by: "sync", at: now)
        freshness.settle(at: now)
        #expect(freshness.verdict(at: now) == .current(until: now))
        let later = now + 3 * Self.day
        freshness.take(try period(now, later), from: "home", by: "sync", at: later)
        freshness.settle(at: later)
        #expect(freshness.verdict(at: later) == .behind(until: now, source: "other"))
        freshness.want([home], by: "sync", at: later)
        #expect(freshness.verdict(at: later) == .current(until: later))
    }

    /// Windows that are moved by a quarter of an hour, files of one period that end a second apart, days beside their hours.
    @Test func seamsAreNoGaps() throws {
        var freshness = KeyFreshness()
        let nhs = KeyFreshness.Wanted(name: "nhs", region: nil, isContinuous: true)
        freshness.want([nhs], by: "sync", at: now)
        let start = 19_999 * Self.day
        freshness.take(try period(start - 900, start + Self.day - 900, "GB-EAW"), from: "nhs", by: "sync", at: now)
        for step in stride(from: start + Self.day - 900, to: now - 7_200, by: 7_200) {
            freshness.take(try period(step, step + 7_200, "GB-EAW"), from: "nhs", by: "sync", at: now)
        }
        freshness.settle(at: now)
        #expect(freshness.until("nhs", by: "sync", at: now) == now - 900)
        #expect(freshness.days("nhs", by: "sync", at: now) == [19_999])
    }

    /// Callers who say nothing of their sources: the newest of all that was signed.
    @Test func withoutSourcesTheNewestCounts() throws {
        var freshness = KeyFreshness()
        #expect(freshness.verdict(at: now) == .never)
        freshness.take(try period(now - 3 * Self.day, now - 2 * Self.day), from: nil, by: "ctl", at: now)
        freshness.settle(at: now)
        #expect(freshness.verdict(at: now) == .behind(until: now - 2 * Self.day, source: ""))
        freshness.take(try period(now - Self.day, now), from: nil, by: "ctl", at: now)
        #expect(freshness.verdict(at: now) == .current(until: now))
    }

    /// Signed files of ever new regions and times, as many as one likes.
    @Test func itsSizeIsBounded() throws {
        var freshness = try full([home])
        for number in Int64(0)..<400 {
            let start = now - 13 * Self.day + number % 90 * 10_000
            freshness.take(
                try period(start, start + 60, "R\(number / 10)"), from: "home", by: "sync", at: now)
            freshness.settle(at: now)
        }
        #expect(String(describing: freshness).utf8.count < 30_000)
        #expect(freshness.verdict(at: now) == .current(until: now))
    }
}
