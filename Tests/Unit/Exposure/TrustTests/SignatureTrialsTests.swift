// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import Testing
import Trust

/// Who brings a document chooses its signatures, and not how long the loop stands still that tries them.
@Suite struct SignatureTrialsTests {
    private let digest = SHA256.digest(of: Array("document".utf8))

    private func name(_ id: String) -> KeyName { KeyName(id: id, version: "v1") }

    /// Keys and what signs for them.
    private func keys(_ count: Int) throws -> [(trusted: TrustedKey, signing: P256.SigningKey)] {
        try (0..<count).map { number in
            let key = try P256.SigningKey.generate()
            return (TrustedKey(name: name("\(number)"), role: .config, key: key.verificationKey), key)
        }
    }

    /// The processor's time of this thread, in seconds: others on the machine do not count.
    private func spent(_ work: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        work()
        return now() - start
    }

    @Test func theRightPairIsFoundAmongStrangers() throws {
        let keys = try keys(4)
        let stranger = try P256.SigningKey.generate()
        let noise = try (0..<15).map { (name("9\($0)"), try stranger.sign(SHA256.digest(of: [UInt8($0)]))) }
        let trusted = keys.map(\.trusted)
        for (key, signing) in keys {
            let good = try signing.sign(digest)
            for list in [noise + [(key.name, good)], [(key.name, good)] + noise] {
                var trials = SignatureTrials()
                #expect(trials.signer(of: digest, signatures: list, keys: trusted) == key)
                #expect(trials.left == SignatureTrials.most - 1)
            }
            // Without its name, as some tools write it, or by another one's: it is found, if there are few.
            for name in ["", "0", "x"] {
                var trials = SignatureTrials()
                #expect(trials.signer(of: digest, signatures: [(self.name(name), good)], keys: trusted) == key)
                #expect(
                    trials.signer(of: digest, signatures: [(self.name("x"), good)], keys: trusted, isNamed: true) == nil)
            }
        }
    }

    @Test func noDocumentCostsMoreThanItsTrials() throws {
        let trusted = try keys(4).map(\.trusted)
        let stranger = try P256.SigningKey.generate()
        // All name keys of ours; the last is there twice.
        var list = try (0..<15).map { (name("\($0 % 4)"), try stranger.sign(SHA256.digest(of: [UInt8($0)]))) }
        list.append(list[14])
        var trials = SignatureTrials()
        #expect(trials.signer(of: digest, signatures: list, keys: trusted) == nil && trials.left == 0)
        #expect(trials.signer(of: digest, signatures: list, keys: trusted) == nil)
        var few = SignatureTrials()
        #expect(few.signer(of: digest, signatures: [list[0], list[0]], keys: trusted, isNamed: true) == nil)
        #expect(few.left == SignatureTrials.most - 1)
        // And in time: 64 pairs take no longer than 20 verifications, whatever a build for tests costs besides.
        let one = (0..<5).map { _ in spent { _ = trusted[0].key.isValid(signature: list[0].1, over: digest) } }.sorted()[2]
        let all = spent {
            var trials = SignatureTrials()
            _ = trials.signer(of: digest, signatures: list, keys: trusted)
        }
        #expect(all < 20 * one, "\(all) s, and \(one) s for one")
    }

    /// Four signatures, each tried with the key that it names and no other of 32.
    @Test func aFleetsConfigurationCostsFourVerifications() throws {
        let strangers = try keys(4)
        let operators = try keys(32).map(\.trusted.key)
        let file = try SignedConfiguration(signing: Array("{}".utf8), with: strangers.map(\.signing))
        #expect(!file.isSigned(byOneOf: operators))
        let one = (0..<5).map { _ in
            spent { _ = operators[0].isValid(signature: file.signatures[0].bytes, over: file.digest) }
        }.sorted()[2]
        // None of them is named.
        #expect(spent { _ = file.isSigned(byOneOf: operators) } < 4 * one)
        // Some are, falsely.
        let signatures = zip(operators, file.signatures).map { key, signature in
            "{\"key\":\"\(Hex.string(SignedConfiguration.name(of: key)))\",\"signature\":\"\(Base64.string(signature.bytes))\"}"
        }
        func read(_ signatures: [String]) throws -> SignedConfiguration {
            try SignedConfiguration(
                file: Array(
                    "{\"format\":\"vigil-signed-configuration-1\",\"document\":\"e30=\",\"signatures\":[\(signatures.joined(separator: ","))]}"
                        .utf8))
        }
        let false4 = try read(signatures)
        #expect(!false4.isSigned(byOneOf: operators) && spent { _ = false4.isSigned(byOneOf: operators) } < 12 * one)
        #expect(throws: TrustError(.malformedDocument, "")) { try read([signatures[0], signatures[0]]) }
    }

    /// What nobody signed is not asked for its proofs, and a key is tried once.
    @Test func aSuccessionThatNobodySignedCostsItsSignaturesOnly() throws {
        let ours = try keys(2)
        let store = try TrustStore(keys: ours.map(\.trusted))
        let theirs = try keys(12)
        let proofs = try theirs.map { key, signing in (key, try KeyProof.make(with: signing, role: .config, name: key.name))
        }
        let content = SuccessionContent(
            sequence: 1, roles: [.config: theirs.map(\.trusted)], proofs: Dictionary(uniqueKeysWithValues: proofs))
        let signature = try theirs[0].signing.sign(digest)
        let succession = Succession(
            document: try content.document(),
            signatures: (0..<8).map { _ in .init(role: .config, name: ours[0].trusted.name, signature: signature) })
        let one = (0..<5).map { _ in spent { _ = ours[0].trusted.key.isValid(signature: signature, over: digest) } }
            .sorted()[2]
        var error: TrustError?
        // Reading twelve keys is arithmetic, too: each is looked at whether it is on the curve.
        let time = spent {
            do throws(TrustError) { _ = try store.applying(succession, at: nil) } catch let caught { error = caught }
        }
        #expect(error == TrustError(.notSigned, "") && time < 12 * one, "\(time) s, and \(one) s for one")
    }
}
