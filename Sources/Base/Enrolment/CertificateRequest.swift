// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// A request for a certificate (PKCS#10, RFC 2986) by a board: its name, its key, and its signature, which shows that it has the
/// key.
public struct CertificateRequest: Sendable, Hashable {
    /// The longest request that is read, in bytes. Ours have 300.
    public static let maximumByteCount = 4_096

    /// The request in DER.
    public let encoded: [UInt8]
    /// The board that asks.
    public let name: BoardName
    /// The key that is to be certified.
    public let key: P256.VerificationKey

    /// Makes a request. Two requests of one key differ in their signatures only. Throws `cryptography`.
    public init(_ name: BoardName, key: P256.SigningKey) throws(EnrolmentError) {
        let content = DER.sequence(
            DER.value(0x02, [0]), Names.subject(name), key.verificationKey.subjectPublicKeyInfo, DER.value(0xA0, []))
        do throws(CryptographyError) {
            let signature = try key.sign(SHA256.digest(of: content))
            encoded = DER.sequence(content, Names.ecdsaWithSHA256, DER.value(0x03, [0] + signature))
        } catch { throw EnrolmentError(.cryptography, "\(error)") }
        self.name = name
        self.key = key.verificationKey
    }

    /// Reads a request in DER and checks its signature (ECDSA with SHA-256). Attributes are not looked at. Throws `badCertificateRequest`.
    public init(der bytes: [UInt8]) throws(EnrolmentError) {
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
            fields.tag == 0xA0
        else { throw EnrolmentError(.badCertificateRequest) }
        guard let name = Names.board(in: subject) else {
            throw EnrolmentError(.badCertificateRequest, "its subject is no board")
        }
        guard let key = try? P256.VerificationKey(pemOrDER: Array(key)),
            key.isValid(signature: Array(signature.dropFirst()), over: SHA256.digest(of: content))
        else { throw EnrolmentError(.badCertificateRequest) }
        self.name = name
        self.key = key
        encoded = bytes
    }
}
