// SPDX-License-Identifier: Apache-2.0

/// A request for a token of type 0x0002, as an issuer gets it (RFC 9578, section 6.1). It tells the issuer which key, and nothing
/// of the token.
public struct TokenRequest: Sendable, Hashable {
    /// The length of a request in bytes.
    public static let byteCount = 259
    /// The length of an issuer's answer in bytes: the blind signature (RFC 9578, section 6.2).
    public static let responseByteCount = 256

    /// The last byte of the key's name.
    public let truncatedKeyID: UInt8
    /// The blinded message, 256 bytes.
    public let blindedMessage: [UInt8]

    /// `blindedMessage` has 256 bytes.
    init(truncatedKeyID: UInt8, blindedMessage: [UInt8]) {
        self.truncatedKeyID = truncatedKeyID
        self.blindedMessage = blindedMessage
    }

    /// Reads a request, from anywhere. Throws `malformedRequest` unless it has ``byteCount`` bytes and type 0x0002. Whether the
    /// blinded message fits the key is seen when it is signed.
    public init(decoding bytes: [UInt8]) throws(PrivacyPassError) {
        guard bytes.count == Self.byteCount, bytes.starts(with: bigEndian(TokenChallenge.tokenType)) else {
            throw PrivacyPassError(.malformedRequest, "\(bytes.count) bytes")
        }
        truncatedKeyID = bytes[2]
        blindedMessage = Array(bytes[3...])
    }

    /// The request as it is sent, ``byteCount`` bytes. Cannot fail.
    public var encoded: [UInt8] { bigEndian(TokenChallenge.tokenType) + [truncatedKeyID] + blindedMessage }
}
