// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// A request to enter the key by which a board's core signs evidence (docs/donation.md) with the fleet's registration authority: PKCS#10 with an empty
/// subject. The core knows no name of the board; the connection that the request comes by says whose key it is.
///
/// It is DER and begins with 0x30, and what is signed of it does, too; evidence signs an array of CBOR, which begins with 0x84. Neither signature can be
/// passed off as the other.
public struct EvidenceKeyRequest: Sendable, Hashable {
    /// The request in DER.
    public let encoded: [UInt8]
    /// The key.
    public let key: P256.VerificationKey

    /// Makes a request, of which only the key says anything. Throws `cryptography`.
    public init(key: P256.SigningKey) throws(EnrolmentError) {
        encoded = try SignedRequest.encoded(subject: DER.sequence(), key: key)
        self.key = key.verificationKey
    }

    /// Reads a request in DER and checks its signature. Throws `badCertificateRequest`, also for one that names somebody.
    public init(der bytes: [UInt8]) throws(EnrolmentError) {
        let request = try SignedRequest(der: bytes)
        guard request.subject.isEmpty else { throw EnrolmentError(.badCertificateRequest, "it has a subject") }
        (encoded, key) = (bytes, request.key)
    }
}
