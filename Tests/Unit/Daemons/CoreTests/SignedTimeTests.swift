// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import Interfaces
import KeyExport
import KeyIntake
import Logging
import Testing
import TimeTrust
import Trust

/// The authority's time, asked for and answered.
@Suite struct CoreSignedTimeTests {
    private let key = KeyName(id: "262", version: "v1")

    private func bench() throws -> (BlackBoxBench, BlackBox, P256.SigningKey) {
        let bench = try BlackBoxBench(hasTime: false)
        let signer = try P256.SigningKey.generate()
        let box = BlackBox(
            bench.appliance, vault: bench.vault, ledger: bench.ledger,
            trust: try TrustStore(keys: [TrustedKey(name: key, role: .time, key: signer.verificationKey)]),
            policy: .namedKeys, program: .failure(IntakeFailure(.programMissing)),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return (bench, box, signer)
    }

    private func answer(
        _ nonce: String, _ signer: P256.SigningKey, seconds: Int64 = BlackBoxBench.noon
    ) throws -> String {
        try SignedTime.text(
            key: key, nonce: try #require(Hex.bytes(nonce)), milliseconds: seconds * 1000, uncertainty: 100
        ) { try signer.sign(SHA256.digest(of: $0)) }
    }

    private func cause(_ body: () throws -> Time1.TakeReply) -> String? {
        do { _ = try body() } catch { return (error as? Refusal)?.parameters.cause }
        return nil
    }

    @Test func anAnswerMakesTheTimeAuthenticated() throws {
        let (bench, box, signer) = try bench()
        #expect(box.time(at: bench.now).state == .untrusted)
        let nonce = box.makeNonce(at: bench.now)
        bench.pass(.seconds(2))
        let reply = try box.takeSignedTime(try answer(nonce, signer), at: bench.now)
        #expect(reply.state == .authenticated)
        #expect(box.time(at: bench.now).state == .authenticated)
    }

    @Test func anAnswerCountsOnceAndForItsQuestionOnly() throws {
        let (bench, box, signer) = try bench()
        let document = try answer(box.makeNonce(at: bench.now), signer)
        #expect(try box.takeSignedTime(document, at: bench.now).state == .authenticated)
        #expect(cause { try box.takeSignedTime(document, at: bench.now) } == "unknownNonce")
        let made = try answer("000102030405060708090a0b0c0d0e0f", signer)
        #expect(cause { try box.takeSignedTime(made, at: bench.now) } == "unknownNonce")
    }

    @Test func lateStrangeAndForgottenAnswersAreRefused() throws {
        let (bench, box, signer) = try bench()
        let late = try answer(box.makeNonce(at: bench.now), signer)
        bench.pass(.seconds(20 * 60 + 1))
        #expect(cause { try box.takeSignedTime(late, at: bench.now) } == "unknownNonce")
        let nonce = box.makeNonce(at: bench.now)
        let strange = try answer(nonce, try P256.SigningKey.generate())
        #expect(cause { try box.takeSignedTime(strange, at: bench.now) } == "badSignature")
        #expect(cause { try box.takeSignedTime("vigil-time 1\n", at: bench.now) } == "malformed")
        // The question is still open: a stranger's answer does not use it up. Seven later ones do not either, an eighth does.
        for _ in 0..<7 { _ = box.makeNonce(at: bench.now) }
        let good = try answer(nonce, signer)
        #expect(try box.takeSignedTime(good, at: bench.now).state == .authenticated)
        let forgotten = try answer(box.makeNonce(at: bench.now), signer)
        for _ in 0..<8 { _ = box.makeNonce(at: bench.now) }
        #expect(cause { try box.takeSignedTime(forgotten, at: bench.now) } == "unknownNonce")
    }

    @Test func whatCannotBeIsNotBelieved() throws {
        let (bench, box, signer) = try bench()
        let document = try answer(box.makeNonce(at: bench.now), signer, seconds: 946_684_800)
        #expect(cause { try box.takeSignedTime(document, at: bench.now) } == "notBelieved")
        #expect(box.time(at: bench.now).state == .untrusted)
    }
}
