// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import DeviceEvidence
import Donation
import PrivacyPass
import RandomValues
import SQLiteFile
import TestKit
import Testing

@testable import DonationService

/// Who sees the network does not tell cover from requests and donations.
@Suite struct CoverTests {
    private let noon = DonationScene.noon

    /// All bytes of all answers, in number.
    @Test func answersAreAsLongAndLeaveNothing() throws {
        let scene = try DonationScene()
        let board = scene.boards[0]
        let now = noon
        var random = SeededGenerator(seed: 5)
        var issuer: DonationService? = try DonationService(
            scene.issuer(), address: "127.0.0.1", port: 0, slotMilliseconds: 0, now: { now })
        var server: DonationService? = try DonationService(
            scene.server(), address: "127.0.0.1", port: 0, slotMilliseconds: 0, now: { now })
        func ask(_ body: [UInt8], _ headers: [String: String] = [:]) throws -> WireAnswer {
            try WireAnswer.post(
                IssuerHTTP.requestPath, body, type: "application/private-token-request", headers: headers,
                port: issuer?.port ?? 0
            )
        }
        /// Both exchanges of a request, with evidence by this key.
        func exchanges(_ body: [UInt8], by board: Board) throws -> (up: Int, down: [Int], last: WireAnswer) {
            let first = try ask(body)
            #expect(first.status == 401)
            let nonce = try #require(EvidenceScheme.nonce(inWWWAuthenticate: first.headers["www-authenticate"] ?? ""))
            let evidence = try board.evidence(nonce: nonce, body: body, now: noon)
            let second = try ask(body, ["Authorization": evidence])
            #expect(second.status == 200 && second.headers["vigil-next-nonce"] != nil)
            return (body.count + evidence.utf8.count, [first.bytes.count, second.bytes.count], second)
        }
        let pending = try scene.pending(board)
        let genuine = try exchanges(pending.request.encoded, by: board)
        let token = try pending.finished(by: genuine.last.body)
        let cover = try exchanges(
            DonationCover.request(scene.key().publicKey, using: &random), by: Board(seed: 99))
        #expect(cover.up == genuine.up && cover.down == genuine.down)
        #expect(throws: PrivacyPassError.self) { try pending.finished(by: cover.last.body) }

        func donate(_ body: [UInt8], _ authorization: String) throws -> WireAnswer {
            try WireAnswer.post(
                DonationHTTP.path, body, type: "application/x-protobuf", headers: ["Authorization": authorization],
                port: server?.port ?? 0)
        }
        let authorization = PrivateTokenScheme.authorization(token)
        let taken = try donate(DonationScene.donation(.high), authorization)
        let other = DonationCover.authorization(using: &random)
        let covered = try donate(DonationCover.body, other)
        #expect(other.utf8.count == authorization.utf8.count && taken.status == 200)
        #expect(covered.bytes.count == taken.bytes.count && covered.status == 200 && covered.body == taken.body)
        // Too short, it is no cover.
        #expect(try donate(Array(DonationCover.body.dropLast()), other).status == 400)
        // Counts are written at the end.
        issuer = nil
        server = nil
        let events = try scene.store.events() + scene.donations.events()
        #expect(events.filter { $0.event == "cover" }.map(\.count) == [1, 1])
        var count = 0
        try scene.donations.forEachDonation { _, _ in count += 1 }
        #expect(count == 1)
    }

    /// Who measures an answer learns neither that the issuer refuses a device nor why: after that the device goes on with cover.
    @Test func everyAnswerToEvidenceIsAsLongAsAToken() throws {
        let scene = try DonationScene(fleet: 5)
        let small = try DonationScene(minimumFleet: 20)
        let now = noon
        func service(_ issuer: TokenIssuer) throws -> DonationService {
            try DonationService(issuer, address: "127.0.0.1", port: 0, slotMilliseconds: 0, now: { now })
        }
        let store = FailingStore(scene.store)
        let open = try service(scene.issuer(store))
        let closed = try service(small.issuer())
        var seen: [TokenIssuer.Refusal: Int] = [:]

        /// Asks twice, as a device does; `change` makes the second field of what is right. Returns the bytes of the second answer.
        func ask(
            _ expected: TokenIssuer.Refusal?, _ body: [UInt8], by board: Board, of service: DonationService? = nil,
            made: Int64 = DonationScene.noon, debug: DeviceEvidence.DebugStatus = .disabledPermanently,
            change: (String) -> String = { $0 }
        ) throws -> Int {
            let port = (service ?? open).port
            func post(_ headers: [String: String]) throws -> WireAnswer {
                try WireAnswer.post(
                    IssuerHTTP.requestPath, body, type: "application/private-token-request", headers: headers, port: port)
            }
            let nonce = try #require(
                EvidenceScheme.nonce(inWWWAuthenticate: try post([:]).headers["www-authenticate"] ?? ""))
            let evidence = try board.evidence(nonce: nonce, body: body, now: made, debug: debug)
            let answer = try post(["Authorization": change(evidence)])
            let said = String(decoding: answer.body, as: UTF8.self)
            #expect(answer.status == expected?.status ?? 200)
            if let expected {
                #expect(said.contains(expected.rawValue), "\(said)")
                #expect(answer.body.count >= 100)
                seen[expected, default: 0] += 1
            }
            return answer.bytes.count
        }

        var random = SeededGenerator(seed: 8)
        let body = try scene.pending(scene.boards[0]).request.encoded
        let cover = DonationCover.request(try scene.key().publicKey, using: &random)
        let stranger = try Board(seed: 99)
        let length = try ask(nil, body, by: scene.boards[0])
        #expect(try ask(nil, cover, by: stranger) == length)

        var answers: [Int] = []
        // A second token of the day; junk; a stranger; another nonce; a clock that is wrong; debugging.
        answers.append(
            try ask(.deviceQuotaExceeded, scene.pending(scene.boards[0], index: 1).request.encoded, by: scene.boards[0]))
        answers.append(try ask(.evidenceInvalid, body, by: scene.boards[1]) { _ in "x" })
        answers.append(try ask(.evidenceInvalid, body, by: stranger))
        let foreign = try scene.boards[1].evidence(nonce: [UInt8](repeating: 1, count: 32), body: body, now: noon)
        answers.append(try ask(.nonceMismatch, body, by: scene.boards[1]) { _ in foreign })
        answers.append(try ask(.evidenceExpired, body, by: scene.boards[1], made: noon - 4_000))
        answers.append(try ask(.evidencePolicy, body, by: scene.boards[1], debug: .enabled))
        // A blocked device; a key that is not there; a number beyond the key's; a small fleet; a full disk.
        #expect(try scene.store.revoke(keyID: scene.boards[2].keyID))
        answers.append(try ask(.deviceBlocked, body, by: scene.boards[2]))
        let names = scene.keys.live.map(\.key.publicKey.truncatedID)
        let unknown = (UInt8.min ... .max).first { !names.contains($0) } ?? 0
        answers.append(try ask(.unknownKey, [0, 2, unknown] + body.dropFirst(3), by: scene.boards[3]))
        answers.append(
            try ask(.malformedRequest, body.prefix(3) + [UInt8](repeating: 255, count: 256), by: scene.boards[3]))
        answers.append(
            try ask(.fleetTooSmall, small.pending(small.boards[0]).request.encoded, by: small.boards[0], of: closed))
        store.place = .before
        answers.append(try ask(.storeFailed, body, by: scene.boards[4]))
        #expect(answers.allSatisfy { $0 == length }, "\(length): \(answers)")
        #expect(Set(seen.keys) == Set(TokenIssuer.Refusal.allCases).subtracting([.evidenceRequired]))
    }

    /// The donation server's answers, too, a challenge or not.
    @Test func everyAnswerToADonationIsOfOneLength() throws {
        let scene = try DonationScene()
        let now = noon
        var terms: DonationTerms? = try scene.terms()
        let service = try DonationService(
            DonationServer(store: scene.donations) { terms }, address: "127.0.0.1", port: 0, slotMilliseconds: 0,
            now: { now })
        var random = SeededGenerator(seed: 9)
        func length(_ status: Int, _ body: [UInt8], _ authorization: String?) throws -> Int {
            let answer = try WireAnswer.post(
                DonationHTTP.path, body, type: "application/x-protobuf",
                headers: authorization.map { ["Authorization": $0] } ?? [:], port: service.port)
            #expect(answer.status == status && answer.body.count >= 1_000)
            return answer.bytes.count
        }
        let high = try DonationScene.donation(.high), low = try DonationScene.donation(.low)
        let good = PrivateTokenScheme.authorization(try scene.token(scene.boards[0]))
        let covering = DonationCover.authorization(using: &random)
        let late = try scene.token(scene.boards[1], day: UTCDay(number: DonationScene.today.number + 1))
        let wrong = try scene.token(scene.boards[1])
        var lengths = [
            try length(200, high, good), try length(200, high, good), try length(200, DonationCover.body, covering),
            // Another body, none, junk, a token of tomorrow, one that was changed, a cut donation, a body that is none.
            try length(403, low, good), try length(401, low, nil), try length(400, low, "PrivateToken token=\"AA==\""),
            try length(401, low, PrivateTokenScheme.authorization(late)),
            try length(
                401, low, PrivateTokenScheme.authorization(of: Array(wrong.bytes.dropLast()) + [wrong.bytes.last! ^ 1])),
            try length(400, Array(low.dropLast()), good),
            try length(400, random.bytes(DonationPadding.byteCount), PrivateTokenScheme.authorization(wrong)),
        ]
        terms = nil
        lengths.append(try length(503, low, good))
        #expect(Set(lengths).count == 1, "\(lengths)")
    }

    /// While nothing can be written, cover is refused as requests and donations are, so that no device asks again alone.
    @Test func aDatabaseThatCannotBeWrittenRefusesCoverAsWell() throws {
        let scene = try DonationScene()
        var random = SeededGenerator(seed: 10)
        let cover = DonationCover.request(try scene.key().publicKey, using: &random)
        let issuer = scene.issuer(), server = try scene.server()
        let token = PrivateTokenScheme.authorization(try scene.token(scene.boards[1]))
        let covering = DonationCover.authorization(using: &random)
        func donate() throws -> [DonationServer.Refusal?] {
            [
                server.answer(body: try DonationScene.donation(.high), authorization: token, now: noon).refusal,
                server.answer(body: DonationCover.body, authorization: covering, now: noon).refusal,
            ]
        }
        var asking = scene.boards.makeIterator()
        func ask() throws -> [TokenIssuer.Refusal?] {
            let next = asking.next()
            let board = try #require(next)
            let body = try scene.pending(board).request.encoded
            return [try issuer.ask(board, body).refusal, try issuer.ask(Board(seed: 99), cover).refusal]
        }
        #expect(try ask() == [nil, nil])
        // Nothing more goes into the databases, as on a full disk.
        for (file, steps, table) in [("issuer.db", 2, "ledger"), ("server.db", 3, "donation")] {
            let database = try SQLiteDatabase<DonationServiceError>(
                path: scene.folder.file(file), schema: SQLiteSchema(steps: Array(repeating: [], count: steps)))
            try database.run(
                "CREATE TRIGGER stop BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'the test stops it'); END")
        }
        #expect(try ask() == [.storeFailed, .storeFailed])
        #expect(try donate() == [.storeFailed, .storeFailed])
    }

    /// What would refuse every board refuses cover, too.
    @Test func whatIsRefusedToEverybodyIsRefusedToCover() throws {
        var random = SeededGenerator(seed: 6)
        let scene = try DonationScene(fleet: 2, minimumFleet: 2)
        let issuer = scene.issuer()
        let board = try Board(seed: 99)
        let request = DonationCover.request(try scene.key().publicKey, using: &random)
        #expect(try issuer.answer(body: request, authorization: nil, now: noon).refusal == .evidenceRequired)
        #expect(try issuer.answer(body: request, authorization: "", now: noon).refusal == .evidenceRequired)
        // One of two has shown evidence.
        #expect(try issuer.ask(board, request).refusal == .fleetTooSmall)
        try scene.store.saw(keyID: scene.boards[0].keyID, on: DonationScene.today)
        _ = try scene.store.noteFleet(isLarge: true, today: UTCDay(number: DonationScene.today.number - 2))
        let answers = try (0..<2).map { _ in try #require(try issuer.ask(board, request).signature) }
        #expect(answers.allSatisfy { $0.count == 256 } && answers[0] != answers[1])
        // A key that is not there.
        let names = scene.keys.live.map(\.key.publicKey.truncatedID)
        let unknown = (UInt8.min ... .max).first { !names.contains($0) } ?? 0
        #expect(try issuer.ask(board, [0, 0, unknown] + request.dropFirst(3)).refusal == .unknownKey)
        #expect(
            try issuer.answer(body: Array(request.dropLast()), authorization: "x", now: noon).refusal == .malformedRequest)
        #expect(try issuer.answer(body: request + [0], authorization: "x", now: noon).refusal == .malformedRequest)
        // Evidence that no device could show: cut, with the nonce of an issuer that was started again since, by a clock that is wrong.
        for junk in ["x", "VigilEvidence token=\"AA==\""] {
            #expect(try issuer.answer(body: request, authorization: junk, now: noon).refusal == .evidenceInvalid)
        }
        #expect(try issuer.ask(board, request, nonce: [UInt8](repeating: 1, count: 32)).refusal == .nonceMismatch)
        let right = try issuer.answer(body: request, authorization: nil, now: noon).nonce
        let stale = try board.evidence(nonce: right, body: request, now: noon - 4_000)
        #expect(try issuer.answer(body: request, authorization: stale, now: noon).refusal == .evidenceExpired)
    }

    /// Tokens of other types are no cover.
    @Test func onlyItsOwnFormIsCover() throws {
        for bytes in [
            [UInt8](repeating: 0, count: 353), [UInt8](repeating: 0, count: 355),
            [0, 2] + [UInt8](repeating: 0, count: 352), [],
        ] {
            #expect(!DonationCover.isAuthorization(PrivateTokenScheme.authorization(of: bytes)), "\(bytes.count)")
        }
        let right = PrivateTokenScheme.authorization(of: [UInt8](repeating: 0, count: 354))
        #expect(DonationCover.isAuthorization(right))
        #expect(!DonationCover.isAuthorization(right + ", " + right) && !DonationCover.isAuthorization("Basic AAAA"))
        #expect(DonationCover.truncatedKeyID(ofRequest: [0, 2, 7] + [UInt8](repeating: 1, count: 256)) == nil)
        #expect(DonationCover.truncatedKeyID(ofRequest: [0, 0, 7] + [UInt8](repeating: 1, count: 256)) == 7)
    }
}
