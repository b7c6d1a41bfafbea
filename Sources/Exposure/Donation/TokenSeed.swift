// SPDX-License-Identifier: Apache-2.0

public import Cryptography
public import PrivacyPass

/// The secret that the random numbers of tokens are derived from. Whoever stores it before asking for a token can make the same
/// request again after a power cut, and the issuer answers that again: so a device asks for one token of a key, however often it is
/// cut off.
///
/// A seed must be forgotten when its tokens are there: it would tell later which tokens were the device's.
public struct TokenSeed: Sendable {
    /// The length of a seed in bytes.
    public static let byteCount = 32

    private let seed: SecretBytes

    /// Takes 32 random bytes. Throws `unusableSecret` if there are more or fewer.
    public init(_ seed: SecretBytes) throws(PrivacyPassError) {
        guard seed.count == Self.byteCount else { throw PrivacyPassError(.unusableSecret, "\(seed.count) bytes") }
        self.seed = seed
    }

    /// The random numbers of the token with number `index` of this seed, by HKDF with SHA-256. Tokens of different keys,
    /// challenges or indices have nothing in common.
    ///
    /// Throws `operationFailed` if Mbed TLS fails.
    public func secrets(
        key: TokenKey, challengeDigest: [UInt8], index: UInt32
    ) throws(PrivacyPassError) -> PendingToken.Secrets {
        func derived(_ label: String, _ count: Int) throws(CryptographyError) -> SecretBytes {
            let number = withUnsafeBytes(of: index.bigEndian) { Array($0) }
            return try HKDFSHA256.derive(
                from: seed, info: Array(label.utf8) + key.id + challengeDigest + number, count: count)
        }
        do throws(CryptographyError) {
            // 16 bytes more than the modulus has, so that no factor is likelier than another (``BlindRSA/PublicKey/factor(from:)``).
            let wide = try derived("vigil-token-blind-v1", key.publicKey.byteCount + 16)
            return PendingToken.Secrets(
                nonce: try derived("vigil-token-nonce-v1", Token.nonceByteCount),
                salt: try derived("vigil-token-salt-v1", BlindRSA.saltByteCount),
                blind: try key.publicKey.factor(from: wide))
        } catch { throw PrivacyPassError(.operationFailed) }
    }

    /// The request for the token with number `index` of this seed, and what finishes it. Throws `operationFailed` if Mbed TLS
    /// fails, and `unusableSecret` if the challenge's digest does not have 32 bytes.
    public func pendingToken(
        key: TokenKey, challengeDigest: [UInt8], index: UInt32
    ) throws(PrivacyPassError) -> PendingToken {
        let secrets = try secrets(key: key, challengeDigest: challengeDigest, index: index)
        return try PendingToken(key: key, challengeDigest: challengeDigest, secrets: secrets)
    }
}
