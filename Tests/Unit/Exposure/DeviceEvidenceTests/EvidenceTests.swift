// SPDX-License-Identifier: Apache-2.0

import CBOR
import Cryptography
import DeviceEvidence
import RandomValues
import Testing

@Suite struct EvidenceTests {
    private let device: P256.SigningKey
    private let body = SHA256.digest(of: Array("request".utf8))
    private let issuerNonce = [UInt8](repeating: 9, count: 32)
    private let now: Int64 = 1_794_963_630

    init() throws { device = try P256.SigningKey.generate() }

    private func evidence(_ change: (inout DeviceEvidence) -> Void = { _ in }) -> DeviceEvidence {
        var evidence = DeviceEvidence(
            issuedAt: now, nonce: DeviceEvidence.nonce(issuerNonce: issuerNonce, requestDigest: body),
            ueid: [1] + [UInt8](repeating: 5, count: 16), hardwareModel: Array("board".utf8), softwareVersion: "1.2.3",
            bootWasVerified: false, debugStatus: .disabled, tier: .software)
        change(&evidence)
        return evidence
    }

    private func refusal(
        _ token: [UInt8], check: EvidenceCheck? = nil, device: P256.VerificationKey? = nil
    ) -> EvidenceError.Code? {
        let check = check ?? EvidenceCheck(issuerNonce: issuerNonce, requestDigest: body, now: now)
        let known = device ?? self.device.verificationKey
        do throws(EvidenceError) {
            _ = try check.evidence(in: token) { $0 == DeviceEvidence.keyID(of: known) ? known : nil }
            return nil
        } catch { return error.code }
    }

    private func refusal(_ change: (inout DeviceEvidence) -> Void) throws -> EvidenceError.Code? {
        refusal(try evidence(change).token(signedBy: device))
    }

    @Test func evidenceComesBack() throws {
        let mine = evidence()
        let token = try mine.token(signedBy: device)
        let check = EvidenceCheck(issuerNonce: issuerNonce, requestDigest: body, now: now)
        let known = device.verificationKey
        #expect(try check.evidence(in: token) { _ in known } == mine)
        #expect(try DeviceEvidence(payload: mine.payload) == mine)
        // What the sheet says of the size: about 230 bytes.
        #expect((200...260).contains(token.count))
    }

    @Test func eachRuleHasItsRefusal() throws {
        #expect(try refusal { _ in } == nil)
        #expect(try refusal { $0.issuedAt -= 300 } == nil)
        #expect(try refusal { $0.issuedAt += 300 } == nil)
        #expect(try refusal { $0.issuedAt -= 301 } == .stale)
        #expect(try refusal { $0.issuedAt += 301 } == .stale)
        #expect(try refusal { $0.issuedAt = .min } == .stale)
        #expect(try refusal { $0.issuedAt = .max } == .stale)
        #expect(try refusal { $0.nonce[0] ^= 1 } == .nonceMismatch)
        #expect(try refusal { $0.nonce = [UInt8](repeating: 0, count: 8) } == .nonceMismatch)
        #expect(try refusal { $0.nonce = [UInt8](repeating: 0, count: 7) } == .malformed)
        #expect(try refusal { $0.nonce = [UInt8](repeating: 0, count: 65) } == .malformed)
        #expect(try refusal { $0.profile = "urn:ietf:rfc:rfc9711" } == .policy)
        #expect(try refusal { $0.debugStatus = .enabled } == .policy)
        #expect(try refusal { $0.debugStatus = .disabledFullyAndPermanently } == nil)
        #expect(try refusal { $0.ueid[0] = 2 } == .policy)
        #expect(try refusal { $0.ueid.removeLast() } == .policy)
        #expect(try refusal { $0.ueid = [1] } == .malformed)
        #expect(try refusal { $0.tier = .keptByModule } == nil)
        #expect(try refusal { $0.tier = .measured } == .policy)
        let token = try evidence().token(signedBy: device)
        let other = try P256.SigningKey.generate().verificationKey
        #expect(refusal(token, device: other) == .unknownDevice)
        for check in [
            EvidenceCheck(issuerNonce: [1], requestDigest: body, now: now),
            EvidenceCheck(issuerNonce: issuerNonce, requestDigest: [1], now: now),
        ] { #expect(refusal(token, check: check) == .nonceMismatch) }
        let modules = EvidenceCheck(issuerNonce: issuerNonce, requestDigest: body, now: now, tiers: [.keptByModule])
        #expect(refusal(token, check: modules) == .policy)
    }

    /// A device that answers with another key than the one it was asked for is unknown, not trusted.
    @Test func theKeyMustHaveTheNameInTheToken() throws {
        let token = try evidence().token(signedBy: device)
        let other = try P256.SigningKey.generate().verificationKey
        let check = EvidenceCheck(issuerNonce: issuerNonce, requestDigest: body, now: now)
        #expect(throws: EvidenceError(.unknownDevice)) { try check.evidence(in: token) { _ in other } }
        let id = DeviceEvidence.keyID(of: other)
        let forged = try evidence().token(keyID: id) { (digest) throws(CryptographyError) in
            P256.RawSignature.raw(try device.sign(digest)) ?? []
        }
        #expect(throws: EvidenceError(.badSignature)) { try check.evidence(in: forged) { _ in other } }
    }

    @Test func eachByteCounts() throws {
        var random = SeededGenerator(seed: 9_601)
        let token = try evidence().token(signedBy: device)
        for index in token.indices {
            var changed = token
            changed[index] ^= UInt8.random(in: 1...255, using: &random)
            #expect(refusal(changed) != nil, "\(index)")
        }
        for count in token.indices { #expect(refusal(Array(token.prefix(count))) == .malformed) }
        #expect(refusal(token + [0]) == .malformed)
        #expect(refusal([UInt8](repeating: 0x81, count: EvidenceCheck.maximumByteCount + 1)) == .malformed)
    }

    // MARK: Tokens that another program would make

    private func token(
        headers: [(Int64, CBOR)], unprotected: CBOR.Map = .init(), payload: [UInt8]? = nil, tags: [UInt64] = [61, 18]
    ) throws
        -> [UInt8]
    {
        var map = CBOR.Map()
        for (label, value) in headers { map[label] = value }
        let message = try COSESign1(protectedHeader: map, payload: payload ?? evidence().payload) {
            (digest) throws(CryptographyError) in P256.RawSignature.raw(try device.sign(digest)) ?? []
        }
        let parts: CBOR = .array([
            .bytes(CBOR.map(map).encoded), .map(unprotected), .bytes(message.payload), .bytes(message.signature),
        ])
        return tags.reversed().reduce(parts) { .tagged($1, $0) }.encoded
    }

    /// A request for a certificate, which the same key signs too (`EvidenceKeyRequest`), is DER and begins with 0x30.
    @Test func whatIsSignedBeginsAsNoRequestForACertificateDoes() throws {
        let message = try COSESign1(protectedHeader: CBOR.Map(), payload: evidence().payload) {
            (digest) throws(CryptographyError) in P256.RawSignature.raw(try device.sign(digest)) ?? []
        }
        #expect(message.toBeSigned().first == 0x84)
    }

    private var keyID: (Int64, CBOR) { (4, .bytes(DeviceEvidence.keyID(of: device.verificationKey))) }

    @Test func headers() throws {
        let es256: (Int64, CBOR) = (1, CBOR(-7))
        var extra = CBOR.Map()
        extra[1] = CBOR(-7)
        #expect(refusal(try token(headers: [es256, keyID])) == nil)
        #expect(refusal(try token(headers: [(1, CBOR(-35)), keyID])) == .unsupportedAlgorithm)
        #expect(refusal(try token(headers: [(1, .text("ES256")), keyID])) == .unsupportedAlgorithm)
        #expect(refusal(try token(headers: [keyID], unprotected: extra)) == .malformed)
        #expect(refusal(try token(headers: [es256, keyID], unprotected: extra)) == .malformed)
        #expect(refusal(try token(headers: [es256])) == .malformed)
        #expect(refusal(try token(headers: [es256, (4, .text("x"))])) == .malformed)
        #expect(refusal(try token(headers: [es256, keyID, (5, .null)])) == .malformed)
        #expect(refusal(try token(headers: [es256, (4, .bytes([]))])) == .unknownDevice)
        for tags in [[], [18], [61], [18, 61], [61, 98], [61, 61, 18]] as [[UInt64]] {
            #expect(refusal(try token(headers: [es256, keyID], tags: tags)) == .malformed, "\(tags)")
        }
    }

    @Test func eachClaimIsRequired() throws {
        let claims = try #require(try CBOR(decoding: evidence().payload).map)
        let headers: [(Int64, CBOR)] = [(1, CBOR(-7)), keyID]
        for entry in claims.entries {
            var (less, other) = (claims, claims)
            less[entry.key] = nil
            other[entry.key] = .null
            for map in [less, other] {
                #expect(refusal(try token(headers: headers, payload: CBOR.map(map).encoded)) == .malformed, "\(entry.key)")
            }
        }
        var more = claims
        more[-70_001] = .array([.bytes([1]), .bytes([2])])
        more[.text("unknown")] = .null
        #expect(refusal(try token(headers: headers, payload: CBOR.map(more).encoded)) == nil)
        for (label, value): (Int64, CBOR) in [
            (-70_000, CBOR(3)), (-70_000, CBOR(-1)), (263, CBOR(5)), (271, .text("1")), (271, .array([])),
            (6, .unsigned(.max)),
        ] {
            var map = claims
            map[label] = value
            #expect(refusal(try token(headers: headers, payload: CBOR.map(map).encoded)) == .malformed)
        }
        let payload = CBOR.map(claims).encoded
        #expect(refusal(try token(headers: headers, payload: payload + [0])) == .malformed)
        #expect(refusal(try token(headers: headers, payload: [])) == .malformed)
        #expect(refusal(try token(headers: headers, payload: [0x80])) == .malformed)
        // The same claims with a longer head for the map.
        #expect(
            refusal(try token(headers: headers, payload: [0xB8, payload[0] & 0x1F] + payload.dropFirst())) == .malformed)
    }

    @Test func everyRuleHasASentence() {
        for code in EvidenceError.Code.allCases {
            #expect(EvidenceError(code, "x").description.hasSuffix("x [\(code.rawValue)]"))
        }
    }
}
