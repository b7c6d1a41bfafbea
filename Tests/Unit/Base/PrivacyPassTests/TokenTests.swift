// SPDX-License-Identifier: Apache-2.0

import Cryptography
import PrivacyPass
import RandomValues
import TestKit
import Testing

func refusal(_ body: () throws -> Void) -> PrivacyPassError.Code? {
    do {
        try body()
        return nil
    } catch { return (error as? PrivacyPassError)?.code }
}

@Suite struct TokenTests {
    private let issuer = IssuerKey.first
    private let key: TokenKey
    private let challenge: TokenChallenge

    init() throws {
        key = try TokenKey(BlindRSA.PublicKey(modulus: IssuerKey.first.modulus))
        challenge = try TokenChallenge(
            issuerName: "issuer.example", redemptionContext: [UInt8](repeating: 3, count: 32), origins: ["donate.example"])
    }

    private func secrets(_ key: TokenKey, _ random: inout SeededGenerator) throws -> PendingToken.Secrets {
        PendingToken.Secrets(
            nonce: SecretBytes(count: 32, from: &random), salt: SecretBytes(count: 48, from: &random),
            blind: try key.publicKey.factor(from: SecretBytes(count: 272, from: &random)))
    }

    private func token(_ random: inout SeededGenerator) throws -> Token {
        let pending = try PendingToken(
            key: key, challengeDigest: challenge.digest, secrets: secrets(key, &random))
        return try pending.finished(by: issuer.sign(pending.request.blindedMessage))
    }

    @Test func tokensAreIssuedAndVerified() throws {
        var random = SeededGenerator(seed: 9_401)
        var nonces: Set<[UInt8]> = []
        for _ in 0..<20 {
            let token = try token(&random)
            #expect(refusal { try token.verify(by: key, challengeDigest: challenge.digest) } == nil)
            #expect(try Token(decoding: token.bytes) == token)
            #expect(token.keyID == key.id)
            #expect(token.challengeDigest == challenge.digest)
            nonces.insert(token.nonce)
        }
        #expect(nonces.count == 20)
    }

    @Test func theSameSecretsMakeTheSameRequest() throws {
        var random = SeededGenerator(seed: 9_402)
        let secrets = try secrets(key, &random)
        let first = try PendingToken(key: key, challengeDigest: challenge.digest, secrets: secrets)
        let second = try PendingToken(key: key, challengeDigest: challenge.digest, secrets: secrets)
        #expect(first.request == second.request)
        let answer = try issuer.sign(first.request.blindedMessage)
        #expect(try first.finished(by: answer) == second.finished(by: answer))
        #expect(try TokenRequest(decoding: first.request.encoded) == first.request)
        #expect(first.request.truncatedKeyID == key.id[31])
    }

    @Test func eachByteOfATokenCounts() throws {
        var random = SeededGenerator(seed: 9_403)
        let token = try token(&random)
        for index in token.bytes.indices {
            var changed = token.bytes
            changed[index] ^= UInt8.random(in: 1...255, using: &random)
            let expected: PrivacyPassError.Code =
                switch index {
                case ..<2: .malformedToken
                case ..<34: .badSignature
                case ..<66: .challengeMismatch
                case ..<98: .unknownKey
                default: .badSignature
                }
            #expect(
                refusal { try Token(decoding: changed).verify(by: key, challengeDigest: challenge.digest) } == expected,
                "\(index)")
        }
        for count in 0..<Token.byteCount {
            #expect(refusal { _ = try Token(decoding: Array(token.bytes.prefix(count))) } == .malformedToken)
        }
        #expect(refusal { _ = try Token(decoding: token.bytes + [0]) } == .malformedToken)
    }

    @Test func anotherIssuersAnswerIsRefused() throws {
        var random = SeededGenerator(seed: 9_404)
        let pending = try PendingToken(key: key, challengeDigest: challenge.digest, secrets: secrets(key, &random))
        let answer = try issuer.sign(pending.request.blindedMessage)
        for wrong in [
            [], Array(answer.dropLast()), answer + [0], [UInt8](repeating: 0, count: 256), pending.request.blindedMessage,
            try IssuerKey.second.sign(pending.request.blindedMessage), issuer.modulus,
        ] {
            #expect(refusal { _ = try pending.finished(by: wrong) } == .badResponse)
        }
        #expect(refusal { _ = try pending.finished(by: answer) } == nil)
        // A refused answer costs nothing: the right one still counts.
        #expect(throws: Never.self) { try pending.finished(by: answer).verify(by: key, challengeDigest: challenge.digest) }
    }

    @Test func secretsOfWrongLengthsAreRefused() throws {
        var random = SeededGenerator(seed: 9_405)
        let good = try secrets(key, &random)
        let short = SecretBytes(copying: [1])
        for bad in [
            PendingToken.Secrets(nonce: short, salt: good.salt, blind: good.blind),
            PendingToken.Secrets(nonce: good.nonce, salt: short, blind: good.blind),
            PendingToken.Secrets(nonce: good.nonce, salt: good.salt, blind: short),
            PendingToken.Secrets(nonce: good.nonce, salt: good.salt, blind: SecretBytes(copying: issuer.modulus)),
        ] {
            #expect(
                refusal { _ = try PendingToken(key: key, challengeDigest: challenge.digest, secrets: bad) }
                    == .unusableSecret)
        }
        #expect(refusal { _ = try PendingToken(key: key, challengeDigest: [1], secrets: good) } == .unusableSecret)
    }

    @Test func nothingOfATokenIsPrinted() throws {
        var random = SeededGenerator(seed: 9_406)
        let pending = try PendingToken(key: key, challengeDigest: challenge.digest, secrets: secrets(key, &random))
        let token = try pending.finished(by: issuer.sign(pending.request.blindedMessage))
        for text in ["\(token)", String(reflecting: token), "\(pending)", String(reflecting: pending)] {
            #expect(["Token", "PendingToken"].contains(text), "\(text)")
        }
        var dumped = ""
        dump(token, to: &dumped)
        dump(pending, to: &dumped)
        #expect(dumped.utf8.count < 60)
    }

    @Test func keysHaveOneForm() throws {
        var random = SeededGenerator(seed: 9_407)
        let bytes = key.encoded
        #expect(bytes.count == TokenKey.byteCount)
        #expect(try TokenKey(decoding: bytes) == key)
        #expect(key.id == SHA256.digest(of: bytes))
        let modulus = 81..<337
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= UInt8.random(in: 1...255, using: &random)
            guard let other = try? TokenKey(decoding: changed) else { continue }
            #expect(modulus.contains(index), "\(index)")
            #expect(other.encoded == changed)
            #expect(other.id != key.id)
        }
        for count in bytes.indices {
            #expect(refusal { _ = try TokenKey(decoding: Array(bytes.prefix(count))) } == .malformedKey)
        }
        #expect(refusal { _ = try TokenKey(decoding: bytes + [0]) } == .malformedKey)
        var (small, even) = (bytes, bytes)
        small[81] &= 0x7F
        even[336] &= 0xFE
        #expect(refusal { _ = try TokenKey(decoding: small) } == .malformedKey)
        #expect(refusal { _ = try TokenKey(decoding: even) } == .malformedKey)
        let longer = try BlindRSA.PublicKey(modulus: [UInt8](repeating: 0xFF, count: 257))
        #expect(refusal { _ = try TokenKey(longer) } == .malformedKey)
    }

    @Test func requestsHaveOneForm() throws {
        let request = try TokenRequest(decoding: [0, 2, 9] + [UInt8](repeating: 1, count: 256))
        #expect(request.truncatedKeyID == 9)
        #expect(request.encoded.count == TokenRequest.byteCount)
        for count in 0..<TokenRequest.byteCount {
            #expect(refusal { _ = try TokenRequest(decoding: Array(request.encoded.prefix(count))) } == .malformedRequest)
        }
        #expect(refusal { _ = try TokenRequest(decoding: request.encoded + [0]) } == .malformedRequest)
        #expect(refusal { _ = try TokenRequest(decoding: [0, 1] + request.encoded.dropFirst(2)) } == .malformedRequest)
    }

    @Test func everyRuleHasASentence() {
        for code in PrivacyPassError.Code.allCases {
            #expect(PrivacyPassError(code, "x").description.hasSuffix("x [\(code.rawValue)]"))
        }
    }
}
