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
    private let sync = Caller(name: "sync", reading: .nothing, spool: nil, presence: "caller")

    private func bench() throws -> (ExposureServiceBench, ExposureService, P256.SigningKey) {
        let bench = try ExposureServiceBench(hasTime: false)
        let signer = try P256.SigningKey.generate()
        let service = ExposureService(
            bench.beacon, vault: bench.vault, ledger: bench.ledger,
            trust: try TrustStore(keys: [TrustedKey(name: key, role: .time, key: signer.verificationKey)]),
            policy: .namedKeys, program: .failure(IntakeFailure(.programMissing)),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return (bench, service, signer)
    }

    private func answer(
        _ nonce: String, _ signer: P256.SigningKey, seconds: Int64 = ExposureServiceBench.noon
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
        let (bench, service, signer) = try bench()
        #expect(service.time(at: bench.now).state == .untrusted)
        let nonce = service.makeNonce(for: sync, at: bench.now)
        bench.pass(.seconds(2))
        let reply = try service.takeSignedTime(try answer(nonce, signer), by: sync, at: bench.now)
        #expect(reply.state == .authenticated)
        #expect(service.time(at: bench.now).state == .authenticated)
    }

    @Test func anAnswerCountsOnceAndForItsQuestionOnly() throws {
        let (bench, service, signer) = try bench()
        let document = try answer(service.makeNonce(for: sync, at: bench.now), signer)
        #expect(try service.takeSignedTime(document, by: sync, at: bench.now).state == .authenticated)
        #expect(cause { try service.takeSignedTime(document, by: sync, at: bench.now) } == "unknownNonce")
        let made = try answer("000102030405060708090a0b0c0d0e0f", signer)
        #expect(cause { try service.takeSignedTime(made, by: sync, at: bench.now) } == "unknownNonce")
    }

    @Test func lateStrangeAndForgottenAnswersAreRefused() throws {
        let (bench, service, signer) = try bench()
        let late = try answer(service.makeNonce(for: sync, at: bench.now), signer)
        bench.pass(.seconds(20 * 60 + 1))
        #expect(cause { try service.takeSignedTime(late, by: sync, at: bench.now) } == "unknownNonce")
        let nonce = service.makeNonce(for: sync, at: bench.now)
        let strange = try answer(nonce, try P256.SigningKey.generate())
        #expect(cause { try service.takeSignedTime(strange, by: sync, at: bench.now) } == "badSignature")
        #expect(cause { try service.takeSignedTime("vigil-time 1\n", by: sync, at: bench.now) } == "malformed")
        // The question is still open: a stranger's answer does not use it up. Seven later ones do not either, an eighth does.
        for _ in 0..<7 { _ = service.makeNonce(for: sync, at: bench.now) }
        let good = try answer(nonce, signer)
        #expect(try service.takeSignedTime(good, by: sync, at: bench.now).state == .authenticated)
        let forgotten = try answer(service.makeNonce(for: sync, at: bench.now), signer)
        for _ in 0..<8 { _ = service.makeNonce(for: sync, at: bench.now) }
        #expect(cause { try service.takeSignedTime(forgotten, by: sync, at: bench.now) } == "unknownNonce")
    }

    /// Whoever asks without end pushes out only questions of its own, and can answer none of another's.
    @Test func eachCallerHasQuestionsOfItsOwn() throws {
        let (bench, service, signer) = try bench()
        let other = Caller(name: "other", reading: .nothing, spool: nil, presence: "caller")
        let document = try answer(service.makeNonce(for: sync, at: bench.now), signer)
        for _ in 0..<100 { _ = service.makeNonce(for: other, at: bench.now) }
        #expect(cause { try service.takeSignedTime(document, by: other, at: bench.now) } == "unknownNonce")
        #expect(try service.takeSignedTime(document, by: sync, at: bench.now).state == .authenticated)
    }

    @Test func whatCannotBeIsNotBelieved() throws {
        let (bench, service, signer) = try bench()
        let document = try answer(service.makeNonce(for: sync, at: bench.now), signer, seconds: 946_684_800)
        #expect(cause { try service.takeSignedTime(document, by: sync, at: bench.now) } == "notBelieved")
        #expect(service.time(at: bench.now).state == .untrusted)
    }
}
