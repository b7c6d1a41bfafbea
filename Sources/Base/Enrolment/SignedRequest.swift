// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// A request for a certificate (PKCS#10, RFC 2986) on P-256 with ECDSA and SHA-256, whomever it names.
struct SignedRequest {
    /// The longest request that is read, in bytes. Ours have 300.
    static let maximumByteCount = 4_096

    /// What the subject has in it, without its head.
    let subject: ArraySlice<UInt8>
    /// The key that is to be certified.
    let key: P256.VerificationKey

    /// The request in DER. `subject` is a whole name in DER. Two requests of one key differ in their signatures only. Throws `cryptography`.
    static func encoded(subject: [UInt8], key: P256.SigningKey) throws(EnrolmentError) -> [UInt8] {
        let content = DER.sequence(
            DER.value(0x02, [0]), subject, key.verificationKey.subjectPublicKeyInfo, DER.value(0xA0, []))
        do throws(CryptographyError) {
            let signature = try key.sign(SHA256.digest(of: content))
            return DER.sequence(content, Names.ecdsaWithSHA256, DER.value(0x03, [0] + signature))
        } catch { throw EnrolmentError(.cryptography, "\(error)") }
    }

    /// Reads a request in DER and checks its signature. Attributes are not looked at. Throws `badCertificateRequest`.
    init(der bytes: [UInt8]) throws(EnrolmentError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw EnrolmentError(.badCertificateRequest, "\(bytes.count) bytes")
        }
        var outer = DERReader(bytes[...])
        guard let all = outer.take(0x30), outer.isAtEnd else { throw EnrolmentError(.badCertificateRequest) }
        var parts = DERReader(all)
        guard let content = parts.takeWhole(0x30), parts.takeWhole(0x30).map(Array.init) == Names.ecdsaWithSHA256,
            let signature = parts.take(0x03), parts.isAtEnd, signature.first == 0
        else { throw EnrolmentError(.badCertificateRequest) }
        var inner = DERReader(content)
        var fields = DERReader(inner.take(0x30) ?? [])
        guard fields.take(0x02).map(Array.init) == [0], let subject = fields.take(0x30), let key = fields.takeWhole(0x30),
            fields.tag == 0xA0, let key = try? P256.VerificationKey(pemOrDER: Array(key)),
            key.isValid(signature: Array(signature.dropFirst()), over: SHA256.digest(of: content))
        else { throw EnrolmentError(.badCertificateRequest) }
        (self.subject, self.key) = (subject, key)
    }
}
