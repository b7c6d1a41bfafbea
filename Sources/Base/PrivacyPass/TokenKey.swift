// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// An issuer's public key for tokens of type 0x0002 (RFC 9578, section 6.5): a 2048-bit RSA key with the exponent 65537, written
/// as a SubjectPublicKeyInfo that says RSASSA-PSS with SHA-384, MGF1 with SHA-384 and a salt of 48 bytes.
///
/// Exactly one sequence of bytes says that of a modulus, and only that is read: a key's name is the digest of its bytes, so two
/// spellings of one key would be two keys.
public struct TokenKey: Sendable, Hashable {
    /// The length of an encoded key in bytes.
    public static let byteCount = 342

    /// The key of RSA.
    public let publicKey: BlindRSA.PublicKey
    /// The name of the key (`token_key_id`): SHA-256 of its bytes, 32 bytes.
    public let id: [UInt8]

    /// Takes a key of RSA. Throws `malformedKey` unless its modulus has 2048 bits.
    public init(_ publicKey: BlindRSA.PublicKey) throws(PrivacyPassError) {
        guard publicKey.byteCount == Token.authenticatorByteCount else { throw PrivacyPassError(.malformedKey) }
        self.publicKey = publicKey
        id = SHA256.digest(of: Self.head + publicKey.modulus + Self.tail)
    }

    /// Reads a key as an issuer publishes it, from anywhere. Throws `malformedKey` unless it has exactly the form above.
    public init(decoding bytes: [UInt8]) throws(PrivacyPassError) {
        guard bytes.count == Self.byteCount, bytes.starts(with: Self.head), bytes.suffix(Self.tail.count) == Self.tail[...]
        else { throw PrivacyPassError(.malformedKey, "\(bytes.count) bytes") }
        let modulus = Array(bytes[Self.head.count..<bytes.count - Self.tail.count])
        guard let key = try? BlindRSA.PublicKey(modulus: modulus) else {
            throw PrivacyPassError(.malformedKey, "the modulus does not have 2048 bits, or is even")
        }
        try self.init(key)
    }

    /// The key as an issuer publishes it, ``byteCount`` bytes. Cannot fail.
    public var encoded: [UInt8] { Self.head + publicKey.modulus + Self.tail }

    /// The last byte of ``id``, by which a request names its key (RFC 9578, section 6.1). Two keys may have the same: an issuer
    /// does not publish such keys at one time.
    public var truncatedID: UInt8 { id[id.count - 1] }

    /// SubjectPublicKeyInfo (RFC 5280) with id-RSASSA-PSS and its parameters (RFC 4055), up to the modulus of the RSAPublicKey
    /// (RFC 8017): all lengths are fixed.
    private static let head: [UInt8] =
        [0x30, 0x82, 0x01, 0x52, 0x30, 0x3D]
        // id-RSASSA-PSS, 1.2.840.113549.1.1.10
        + [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A, 0x30, 0x30]
        // SHA-384, 2.16.840.1.101.3.4.2.2
        + [0xA0, 0x0D, 0x30, 0x0B, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02]
        // MGF1, 1.2.840.113549.1.1.8, with SHA-384
        + [0xA1, 0x1A, 0x30, 0x18, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x08]
        + [0x30, 0x0B, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02]
        // The salt: 48 bytes
        + [0xA2, 0x03, 0x02, 0x01, 0x30]
        // The bit string, the RSAPublicKey, and the modulus with a zero before its first bit
        + [0x03, 0x82, 0x01, 0x0F, 0x00, 0x30, 0x82, 0x01, 0x0A, 0x02, 0x82, 0x01, 0x01, 0x00]
    /// The exponent 65537.
    private static let tail: [UInt8] = [0x02, 0x03, 0x01, 0x00, 0x01]
}
