// SPDX-License-Identifier: Apache-2.0

import SignInPace
import Testing

/// Strangers from many sources try as fast as they like, for one secret, and its owner comes from a source of his own.
@Suite struct StrangerPaceTests {
    /// Wrong tries of everybody who asks all the time, in seconds of the test's clock.
    private static func storm(
        _ pace: inout StrangerPace<String>, sources: (Int) -> [String], from start: Int, until end: Int, step: Int = 10
    ) -> Int {
        var looked = 0
        for second in stride(from: start, to: end, by: step) {
            for source in sources(second) where pace.wait(source, at: .seconds(second)) == nil {
                pace.begin(source, at: .seconds(second))
                pace.failed(source, at: .seconds(second))
                looked += 1
            }
        }
        return looked
    }

    private static let fifty = (0..<50).map { "10.0.0.\($0)" }

    /// What all together may try is what one count for the whole world let through: five, then after 1, 2, 4 … 60 s, which is 1,445 in a day.
    @Test func allSourcesTogetherGuessNoMoreThanOneCountLetThrough() {
        var (day, hour) = (0, 0)
        for count in [1, 10, 50, 400] {
            var pace = StrangerPace<String>()
            let sources = (0..<count).map { "source \($0)" }
            let first = Self.storm(&pace, sources: { _ in sources }, from: 0, until: 3_600)
            let rest = count == 400 ? 0 : Self.storm(&pace, sources: { _ in sources }, from: 3_600, until: 86_400)
            (hour, day) = (max(hour, first), max(day, first + rest))
        }
        #expect(hour <= 120 + 15 + 20 + 30)
        #expect(day <= 1_335)
        // Each second another source, as a page that was taken over would say, and as who has a network of addresses.
        var pace = StrangerPace<String>()
        let lied = Self.storm(&pace, sources: { second in (0..<5).map { "\(second) \($0)" } }, from: 0, until: 86_400)
        #expect((500...1_335).contains(lied), "\(lied)")
        #expect(pace.sourceCount <= 512)
    }

    /// At any moment of a day in which 50 addresses try each second.
    @Test func whoComesFromElsewhereIsLookedAtAtOnce() {
        var pace = StrangerPace<String>()
        for hour in 0..<24 {
            _ = Self.storm(&pace, sources: { _ in Self.fifty }, from: hour * 3_600, until: hour * 3_600 + 3_600)
            let now = Duration.seconds(hour * 3_600 + 3_600)
            let owner = "192.168.1.\(hour)"
            #expect(pace.wait(owner, at: now) == nil, "after \(hour) hours")
            pace.begin(owner, at: now)
            pace.succeeded(owner)
        }
    }

    /// Who was wrong twice comes before those who were wrong more often: one step of the second budget is the longest.
    @Test func whoWasWrongTwiceComesNext() {
        var pace = StrangerPace<String>()
        _ = Self.storm(&pace, sources: { _ in Self.fifty }, from: 0, until: 10_000)
        let owner = "192.168.1.7"
        for second in 10_000..<10_002 {
            #expect(pace.wait(owner, at: .seconds(second)) == nil)
            pace.begin(owner, at: .seconds(second))
            pace.failed(owner, at: .seconds(second))
        }
        var letIn: Int?
        for second in 10_002..<10_300 where letIn == nil {
            // They are always quicker.
            _ = Self.storm(&pace, sources: { _ in Self.fifty }, from: second, until: second + 1, step: 1)
            if pace.wait(owner, at: .seconds(second)) == nil { letIn = second }
        }
        #expect((letIn ?? .max) - 10_002 <= 121, "\(letIn ?? -1)")
    }

    /// Those who were wrong as often come in the order in which they began to wait.
    @Test func amongEqualsWhoWaitsLongestComesNext() {
        var pace = StrangerPace<String>()
        var served: [String] = []
        for second in stride(from: 0, to: 40_000, by: 10) {
            for source in Self.fifty where pace.wait(source, at: .seconds(second)) == nil {
                pace.begin(source, at: .seconds(second))
                pace.failed(source, at: .seconds(second))
                if second > 10_000 { served.append(source) }
            }
        }
        // 250 more tries among 50: nobody had many more than another.
        let shares = Self.fifty.map { source in served.count { $0 == source } }
        #expect(served.count >= 240 && (shares.max() ?? 0) - (shares.min() ?? 0) <= 1, "\(shares)")
    }

    @Test func aPersonAloneHasFiveTriesAndThenWaits() {
        var pace = StrangerPace<String>()
        var (now, waits) = (Duration.zero, [Int]())
        for _ in 0..<5 {
            #expect(pace.wait("here", at: now) == nil)
            pace.begin("here", at: now)
            pace.failed("here", at: now)
        }
        for _ in 0..<7 {
            let wait = pace.wait("here", at: now)?.wholeSeconds ?? 0
            waits.append(wait)
            now += .seconds(wait)
            pace.begin("here", at: now)
            pace.failed("here", at: now)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60])
        pace.succeeded("here")
        #expect(pace.wait("here", at: now) == nil)
    }

    /// What was right or was never looked at costs no budget.
    @Test func onlyWrongTriesCost() {
        var pace = StrangerPace<String>()
        for number in 0..<1_000 {
            #expect(pace.wait("\(number)", at: .zero) == nil)
            pace.begin("\(number)", at: .zero)
            if number % 2 == 0 { pace.succeeded("\(number)") } else { pace.withdrawn("\(number)") }
        }
    }

    @Test func aClockThatIsSetBackLocksNobodyOut() {
        var pace = StrangerPace<String>()
        _ = Self.storm(&pace, sources: { _ in Self.fifty }, from: 1_000_000, until: 1_000_600)
        #expect(pace.wait("another", at: .seconds(5_000)) == nil)
        #expect((pace.wait(Self.fifty[0], at: .seconds(5_000))?.wholeSeconds ?? 0) <= 120)
    }
}
