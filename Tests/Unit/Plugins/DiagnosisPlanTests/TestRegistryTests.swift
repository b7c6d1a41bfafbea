// SPDX-License-Identifier: Apache-2.0

import JSON
import RandomValues
import Testing

@testable import DiagnosisPlan

/// What a device keeps of tests and warnings, when the power may go at any moment and the network does what it wants.
@Suite struct TestRegistryTests {
    /// A plugin that has nothing but a disk: what is not written is forgotten.
    private struct Device {
        var disk: [UInt8]
        var registry: TestRegistry
        let promise: ServerPromise
        var now: Int64 = 1_800_000_000

        init(_ promise: ServerPromise) throws {
            registry = TestRegistry()
            disk = try registry.bytes()
            self.promise = promise
        }

        mutating func save() throws { disk = try registry.bytes() }
        mutating func restart() throws { registry = try TestRegistry(bytes: disk) }

        /// One slot; `trouble` of 100 moments end in a power cut, and as many requests are lost on either way.
        mutating func slot(_ servers: inout ModelServers, trouble: Int, using random: inout SeededGenerator) throws {
            func strikes() -> Bool { Int.random(in: 0..<100, using: &random) < trouble }
            now += 1_800
            guard let task = registry.task(at: now) else { return }
            var run = PlaybookRun(Playbook(task.occasion))
            while let step = run.next() {
                guard step.isGenuine else { continue }
                guard let request = try? registry.begin(step.call, task.number, using: &random) else {
                    run.stepFailed()
                    continue
                }
                if strikes() { return try restart() }
                try save()
                if strikes() { return try restart() }
                var outcome = TestRegistry.Outcome.unsent
                if !strikes() {
                    outcome = .lost
                    if !strikes() {
                        let answer = servers.answer(request, using: &random)
                        if !strikes() { outcome = answer }
                    }
                }
                if strikes() { return try restart() }
                let mayGoOn = registry.finish(step.call, task.number, outcome, promise, at: now)
                if strikes() { return try restart() }
                try save()
                if !mayGoOn { run.stepFailed() }
            }
        }
    }

    private func agreement(_ ticket: String) -> WarningStage.Agreement {
        .init(ticket: ticket, symptoms: .since(daysAgo: 2), isFederated: false)
    }

    /// What the plugin keeps of the rest of the day: until ten hours from now it is not over.
    private func remainder(
        _ agreement: WarningStage.Agreement, _ now: Int64, _ promise: ServerPromise, using random: inout SeededGenerator
    ) -> RemainderStage {
        guard promise == .exactlyOnce else { return .ended(.notOffered) }
        return .waiting(
            .init(
                ticket: agreement.ticket, credential: ServerToken(using: &random).text, symptoms: agreement.symptoms,
                isFederated: agreement.isFederated, after: now + 36_000, until: now + 86_400))
    }

    private func key(_ random: inout SeededGenerator) -> RegistrationKey { RegistrationKey(TeleTAN(using: &random)) }

    /// The troubles above are troubles: with them every way of ending is gone somewhere, and a device that believes in a promise that its
    /// server does not keep tells somebody a wrong thing.
    @Test func everyEndHappens() throws {
        var ends: Set<String> = []
        var wrong = 0
        for seed in 1...300 {
            let (registry, _, _) = try story(.spendsFirst, seed: UInt64(seed), trouble: 15, failures: 20)
            let test = try #require(registry.tests.first)
            if case .refused(let why) = test.registration { ends.insert(why.rawValue) }
            if let warning = test.warning { ends.insert("\(warning)") }
            let (believer, spender, _) = try story(
                .exactlyOnce, servers: .spendsFirst, seed: UInt64(seed), trouble: 15, failures: 20)
            if let warning = believer.tests.first?.warning, warning == .ended(.tanRefused), !spender.stored.isEmpty {
                wrong += 1
            }
        }
        #expect(ends.isSuperset(of: ["answerLost", "sent", "ended: tanLost", "ended: uncertain"]), "\(ends)")
        #expect(wrong > 0)
    }

    /// From a teleTAN to the end of its warning; gives the device and what the servers have.
    private func story(
        _ promise: ServerPromise, servers real: ServerPromise? = nil, seed: UInt64, trouble: Int, failures: Int = 0,
        withdraws: Bool = false
    ) throws -> (TestRegistry, ModelServers, withdrawn: Bool) {
        var random = SeededGenerator(seed: seed)
        var device = try Device(promise)
        var servers = ModelServers(real ?? promise)
        servers.failures = failures
        let number = try device.registry.enter(
            key(&random), kind: .pcr, request: ExchangeRequest.requestName(using: &random), at: device.now)
        try device.save()
        var withdrawn = false
        for round in 0..<400 {
            // In the end everything works, so that nothing may hang for ever.
            try device.slot(&servers, trouble: round < 200 ? trouble : 0, using: &random)
            guard let test = device.registry.test(number) else { break }
            if test.result?.allowsWarning == true, test.warning == nil || test.warning == .ended(.keysLost) {
                try device.registry.agree(number, agreement("ticket \(round)"), at: device.now)
                try device.save()
            }
            for waiting in device.registry.wantingKeys {
                // The core gives keys once; the power may go in between, and then the ticket is spent.
                if Int.random(in: 0..<100, using: &random) < trouble {
                    device.registry.loseKeys(waiting.number)
                } else {
                    device.registry.prepare(
                        waiting.number, Array(waiting.agreement.ticket.utf8),
                        request: ExchangeRequest.requestName(using: &random),
                        remainder: remainder(waiting.agreement, device.now, promise, using: &random),
                        hours: device.now..<device.now + 36_000)
                }
                try device.save()
            }
            device.registry.dropRemainders(at: device.now)
            for due in device.registry.remaindersDue(at: device.now) {
                if Int.random(in: 0..<100, using: &random) < trouble {
                    device.registry.loseRemainder(due.number, because: .keysLost)
                } else {
                    device.registry.prepareRemainder(
                        due.number, Array("rest of \(due.claim.ticket)".utf8),
                        request: ExchangeRequest.requestName(using: &random), at: device.now)
                }
                try device.save()
            }
            device.registry.forget(before: device.now)
            let isWarning = device.registry.test(number)?.warning?.isRevocable == true
            if withdraws, Int.random(in: 0..<8, using: &random) == 0, device.registry.withdraw(number) {
                // Of the warning, or of the rest of its day when that is out.
                if isWarning { withdrawn = true }
                try device.save()
            }
        }
        return (device.registry, servers, withdrawn)
    }

    /// Against a server that keeps its promise: never two warnings for one test, and never a lost one.
    @Test(arguments: 1...300) func oursGetsItExactlyOnce(seed: Int) throws {
        let (registry, servers, _) = try story(.exactlyOnce, seed: UInt64(seed), trouble: 15, failures: 20)
        #expect(servers.stored.count == 1)
        guard case .sent? = registry.tests.first?.warning else {
            Issue.record("seed \(seed): \(String(describing: registry.tests.first?.warning))")
            return
        }
    }

    /// The rest of the day goes out exactly once after the warning, or the person is told that it did not; never without the warning, and never
    /// twice, wherever the power went. Of 300 lives most send it.
    @Test func theRestGoesOutOnceOrSomebodyIsTold() throws {
        var ends: [String: Int] = [:]
        for seed in 1...300 {
            let (registry, servers, _) = try story(.exactlyOnce, seed: UInt64(seed), trouble: 15, failures: 20)
            let test = try #require(registry.tests.first)
            let rest = try #require(test.remainder)
            ends["\(rest)", default: 0] += 1
            #expect(servers.storedRemainders.count <= servers.stored.count)
            switch rest {
            case .sent:
                // Of the very warning that went out.
                let sent = try #require(servers.stored.first.map { String(decoding: $0, as: UTF8.self) })
                #expect(servers.storedRemainders == [Array("rest of \(sent)".utf8)])
            case .ended(.keysLost): #expect(servers.storedRemainders.isEmpty && test.hasNews)
            default: Issue.record("seed \(seed): \(rest)")
            }
        }
        #expect(ends["sent", default: 0] > 200 && ends["ended: keysLost", default: 0] > 10, "\(ends)")
    }

    /// Where the server takes keys once, nobody is promised more: the hours are named, and nothing more is sent.
    @Test(arguments: 1...30) func othersAreNotSentTheRest(seed: Int) throws {
        let (registry, servers, _) = try story(.spendsFirst, seed: UInt64(seed), trouble: 5)
        #expect(servers.storedRemainders.isEmpty)
        guard case .sent? = registry.tests.first?.warning else { return }
        #expect(registry.tests.first?.remainder == .ended(.notOffered) && registry.tests.first?.remainderHours != nil)
    }

    private func withRest(_ now: Int64) throws -> (TestRegistry, Int, SeededGenerator) {
        var random = SeededGenerator(seed: 8)
        var registry = TestRegistry()
        let number = try registry.enter(key(&random), kind: .pcr, request: "a", at: now)
        registry.change(number) {
            $0.registration = .made(token: ServerToken(using: &random).text)
            $0.resultCode = 2
            $0.isSeen = true
        }
        let agreement = agreement("t")
        try registry.agree(number, agreement, at: now)
        registry.prepare(
            number, [1], request: ExchangeRequest.requestName(using: &random),
            remainder: remainder(agreement, now, .exactlyOnce, using: &random), hours: now..<now + 36_000)
        return (registry, number, random)
    }

    @Test func theRestCanBeWithdrawnUntilItLeaves() throws {
        let now: Int64 = 1_800_000_000
        var (registry, number, random) = try withRest(now)
        #expect(registry.nextRemainder == now + 36_000 && registry.remaindersDue(at: now).isEmpty)
        // With the warning everything goes.
        var whole = registry
        let isWholeWithdrawn = whole.withdraw(number)
        #expect(isWholeWithdrawn)
        #expect(whole.test(number)?.remainder == nil && whole.remaindersDue(at: now + 40_000).isEmpty)
        // The credential goes with the first request for the TAN.
        let asked = try registry.begin(.tan, number, using: &random)
        #expect(try JSON(parsing: asked.body)["remainder"]?.string == registry.test(number)?.remainder?.credential)
        #expect(asked.body.count == WirePadding.verificationBodyBytes)
        registry.change(number) { $0.warning = .sent(now + 1_800) }
        for isPrepared in [false, true] {
            var out = registry
            if isPrepared {
                out.prepareRemainder(number, [2], request: ExchangeRequest.requestName(using: &random), at: now + 40_000)
                #expect(out.task(at: now + 40_000) == .warnAgain(number))
                #expect(out.task(at: now + 40_000)?.occasion == .submit(needsTAN: false))
            }
            let (once, twice) = (out.withdraw(number), out.withdraw(number))
            #expect(once && !twice)
            #expect(out.test(number)?.remainder == .ended(.withdrawn) && !out.hasNews)
            #expect(out.task(at: now + 40_000) == nil)
        }
        // On its way it cannot be called back, nor be forgotten.
        registry.prepareRemainder(number, [2], request: ExchangeRequest.requestName(using: &random), at: now + 40_000)
        let sent = try registry.begin(.submission, number, using: &random)
        #expect(
            sent.byteCount == ExchangeRequest.fakeSubmission(using: &random).named(sent.headers.last?.value ?? "").byteCount
                - 4_096 + 1)
        let (isWithdrawn, isForgotten) = (registry.withdraw(number), registry.forget(number))
        #expect(!isWithdrawn && !isForgotten)
        // Neither sent nor refused for a day: dropped, and said.
        let lost = registry.finish(.submission, number, .lost, .exactlyOnce, at: now + 40_100)
        #expect(!lost)
        registry.forget(before: now + 40_000 + RemainderStage.sendingSeconds - 1)
        #expect(registry.task(at: now) == .warnAgain(number))
        registry.forget(before: now + 40_000 + RemainderStage.sendingSeconds)
        #expect(registry.test(number)?.remainder == .ended(.tooLate) && registry.hasNews)
    }

    /// A board that is off until the core gives the keys no more says so.
    @Test func aRestThatComesTooLateIsDroppedAndSaid() throws {
        let now: Int64 = 1_800_000_000
        var (registry, number, _) = try withRest(now)
        registry.change(number) { $0.warning = .sent(now) }
        registry.dropRemainders(at: now + 86_399)
        #expect(registry.remaindersDue(at: now + 86_399).count == 1 && !registry.hasNews)
        registry.dropRemainders(at: now + 86_400)
        #expect(registry.remaindersDue(at: now + 86_400).isEmpty)
        #expect(registry.test(number)?.remainder == .ended(.tooLate) && registry.hasNews)
        for reason in RemainderStage.Reason.allCases { #expect(reason.sentence.hasSuffix(".")) }
        // And it is on the disk as it is here.
        #expect(try TestRegistry(bytes: registry.bytes()) == registry)
    }

    /// What was entered too late is told apart from what nobody knows; a date of birth that the laboratory does not have, too.
    @Test func refusalsSayWhatTheServerSaid() throws {
        var random = SeededGenerator(seed: 9)
        for (status, expected) in [(400, RegisteredTest.Refusal.unknownOrUsed), (410, .expired)] {
            var registry = TestRegistry()
            let number = try registry.enter(
                key(&random), kind: .pcr, request: ExchangeRequest.requestName(using: &random), at: 0)
            _ = try registry.begin(.registrationToken, number, using: &random)
            _ = registry.finish(.registrationToken, number, .answered(status: status, body: []), .exactlyOnce, at: 1)
            #expect(registry.test(number)?.registration == .refused(expected) && registry.hasNews)
        }
        let code = "https://localhost/?E1277F-E1277F24-4AD2-40BC-AFF8-CBCCCD893E4B"
        for isBound in [false, true] {
            let birth = isBound ? try DateOfBirth("2000-01-01", today: 20_000) : nil
            var registry = TestRegistry()
            let number = try registry.enter(
                RegistrationKey(TestCode(pasted: code, birth: birth)), kind: .pcr,
                request: ExchangeRequest.requestName(using: &random), at: 0)
            let request = try registry.begin(.registrationToken, number, using: &random)
            #expect(request.body.count == WirePadding.verificationBodyBytes)
            // The vector of cwa-app-android's DateOfBirthKeyTest.
            #expect(
                try JSON(parsing: request.body)["keyDob"]?.string
                    == (isBound ? "xfa760e171f000ef5a7f863ab180f6f6e8185c4890224550395281d839d85458" : nil))
            let token = Array(#"{"registrationToken":"\#(ServerToken(using: &random).text)"}"#.utf8)
            _ = registry.finish(.registrationToken, number, .answered(status: 201, body: token), .exactlyOnce, at: 1)
            _ = try registry.begin(.testResult, number, using: &random)
            _ = registry.finish(.testResult, number, .answered(status: 403, body: []), .exactlyOnce, at: 2)
            #expect(registry.test(number)?.registration == .refused(isBound ? .otherBirth : .forgotten))
            #expect(!String(decoding: try registry.bytes(), as: UTF8.self).contains("2000"))
        }
    }

    /// Against one that spends first: at most once, and a person is never told that nobody was warned when somebody was, nor the contrary.
    @Test(arguments: 1...300) func othersGetItAtMostOnceAndThePersonKnows(seed: Int) throws {
        let (registry, servers, _) = try story(.spendsFirst, seed: UInt64(seed), trouble: 15, failures: 20)
        #expect(servers.stored.count <= 1)
        let test = try #require(registry.tests.first)
        switch (test.registration, test.warning) {
        case (.refused(.answerLost), nil): #expect(servers.stored.isEmpty)
        case (.made, .sent?): #expect(servers.stored.count == 1)
        case (.made, .ended(.uncertain)?): break
        case (.made, .ended(.tanLost)?): #expect(servers.stored.isEmpty)
        // The TAN was spent by a store that failed, and the second attempt says so.
        default: Issue.record("seed \(seed): \(test.registration), \(String(describing: test.warning))")
        }
        if test.warning != nil, test.warning?.isRevocable == false { #expect(test.hasNews && !test.isSeen) }
    }

    @Test(arguments: ServerPromise.allCases) func withoutTroubleBothAreSimple(promise: ServerPromise) throws {
        let (registry, servers, _) = try story(promise, seed: 7, trouble: 0)
        #expect(servers.stored == [Array("ticket 0".utf8)])
        #expect(registry.tests.first?.warning?.isRevocable == false)
    }

    /// What was withdrawn in time never leaves; what is on its way cannot be called back, and nobody says that it was.
    @Test(arguments: 1...100) func withdrawnIsNotSent(seed: Int) throws {
        let (registry, servers, withdrawn) = try story(.exactlyOnce, seed: UInt64(seed), trouble: 10, withdraws: true)
        if withdrawn {
            #expect(servers.stored.isEmpty && registry.tests.first?.warning == .ended(.withdrawn))
            #expect(servers.storedRemainders.isEmpty && registry.tests.first?.remainder == nil)
        } else {
            #expect(servers.stored.count == 1)
            // Prepared or not: what was withdrawn stayed here.
            let isOut = registry.tests.first?.remainder.map { if case .sent = $0 { true } else { false } } ?? false
            #expect(servers.storedRemainders.count == (isOut ? 1 : 0))
        }
    }

    // MARK: Rules

    /// The server gives one TAN. When a warning that was withdrawn may have had it, nobody is told that the test is not positive.
    @Test(arguments: ServerPromise.allCases) func whatAWithdrawalSpentIsNamed(promise: ServerPromise) throws {
        let now: Int64 = 1_800_000_000
        var random = SeededGenerator(seed: 23)
        for isAsked in [false, true] {
            var servers = ModelServers(promise)
            var registry = TestRegistry()
            let number = try registry.enter(
                key(&random), kind: .pcr, request: ExchangeRequest.requestName(using: &random), at: now)
            func exchange(_ call: Playbook.Call) throws {
                let request = try registry.begin(call, number, using: &random)
                _ = registry.finish(call, number, servers.answer(request, using: &random), promise, at: now)
            }
            func prepare(_ ticket: String) throws {
                try registry.agree(number, agreement(ticket), at: now)
                registry.prepare(number, Array(ticket.utf8), request: ExchangeRequest.requestName(using: &random))
            }
            try exchange(.registrationToken)
            try exchange(.testResult)
            try prepare("first")
            if isAsked { try exchange(.tan) }
            let isWithdrawn = registry.withdraw(number)
            #expect(isWithdrawn && registry.test(number)?.warning == .ended(.withdrawn))
            registry = try TestRegistry(bytes: registry.bytes())
            try prepare("second")
            try exchange(.tan)
            if isAsked {
                #expect(registry.test(number)?.warning == .ended(.tanLost) && registry.hasNews)
            } else {
                #expect(registry.test(number)?.warning?.submitting != nil)
            }
        }
    }

    @Test func troubleIsToldUntilTheServerAnswers() throws {
        var random = SeededGenerator(seed: 24)
        let troubles: [(TestRegistry.Outcome, ExchangeTrouble)] = [
            (.unsent, .noAnswer), (.lost, .noAnswer), (.notSigned, .notSigned), (.busy(seconds: 60), .busy),
            (.answered(status: 500, body: []), .serverFails), (.answered(status: 201, body: [1]), .unreadable),
        ]
        let token = Array(#"{"registrationToken":"\#(ServerToken(using: &random).text)"}"#.utf8)
        for (outcome, trouble) in troubles {
            for answer in [(201, token), (400, [])] {
                var registry = TestRegistry()
                let number = try registry.enter(
                    key(&random), kind: .pcr, request: ExchangeRequest.requestName(using: &random), at: 0)
                _ = try registry.begin(.registrationToken, number, using: &random)
                _ = registry.finish(.registrationToken, number, outcome, .exactlyOnce, at: 1)
                #expect(registry.test(number)?.trouble == trouble, "\(outcome)")
                _ = try registry.begin(.registrationToken, number, using: &random)
                _ = registry.finish(
                    .registrationToken, number, .answered(status: answer.0, body: answer.1), .exactlyOnce, at: 2)
                #expect(registry.test(number)?.trouble == nil, "\(outcome)")
            }
        }
    }

    @Test func nothingIsToldBeforeSomebodyLooks() throws {
        var random = SeededGenerator(seed: 3)
        var registry = TestRegistry()
        let number = try registry.enter(key(&random), kind: .pcr, request: "r", at: 0)
        #expect(!registry.hasNews)
        _ = try registry.begin(.registrationToken, number, using: &random)
        let token = ServerToken(using: &random).text
        let registered = Array(#"{"registrationToken":"\#(token)"}"#.utf8)
        let isRegistered = registry.finish(
            .registrationToken, number, .answered(status: 201, body: registered), .spendsFirst, at: 1)
        #expect(isRegistered)
        #expect(registry.task(at: 10) == .ask(number))
        _ = try registry.begin(.testResult, number, using: &random)
        let pending = TestRegistry.Outcome.answered(status: 200, body: Array(#"{"testResult":0}"#.utf8))
        _ = registry.finish(.testResult, number, pending, .spendsFirst, at: 10)
        #expect(!registry.hasNews && registry.task(at: 11) == nil && registry.task(at: 10 + 7_200) == .ask(number))
        _ = try registry.begin(.testResult, number, using: &random)
        let negative = TestRegistry.Outcome.answered(status: 200, body: Array(#"{"testResult":1}"#.utf8))
        _ = registry.finish(.testResult, number, negative, .spendsFirst, at: 7_300)
        #expect(registry.hasNews && registry.task(at: 1_000_000) == nil)
        #expect(throws: DiagnosisPlanError(.noWarningPossible)) { try registry.agree(number, agreement("t"), at: 0) }
        registry.see(number)
        #expect(!registry.hasNews)
        // The text form says nothing, whatever it is.
        #expect("\(registry)" == "1 tests" && !"\(registry.tests)".contains(token))
    }

    @Test func aTestIsEnteredOnceAndOnlySoManyFit() throws {
        var random = SeededGenerator(seed: 4)
        var registry = TestRegistry()
        let same = key(&random)
        let first = try registry.enter(same, kind: .pcr, request: "a", at: 0)
        #expect(throws: DiagnosisPlanError(.alreadyEntered)) { try registry.enter(same, kind: .pcr, request: "b", at: 0) }
        for _ in 1..<TestRegistry.maximumTests {
            _ = try registry.enter(key(&random), kind: .rapidAntigen, request: "c", at: 0)
        }
        #expect(throws: DiagnosisPlanError(.tooManyTests)) {
            try registry.enter(key(&random), kind: .pcr, request: "d", at: 0)
        }
        // One that was refused, and looked at, makes room; numbers are never used again.
        _ = try registry.begin(.registrationToken, first, using: &random)
        _ = registry.finish(.registrationToken, first, .answered(status: 400, body: []), .exactlyOnce, at: 1)
        registry.see(first)
        let next = try registry.enter(key(&random), kind: .pcr, request: "e", at: 0)
        #expect(next == TestRegistry.maximumTests + 1)
        #expect(registry.test(first) == nil)
    }

    @Test func whatNobodyNeedsIsForgotten() throws {
        var random = SeededGenerator(seed: 5)
        var registry = TestRegistry()
        let number = try registry.enter(key(&random), kind: .pcr, request: "a", at: 0)
        registry.change(number) {
            $0.registration = .made(token: ServerToken(using: &random).text)
            $0.resultCode = 2
        }
        try registry.agree(number, agreement("t"), at: 86_400)
        registry.prepare(number, [1, 2, 3], request: "b")
        registry.forget(before: 14 * 86_400)
        #expect(registry.task(at: 0) == .warn(number, needsTAN: true))
        registry.forget(before: 15 * 86_400)
        #expect(registry.test(number)?.warning == .ended(.tooLate))
        registry.forget(before: 60 * 86_400)
        #expect(registry.tests.isEmpty)
    }

    /// Bytes that are no registry are refused, whatever they are.
    @Test func damageIsRefused() throws {
        var random = SeededGenerator(seed: 6)
        var registry = TestRegistry()
        _ = try registry.enter(key(&random), kind: .pcr, request: "a", at: 0)
        let bytes = try registry.bytes()
        #expect(try TestRegistry(bytes: bytes) == registry)
        for _ in 0..<2_000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard var read = try? TestRegistry(bytes: damaged) else { continue }
            #expect(read.tests.count <= TestRegistry.maximumTests)
            // And whatever was read can be gone on with.
            if let task = read.task(at: 1_800_000_000) {
                _ = try? read.begin(.registrationToken, task.number, using: &random)
                _ = read.finish(.registrationToken, task.number, .lost, .spendsFirst, at: 1_800_000_000)
            }
            read.forget(before: 1_800_000_000)
        }
        #expect(throws: (any Error).self) { try TestRegistry(bytes: []) }
        #expect(throws: (any Error).self) {
            try TestRegistry(bytes: [UInt8](repeating: 0x20, count: TestRegistry.maximumBytes + 1))
        }
    }
}
