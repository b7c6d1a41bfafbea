// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import Donation
import JSON
import PrivacyPass
import RandomValues
import TestKit
import Testing

@testable import DonationService

/// Error logs at issuer and donation server.
@Suite struct LogServerTests {
    private let noon = DonationScene.noon
    private let today = DonationScene.today

    private struct Scene {
        let base: DonationScene
        let terms: DonationTerms
        let server: DonationServer
    }

    private func scene() throws -> Scene {
        let base = try DonationScene()
        let days = base.keys.live.map(\.key.publicKey.truncatedID)
        let free = try #require(DonationScene.keys.first { !days.contains($0.publicKey.truncatedID) })
        let old = try base.terms()
        let terms = try #require(
            DonationTerms(
                version: 1, issuerName: old.issuerName, issuerAddress: old.issuerAddress, origin: old.origin,
                serverAddress: old.serverAddress, keys: old.keys,
                monthlyKeys: [.log: [.init(day: DonationEpoch.firstDay(ofMonth: today), key: free.publicKey)]]))
        return Scene(base: base, terms: terms, server: DonationServer(store: base.donations) { terms })
    }

    /// A token of the month, by the key that the terms have for it.
    private func token(_ scene: Scene, index: UInt32 = 0, challenge: [UInt8]? = nil) throws -> String {
        let key = try #require(scene.terms.key(for: .log, monthOf: today))
        let signer = try #require(DonationScene.keys.first { $0.publicKey == key })
        let digest = try challenge ?? scene.terms.challenge(ofMonth: today).digest
        let pending = try scene.base.boards[0].seed.pendingToken(key: key, challengeDigest: digest, index: index)
        return PrivateTokenScheme.authorization(try pending.finished(by: signer.sign(pending.request.blindedMessage)))
    }

    private func body(_ troubles: DeviceTrouble...) throws -> [UInt8] {
        try #require(DonationPadding.padded(TroubleReport.content(troubles)))
    }

    private func logs(_ store: DonationStore) throws -> [[DeviceTrouble]] {
        var logs: [[DeviceTrouble]] = []
        try store.forEachLog { _, troubles in logs.append(troubles) }
        return logs
    }

    @Test func aLogIsStoredOnce() throws {
        let scene = try scene()
        func answer(_ body: [UInt8], _ header: String?, _ now: Int64? = nil) -> DonationServer.Refusal? {
            scene.server.answer(body: body, authorization: header, purpose: .log, now: now ?? noon).refusal
        }
        let header = try token(scene)
        #expect(answer(try body(.lostScans), header) == nil)
        #expect(answer(try body(.lostScans), header) == nil)
        #expect(answer(try body(.noController), header) == .tokenRedeemed)
        #expect(try logs(scene.base.donations) == [[.lostScans]])
        // The whole month, and the day after it for those who were offline.
        let last = DonationEpoch.lastDay(ofMonth: today)
        #expect(answer(try body(.noController), header, last.start + 2 * 86_400 - 1) == .tokenRedeemed)
        #expect(answer(try body(.lostScans), header, last.start + 2 * 86_400) == .tokenExpired)
        #expect(answer(try body(.lostScans), header, DonationEpoch.firstDay(ofMonth: today).start - 1) == .tokenNotYetValid)
        try scene.server.flush()
        let counts = try scene.base.donations.events().filter { $0.day == today }
        #expect(counts.first { $0.event == "logStored" }?.count == 1 && !counts.contains { $0.event == "stored" })
    }

    /// A token of one purpose is none of the other's, and no other content is taken for it.
    @Test func purposesHaveTokensOfTheirOwn() throws {
        let scene = try scene()
        let log = try token(scene)
        let donation = PrivateTokenScheme.authorization(try scene.base.token(scene.base.boards[0]))
        let data = try DonationScene.donation(.low)
        #expect(scene.server.answer(body: data, authorization: log, now: noon).refusal == .tokenInvalid)
        #expect(
            scene.server.answer(body: try body(.lostScans), authorization: donation, purpose: .log, now: noon).refusal
                == .tokenInvalid)
        #expect(scene.server.answer(body: data, authorization: log, purpose: .log, now: noon).refusal == .contentNotValid)
        let day = try token(scene, challenge: scene.terms.challenge(of: today).digest)
        #expect(
            scene.server.answer(body: try body(.lostScans), authorization: day, purpose: .log, now: noon).refusal
                == .tokenInvalid)
        // Where nobody asks for logs none is taken.
        #expect(
            try scene.base.server().answer(body: body(.lostScans), authorization: log, purpose: .log, now: noon).refusal
                == .tokenInvalid)
        let none = scene.server.answer(body: try body(.lostScans), authorization: nil, purpose: .log, now: noon)
        #expect(none.refusal == .tokenRequired)
        let challenges = PrivateTokenScheme.challenges(inWWWAuthenticate: none.challenge ?? "")
        #expect(try challenges.first?.tokenChallenge == scene.terms.challenge(ofMonth: today).encoded)
        // Something beside the troubles, in the padding.
        var beside = try body(.lostScans)
        beside[100] = 1
        let cut = Array(try body(.lostScans).dropLast())
        for bad in [[], cut, [UInt8](repeating: 0, count: DonationPadding.byteCount), beside] {
            #expect(
                scene.server.answer(body: bad, authorization: log, purpose: .log, now: noon).refusal == .contentNotValid)
        }
        // After all that the token is not spent.
        #expect(
            scene.server.answer(body: try body(.lostScans), authorization: log, purpose: .log, now: noon).refusal == nil)
        #expect(try logs(scene.base.donations).count == 1)
    }

    @Test func coverAndLogsOverHTTPLookAlike() throws {
        let scene = try scene()
        let now = noon
        let service = try DonationService(
            scene.server, address: "127.0.0.1", port: 0, slotMilliseconds: 0, now: { now })
        func post(_ path: String, _ body: [UInt8], _ header: String) throws -> WireAnswer {
            try WireAnswer.post(
                path, body, type: "application/x-protobuf", headers: ["Authorization": header], port: service.port)
        }
        let log = try post(MonthlyPurpose.log.path, body(.lostScans), token(scene))
        var random = SeededGenerator(seed: 4)
        let cover = try post(DonationHTTP.path, DonationCover.body, DonationCover.authorization(using: &random))
        let refused = try post(MonthlyPurpose.log.path, body(.lostScans), "PrivateToken")
        #expect([log, cover, refused].map(\.status) == [200, 200, 400])
        #expect(log.body == cover.body && refused.bytes.count == log.bytes.count)
        #expect(try post("/version/v1/device/other", body(.lostScans), token(scene)).status == 404)
    }

    /// Kinds and days are told, and no count below five, nor one that the rest would give.
    @Test func logsAreCountedByDay() throws {
        let folder = try TemporaryFolder()
        let store = try DonationStore(path: folder.file("server.db"))
        func put(_ number: Int, _ troubles: [DeviceTrouble], _ day: UTCDay) throws {
            let content = TroubleReport.content(troubles)
            let nonce = withUnsafeBytes(of: number) { Array($0) }
            #expect(
                try store.take(
                    content: content, digest: nonce, key: [1], nonce: nonce, days: DonationEpoch.days(ofMonth: day),
                    today: day,
                    purpose: .log) == .stored)
        }
        for number in 0..<20 {
            try put(number, number < 12 ? [.lostScans] : number < 18 ? [.ladderClimbed] : [.auditBroken], today)
        }
        for number in 30..<34 { try put(number, [.lostScans], UTCDay(number: today.number + 1)) }
        #expect(try DonationStatistics(store, today: today).logs.isEmpty)
        let told = try DonationStatistics(store, today: UTCDay(number: today.number + 2))
        #expect(told.logs.map(\.total) == [20, nil] && told.days.isEmpty)
        let counts = Dictionary(uniqueKeysWithValues: told.logs[0].cells.map { ($0.name, $0.count) })
        #expect(counts["lost-scans"] == .some(12) && counts["ladder-climbed"] == .some(6))
        #expect(counts["audit-broken"] == .some(nil) && counts["no-controller"] == .some(nil))
        #expect(told.logs[1].cells.allSatisfy { $0.count == nil })
        let date = today.date.isoText
        #expect(told.csv.contains("\(date),log,all,20\n") && told.csv.contains("\(date),trouble,lost-scans,12\n"))
        #expect(told.csv.contains("\(date),trouble,audit-broken,\n"))
        #expect(told.json["logs"]?.array?.first?["trouble"]?["lost-scans"]?.int == 12)
        #expect(told.bars().contains("20 error logs") && told.bars().contains("fewer than 5 error logs"))
        // Fewer days, if people are told so; what is said of donations is not about logs.
        func terms(_ purpose: MonthlyPurpose?, _ days: Int64) throws -> DonationTerms {
            let people = try #require(
                DonationTerms.Responsible(issuer: "a", server: "b", recipients: "c", keptDays: days))
            return try #require(
                DonationTerms(
                    version: 1, issuerName: "issuer.example", issuerAddress: "https://issuer.example",
                    origin: "donation.example", serverAddress: "https://donation.example", keys: [],
                    responsible: [purpose: people]))
        }
        try store.clean(today: UTCDay(number: today.number + 5), terms: terms(.log, 6))
        try store.clean(today: UTCDay(number: today.number + 5), terms: terms(nil, 2))
        try store.clean(today: UTCDay(number: today.number + 13), terms: terms(.log, 3_650))
        #expect(try logs(store).count == 24)
        try store.clean(today: UTCDay(number: today.number + 5), terms: terms(.log, 5))
        #expect(try logs(store).count == 4)
        try store.clean(today: UTCDay(number: today.number + 14))
        #expect(try logs(store).count == 4)
        try store.clean(today: UTCDay(number: today.number + 15))
        #expect(try logs(store) == [])
    }

    /// One token of a month for each device, by a key of its own that is destroyed with the month.
    @Test func theIssuerHasAKeyForEachMonth() throws {
        let folder = try TemporaryFolder()
        let keys = try IssuerKeys(path: folder.file("keys.db"))
        try keys.keep(today: today, count: 5, purposes: [.log])
        // 2026-11-27: five days reach into December.
        #expect(keys.keys(for: .log).map(\.day.date.isoText) == ["2026-11-01", "2026-12-01"])
        #expect(keys.keys(for: nil).count == 5)
        #expect(Set(keys.live.map(\.key.publicKey.truncatedID)).count == 7)
        let again = try IssuerKeys(path: folder.file("keys.db"))
        #expect(again.live.map(\.key.publicKey) == keys.live.map(\.key.publicKey))
        let november = try #require(keys.live.first { $0.purpose == .log })
        func isLive(_ day: String) throws -> Bool {
            let today = UTCDay(number: try #require(CivilDate(isoText: day)).dayNumber)
            return keys.key(truncatedID: november.key.publicKey.truncatedID, today: today)?.purpose == .log
        }
        #expect(try isLive("2026-11-30") && isLive("2026-12-01") && !isLive("2026-12-02"))
        let later = UTCDay(number: try #require(CivilDate(isoText: "2026-12-02")).dayNumber)
        try keys.keep(today: later, count: 2, purposes: [.log])
        #expect(keys.keys(for: .log).map(\.day.date.isoText) == ["2026-12-01"])
        #expect(keys.live.allSatisfy { $0.key.publicKey != november.key.publicKey })
    }

    @Test func aDeviceGetsOneTokenOfAMonth() throws {
        let base = try DonationScene()
        base.settings.purposes = [.log]
        let folder = try TemporaryFolder()
        let keys = try IssuerKeys(path: folder.file("keys.db"))
        let issuer = TokenIssuer(settings: base.settings, keys: keys, store: base.store, using: SeededGenerator(seed: 3))
        try issuer.keep(now: noon)
        let entry = try #require(keys.live.first { $0.purpose == .log })
        let challenge = try DonationEpoch.month(of: today).challenge(
            issuerName: DonationScene.issuerName, origin: DonationScene.origin)
        func request(_ index: UInt32) throws -> PendingToken {
            try base.boards[0].seed.pendingToken(
                key: entry.key.publicKey, challengeDigest: challenge.digest, index: index)
        }
        let first = try request(0)
        let answer = try issuer.ask(base.boards[0], first.request.encoded)
        #expect(throws: Never.self) { try first.finished(by: answer.signature ?? []) }
        // On the last day of the month the ledger still knows it.
        let last = DonationEpoch.lastDay(ofMonth: today).start + 40_000
        #expect(try issuer.ask(base.boards[0], request(1).request.encoded, now: last).refusal == .deviceQuotaExceeded)
        #expect(try issuer.ask(base.boards[0], first.request.encoded, now: last).signature == answer.signature)
    }

    @Test func settingsKeepTheirPurposes() throws {
        let settings = try IssuerSettings(
            name: "issuer.example", address: "https://issuer.example", minimumFleet: 2, purposes: [.log])
        #expect(try IssuerSettings(settings.json) == settings)
        var object = settings.json.object ?? [:]
        object["purposes"] = ["other"]
        #expect(throws: DonationServiceError.self) { try IssuerSettings(JSON.object(object)) }
        object["purposes"] = nil
        #expect(try IssuerSettings(JSON.object(object)).purposes == [])
    }
}
