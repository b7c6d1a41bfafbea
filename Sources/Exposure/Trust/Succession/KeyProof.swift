// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// A signature by a new key over its own role and name. It proves that the holder has the private key and means it
/// for this use, so that a succession cannot list a key that nobody can sign with, or somebody else's.
///
/// It depends on nothing else, so a key that was made on another machine can be delivered with its proof.
public enum KeyProof {
    // Keeps it from being a signature over anything else that is signed with the same key.
    private static let domain = Array("vigil key proof 1\n".utf8)
    /// The maximum size of a proof in bytes, inclusive; two numbers of 32 bytes in ASN.1 DER have at most 72. The
    /// number is this project's own.
    public static let maximumByteCount = 80

    /// Returns the digest to be signed, 32 bytes: SHA-256 over a domain line, a line with role and name, and the
    /// key's SubjectPublicKeyInfo. Cannot fail.
    public static func digest(of key: P256.VerificationKey, role: KeyRole, name: KeyName) -> [UInt8] {
        SHA256.digest(of: domain + Array("\(role.rawValue) \(name)\n".utf8) + key.subjectPublicKeyInfo)
    }

    /// Returns the proof, a signature in ASN.1 DER. Throws ``CryptographyError`` when the cryptographic library
    /// fails.
    public static func make(with key: P256.SigningKey, role: KeyRole, name: KeyName) throws(CryptographyError) -> [UInt8] {
        try key.sign(digest(of: key.verificationKey, role: role, name: name))
    }

    /// Whether `proof` is one of `key`.
    static func isGood(_ proof: [UInt8], of key: TrustedKey) -> Bool {
        key.key.isValid(signature: proof, over: digest(of: key.key, role: key.role, name: key.name))
    }
}
