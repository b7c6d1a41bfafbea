// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import GAEN
import JSON
import RandomValues
import Testing

@testable import DiagnosisPlan

/// Other authorities' ways through the same stages, when the power may go at any moment and the network does what it wants.
@Suite struct WarningWayTests {
    /// What strikes, and what became of it.
    private struct Fate {
        /// Of 100 moments.
        var trouble = 0
        /// The moment, counted from 0, at which the power goes once.
        var cut: Int?
        private(set) var moment = 0
        /// How often the power went.
        private(set) var cuts = 0

        mutating func powerGoes(using random: inout SeededGenerator) -> Bool {
            defer { moment += 1 }
            guard moment == cut || Int.random(in: 0..<100, using: &random) < trouble else { return false }
            cuts += 1
            return true
        }
    }

    /// A plugin that has nothing but a disk.
    private struct Device {
        var disk: [UInt8]
        var registry = TestRegistry()
        var now: Int64 = 1_795_000_000

        init() throws { disk = try registry.bytes() }

        mutating func save() throws { disk = try registry.bytes() }
        mutating func restart() throws { registry = try TestRegistry(bytes: disk) }

        mutating func slot(
            _ servers: inout some ForeignServers, _ fate: inout Fate, lossy: Int, using random: inout SeededGenerator
        ) throws {
            func isLost() -> Bool { Int.random(in: 0..<100, using: &random) < lossy }
            now += 450
            registry.expire(before: now)
            try save()
            let way = servers.way
            guard let task = registry.task(at: now, way.kind) else { return }
            var run = PlaybookRun(Playbook(task.occasion, way.kind))
            while let step = run.next() {
                guard step.isGenuine else { continue }
                guard let request = try? registry.begin(step.call, task.number, way, using: &random) else {
                    run.stepFailed()
                    continue
                }
                if fate.powerGoes(using: &random) { return try restart() }
                try save()
                if fate.powerGoes(using: &random) { return try restart() }
                var outcome = TestRegistry.Outcome.unsent
                if !isLost() {
                    outcome = .lost
                    if !isLost() {
                        let answer = servers.answer(request, using: &random)
                        if !isLost() { outcome = answer }
                    }
                }
                if fate.powerGoes(using: &random) { return try restart() }
                let mayGoOn = registry.finish(step.call, task.number, outcome, way, at: now)
                if fate.powerGoes(using: &random) { return try restart() }
                try save()
                if !mayGoOn { run.stepFailed() }
                now += 20
            }
        }
    }

    /// From a code to the end of its warning.
    private func story(
        _ servers: inout some ForeignServers, _ fate: inout Fate, lossy: Int, using random: inout SeededGenerator
    ) throws -> RegisteredTest {
        var device = try Device()
        let way = servers.way
        let number = try device.registry.enter(
            servers.key, kind: .pcr, request: ExchangeRequest.requestName(using: &random), way: way.kind, at: device.now)
        try device.save()
        for round in 0..<400 {
            // In the end everything works, so that nothing may hang for ever.
            if round == 200 { fate.trouble = 0 }
            try device.slot(&servers, &fate, lossy: round < 200 ? lossy : 0, using: &random)
            guard let test = device.registry.test(number) else { break }
            // Nothing more comes.
            if case .refused = test.registration { break }
            if test.warning?.isOver == true, test.warning != .ended(.keysLost) { break }
            if test.result?.allowsWarning == true, test.warning == nil || test.warning == .ended(.keysLost) {
                let agreement = WarningStage.Agreement(ticket: "t\(round)", symptoms: .noStatement, isFederated: false)
                try? device.registry.agree(number, agreement, at: device.now)
                try device.save()
            }
            for waiting in device.registry.wantingKeys {
                let request = ExchangeRequest.requestName(using: &random)
                if fate.powerGoes(using: &random) {
                    device.registry.loseKeys(waiting.number)
                } else if case .ens = way {
                    let keys = try Samples.keys(14, using: &random)
                    let secret = SecretBytes(count: 16, from: &random)
                    device.registry.prepare(waiting.number, FrozenKeys(keys, secret: secret, onset: nil), request: request)
                } else {
                    device.registry.prepareReady(
                        waiting.number, Array(#"{"diagnosisKeySubmissionToken":"\#(test.givenToken ?? "")"}"#.utf8),
                        request: request)
                }
                try device.save()
            }
        }
        return try #require(device.registry.test(number))
    }

    private func check(_ test: RegisteredTest, _ stored: Int, _ what: String) {
        #expect(stored <= 1, "\(what): stored \(stored) times")
        switch (test.registration, test.warning) {
        case (.made, .sent?): #expect(stored == 1, "\(what)")
        case (.made, .ended(.uncertain)?), (.made, .ended(.serverFailed)?): break
        case (.refused, nil), (.made, .ended(.tanLost)?), (.made, .ended(.tanRefused)?),
            (.made, .ended(.permissionExpired)?):
            #expect(stored == 0, "\(what): \(test.warning.map { "\($0)" } ?? "refused")")
            #expect(test.hasNews && !test.isSeen)
        case (.made, .ended(.keysLost)?) where test.tokenUntil != nil: #expect(stored == 0)
        default: Issue.record("\(what): \(test.registration), \(String(describing: test.warning))")
        }
    }

    /// Random lives: once or not at all, never twice, and no sentence that is not true.
    @Test func googlesServersGetItAtMostOnce() throws {
        var ends: [String: Int] = [:]
        var cuts = 0
        for seed in 1...1_000 {
            var random = SeededGenerator(seed: seed)
            var servers = try ModelENS(failures: 20, using: &random)
            var fate = Fate(trouble: 15)
            let test = try story(&servers, &fate, lossy: 8, using: &random)
            cuts += fate.cuts
            check(test, servers.stored, "seed \(seed)")
            // Every attempt was the same to the byte.
            #expect(servers.bodies.count <= 1, "seed \(seed)")
            if case .refused(let why) = test.registration { ends[why.rawValue, default: 0] += 1 }
            if let warning = test.warning { ends["\(warning)", default: 0] += 1 }
        }
        // The troubles are troubles, and most lives end well.
        #expect(
            ends["sent", default: 0] > 100 && ends["answerLost", default: 0] > 5 && ends["ended: tanLost", default: 0] > 5,
            "\(ends)")
    }

    @Test func theNHSGetsItAtMostOnce() throws {
        var ends: [String: Int] = [:]
        var cuts = 0
        for seed in 1...1_000 {
            var random = SeededGenerator(seed: seed)
            var servers = try ModelNHS(failures: 20, using: &random)
            var fate = Fate(trouble: 15)
            let test = try story(&servers, &fate, lossy: 8, using: &random)
            cuts += fate.cuts
            check(test, servers.stored, "seed \(seed)")
            if case .refused(let why) = test.registration { ends[why.rawValue, default: 0] += 1 }
            if let warning = test.warning { ends["\(warning)", default: 0] += 1 }
        }
        #expect(cuts > 1_000, "\(cuts)")
        #expect(ends["sent", default: 0] > 800 && ends["answerLost", default: 0] > 0, "\(ends)")
    }

    /// One cut at each moment of a life in turn, without any other trouble: only what the server spent is lost.
    @Test func onePowerCutAtEachMoment() throws {
        var cuts = 0
        for seed in 1...12 {
            for cut in 0..<14 {
                var random = SeededGenerator(seed: seed)
                var servers = try ModelENS(failures: 0, using: &random)
                var fate = Fate(cut: cut)
                let test = try story(&servers, &fate, lossy: 0, using: &random)
                if cut < fate.moment { cuts += 1 }
                check(test, servers.stored, "ens, cut \(cut)")
                var nhs = try ModelNHS(failures: 0, using: &random)
                fate = Fate(cut: cut)
                let other = try story(&nhs, &fate, lossy: 0, using: &random)
                if cut < fate.moment { cuts += 1 }
                check(other, nhs.stored, "nhs, cut \(cut)")
                // A code is exchanged twice and a submission may be repeated: one cut loses nothing.
                guard case .sent? = other.warning else {
                    Issue.record("nhs, cut \(cut): \(String(describing: other.warning))")
                    continue
                }
            }
        }
        #expect(cuts > 250, "\(cuts)")
    }

    // MARK: Shapes

    /// Every request to Google's servers has one length: genuine or fake, of each endpoint.
    @Test func requestsToGooglesServersHaveOneLength() throws {
        var random = SeededGenerator(seed: 1)
        let way = WarningWay.ens(ENSAuthority(apiKey: "0123456789abcdef", healthAuthority: "org.example"))
        let secret = SecretBytes(count: 16, from: &random)
        for round in 0..<50 {
            let frozen = FrozenKeys(
                try Samples.keys(1 + round % 14, using: &random), secret: secret, onset: round % 2 == 0 ? nil : 2_990_160)
            let proof = try frozen.proof()
            let body = try frozen.body(
                certificate: String(repeating: "c", count: 400 + round), authority: "org.example",
                revisionToken: round % 3 == 0 ? nil : String(repeating: "r", count: 1_000 + 20 * round), using: &random)
            let genuine: [(Playbook.Call, ExchangeRequest)] = [
                (.registrationToken, try ENSRequest.verify("12345678", apiKey: "0123456789abcdef", using: &random)),
                (
                    .tan,
                    try ENSRequest.certificate(
                        token: String(repeating: "t", count: 560 + round), proof: proof, apiKey: "0123456789abcdef",
                        using: &random)
                ),
                (.submission, ENSRequest.publish(body: body)),
            ]
            for (call, request) in genuine {
                let fake = way.fake(call, using: &random)
                #expect(request.byteCount + contentLength(request) == fake.byteCount + contentLength(fake), "\(call)")
                #expect(request.path == fake.path && request.server == fake.server)
                #expect(request.body.count == ENSRequest.bodyBytes)
                #expect(fake.headers.dropLast().map(\.name) == request.headers.map(\.name))
            }
        }
    }

    private func contentLength(_ request: ExchangeRequest) -> Int { "\(request.body.count)".utf8.count }

    /// Requests to the NHS's servers have random lengths, of the same distribution for all of them: the whole request counts.
    @Test func requestsToTheNHSAreDrawnFromOneDistribution() throws {
        var random = SeededGenerator(seed: 2)
        let access = NHSAccess(
            apiKey: "mobile:value", userAgent: "p=Android,o=29,v=4.36,b=300", country: "Wales", keys: [:])
        var lengths: [[Int]] = [[], [], []]
        for _ in 0..<4_000 {
            let body = [UInt8](repeating: 0x20, count: Int.random(in: 300...2_400, using: &random))
            lengths[0].append(NHSRequest.empty(access, using: &random).wireByteCount)
            lengths[1].append(NHSRequest.exchange("f3dzcfdt", access, using: &random).wireByteCount)
            lengths[2].append(NHSRequest.submission(prepared: body, access, using: &random).wireByteCount)
        }
        let least = try #require(lengths[0].min())
        for values in lengths {
            let (low, high) = (try #require(values.min()), try #require(values.max()))
            // 4,000 draws of 4,000 values: the ends are reached nearly, and never passed.
            #expect(low - least < 30 && low >= least - 30 && high - low <= 3_999 && high - low > 3_900)
            let mean = Double(values.reduce(0, +)) / Double(values.count)
            // Five standard errors of an even draw.
            #expect(abs(mean - Double(low) - 1_999.5) < 5 * 1_154.7 / 4_000.0.squareRoot() + 20)
        }
    }

    /// Nothing of ours goes to servers that are not ours.
    @Test func nothingSaysVigilElsewhere() throws {
        var random = SeededGenerator(seed: 3)
        let access = NHSAccess(
            apiKey: "mobile:value", userAgent: "p=Android,o=29,v=4.36,b=300", country: "Wales", keys: [:])
        let ways: [WarningWay] = [
            .cwa(.spendsFirst), .ens(ENSAuthority(apiKey: "k", healthAuthority: "org.example")), .nhs(access),
        ]
        for way in ways {
            for call in way.kind.calls {
                let fake = way.fake(call, using: &random)
                let text =
                    fake.path + fake.headers.map { "\($0.name): \($0.value)" }.joined()
                    + String(decoding: fake.body, as: UTF8.self)
                #expect(!text.lowercased().contains("vigil"))
            }
        }
    }

    /// To the Corona-Warn-App's own servers: its phones' padding, and one length all the same.
    @Test func phonesPaddingHasOneLength() throws {
        var random = SeededGenerator(seed: 4)
        var registry = TestRegistry()
        let way = WarningWay.cwa(.spendsFirst)
        let number = try registry.enter(
            RegistrationKey(TeleTAN(using: &random)), kind: .pcr, request: ExchangeRequest.requestName(using: &random),
            at: 0)
        let registration = try registry.begin(.registrationToken, number, way, using: &random)
        registry.change(number) { $0.registration = .made(token: ServerToken(using: &random).text) }
        let result = try registry.begin(.testResult, number, way, using: &random)
        let fake = way.fake(.tan, using: &random)
        #expect(Set([registration, result, fake].map(\.byteCount)).count == 1)
        #expect(registration.headers.allSatisfy { $0.name != "vigil-request" })
        #expect(registration.headers.first { $0.name == "cwa-header-padding" }?.value == "")
        #expect(registration.headers.first { $0.name == "cwa-fake" }?.value == " 0")
        #expect(result.headers.first { $0.name == "cwa-header-padding" }?.value.utf8.count == 7)
        // To ours everything is as it was.
        #expect(try registry.begin(.testResult, number, using: &random).headers.contains { $0.name == "vigil-request" })
    }

    // MARK: Answers

    private func ensBook(_ random: inout SeededGenerator) throws -> (TestRegistry, Int, WarningWay) {
        let way = WarningWay.ens(ENSAuthority(apiKey: "k", healthAuthority: "org.example"))
        var registry = TestRegistry()
        let number = try registry.enter(
            RegistrationKey(ENSCode(typed: "12345678")), kind: .pcr, request: "r", way: .ens, at: 0)
        return (registry, number, way)
    }

    /// What servers refuse a code for is told apart.
    @Test func refusalsOfCodes() throws {
        let cases: [(Int, String, RegisteredTest.Refusal)] = [
            (400, "code_invalid", .unknownOrUsed), (400, "code_expired", .expired),
            (412, "unsupported_test_type", .unsupported),
            (400, "internal_server_error", .spent), (401, "", .misconfigured), (400, "unparsable_request", .misconfigured),
        ]
        var sentences: Set<String> = []
        for (status, code, refusal) in cases {
            var random = SeededGenerator(seed: 5)
            var (registry, number, way) = try ensBook(&random)
            _ = try registry.begin(.registrationToken, number, way, using: &random)
            let body = JSON.object(["errorCode": .string(code)]).bytes
            _ = registry.finish(.registrationToken, number, .answered(status: status, body: body), way, at: 1)
            #expect(registry.test(number)?.registration == .refused(refusal) && registry.hasNews)
            sentences.insert(refusal.sentence(.ens))
        }
        #expect(sentences.count == 5)
        for refusal in [RegisteredTest.Refusal.answerLost, .expired, .unknownOrUsed] {
            #expect(!refusal.sentence(.ens).contains("teleTAN") && refusal.sentence(.cwa) == refusal.sentence)
        }
        for reason in WarningStage.Reason.allCases {
            #expect(!reason.sentence(.nhs).contains("teleTAN") && reason.sentence(.cwa) == reason.sentence)
        }
    }

    /// A server that asks to wait is not asked before, by nobody.
    @Test func whoAsksToWaitIsWaitedFor() throws {
        var random = SeededGenerator(seed: 6)
        var (registry, number, way) = try ensBook(&random)
        _ = try registry.begin(.registrationToken, number, way, using: &random)
        _ = registry.finish(.registrationToken, number, .busy(seconds: 600), way, at: 1_000)
        #expect(registry.test(number)?.trouble == .busy)
        #expect(registry.task(at: 1_599, .ens) == nil && registry.task(at: 1_600, .ens) == .register(number))
        // For a day at most.
        registry.wait(.max, at: 2_000)
        #expect(registry.task(at: 2_000 + 86_400, .ens) == .register(number))
    }

    /// Failing for a day: said meanwhile, and over when no code can be good any more.
    @Test func aDayOfFailures() throws {
        var random = SeededGenerator(seed: 7)
        var (registry, number, way) = try ensBook(&random)
        for slot in 1...47 {
            let now = Int64(slot) * 1_800
            registry.expire(before: now)
            _ = try registry.begin(.registrationToken, number, way, using: &random)
            _ = registry.finish(
                .registrationToken, number, .answered(status: 503, body: Array("<html>".utf8)), way, at: now)
            #expect(registry.test(number)?.trouble == .serverFails && !registry.hasNews)
        }
        registry.expire(before: 86_400)
        #expect(registry.test(number)?.registration == .refused(.expired) && registry.hasNews)
    }

    /// The server has keys of a warning before, whose answer got lost with its revision token: what it says then is no word about this warning.
    @Test func keysOfAnEarlierWarningSayNothingOfThisOne() throws {
        var random = SeededGenerator(seed: 9)
        var (registry, first, way) = try ensBook(&random)
        func sending(_ number: Int) {
            registry.change(number) {
                $0.registration = .made(token: "h.p.s")
                $0.resultCode = 2
                $0.warning = .ready(.init(body: "AAAA", request: "r"), tan: "c")
            }
        }
        let lost = TestRegistry.Outcome.lost
        let there = TestRegistry.Outcome.answered(status: 400, body: Array(#"{"code":"missing_revision_token"}"#.utf8))
        sending(first)
        _ = try registry.begin(.submission, first, way, using: &random)
        _ = registry.finish(.submission, first, lost, way, at: 10)
        // Alone it can only be its own.
        var alone = registry
        _ = try alone.begin(.submission, first, way, using: &random)
        _ = alone.finish(.submission, first, there, way, at: 20)
        #expect(alone.test(first)?.warning?.description == "sent")
        // It ends as nobody knows; then another one.
        registry.end(first, .uncertain)
        let second = try registry.enter(
            RegistrationKey(try ENSCode("87654321")), kind: .pcr, request: ExchangeRequest.requestName(using: &random),
            way: .ens,
            at: 30)
        sending(second)
        for outcome in [lost, there] {
            _ = try registry.begin(.submission, second, way, using: &random)
            _ = registry.finish(.submission, second, outcome, way, at: 40)
        }
        #expect(registry.test(second)?.warning?.description == "ended: uncertain")
        // Also after both tests are forgotten and the registry was stored.
        let stored = try JSONDecoder().decode(TestRegistry.self, from: try JSONEncoder().encode(registry))
        #expect(stored == registry)
    }

    /// Only a server that has answered every attempt with its own trouble has certainly taken none.
    @Test func aLostAnswerBeforeAFailureLeavesItOpen() throws {
        for (outcomes, stage) in [
            (
                [TestRegistry.Outcome.answered(status: 503, body: []), .answered(status: 500, body: [])],
                "ended: serverFailed"
            ),
            ([.lost, .answered(status: 503, body: [])], "ended: uncertain"),
            ([.answered(status: 503, body: []), .lost], "ended: uncertain"),
        ] {
            var random = SeededGenerator(seed: 10)
            var (registry, number, way) = try ensBook(&random)
            registry.change(number) {
                $0.registration = .made(token: "h.p.s")
                $0.resultCode = 2
                $0.warning = .ready(.init(body: "AAAA", request: "r", until: 900), tan: "c")
            }
            for outcome in outcomes {
                _ = try registry.begin(.submission, number, way, using: &random)
                _ = registry.finish(.submission, number, outcome, way, at: 10)
            }
            registry.expire(before: 901)
            #expect(registry.test(number)?.warning?.description == stage)
        }
    }

    /// Whoever was told to wait has spent no code, so that a mistyped one is called that, and not used up by this device.
    @Test func whoWasToldToWaitHasSpentNoCode() throws {
        let wait: [TestRegistry.Outcome] = [
            .answered(status: 429, body: (["error": "x", "errorCode": "maintenance_mode"] as JSON).bytes),
            .answered(status: 429, body: []), .busy(seconds: 60), .unsent,
        ]
        let invalid = TestRegistry.Outcome.answered(
            status: 400, body: (["error": "x", "errorCode": "code_invalid"] as JSON).bytes)
        for (before, refusal) in wait.map({ ($0, RegisteredTest.Refusal.unknownOrUsed) }) + [(.lost, .answerLost)] {
            var random = SeededGenerator(seed: 8)
            var (registry, number, way) = try ensBook(&random)
            for outcome in [before, before, invalid] {
                _ = try registry.begin(.registrationToken, number, way, using: &random)
                _ = registry.finish(.registrationToken, number, outcome, way, at: 10)
            }
            #expect(registry.test(number)?.registration == .refused(refusal), "\(before)")
        }
    }

    /// What a key server says of a publication, with and without an attempt before.
    @Test func publicationsEndAsTheServerSays() throws {
        let cases: [(Int, JSON, Int, String, Bool)] = [
            (200, ["revisionToken": "a", "insertedExposures": 14], 1, "sent", true),
            (200, ["code": "partial_failure", "insertedExposures": 1], 1, "sent", true),
            (200, ["warnings": ["x"]], 1, "ended: nothingTaken", true),
            // An error in the body goes before 200.
            (200, ["code": "internal_error"], 1, "being sent", false),
            (400, ["code": "internal_error"], 1, "being sent", false),
            (500, [:], 1, "being sent", false), (429, ["error": "x"], 1, "being sent", false),
            (400, ["code": "missing_revision_token"], 1, "ended: alreadyThere", true),
            (400, ["code": "missing_revision_token"], 2, "sent", true),
            (400, ["code": "invalid_revision_token"], 1, "ended: alreadyThere", true),
            (401, ["code": "health_authority_verification_certificate_invalid"], 1, "ended: tanRefused", true),
            (401, ["code": "health_authority_verification_certificate_invalid"], 2, "ended: uncertain", true),
            (401, ["code": "unknown_health_authority_id"], 1, "ended: misconfigured", true),
            (404, [:], 1, "ended: misconfigured", true), (413, ["code": "bad_request"], 1, "ended: refused", true),
        ]
        for (status, json, attempts, stage, isOver) in cases {
            var random = SeededGenerator(seed: 8)
            var (registry, number, way) = try ensBook(&random)
            registry.change(number) {
                $0.registration = .made(token: "h.p.s")
                $0.resultCode = 2
                $0.warning = .sending(.init(body: "AAAA", request: "r", until: 900), tan: "c", attempts: attempts)
            }
            registry.revisionToken = "old"
            registry.uploader = number
            let again = registry.finish(.submission, number, .answered(status: status, body: json.bytes), way, at: 10)
            #expect(registry.test(number)?.warning?.description == stage, "\(status) \(json)")
            #expect(again == !isOver && registry.test(number)?.warning?.isOver == isOver)
            let kept = json["revisionToken"]?.string ?? (json["code"] == "invalid_revision_token" ? nil : "old")
            #expect(registry.revisionToken == kept)
            // Its time passes.
            registry.expire(before: 900)
            if !isOver {
                let trouble = registry.test(number)?.warning
                #expect(trouble == .ended(.serverFailed) || trouble == .ended(.uncertain))
            }
        }
    }

    /// Whatever numbers a server is said to have, judging ends.
    @Test func rulesAreHeldInTheirRanges() {
        for number in [Int.min, -1, 0, 1, .max] {
            var rules = ENSKeyRules()
            (rules.maximumKeys, rules.maximumSameStart) = (number, number)
            (rules.maximumAgeSeconds, rules.truncateSeconds) = (Int64(number), Int64(number))
            (rules.maximumOnsetDays, rules.maximumReportDays, rules.defaultOnsetDays) = (
                Int64(number), Int64(number), Int64(number)
            )
            #expect(rules.truncateSeconds >= 1 && rules.maximumKeys >= 0 && rules.maximumReportDays <= 1_000_000)
            let key = ENSKeyRules.Key(text: "AAAAAAAAAAAAAAAAAAAAAA==", start: 1_795_000_000 / 600 - 144, period: 144)
            _ = rules.judge([key], onset: nil, certified: nil, type: nil, at: 1_795_000_000)
        }
    }

    /// Whenever it is stated, a server takes the onset, and not the one of its own that it puts in the place of one from the future; it is at most a day off, in
    /// the first minutes of the day alone. The server's clock may be a little behind.
    @Test func anOnsetIsBelieved() throws {
        let rules = ENSKeyRules()
        let midnight: Int64 = 1_795_046_400
        for second in stride(from: Int64(0), to: 86_400, by: 61) {
            let now = midnight + second
            for age in Int64(0)...13 {
                let day = midnight / 86_400 - age
                let interval = Int64(FrozenKeys.interval(ofOnset: day, at: now))
                let key = ENSKeyRules.Key(
                    text: Base64.string([UInt8](repeating: 1, count: 16)), start: (midnight / 86_400 - 1) * 144, period: 144
                )
                let verdict = rules.judge([key], onset: interval, type: .confirmed, at: now - 60)
                #expect(verdict.onsetSource == .publish, "\(second) s, \(age) days")
                let isEarly = age == 0 && second < 1_200
                #expect(interval / 144 == (isEarly ? day - 1 : day))
            }
        }
    }

    /// Keys that a key server would refuse together are brought into order, and those it would drop stay here.
    @Test func keysAreMadePublishable() throws {
        var random = SeededGenerator(seed: 9)
        let now: Int64 = 1_795_000_000
        let rules = ENSKeyRules()
        var most = 0
        for _ in 0..<500 {
            let keys = try (0..<Int.random(in: 1...60, using: &random)).map { _ in
                let day = UInt32(now / 86_400) - UInt32.random(in: 0...20, using: &random)
                let start = day * 144 + (Bool.random(using: &random) ? 0 : UInt32.random(in: 0..<144, using: &random))
                let period = UInt32.random(in: 1...144, using: &random)
                return try #require(
                    DiagnosisKey(
                        data: Block(low: random.next(), high: random.next()), rollingStart: ENIN(start),
                        rollingPeriod: min(period, day * 144 + 144 - start)))
            }
            let onset: Int64? = Bool.random(using: &random) ? now / 86_400 - Int64.random(in: 0...21, using: &random) : nil
            let taken = FrozenKeys.publishable(keys, onset: onset, at: now)
            guard !taken.isEmpty else { continue }
            let verdict = rules.judge(
                taken.map {
                    .init(
                        text: Base64.string($0.data.bytes), start: Int64($0.rollingStart.number),
                        period: Int64($0.rollingPeriod))
                }, onset: onset.map { $0 * 144 }, type: .confirmed, at: now)
            #expect(verdict.refusal == nil && verdict.dropped.isEmpty && verdict.kept.count == taken.count, "\(verdict)")
            most = max(most, taken.count)
        }
        // Several keys of a day go along: there are more than days.
        #expect((15...30).contains(most), "\(most)")
    }
}
