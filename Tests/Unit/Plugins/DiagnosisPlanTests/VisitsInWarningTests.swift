// SPDX-License-Identifier: Apache-2.0

import JSON
import PresenceTracing
import RandomValues
import Testing

@testable import DiagnosisPlan

/// Visits that go along with a warning: as many as there is room for, and known as published when it is out.
@Suite struct VisitsInWarningTests {
    private let now: Int64 = 1_800_000_000

    /// With any number of keys and countries, as many reports as are said to fit do fit, and one more does not.
    @Test func thereIsRoomForAsManyReportsAsAreSaid() throws {
        var random = SeededGenerator(seed: 3)
        for keyCount in [1, 7, 14] {
            for countryCount in [0, 31, 64, 300, 700] {
                var payload = try Samples.payload(keyCount, using: &random)
                payload.visitedCountries = Array(repeating: "DE", count: countryCount)
                let most = payload.roomForReports(in: .standard)
                #expect(countryCount > 31 || most == 32)
                payload.reports = try (0..<most).map { _ in try Samples.report(using: &random) }
                #expect(try payload.encoded(as: .standard, using: &random).count == 4_096)
                guard most < 32 else { continue }
                payload.reports.append(try Samples.report(using: &random))
                #expect(throws: DiagnosisPlanError(.doesNotFit)) { try payload.encoded(as: .standard, using: &random) }
            }
        }
        // What does not fit at all has room for none.
        var full = try Samples.payload(14, using: &random)
        full.visitedCountries = Array(repeating: "DE", count: 2_000)
        #expect(full.roomForReports(in: .standard) == 0)
    }

    /// A positive test whose wearer has agreed, with the visits in its submission.
    private func prepared(_ visits: VisitsInWarning?, _ random: inout SeededGenerator) throws -> (TestRegistry, Int) {
        var registry = TestRegistry()
        let number = try registry.enter(
            RegistrationKey(TeleTAN(using: &random)), kind: .pcr, request: ExchangeRequest.requestName(using: &random),
            at: now)
        _ = try registry.begin(.registrationToken, number, using: &random)
        let token = ServerToken(using: &random).text
        let made: JSON = ["registrationToken": .string(token)]
        _ = registry.finish(.registrationToken, number, .answered(status: 201, body: made.bytes), .exactlyOnce, at: now)
        let positive: JSON = ["testResult": 2]
        _ = registry.finish(.testResult, number, .answered(status: 200, body: positive.bytes), .exactlyOnce, at: now)
        try registry.agree(number, .init(ticket: "x", symptoms: .noStatement, isFederated: false), at: now)
        registry.prepare(number, [1, 2, 3], request: ExchangeRequest.requestName(using: &random), visits: visits)
        return (registry, number)
    }

    /// The TAN, and the submission, whose answer has that status.
    private func send(_ registry: inout TestRegistry, _ number: Int, _ status: Int, _ random: inout SeededGenerator) throws
    {
        _ = try registry.begin(.tan, number, using: &random)
        let tan: JSON = ["tan": .string(ServerToken(using: &random).text)]
        _ = registry.finish(.tan, number, .answered(status: 201, body: tan.bytes), .exactlyOnce, at: now)
        _ = try registry.begin(.submission, number, using: &random)
        _ = registry.finish(.submission, number, .answered(status: status, body: []), .exactlyOnce, at: now)
    }

    @Test func visitsArePublishedWhenTheWarningIsOutAndNotBefore() throws {
        var random = SeededGenerator(seed: 5)
        let visits = try #require(VisitsInWarning(count: 2, batch: 77))
        var (registry, number) = try prepared(visits, &random)
        #expect(registry.published([77]).isEmpty && registry.test(number)?.visits == visits)
        registry = try TestRegistry(bytes: registry.bytes())
        #expect(registry.test(number)?.visits == visits)
        try send(&registry, number, 200, &random)
        #expect(registry.test(number)?.warning == .sent(now))
        #expect(
            registry.published([77]) == [77] && registry.published([5, 77, 6]) == [77] && registry.published([]).isEmpty)
        // Longer than the test, which the wearer may forget at once, and over a power cut.
        let isForgotten = registry.forget(number)
        #expect(isForgotten)
        registry = try TestRegistry(bytes: registry.bytes())
        #expect(registry.published([77]) == [77])
        // More than can be are not looked at.
        #expect(registry.published(Array(repeating: 1, count: 16) + [77]).isEmpty)
        registry.forget(before: now + 15 * 86_400 - 1)
        #expect(registry.published([77]) == [77])
        registry.forget(before: now + 15 * 86_400)
        #expect(registry.published([77]).isEmpty && registry.published == nil)
    }

    /// Sixty days after its entry a test is forgotten, but not while its warning may be on its way, and not before its wearer could hear how that ended.
    @Test func aWarningOnItsWayIsNotForgotten() throws {
        var random = SeededGenerator(seed: 6)
        let visits = try #require(VisitsInWarning(count: 2, batch: 77))
        var (registry, number) = try prepared(visits, &random)
        registry.change(number) {
            // It was entered long ago, and the result came late.
            $0.warningAgreed = now + 59 * 86_400
        }
        let idle = registry
        try send(&registry, number, 500, &random)
        guard case .sending? = registry.test(number)?.warning else {
            Issue.record("it is not being sent")
            return
        }
        let end = now + TestRegistry.retentionDays * 86_400
        for days: Int64 in 0..<13 { registry.forget(before: end + days * 86_400) }
        #expect(registry.test(number)?.visits == visits)
        registry.forget(before: end + 13 * 86_400)
        #expect(registry.test(number)?.warning == .ended(.uncertain))
        #expect(registry.uncertain([5, 77]) == [77] && registry.published([77]).isEmpty)
        #expect(registry.over([5, 77], expected: nil) == [5])
        var seen = registry
        seen.see(number)
        seen.forget(before: end + 13 * 86_400 + 1)
        #expect(seen.tests.isEmpty)
        registry.forget(before: now + 87 * 86_400 - 1)
        #expect(registry.test(number) != nil)
        registry.forget(before: now + 87 * 86_400)
        #expect(registry.tests.isEmpty)
        // One that has not left is forgotten with its test.
        var unsent = idle
        unsent.forget(before: end)
        #expect(unsent.tests.isEmpty)
    }

    /// From the moment at which they were asked for until the server has them, and only then, they may still go out. At each of these moments the
    /// power may fail.
    @Test func visitsAreOverWhenNoWarningHasThem() throws {
        var random = SeededGenerator(seed: 9)
        func over(_ registry: TestRegistry, expected: Int64? = nil) throws -> [Int64] {
            try TestRegistry(bytes: registry.bytes()).over([77, 5], expected: expected)
        }
        #expect(try over(TestRegistry(), expected: 77) == [5] && over(TestRegistry()) == [77, 5])
        let (prepared, number) = try prepared(VisitsInWarning(count: 2, batch: 77), &random)
        #expect(try over(prepared) == [5])
        // While a TAN is asked for, when it is there, and while the warning is being sent, whether it has arrived or not.
        var sent = prepared
        _ = try sent.begin(.tan, number, using: &random)
        #expect(try over(sent) == [5])
        let tan: JSON = ["tan": .string(ServerToken(using: &random).text)]
        _ = sent.finish(.tan, number, .answered(status: 201, body: tan.bytes), .exactlyOnce, at: now)
        #expect(try over(sent) == [5])
        for outcome in [TestRegistry.Outcome.unsent, .lost, .answered(status: 500, body: [])] {
            _ = try sent.begin(.submission, number, using: &random)
            #expect(try over(sent) == [5])
            _ = sent.finish(.submission, number, outcome, .exactlyOnce, at: now)
            #expect(try over(sent) == [5])
        }
        var refused = sent
        for (status, isOver) in [(200, false), (400, true)] {
            var last = sent
            _ = try last.begin(.submission, number, using: &random)
            _ = last.finish(.submission, number, .answered(status: status, body: []), .exactlyOnce, at: now)
            #expect(try over(last) == (isOver ? [77, 5] : [5]))
            #expect(last.published([77]) == (isOver ? [] : [77]))
            let isForgotten = last.forget(number)
            #expect(try isForgotten && over(last) == (isOver ? [77, 5] : [5]))
            refused = last
        }
        #expect(try over(refused) == [77, 5])
        var withdrawn = prepared
        let isWithdrawn = withdrawn.withdraw(number)
        #expect(try isWithdrawn && over(withdrawn) == [77, 5])
        var forgotten = prepared
        let isForgotten = forgotten.forget(number)
        #expect(try isForgotten && over(forgotten) == [77, 5])
        // More than can be are not looked at.
        #expect(prepared.over(Array(repeating: 77, count: 16) + [5], expected: nil).isEmpty)
    }

    /// A warning whose answers are lost may have arrived: of its visits nobody knows, over a power cut and longer than the test.
    @Test(arguments: [TestRegistry.Outcome.lost, .answered(status: 403, body: [])])
    func visitsOfAWarningWithoutAnAnswerAreUncertain(last: TestRegistry.Outcome) throws {
        var random = SeededGenerator(seed: 11)
        var (registry, number) = try prepared(VisitsInWarning(count: 2, batch: 77), &random)
        _ = try registry.begin(.tan, number, using: &random)
        let tan: JSON = ["tan": .string(ServerToken(using: &random).text)]
        _ = registry.finish(.tan, number, .answered(status: 201, body: tan.bytes), .spendsFirst, at: now)
        for outcome in [.lost, last] {
            #expect(registry.uncertain([77]).isEmpty && registry.over([77], expected: nil).isEmpty)
            _ = try registry.begin(.submission, number, using: &random)
            _ = registry.finish(.submission, number, outcome, .spendsFirst, at: now)
        }
        #expect(registry.test(number)?.warning == .ended(.uncertain))
        let isForgotten = registry.forget(number)
        registry = try TestRegistry(bytes: registry.bytes())
        #expect(isForgotten && registry.uncertain([77, 5]) == [77] && registry.published([77]).isEmpty)
        #expect(registry.over([77, 5], expected: nil) == [5])
        registry.forget(before: now + 15 * 86_400)
        #expect(registry.uncertain([77]).isEmpty)
    }

    /// Visits that wait count, too: their batch will have to be known.
    @Test func whatWaitsCountsForWhatCanBeKnown() throws {
        var random = SeededGenerator(seed: 10)
        var (registry, number) = try prepared(VisitsInWarning(count: 1, batch: 77), &random)
        for batch in 1...15 as ClosedRange<Int64> {
            registry.notePublished(VisitsInWarning(count: 1, batch: batch), at: now)
        }
        #expect(!registry.canNotePublished(besides: number + 1) && registry.canNotePublished(besides: number))
        let isWithdrawn = registry.withdraw(number)
        #expect(isWithdrawn && registry.canNotePublished(besides: number + 1))
    }

    @Test(arguments: [400, 403]) func visitsOfAWarningThatIsRefusedAreNotPublished(status: Int) throws {
        var random = SeededGenerator(seed: 6)
        var (registry, number) = try prepared(VisitsInWarning(count: 1, batch: 7), &random)
        try send(&registry, number, status, &random)
        guard case .ended? = registry.test(number)?.warning else {
            Issue.record("it has not ended")
            return
        }
        #expect(registry.published([7]).isEmpty && registry.test(number)?.visits == nil)
    }

    @Test func whoWithdrawsPublishesNoVisit() throws {
        var random = SeededGenerator(seed: 7)
        var (registry, number) = try prepared(VisitsInWarning(count: 1, batch: 7), &random)
        let isWithdrawn = registry.withdraw(number)
        #expect(isWithdrawn && registry.test(number)?.visits == nil && registry.published([7]).isEmpty)
        // Nor does a warning that is over keep the number of the one before.
        try registry.agree(number, .init(ticket: "y", symptoms: .noStatement, isFederated: false), at: now)
        #expect(registry.test(number)?.visits == nil)
        registry.prepare(
            number, [1], request: ExchangeRequest.requestName(using: &random), visits: VisitsInWarning.none(.tooMany))
        #expect(registry.test(number)?.visits?.count == 0 && registry.test(number)?.visits?.absence == .tooMany)
        registry = try TestRegistry(bytes: registry.bytes())
        #expect(registry.test(number)?.visits?.absence == .tooMany)
        // As an earlier version wrote it.
        let early = String(decoding: try registry.bytes(), as: UTF8.self).replacing(#","absence":"tooMany""#, with: "")
        #expect(try TestRegistry(bytes: Array(early.utf8)).test(number)?.visits == VisitsInWarning.none(nil))
        try send(&registry, number, 200, &random)
        #expect(registry.published([7]).isEmpty)
    }

    @Test func onlySixteenBatchesAreKnown() throws {
        var random = SeededGenerator(seed: 8)
        var all = TestRegistry()
        for batch in 1...40 as ClosedRange<Int64> {
            #expect(all.canNotePublished(besides: 1) == (batch <= 16))
            all.notePublished(VisitsInWarning(count: 1, batch: batch), at: now)
        }
        #expect(all.published(Array(25...40)) == Array(25...40) && all.published([24]).isEmpty)
        #expect(try TestRegistry(bytes: all.bytes()) == all)
        // What no program of ours wrote.
        let (registry, _) = try prepared(VisitsInWarning(count: 1, batch: 7), &random)
        let text = String(decoding: try registry.bytes(), as: UTF8.self)
        for (right, wrong) in [
            (#""count":1"#, #""count":33"#), (#""count":1"#, #""count":0"#), (#""batch":7"#, #""batch":0"#),
            (#""batch":7"#, #""batch":9007199254740992"#),
        ] {
            #expect(text.contains(right))
            #expect(throws: DiagnosisPlanError(.damagedBook), "\(wrong)") {
                try TestRegistry(bytes: Array(text.replacing(right, with: wrong).utf8))
            }
        }
        for (count, batch) in [(0, 7), (33, 7), (1, 0), (1, -1)] {
            #expect(VisitsInWarning(count: count, batch: Int64(batch)) == nil)
        }
    }
}
