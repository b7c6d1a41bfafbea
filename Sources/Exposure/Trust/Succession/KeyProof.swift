// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// A key's own signature that its holder means it for a role and a name: nobody lists a key that nobody can sign with, or somebody else's.
///
/// It depends on nothing else, so that a key that was made on another machine brings it along.
public enum KeyProof {
    // Keeps it from being a signature over anything else that is signed with the same key.
    private static let domain = Array("vigil key proof 1\n".utf8)
    /// Most bytes of a proof, inclusive: ASN.1 DER of two numbers of 32 bytes has at most 72, and there is some room. Our own bound.
    public static let maximumByteCount = 80

    /// The digest that is signed, 32 bytes: SHA-256 over a domain line, a line with role and name, and the key's
    /// SubjectPublicKeyInfo. Cannot fail.
    public static func digest(of key: P256.VerificationKey, role: KeyRole, name: KeyName) -> [UInt8] {
        SHA256.digest(of: domain + Array("\(role.rawValue) \(name)\n".utf8) + key.subjectPublicKeyInfo)
    }

    /// Makes the proof, a signature in ASN.1 DER; throws ``CryptographyError`` when the cryptographic library fails.
    public static func make(with key: P256.SigningKey, role: KeyRole, name: KeyName) throws(CryptographyError) -> [UInt8] {
        try key.sign(digest(of: key.verificationKey, role: role, name: name))
    }

    /// Whether `proof` is one of `key`.
    static func isGood(_ proof: [UInt8], of key: TrustedKey) -> Bool {
        key.key.isValid(signature: proof, over: digest(of: key.key, role: key.role, name: key.name))
    }
}
