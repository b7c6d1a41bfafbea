// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import DeviceEvidence
import Donation
import PrivacyPass
import RandomValues
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

    /// What would refuse every board refuses cover, too.
    @Test func whatIsRefusedToEverybodyIsRefusedToCover() throws {
        var random = SeededGenerator(seed: 6)
        let scene = try DonationScene(fleet: 2, minimumFleet: 2)
        let issuer = scene.issuer()
        let request = DonationCover.request(try scene.key().publicKey, using: &random)
        #expect(try issuer.answer(body: request, authorization: nil, now: noon).refusal == .evidenceRequired)
        #expect(try issuer.answer(body: request, authorization: "", now: noon).refusal == .evidenceRequired)
        // One of two has shown evidence.
        #expect(
            try issuer.answer(body: request, authorization: "VigilEvidence token=\"AA==\"", now: noon).refusal
                == .fleetTooSmall)
        try scene.store.saw(keyID: scene.boards[0].keyID, on: DonationScene.today)
        _ = try scene.store.noteFleet(isLarge: true, today: UTCDay(number: DonationScene.today.number - 2))
        let answers = try (0..<2).map { _ in
            try #require(try issuer.answer(body: request, authorization: "x", now: noon).signature)
        }
        #expect(answers.allSatisfy { $0.count == 256 } && answers[0] != answers[1])
        // A key that is not there.
        let names = scene.keys.live.map(\.key.publicKey.truncatedID)
        let unknown = (UInt8.min ... .max).first { !names.contains($0) } ?? 0
        #expect(
            try issuer.answer(body: [0, 0, unknown] + request.dropFirst(3), authorization: "x", now: noon).refusal
                == .unknownKey)
        #expect(
            try issuer.answer(body: Array(request.dropLast()), authorization: "x", now: noon).refusal == .malformedRequest)
        #expect(try issuer.answer(body: request + [0], authorization: "x", now: noon).refusal == .malformedRequest)
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
