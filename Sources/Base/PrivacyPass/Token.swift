// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// A token of type 0x0002 (RFC 9577, section 2.2). Whoever has the bytes can use it, so neither printing nor an error shows any
/// of them.
public struct Token: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The length of a token in bytes.
    public static let byteCount = 354
    /// The length of a nonce in bytes.
    public static let nonceByteCount = 32
    /// The length of an authenticator in bytes: a signature by a 2048-bit key.
    public static let authenticatorByteCount = 256

    /// The bytes of the token, as they are sent.
    public let bytes: [UInt8]

    /// Reads a token, from anywhere. Throws `malformedToken` unless it has ``byteCount`` bytes and type 0x0002. Verifies nothing
    /// else.
    public init(decoding bytes: [UInt8]) throws(PrivacyPassError) {
        guard bytes.count == Self.byteCount, bytes.starts(with: bigEndian(TokenChallenge.tokenType)) else {
            throw PrivacyPassError(.malformedToken, "\(bytes.count) bytes")
        }
        self.bytes = bytes
    }

    /// The random part, 32 bytes; together with the key it tells one token from all others.
    public var nonce: [UInt8] { Array(bytes[2..<34]) }
    /// The digest of the challenge that the token is for, 32 bytes.
    public var challengeDigest: [UInt8] { Array(bytes[34..<66]) }
    /// The name of the key that signed the token, 32 bytes (``TokenKey/id``).
    public var keyID: [UInt8] { Array(bytes[66..<98]) }
    /// The signature, 256 bytes.
    public var authenticator: [UInt8] { Array(bytes[98...]) }

    /// Verifies the token as a server does. Throws `unknownKey` if it is for another key than `key`, `challengeMismatch` if it is
    /// for another challenge than the one with `challengeDigest`, and `badSignature` if the key has not signed it, in this
    /// order. Whether it was used before, the caller has to know.
    public func verify(by key: TokenKey, challengeDigest: [UInt8]) throws(PrivacyPassError) {
        guard keyID == key.id else { throw PrivacyPassError(.unknownKey) }
        guard self.challengeDigest == challengeDigest else { throw PrivacyPassError(.challengeMismatch) }
        guard key.publicKey.isValid(authenticator, over: Array(bytes[..<98])) else { throw PrivacyPassError(.badSignature) }
    }

    /// The name of the type; reveals nothing of the token.
    public var description: String { "Token" }
    /// A mirror without children, so that `dump` shows nothing of the token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
