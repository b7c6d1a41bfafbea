// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import HTTPService
import KeyExport
import RandomValues
import Testing
import Verification

/// Who takes keys, as an authority does: the same key once.
final class KeyShelf: KeyTaking {
    private(set) var keys: [Block: ExportedKey] = [:]
    private(set) var checkIns: [SubmittedCheckIns] = []
    private(set) var calls = 0
    /// Fails the next call, before or after the keys are kept.
    var failure: (before: Bool, after: Bool) = (false, false)

    func take(
        _ accepted: SubmissionRules.Accepted, warning: WarningHandle?, now: Int64
    ) throws(VerificationError) -> TakenSubmission {
        calls += 1
        if failure.before { throw VerificationError(.intakeFailed) }
        let before = self.keys.count
        for key in accepted.keys { self.keys[key.data] = key }
        if !accepted.checkIns.isEmpty { checkIns.append(accepted.checkIns) }
        if failure.after { throw VerificationError(.intakeFailed) }
        return TakenSubmission(
            keys: self.keys.count - before, checkIns: accepted.checkIns.reports.count,
            filteredCheckIns: accepted.checkIns.plain.count)
    }
}

/// Writes payloads, also wrong ones.
enum Payload {
    static func key(
        _ number: Int, days: Int64 = 1, now: Int64 = VerificationScene.start, data: [UInt8]? = nil, start: Int64? = nil,
        period: Int32? = 144, level: Int32? = 5, onset: Int32? = 2
    ) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.data(1, data ?? Array(SHA256.digest(of: Array("key \(number)".utf8)).prefix(16)))
        if let level { writer.int32(2, level) }
        writer.int32(3, Int32(start ?? (now / 86_400 - days) * 144))
        if let period { writer.int32(4, period) }
        if let onset { writer.sint32(6, onset) }
        return writer.bytes
    }

    static func body(
        _ keys: [[UInt8]], padding: Int = 100, countries: [String] = ["DE"], origin: String? = "DE", type: UInt64 = 0,
        plain: [[UInt8]] = [], reports: [[UInt8]] = []
    ) -> [UInt8] {
        var writer = ProtobufWriter()
        for key in keys { writer.data(1, key) }
        writer.data(2, [UInt8](repeating: 0x61, count: padding))
        for country in countries { writer.text(3, country) }
        if let origin { writer.text(4, origin) }
        writer.number(5, 1)
        for message in plain { writer.data(6, message) }
        writer.number(7, type)
        for message in reports { writer.data(8, message) }
        return writer.bytes
    }

    static func keys(_ range: Range<Int>) -> [[UInt8]] { range.map { key($0, days: Int64($0)) } }
}

@Suite struct SubmissionTests {
    struct Front {
        let scene: VerificationScene
        let shelf = KeyShelf()
        let server: SubmissionServer
        let http: SubmissionHTTP

        init() throws {
            scene = try VerificationScene()
            server = SubmissionServer(rules: SubmissionRules(), tans: scene.server, taker: shelf)
            let scene = scene
            http = SubmissionHTTP(server: server, now: { scene.now }, slotMilliseconds: 0)
        }

        func send(
            _ body: [UInt8], tan: String?, fake: String? = "0", headers: [String: String] = [:],
            type: String = "application/x-protobuf",
            method: String = "POST"
        ) -> HTTPResponse {
            var all = headers
            all["cwa-fake"] = fake
            all["cwa-authorization"] = tan
            all["content-type"] = type
            all["content-length"] = "\(body.count)"
            var request = HTTPRequest(method: method, path: "/version/v1/diagnosis-keys", headers: all)
            switch http.begin(request) {
            case .failure(let refusal): return refusal.response
            case .success:
                request.body = body
                return http.answer(request)
            }
        }
    }

    static let now = VerificationScene.start

    @Test func fourteenKeysAreTakenWithOneTANOnce() throws {
        let front = try Front()
        let tan = try front.scene.tan(0)
        let body = Payload.body(Payload.keys(0..<14))
        #expect(front.send(body, tan: tan).status == 200)
        #expect(front.shelf.keys.count == 14)
        // The same again, because the answer was lost: the same answer, nothing new.
        #expect(front.send(body, tan: tan).status == 200)
        #expect(front.shelf.keys.count == 14)
        // Another warning with the same TAN.
        #expect(front.send(Payload.body(Payload.keys(20..<21).map { $0 }), tan: tan).status == 400)
        #expect(front.send(Payload.body([Payload.key(20)]), tan: tan).status == 403)
        #expect(front.send(Payload.body(Payload.keys(0..<14), padding: 101), tan: tan).status == 403)
        #expect(front.shelf.keys.count == 14)
        let key = try #require(front.shelf.keys.values.first { $0.rollingStart == Int32((Self.now / 86_400 - 3) * 144) })
        #expect(key.transmissionRiskLevel == 5 && key.hasOnset && key.daysSinceOnset == 2 && key.reportType == 1)
    }

    /// The TAN confirmed and nothing stored, or all stored and nothing answered: the same body ends it, with one warning.
    @Test(arguments: [(true, false), (false, true)])
    func aKillBetweenConfirmingAndStoringLosesNoWarning(before: Bool, after: Bool) throws {
        let front = try Front()
        let tan = try front.scene.tan(0)
        let body = Payload.body(Payload.keys(1..<5))
        front.shelf.failure = (before, after)
        #expect(front.send(body, tan: tan).status == 500)
        front.shelf.failure = (false, false)
        let crashed = try front.scene.crash()
        let second = SubmissionServer(rules: SubmissionRules(), tans: crashed.server, taker: front.shelf)
        #expect(code { _ = try second.submit(Payload.body([Payload.key(30)]), tan: tan, now: crashed.now) } == .invalidTAN)
        _ = try second.submit(body, tan: tan, now: crashed.now)
        #expect(front.shelf.keys.count == 4)
    }

    /// Each broken rule: a 400, nothing stored, and the TAN still good.
    @Test(
        arguments: [
            (SubmissionRules.Flaw.malformed, [[0xFF]]), (.malformed, [[0x0A, 0x05, 0x01]]), (.malformed, [[0x08, 0x01]]),
            (.noKeys, [Payload.body([])]), (.noKeys, [[]]),
            (.tooManyKeys, [Payload.body(Payload.keys(0..<15)), Payload.body(Payload.keys(0..<30))]),
            (
                .wrongKeyLength,
                [0, 1, 15, 17, 32].map { Payload.body([Payload.key(1, data: [UInt8](repeating: 1, count: $0))]) }
            ),
            (
                .wrongRollingStart,
                [1, 143, -144].map {
                    Payload.body([Payload.key(1, start: (now / 86_400 - 2) * 144 * ($0 < 0 ? -1 : 1) + $0)])
                }
            ),
            (.wrongRollingPeriod, [0, -1, 145, .max].map { Payload.body([Payload.key(1, period: $0)]) }),
            (.wrongLevel, [0, -1, 9, .max].map { Payload.body([Payload.key(1, level: $0)]) }),
            (.wrongOnset, [-16, 4_001, .min].map { Payload.body([Payload.key(1, onset: $0)]) }),
            (.neitherLevelNorOnset, [Payload.body([Payload.key(1, level: nil, onset: nil)])]),
            (
                .repeatedKey,
                [
                    Payload.body([Payload.key(1), Payload.key(1)]),
                    Payload.body([Payload.key(1, days: 1), Payload.key(1, days: 2)]),
                ]
            ),
            (.wrongOrigin, [Payload.body([Payload.key(1)], origin: "FR"), Payload.body([Payload.key(1)], origin: "de")]),
            (.wrongVisitedCountry, [Payload.body([Payload.key(1)], countries: ["DE", "XX"])]),
            (.wrongSubmissionType, [2, 3, 9, 10, .max].map { Payload.body([Payload.key(1)], type: $0) }),
            (
                .nothingLeft,
                [
                    Payload.body([Payload.key(1, days: -1)]),
                    Payload.body([Payload.key(1, days: 16), Payload.key(2, days: -2)]),
                ]
            ),
        ] as [(SubmissionRules.Flaw, [[UInt8]])])
    func brokenRulesAreRefused(flaw: SubmissionRules.Flaw, bodies: [[UInt8]]) throws {
        let front = try Front()
        let tan = try front.scene.tan(0)
        for body in bodies {
            #expect(SubmissionRules().judge(body, now: Self.now) == .failure(.init(flaw)))
            #expect(front.send(body, tan: tan).status == 400)
        }
        #expect(front.server.counters.flaws == [flaw: bodies.count])
        #expect(front.shelf.calls == 0)
        #expect(front.send(Payload.body([Payload.key(1)]), tan: tan).status == 200)
    }

    /// A day on which keys were released has several, and **srv** has no rule against it.
    @Test func severalKeysOfADayAreTaken() throws {
        let front = try Front()
        let keys = [
            Payload.key(1, period: 61), Payload.key(2, period: 144), Payload.key(3, days: 2), Payload.key(4, days: 2),
        ]
        #expect(front.send(Payload.body(keys), tan: try front.scene.tan(0)).status == 200)
        #expect(front.shelf.keys.count == 4 && front.server.counters.droppedKeys == 0)
    }

    @Test func keysOfTheFutureAndOldOnesAreLeftOut() throws {
        let front = try Front()
        let keys = [Payload.key(1, days: 0), Payload.key(2, days: -1), Payload.key(3, days: 14), Payload.key(4, days: 15)]
        #expect(front.send(Payload.body(keys), tan: try front.scene.tan(0)).status == 200)
        #expect(front.shelf.keys.count == 2 && front.server.counters.droppedKeys == 2)
    }

    @Test func missingHalvesAreFilledIn() throws {
        let rules = SubmissionRules()
        func taken(_ level: Int32?, _ onset: Int32?) throws -> ExportedKey {
            try #require(
                try rules.judge(Payload.body([Payload.key(1, level: level, onset: onset)]), now: Self.now).get().keys.first)
        }
        // Vectors `derivation-maps`.
        for (onset, level) in [(-5, 2), (0, 8), (6, 2), (7, 1), (-6, 1), (198, 8), (194, 2), (300, 7), (4_000, 5)]
            as [(Int32, Int32)]
        {
            let key = try taken(nil, onset)
            #expect(key.transmissionRiskLevel == level, "\(onset)")
            #expect(key.hasOnset && key.daysSinceOnset == onset)
        }
        for (level, onset) in [
            (1, 3_986), (2, 3_992), (3, 3_993), (4, 3_994), (5, 4_000), (6, 3_995), (7, 3_996), (8, 3_997),
        ]
            as [(Int32, Int32)]
        {
            let key = try taken(level, nil)
            #expect(key.transmissionRiskLevel == level && key.hasOnset && key.daysSinceOnset == onset, "\(level)")
        }
        // What was sent is kept, also where the tables would say something else.
        for (level, onset) in [(3, 4_000), (2, -2), (8, 14), (1, 0), (5, -15)] as [(Int32, Int32)] {
            let key = try taken(level, onset)
            #expect(key.transmissionRiskLevel == level && key.hasOnset && key.daysSinceOnset == onset, "\(level) \(onset)")
        }
        let short = try rules.judge(Payload.body([Payload.key(1, period: nil)], origin: nil), now: Self.now).get()
        #expect(short.keys.first?.rollingPeriod == 144 && short.consentsToFederation && short.visitedCountries == ["DE"])
    }

    @Test func credentialsAreAsTheTableSays() throws {
        let front = try Front()
        let body = Payload.body([Payload.key(1)])
        let tan = try front.scene.tan(0)
        #expect(front.send(body, tan: nil).status == 400)
        #expect(front.send(body, tan: "").status == 400)
        #expect(front.send(body, tan: tan, headers: ["cwa-otp": VerificationScene.name(1)]).status == 400)
        #expect(front.send(body, tan: nil, headers: ["cwa-otp": VerificationScene.name(1)]).status == 403)
        for wrong in ["x", VerificationScene.name(1), tan + " "] { #expect(front.send(body, tan: wrong).status == 403) }
        #expect(front.send(body, tan: tan, fake: nil).status == 400)
        #expect(front.send(body, tan: tan, fake: "no").status == 400)
        #expect(front.send(body, tan: tan, type: "application/json").status == 415)
        #expect(front.send(body, tan: tan, method: "GET").status == 405)
        #expect(front.send(body, tan: tan, headers: ["transfer-encoding": "chunked"]).status == 406)
        let event = try front.scene.server.issueTeleTAN(.event, now: Self.now)
        let token = try front.scene.server.register(
            VerificationServer.key(event, type: "TELETAN", birth: nil), now: Self.now)
        #expect(front.send(body, tan: try front.scene.server.tan(token: token, now: Self.now)).status == 403)
        #expect(front.shelf.calls == 0)
        // 100 KB and no more.
        let limit = SubmissionRules.maximumBytes
        let rest = limit - Payload.body([Payload.key(1)], padding: 90_000).count + 90_000
        let largest = Payload.body([Payload.key(1)], padding: rest)
        #expect(largest.count == limit)
        #expect(front.send(Payload.body([Payload.key(1)], padding: rest + 1), tan: tan).status == 400)
        #expect(front.send(largest, tan: tan).status == 200)
    }

    @Test func fakesAreAnsweredLikeRealOnes() throws {
        let front = try Front()
        func length(_ answer: HTTPResponse) -> Int {
            let reason = [200: "OK", 400: "Bad Request", 403: "Forbidden"][answer.status] ?? "?"
            return reason.utf8.count + answer.headers.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + 4 }
        }
        let tan = try front.scene.tan(0)
        let body = Payload.body([Payload.key(1)])
        let fakes = ["1", "7", "-1"].map { front.send(body, tan: tan, fake: $0) }
        #expect(fakes.allSatisfy { $0.status == 200 } && front.shelf.calls == 0)
        #expect(front.send([0xFF], tan: "", fake: "1").status == 200)
        let real = front.send(body, tan: tan)
        #expect(real.status == 200 && front.shelf.calls == 1)
        let answers = fakes + [real, front.send([], tan: tan), front.send(Payload.body([Payload.key(2)]), tan: tan)]
        #expect(Set(answers.map(length)).count == 1 && Set(answers.map(\.status)) == [200, 400, 403])
        #expect(fakes.contains { $0.delayMilliseconds > 0 } && real.delayMilliseconds == 0)
    }

    /// Any cut and any changed byte: an answer, never a crash, and never a key that breaks a rule.
    @Test func spoiltBodiesNeverPassARule() {
        let rules = SubmissionRules()
        let body = Payload.body(Payload.keys(0..<4), padding: 10)
        var generator = SeededGenerator(seed: 4)
        var accepted = 0
        func check(_ spoilt: [UInt8]) {
            guard case .success(let found) = rules.judge(spoilt, now: Self.now) else { return }
            accepted += 1
            #expect(
                found.keys.allSatisfy {
                    $0.dataByteCount == 16 && (1...144).contains($0.rollingPeriod) && $0.rollingStart % 144 == 0
                        && (1...8).contains($0.transmissionRiskLevel)
                        && $0.hasOnset && (-15...4_000).contains($0.daysSinceOnset) && $0.reportType == 1
                })
        }
        for count in 0..<body.count { check(Array(body.prefix(count))) }
        for _ in 0..<20_000 {
            var spoilt = body
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                spoilt[Int.random(in: 0..<spoilt.count, using: &generator)] = .random(in: 0 ... .max, using: &generator)
            }
            check(spoilt)
        }
        #expect(accepted > 1_000)
    }
}
