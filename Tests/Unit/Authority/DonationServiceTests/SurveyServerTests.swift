// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import Donation
import HTTPService
import JSON
import PrivacyPass
import RandomValues
import SQLiteFile
import SystemCalls
import TestKit
import Testing

@testable import DonationService

/// Surveys at the donation server: digests of passwords, and their redemption by who runs the survey.
@Suite struct SurveyServerTests {
    private let noon = DonationScene.noon
    private let today = DonationScene.today
    private static let secret = String(repeating: "s", count: 40)

    private final class Scene {
        let base: DonationScene
        let terms: DonationTerms
        let server: DonationServer
        var random = SeededGenerator(seed: 7)

        init(days: Int64 = 7, link: String = "https://survey.example") throws {
            base = try DonationScene()
            let used = base.keys.live.map(\.key.publicKey.truncatedID)
            let free = try #require(DonationScene.keys.first { !used.contains($0.publicKey.truncatedID) })
            let old = try base.terms()
            let people = try #require(
                DonationTerms.Responsible(issuer: "City", server: "Institute", recipients: "University", keptDays: days))
            let month = DonationEpoch.firstDay(ofMonth: DonationScene.today)
            let made = try #require(
                DonationTerms(
                    version: 1, issuerName: old.issuerName, issuerAddress: old.issuerAddress, origin: old.origin,
                    serverAddress: old.serverAddress, keys: old.keys,
                    monthlyKeys: [.survey: [.init(day: month, key: free.publicKey)]], responsible: [.survey: people],
                    survey: .init(link: link, about: ["en": "How was it?"], invited: .everybody)))
            terms = made
            server = DonationServer(store: base.donations) { made }
        }

        func token(_ index: UInt32 = 0) throws -> String {
            let key = try #require(terms.key(for: .survey, monthOf: DonationScene.today))
            let signer = try #require(DonationScene.keys.first { $0.publicKey == key })
            let pending = try base.boards[0].seed.pendingToken(
                key: key, challengeDigest: terms.challenge(ofMonth: DonationScene.today).digest, index: index)
            return PrivateTokenScheme.authorization(
                try pending.finished(by: signer.sign(pending.request.blindedMessage)))
        }

        func password() -> SurveySecret { SurveySecret(using: &random) }

        static func body(_ password: SurveySecret) throws -> [UInt8] {
            try #require(DonationPadding.padded(SurveyReport.content(password.digest)))
        }

        func send(
            _ password: SurveySecret, _ index: UInt32 = 0, now: Int64 = DonationScene.noon
        ) throws
            -> DonationServer.Refusal?
        {
            try server.answer(body: Self.body(password), authorization: token(index), purpose: .survey, now: now).refusal
        }

        func redemption(
            now: @escaping () -> Int64 = { DonationScene.noon }
        ) throws -> RedemptionHTTP {
            let terms = terms
            return try RedemptionHTTP(
                store: base.donations, secret: SurveyServerTests.secret, terms: { terms }, now: now, slotMilliseconds: 0)
        }
    }

    private func request(_ text: String, _ secret: String? = SurveyServerTests.secret) -> HTTPRequest {
        var headers = ["content-type": "application/json"]
        headers["authorization"] = secret.map { "Bearer \($0)" }
        return HTTPRequest(
            method: "POST", path: RedemptionHTTP.path, headers: headers, body: JSON.object(["otp": .string(text)]).bytes)
    }

    private func bytes(_ answer: HTTPResponse) -> [UInt8] { if case .bytes(let bytes) = answer.body { bytes } else { [] } }

    private func state(_ answer: HTTPResponse) throws -> String? { try JSON(parsing: bytes(answer))["state"]?.string }

    private func digests(_ scene: Scene) throws -> Int {
        var count = 0
        let other = try SQLiteDatabase<DonationServiceError>(
            path: scene.base.folder.file("server.db"), schema: SQLiteSchema(steps: [[], [], []]))
        try other.run("SELECT digest FROM survey") { _ in count += 1 }
        return count
    }

    // MARK: Taking digests

    @Test func aDigestIsTakenOnce() throws {
        let scene = try Scene()
        let password = scene.password(), other = scene.password()
        #expect(try scene.send(password) == nil)
        #expect(try scene.send(password) == nil)
        #expect(try scene.send(other) == .tokenRedeemed)
        #expect(try digests(scene) == 1)
        try scene.server.flush()
        let counts = try scene.base.donations.events().filter { $0.day == today }
        #expect(counts.first { $0.event == "surveyStored" }?.count == 1 && !counts.contains { $0.event == "stored" })
    }

    /// A token of one purpose is none of the other's, and no other content is taken for it.
    @Test func purposesHaveTokensOfTheirOwn() throws {
        let scene = try Scene()
        let password = scene.password(), survey = try scene.token()
        let body = try Scene.body(password)
        let donation = PrivateTokenScheme.authorization(try scene.base.token(scene.base.boards[0]))
        func answer(_ body: [UInt8], _ header: String, _ purpose: MonthlyPurpose?) -> DonationServer.Refusal? {
            scene.server.answer(body: body, authorization: header, purpose: purpose, now: noon).refusal
        }
        let data = try DonationScene.donation(.low)
        #expect(answer(data, survey, nil) == .tokenInvalid && answer(body, survey, .log) == .tokenInvalid)
        #expect(answer(body, donation, .survey) == .tokenInvalid)
        var beside = body
        beside[100] = 1
        let log = try #require(DonationPadding.padded(TroubleReport.content([.lostScans])))
        for bad in [[], Array(body.dropLast()), DonationCover.body, beside, data, log] {
            #expect(answer(bad, survey, .survey) == .contentNotValid)
        }
        // Where nobody is invited none is taken.
        #expect(
            try scene.base.server().answer(body: body, authorization: survey, purpose: .survey, now: noon).refusal
                == .tokenInvalid)
        #expect(answer(body, survey, .survey) == nil)
        #expect(try digests(scene) == 1)
    }

    @Test func coverAndDigestsOverHTTPLookAlike() throws {
        let scene = try Scene()
        let now = noon
        let service = try DonationService(scene.server, address: "127.0.0.1", port: 0, slotMilliseconds: 0, now: { now })
        func post(_ path: String, _ body: [UInt8], _ header: String) throws -> WireAnswer {
            try WireAnswer.post(
                path, body, type: "application/x-protobuf", headers: ["Authorization": header], port: service.port)
        }
        var random = SeededGenerator(seed: 4)
        let survey = try post(MonthlyPurpose.survey.path, Scene.body(scene.password()), scene.token())
        let cover = try post(DonationHTTP.path, DonationCover.body, DonationCover.authorization(using: &random))
        #expect(survey.status == 200 && survey.body == cover.body)
        // Passwords are not redeemed where boards send.
        #expect(try post(RedemptionHTTP.path, Scene.body(scene.password()), scene.token()).status == 404)
    }

    // MARK: Redeeming

    @Test func aPasswordIsGoodOnce() throws {
        let scene = try Scene()
        let redemption = try scene.redemption()
        let password = scene.password(), foreign = scene.password()
        #expect(redemption.answer(request(password.text)).status == 404)
        #expect(try scene.send(password) == nil)
        let valid = redemption.answer(request(password.text.lowercased().filter { $0 != "-" }))
        #expect(try valid.status == 200 && state(valid) == "valid")
        let again = redemption.answer(request(password.text))
        #expect(try again.status == 400 && state(again) == "redeemed")
        // Sending the digest again does not make it good again, with that token or with another one.
        #expect(try scene.send(password) == nil && scene.send(password, 1) == nil)
        #expect(try state(redemption.answer(request(password.text))) == "redeemed")
        let unknown = redemption.answer(request(foreign.text))
        #expect(unknown.status == 404)
        #expect(Set([valid, again, unknown].map { bytes($0).count }) == [256])
        try redemption.flush()
        let counts = try scene.base.donations.events()
        #expect(counts.first { $0.event == "surveyRedeemed" }?.count == 1)
        #expect(counts.first { $0.event == "surveyUnknown" }?.count == 2)
    }

    @Test func aPasswordIsGoodForItsDays() throws {
        let scene = try Scene(days: 3)
        var now = noon
        let redemption = try scene.redemption { now }
        let (first, second, third) = (scene.password(), scene.password(), scene.password())
        for (index, password) in [first, second, third].enumerated() {
            #expect(try scene.send(password, UInt32(index)) == nil)
        }
        now = today.start + 3 * 86_400 - 1
        #expect(try state(redemption.answer(request(first.text))) == "valid")
        now += 1
        let late = redemption.answer(request(second.text))
        #expect(try late.status == 400 && state(late) == "expired" && bytes(late).count == 256)
        // What was used stays used.
        #expect(try state(redemption.answer(request(first.text))) == "redeemed")
        // A clock that was set back.
        now = noon
        #expect(try state(redemption.answer(request(third.text))) == "valid")
        try scene.base.donations.clean(today: UTCDay(number: today.number + 2), terms: scene.terms)
        #expect(try digests(scene) == 3)
        try scene.base.donations.clean(today: UTCDay(number: today.number + 3), terms: scene.terms)
        #expect(try digests(scene) == 0)
        #expect(redemption.answer(request(second.text)).status == 404)
    }

    /// Of many who come with one password at the same time, one is let in.
    @Test func twoAtOnceAreLetInOnce() async throws {
        let scene = try Scene()
        let password = scene.password()
        #expect(try scene.send(password) == nil)
        let path = scene.base.folder.file("server.db")
        let (digest, today, offer) = (password.digest, today, DonationStore.SurveyOffer(scene.terms))
        let answers = try await withThrowingTaskGroup(of: [DonationStore.Redemption].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let store = try DonationStore(path: path)
                    return try (0..<10).map { _ in try store.redeem(digest: digest, today: today, survey: offer) }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(answers.count == 40 && answers.filter { $0 == .valid }.count == 1)
        #expect(answers.filter { $0 == .redeemed }.count == 39)
    }

    @Test func whoDoesNotKnowTheSecretLearnsNothing() throws {
        let scene = try Scene()
        let redemption = try scene.redemption()
        let password = scene.password()
        #expect(try scene.send(password) == nil)
        let wrong = [
            nil, "", String(Self.secret.dropLast()), Self.secret + "s", Self.secret.uppercased(),
            String(repeating: "x", count: 40),
        ]
        for secret in wrong {
            let answer = redemption.answer(request(password.text, secret))
            #expect(answer.status == 401 && bytes(answer).count == 256)
        }
        var basic = request(password.text)
        basic.headers["authorization"] = "Basic \(Self.secret)"
        #expect(redemption.answer(basic).status == 401)
        #expect(try state(redemption.answer(request(password.text))) == "valid")
        #expect(throws: DonationServiceError.self) {
            try RedemptionHTTP(
                store: scene.base.donations, secret: String(repeating: "x", count: 31), terms: { nil }, now: { 0 })
        }
    }

    @Test func hostileRequestsAreRefused() throws {
        let scene = try Scene()
        let redemption = try scene.redemption()
        let good = scene.password().text
        func with(_ change: (inout HTTPRequest) -> Void) -> HTTPResponse {
            var changed = request(good)
            change(&changed)
            return redemption.answer(changed)
        }
        #expect(with { $0.method = "GET" }.status == 405)
        #expect(with { $0.headers["content-type"] = "text/plain" }.status == 415)
        #expect(with { $0.headers["content-type"] = nil }.status == 415)
        for body in ["", "{", "[]", "{\"otp\":1}", "{\"other\":\"x\"}", "null", String(repeating: "[", count: 1_000)] {
            let answer = with { $0.body = Array(body.utf8) }
            #expect(answer.status == 400 && bytes(answer).count == 256, "\(body)")
        }
        #expect(with { $0.body = [UInt8](repeating: 0x20, count: 1_001) }.status == 400)
        for text in ["", "x", "' OR 1=1 --", "%00", String(repeating: "0", count: 28), String(repeating: "A", count: 900)] {
            #expect(redemption.answer(request(text)).status == 404, "\(text)")
        }
        var other = request(good)
        other.path = "/version/v1/device/otp"
        guard case .failure(let refusal) = redemption.begin(other) else {
            Issue.record("another path")
            return
        }
        #expect(refusal.response.status == 404)
        var random = SeededGenerator(seed: 9)
        for _ in 0..<500 {
            let answer = with { request in
                for _ in 0..<3 {
                    let place = Int.random(in: 0..<request.body.count, using: &random)
                    request.body[place] = .random(in: 0...255, using: &random)
                }
            }
            #expect([200, 400, 404, 429].contains(answer.status))
        }
    }

    /// Guessing is slowed for all together, and keeps nobody out who has a right password: whoever may type at the survey could try all day.
    @Test func wrongPasswordsAreLimitedAndRightOnesAreNot() throws {
        let scene = try Scene()
        var now = noon
        let redemption = try scene.redemption { now }
        let (password, other) = (scene.password(), scene.password())
        #expect(try scene.send(password) == nil && scene.send(other, 1) == nil)
        func wrong() -> HTTPResponse { redemption.answer(request(scene.password().text)) }
        for _ in 0..<RedemptionHTTP.wrongAtOnce { #expect(wrong().status == 404) }
        let late = wrong()
        #expect(late.status == 429 && late.headers.contains { $0.0 == "Retry-After" } && bytes(late).count == 256)
        #expect(try state(redemption.answer(request(password.text))) == "valid")
        now += RedemptionHTTP.secondsForEach
        #expect(wrong().status == 404 && wrong().status == 429)
        #expect(try state(redemption.answer(request(other.text))) == "valid")
        // A day later all is forgiven; a clock that goes back holds nothing more against anybody.
        now += 86_400
        for _ in 0..<10 { #expect(wrong().status == 404) }
        now -= 40_000
        #expect(try state(redemption.answer(request(password.text))) == "redeemed")
        try redemption.flush()
        #expect(
            try scene.base.donations.events().filter { $0.event == "redemptionTooOften" }.map(\.count).reduce(0, +) == 2)
    }

    /// A password is for the survey that its wearer has agreed to, and for the days that they were told, whatever the document says later.
    @Test func aPasswordOpensNoOtherSurvey() throws {
        let scene = try Scene(days: 7)
        var shown: DonationTerms? = scene.terms
        let now = noon
        let redemption = try RedemptionHTTP(
            store: scene.base.donations, secret: Self.secret, terms: { shown }, now: { now }, slotMilliseconds: 0)
        let (first, second) = (scene.password(), scene.password())
        #expect(try scene.send(first) == nil && scene.send(second, 1) == nil)
        let others = [
            try Scene(days: 8).terms, try Scene(link: "https://other.example").terms, try scene.base.terms(),
        ]
        for other in others {
            shown = other
            #expect(try state(redemption.answer(request(first.text))) == "expired")
        }
        shown = nil
        #expect(redemption.answer(request(first.text)).status == 503)
        shown = scene.terms
        #expect(try state(redemption.answer(request(first.text))) == "valid")
        // Deleted after its own days, and not after those of another document or of none.
        for terms in [try Scene(days: 3).terms, try Scene(days: 31).terms, nil] {
            try scene.base.donations.clean(today: UTCDay(number: today.number + 6), terms: terms)
            #expect(try digests(scene) == 2)
        }
        try scene.base.donations.clean(today: UTCDay(number: today.number + 7), terms: Scene(days: 31).terms)
        #expect(try digests(scene) == 0)
    }

    @Test func passwordsAreCountedByDay() throws {
        let folder = try TemporaryFolder()
        let store = try DonationStore(path: folder.file("server.db"))
        try store.count([.surveyStored: 12, .surveyRedeemed: 4], on: today)
        try store.count([.surveyStored: 4, .surveyRedeemed: 5], on: UTCDay(number: today.number + 1))
        #expect(try DonationStatistics(store, today: today).surveys.isEmpty)
        let told = try DonationStatistics(store, today: UTCDay(number: today.number + 2))
        #expect(told.surveys.map(\.taken) == [12, nil] && told.surveys.map(\.redeemed) == [nil, 5])
        let date = today.date.isoText
        #expect(told.csv.contains("\(date),survey,taken,12\n") && told.csv.contains("\(date),survey,redeemed,\n"))
        #expect(told.json["surveys"]?.array?.first?["taken"]?.int == 12)
        #expect(told.json["surveys"]?.array?.first?["redeemed"] == .null)
        #expect(told.bars().contains("passwords of surveys: 12 taken, fewer than 5 redeemed"))
    }

    /// Nothing of a password is in the files, only its digest and a day.
    @Test func theServerHasDigestsOnly() throws {
        let scene = try Scene()
        let password = scene.password()
        #expect(try scene.send(password) == nil)
        let redemption = try scene.redemption()
        #expect(try state(redemption.answer(request(password.text))) == "valid")
        try redemption.flush()
        try scene.server.flush()
        var all: [UInt8] = []
        for name in ["server.db", "server.db-wal"] {
            all += (try? WholeFile.read(scene.base.folder.file(name), limit: 1 << 24)) ?? []
        }
        func isThere(_ bytes: [UInt8]) -> Bool {
            all.indices.dropLast(bytes.count).contains { all[$0...].starts(with: bytes) }
        }
        #expect(isThere(password.digest))
        let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        let bits = try password.text.filter { $0 != "-" }.flatMap { digit in
            let value = try #require(digits.firstIndex(of: digit))
            return (0..<5).reversed().map { value >> $0 & 1 }
        }
        let raw = (0..<16).map { byte in UInt8(bits[byte * 8..<byte * 8 + 8].reduce(0) { $0 << 1 | $1 }) }
        #expect(SHA256.digest(of: raw) == password.digest)
        #expect(!isThere(raw) && !isThere(Array(Base64.string(raw).utf8)))
        #expect(!isThere(Array(password.text.utf8)) && !isThere(Array(password.text.filter { $0 != "-" }.utf8)))
    }
}
