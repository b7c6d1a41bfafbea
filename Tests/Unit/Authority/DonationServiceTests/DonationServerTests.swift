// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import Donation
import PrivacyPass
import RandomValues
import SQLiteFile
import TestKit
import Testing

@testable import DonationService

@Suite struct DonationServerTests {
    private let noon = DonationScene.noon

    private func days(_ store: DonationStore) throws -> [Int64] {
        var days: [Int64] = []
        try store.forEachDonation { day, _ in days.append(day.number) }
        return days.sorted()
    }

    /// A donation that the server has taken, and its token.
    private func taken(by server: DonationServer, _ scene: DonationScene) throws -> (body: [UInt8], token: String) {
        let body = try DonationScene.donation(.low)
        let token = PrivateTokenScheme.authorization(try scene.token(scene.boards[0]))
        #expect(server.answer(body: body, authorization: token, now: noon).refusal == nil)
        return (body, token)
    }

    /// What the server keeps, as its file.
    private func file(of scene: DonationScene) throws -> SQLiteDatabase<DonationServiceError> {
        try SQLiteDatabase(path: scene.folder.file("server.db"), schema: SQLiteSchema(steps: [[], [], []]))
    }

    @Test func aDonationIsStoredOnce() throws {
        let scene = try DonationScene()
        let server = try scene.server()
        let token = PrivateTokenScheme.authorization(try scene.token(scene.boards[0]))
        let body = try DonationScene.donation(.high)
        #expect(server.answer(body: body, authorization: token, now: noon).refusal == nil)
        #expect(server.answer(body: body, authorization: token, now: noon).refusal == nil)
        #expect(try days(scene.donations) == [DonationScene.today.number])
        // Another content with the same token, on this day and the next, and after a restart.
        let other = try DonationScene.donation(.low)
        #expect(server.answer(body: other, authorization: token, now: noon).refusal == .tokenRedeemed)
        // The same content in another body is another one: a board repeats each byte.
        var padded = body
        #expect(padded[100] == 0)
        padded[100] = 1
        #expect(DonationBody.content(of: padded) == DonationBody.content(of: body))
        #expect(server.answer(body: padded, authorization: token, now: noon).refusal == .tokenRedeemed)
        let again = try scene.server()
        #expect(again.answer(body: other, authorization: token, now: noon + 86_400).refusal == .tokenRedeemed)
        #expect(again.answer(body: body, authorization: token, now: noon + 86_400).refusal == nil)
        #expect(try days(scene.donations) == [DonationScene.today.number])
        try server.flush()
        let counts = try scene.donations.events().filter { $0.day == DonationScene.today }
        #expect(counts.first { $0.event == DonationEvent.stored.rawValue }?.count == 1)
        #expect(counts.first { $0.event == DonationEvent.storedBefore.rawValue }?.count == 1)
    }

    /// Taken by an earlier release, whose answer was lost, and sent again after the upgrade.
    @Test func whatAnEarlierReleaseHasTakenIsTheSame() throws {
        let scene = try DonationScene()
        let server = try scene.server()
        let (body, token) = try taken(by: server, scene)
        let file = try self.file(of: scene)
        let content = try #require(DonationBody.content(of: body))
        try file.run("UPDATE spent SET digest = ?", [.blob(SHA256.digest(of: content))])
        #expect(server.answer(body: body, authorization: token, now: noon).refusal == nil)
        #expect(
            server.answer(body: try DonationScene.donation(.none), authorization: token, now: noon).refusal
                == .tokenRedeemed)
        #expect(try days(scene.donations) == [DonationScene.today.number])
    }

    @Test func aTokenIsGoodOnItsDayAndTheNext() throws {
        let scene = try DonationScene()
        let server = try scene.server()
        let tomorrow = UTCDay(number: DonationScene.today.number + 1)
        let token = try scene.token(scene.boards[0], day: tomorrow)
        let header = PrivateTokenScheme.authorization(token)
        let body = try DonationScene.donation(.none)
        let early = server.answer(body: body, authorization: header, now: tomorrow.start - 1)
        #expect(early.refusal == .tokenNotYetValid)
        let late = server.answer(body: body, authorization: header, now: tomorrow.start + 2 * 86_400)
        #expect(late.refusal == .tokenExpired)
        // A client without the rules reads the challenge of the day in the refusal.
        let challenges = PrivateTokenScheme.challenges(inWWWAuthenticate: try #require(early.challenge))
        #expect(challenges.first?.tokenKey == (try scene.key().publicKey.encoded))
        #expect(
            challenges.first?.tokenChallenge
                == (try DonationEpoch.day(DonationScene.today).challenge(
                    issuerName: DonationScene.issuerName, origin: DonationScene.origin)).encoded)
        // Neither spent it.
        #expect(
            server.answer(body: body, authorization: header, now: tomorrow.start + 2 * 86_400 - 1).refusal == nil)
    }

    @Test func everythingThatIsRefused() throws {
        let scene = try DonationScene()
        let board = scene.boards[0]
        let server = try scene.server()
        let good = try scene.token(board)
        let body = try DonationScene.donation(.low)
        func refusal(_ header: String?, _ body: [UInt8]) -> DonationServer.Refusal? {
            server.answer(body: body, authorization: header, now: noon).refusal
        }
        #expect(refusal(nil, body) == .tokenRequired)
        #expect(refusal("", body) == .tokenRequired)
        let header = PrivateTokenScheme.authorization(good)
        for malformed in ["Bearer x", "PrivateToken", String(header.dropLast(5)) + "\"", header + ", " + header] {
            #expect(refusal(malformed, body) == .tokenMalformed)
        }
        // Each part of a token changed: nonce, challenge, key, signature.
        for index in [2, 33, 34, 65, 66, 97, 98, 353] {
            var bytes = good.bytes
            bytes[index] ^= 1
            #expect(refusal(PrivateTokenScheme.authorization(try Token(decoding: bytes)), body) == .tokenInvalid)
        }
        // Signed by a live key, for another day's challenge.
        let tomorrow = UTCDay(number: DonationScene.today.number + 1)
        let key = try scene.key()
        let wrong = try board.seed.pendingToken(
            key: key.publicKey,
            challengeDigest: DonationEpoch.day(tomorrow).challenge(
                issuerName: DonationScene.issuerName, origin: DonationScene.origin
            ).digest, index: 0)
        let wrongToken = try wrong.finished(by: key.sign(wrong.request.blindedMessage))
        #expect(refusal(PrivateTokenScheme.authorization(wrongToken), body) == .tokenInvalid)
        // By a key that the terms do not have.
        let terms = try scene.terms(dropping: DonationScene.today)
        let other = DonationServer(store: scene.donations) { terms }
        #expect(other.answer(body: body, authorization: header, now: noon).refusal == .tokenInvalid)
        let none = DonationServer(store: scene.donations) { nil }
        #expect(none.answer(body: body, authorization: header, now: noon).refusal == .noTerms)
        // Contents.
        var random = SeededGenerator(seed: 5)
        for content in [[], Array(body.dropLast()), body + [0], random.bytes(DonationPadding.byteCount)] {
            #expect(refusal(header, content) == .contentNotValid)
        }
        // After all that the token is not spent.
        #expect(try days(scene.donations) == [])
        #expect(refusal(header, body) == nil)
    }

    @Test func whatIsTooOldIsDeleted() throws {
        let scene = try DonationScene()
        let server = try scene.server()
        _ = try taken(by: server, scene)
        let file = try self.file(of: scene)
        func spent() throws -> Int64? { try file.first("SELECT count(*) FROM spent")?.integer }
        try scene.donations.clean(today: UTCDay(number: DonationScene.today.number + 1))
        #expect(try spent() == 1)
        try scene.donations.clean(today: UTCDay(number: DonationScene.today.number + 2))
        #expect(try spent() == 0)
        try scene.donations.clean(today: UTCDay(number: DonationScene.today.number + 13))
        #expect(try days(scene.donations).count == 1)
        try scene.donations.clean(today: UTCDay(number: DonationScene.today.number + 14))
        #expect(try days(scene.donations) == [])
    }
}
