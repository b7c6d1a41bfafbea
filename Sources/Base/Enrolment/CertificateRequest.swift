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
        encoded = try SignedRequest.encoded(subject: Names.subject(name), key: key)
        self.name = name
        self.key = key.verificationKey
    }

    /// Reads a request in DER and checks its signature (ECDSA with SHA-256). Attributes are not looked at. Throws `badCertificateRequest`.
    public init(der bytes: [UInt8]) throws(EnrolmentError) {
        let request = try SignedRequest(der: bytes)
        guard let name = Names.board(in: request.subject) else {
            throw EnrolmentError(.badCertificateRequest, "its subject is no board")
        }
        (encoded, self.name, key) = (bytes, name, request.key)
    }
}
