// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// A private key on P-256 that certifies: in memory, or in a security token.
public protocol CertificateKey: Sendable {
    /// The public half.
    var verificationKey: P256.VerificationKey { get }

    /// An ECDSA signature (ASN.1) of a digest by SHA-256. May block. Throws `cryptography`.
    func signature(of digest: [UInt8]) throws(EnrolmentError) -> [UInt8]
}

extension P256.SigningKey: CertificateKey {
    /// Signs in memory. Throws `cryptography`.
    public func signature(of digest: [UInt8]) throws(EnrolmentError) -> [UInt8] {
        do throws(CryptographyError) { return try sign(digest) } catch { throw EnrolmentError(.cryptography, "\(error)") }
    }
}
