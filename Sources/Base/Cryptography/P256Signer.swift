// SPDX-License-Identifier: Apache-2.0

/// A private key on P-256 that signs: in memory, or in a security token.
public protocol P256Signer: Sendable {
    /// The public half.
    var verificationKey: P256.VerificationKey { get }

    /// An ECDSA signature (ASN.1 in DER, 72 bytes at most) of a digest by SHA-256, 32 bytes. Any thread; blocks for as long as a token does.
    /// Throws what the library or the token says.
    func signature(of digest: [UInt8]) throws -> [UInt8]
}

extension P256.SigningKey: P256Signer {
    /// Signs in memory. Throws as ``sign(_:hash:)`` does.
    public func signature(of digest: [UInt8]) throws(CryptographyError) -> [UInt8] { try sign(digest) }
}
