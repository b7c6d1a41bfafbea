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

@Suite struct TokenIssuerTests {
    private let noon = DonationScene.noon

    @Test func aRequestIsSignedAndTheTokenIsGood() throws {
        let scene = try DonationScene()
        let issuer = scene.issuer()
        for day in 0..<3 {
            let pending = try scene.pending(scene.boards[0], day: UTCDay(number: DonationScene.today.number + Int64(day)))
            let answer = try issuer.ask(scene.boards[0], pending.request.encoded)
            _ = try pending.finished(by: try #require(answer.signature))
        }
    }

    @Test func theFirstAnswerAsksForEvidence() throws {
        let scene = try DonationScene()
        let body = try scene.pending(scene.boards[0]).request.encoded
        let answer = try scene.issuer().answer(body: body, authorization: nil, now: noon)
        #expect(answer.refusal == .evidenceRequired)
        #expect(answer.nonce.count == EvidenceScheme.nonceByteCount)
    }

    @Test func anIdenticalRequestGetsTheSameAnswerAfterARestartToo() throws {
        let scene = try DonationScene()
        let body = try scene.pending(scene.boards[0]).request.encoded
        let issuer = scene.issuer()
        let first = try issuer.ask(scene.boards[0], body)
        // At once, with the nonce of the answer.
        let second = try issuer.ask(scene.boards[0], body, nonce: first.nonce)
        let third = try scene.issuer(IssuerStore(path: scene.folder.file("issuer.db"))).ask(scene.boards[0], body)
        #expect(first.signature != nil)
        #expect(second.signature == first.signature)
        #expect(third.signature == first.signature)
    }

    @Test func aSecondTokenOfADayIsRefusedAndCounted() throws {
        let scene = try DonationScene()
        let issuer = scene.issuer()
        #expect(try issuer.ask(scene.boards[0], scene.pending(scene.boards[0]).request.encoded).signature != nil)
        let other = try scene.pending(scene.boards[0], index: 1).request.encoded
        #expect(try issuer.ask(scene.boards[0], other).refusal == .deviceQuotaExceeded)
        let alarms = try scene.store.events().filter { $0.event == IssuerEvent.cloneAlarm.rawValue }
        #expect(alarms.map(\.count) == [1])
        #expect(alarms.map(\.day) == [DonationScene.today])
        // Another day and another device have theirs.
        let tomorrow = UTCDay(number: DonationScene.today.number + 1)
        #expect(
            try issuer.ask(scene.boards[0], scene.pending(scene.boards[0], day: tomorrow).request.encoded).signature != nil)
        #expect(try issuer.ask(scene.boards[1], scene.pending(scene.boards[1]).request.encoded).signature != nil)
    }

    @Test func aPowerCutAtTheLedgerNeverSignsASecondMessage() throws {
        let scene = try DonationScene()
        let board = scene.boards[0]
        let store = FailingStore(scene.store)
        let body = try scene.pending(board).request.encoded
        let other = try scene.pending(board, index: 1).request.encoded
        // Before the write: nothing is signed, and nothing is lost.
        store.place = .before
        #expect(try scene.issuer(store).ask(board, body).refusal == .storeFailed)
        // After the write and before the answer: nobody has a signature, and only the same request gets one.
        store.place = .after
        #expect(try scene.issuer(store).ask(board, body).refusal == .storeFailed)
        store.place = nil
        let issuer = scene.issuer(store)
        #expect(try issuer.ask(board, other).refusal == .deviceQuotaExceeded)
        #expect(try issuer.ask(board, body).signature != nil)
    }

    @Test func evidenceIsGoodOnce() throws {
        let scene = try DonationScene()
        let board = scene.boards[0]
        let issuer = scene.issuer()
        let body = try scene.pending(board).request.encoded
        let nonce = try issuer.answer(body: body, authorization: nil, now: noon).nonce
        let evidence = try board.evidence(nonce: nonce, body: body, now: noon)
        #expect(try issuer.answer(body: body, authorization: evidence, now: noon).signature != nil)
        let replayed = try issuer.answer(body: body, authorization: evidence, now: noon)
        #expect(replayed.refusal == .nonceMismatch)
        // Signed anew it is the same evidence.
        #expect(try issuer.ask(board, body, nonce: nonce).refusal == .nonceMismatch)
        // With the nonce that came with the refusal it goes on.
        #expect(try issuer.ask(board, body, nonce: replayed.nonce).signature != nil)
    }

    @Test func aNonceEndsAfterTenMinutesAndWithTheProcess() throws {
        let scene = try DonationScene()
        let board = scene.boards[0]
        let issuer = scene.issuer()
        let body = try scene.pending(board).request.encoded
        let nonce = try issuer.answer(body: body, authorization: nil, now: noon).nonce
        #expect(try issuer.ask(board, body, nonce: nonce, now: noon + 611).refusal == .nonceMismatch)
        #expect(try issuer.ask(board, body, nonce: nonce, now: noon - 11).refusal == .nonceMismatch)
        let restarted = TokenIssuer(
            settings: scene.settings, keys: scene.keys, store: scene.store, using: SeededGenerator(seed: 4))
        #expect(try restarted.ask(board, body, nonce: nonce).refusal == .nonceMismatch)
        #expect(try issuer.ask(board, body, nonce: nonce, now: noon + 600).signature != nil)
    }

    /// Each request with its refusal; a good one is signed at the end, so that all of these were refused for their own reason.
    @Test func everythingThatIsRefused() throws {
        let scene = try DonationScene()
        let board = scene.boards[0]
        let stranger = try Board(seed: 99)
        let issuer = scene.issuer()
        let body = try scene.pending(board).request.encoded
        func nonce() throws -> [UInt8] { try issuer.answer(body: body, authorization: nil, now: noon).nonce }
        func refusal(_ body: [UInt8], _ authorization: String?) throws -> TokenIssuer.Refusal? {
            try issuer.answer(body: body, authorization: authorization, now: noon).refusal
        }
        // Lengths and types.
        for malformed in [[], Array(body.dropLast()), body + [0], [0, 1] + body[2...], [2, 0] + body[2...]] {
            #expect(try refusal(malformed, nil) == .malformedRequest)
            #expect(try refusal(malformed, board.evidence(nonce: nonce(), body: malformed, now: noon)) == .malformedRequest)
        }
        // Keys and numbers.
        let live = Set(scene.keys.live.map(\.key.publicKey.truncatedID))
        let unknown = try #require((0...255).first { !live.contains(UInt8($0)) })
        #expect(try issuer.ask(board, [0, 2, UInt8(unknown)] + body[3...]).refusal == .unknownKey)
        #expect(
            try issuer.ask(board, body[..<3] + [UInt8](repeating: 255, count: 256)).refusal == .malformedRequest)
        // Evidence.
        let good = try board.evidence(nonce: nonce(), body: body, now: noon)
        #expect(try refusal(body, "") == .evidenceRequired)
        for header in [
            "Bearer x", "VigilEvidence", "VigilEvidence token=\"\"", String(good.dropLast(9)) + "\"", good + ", " + good,
        ] {
            #expect(try refusal(body, header) == .evidenceInvalid)
        }
        #expect(try refusal(body, stranger.evidence(nonce: nonce(), body: body, now: noon)) == .evidenceInvalid)
        #expect(
            try refusal(body, board.evidence(nonce: [UInt8](repeating: 1, count: 32), body: body, now: noon))
                == .nonceMismatch)
        #expect(try refusal(body, board.evidence(nonce: nonce(), body: [1], now: noon)) == .nonceMismatch)
        for time in [noon - 301, noon + 301] {
            #expect(try refusal(body, board.evidence(nonce: nonce(), body: body, now: time)) == .evidenceExpired)
        }
        #expect(
            try refusal(body, board.evidence(nonce: nonce(), body: body, now: noon, debug: .enabled)) == .evidencePolicy)
        #expect(try refusal(body, good) == nil)
        // Revoked: even what was signed before.
        #expect(try scene.store.revoke(keyID: board.keyID))
        #expect(try issuer.ask(board, body).refusal == .deviceBlocked)
        try issuer.flush()
        let counts = try scene.store.events()
        #expect(counts.first { $0.event == IssuerEvent.deviceBlocked.rawValue }?.count == 1)
        #expect(counts.first { $0.event == IssuerEvent.signed.rawValue }?.count == 1)
    }

    @Test func aSmallFleetGetsNoTokens() throws {
        let scene = try DonationScene(fleet: 4, minimumFleet: 3)
        let issuer = scene.issuer()
        // Nine days later none of them counts.
        let later = noon + 9 * 86_400
        try scene.keys.keep(today: UTCDay(containing: later), count: 3)
        var day = UTCDay(containing: later)
        func ask(_ number: Int, _ now: Int64) throws -> TokenIssuer.Refusal? {
            try issuer.ask(scene.boards[number], scene.pending(scene.boards[number], day: day).request.encoded, now: now)
                .refusal
        }
        #expect(try ask(0, later) == .fleetTooSmall)
        // The same device again is no other device.
        #expect(try ask(0, later + 1) == .fleetTooSmall)
        #expect(try ask(1, later) == .fleetTooSmall)
        // A revoked one has shown evidence and does not count.
        #expect(try scene.store.revoke(keyID: scene.boards[1].keyID))
        #expect(try ask(2, later) == .fleetTooSmall)
        // The two before count, although they were refused; nothing was in the ledger. Tokens come two days later, when those two have asked again.
        #expect(try ask(3, later) == .fleetTooSmall)
        #expect(try ask(0, later + 2) == .fleetTooSmall)
        #expect(try ask(3, later + 86_400) == .fleetTooSmall)
        let ready = UTCDay(number: day.number + 2).start
        try scene.keys.keep(today: UTCDay(number: day.number + 2), count: 3)
        day = UTCDay(number: day.number + 2)
        #expect(try ask(3, ready) == nil)
        #expect(try ask(0, ready + 2) == nil)
        // Eight days with today: the seventh day after still counts.
        let since = UTCDay(number: day.number - 7)
        #expect(try scene.store.fleet(since: since, isAtLeast: 3))
    }

    @Test func manyRequestsDoNotFillTheMemory() throws {
        var nonces = IssuanceNonces(using: SeededGenerator(seed: 1))
        let first = try nonces.next(now: noon, repeated: nil)
        for number in 0..<IssuanceNonces.maximumUsed {
            let mark = withUnsafeBytes(of: number) { Array($0) }
            let isNew = nonces.use(mark, now: noon)
            #expect(isNew)
        }
        var good = try nonces.good(now: noon)
        #expect(good.contains(first))
        // One more, and all nonces end: what was used is good for nothing.
        var isNew = nonces.use([1], now: noon)
        #expect(isNew)
        good = try nonces.good(now: noon)
        #expect(!good.contains(first))
        isNew = nonces.use([1], now: noon)
        #expect(!isNew)
    }
}
