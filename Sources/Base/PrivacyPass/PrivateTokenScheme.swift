// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The scheme `PrivateToken` in header fields of HTTP (RFC 9577, section 2).
public enum PrivateTokenScheme {
    private static let name = "privatetoken"

    /// A server's wish for a token, as it stands in `WWW-Authenticate`.
    public struct Challenge: Sendable, Hashable {
        /// The type of token that is wanted. Servers name types that nobody has, so that nobody takes the list of types for
        /// complete; such a challenge is to be left alone.
        public let tokenType: UInt16
        /// The bytes of the challenge, which ``TokenChallenge/init(decoding:)`` reads if the type is 0x0002.
        public let tokenChallenge: [UInt8]
        /// The bytes of the issuer's key; `nil` if there are none. Not to be believed: a server could give each device a key of its
        /// own.
        public let tokenKey: [UInt8]?
        /// The seconds for which the challenge is good, 0 or more; `nil` if nothing is said.
        public let maximumAge: Int?
    }

    /// The challenges for tokens in a value of `WWW-Authenticate`, from anywhere, in order. Other schemes and challenges that are
    /// malformed are left out. None if the value is longer than 16 KiB.
    public static func challenges(inWWWAuthenticate value: some StringProtocol) -> [Challenge] {
        AuthenticationField.schemes(value.utf8).compactMap { scheme -> Challenge? in
            guard scheme.name == name, scheme.isWellFormed,
                let bytes = scheme.parameters["challenge"].flatMap({ Base64URL.paddedBytes($0) }),
                let type = ByteReader.number(2, of: bytes)
            else { return nil }
            var key: [UInt8]?
            if let text = scheme.parameters["token-key"] {
                key = Base64URL.paddedBytes(text)
                guard key != nil else { return nil }
            }
            var age: Int?
            if let text = scheme.parameters["max-age"] {
                age = seconds(text)
                guard age != nil else { return nil }
            }
            return Challenge(tokenType: UInt16(type), tokenChallenge: bytes, tokenKey: key, maximumAge: age)
        }
    }

    /// The value of `WWW-Authenticate` that asks for a token. `tokenKey` is left out if it is `nil`. Cannot fail.
    public static func wwwAuthenticate(_ challenge: TokenChallenge, tokenKey: TokenKey?) -> String {
        let key = tokenKey.map { ", token-key=\"\(Base64URL.paddedString($0.encoded))\"" } ?? ""
        return "PrivateToken challenge=\"\(Base64URL.paddedString(challenge.encoded))\"\(key)"
    }

    /// The value of `Authorization` that carries a token. Cannot fail.
    public static func authorization(_ token: Token) -> String { authorization(of: token.bytes) }

    /// The value of `Authorization` that carries these bytes in the place of a token. Cannot fail.
    public static func authorization(of bytes: [UInt8]) -> String {
        "PrivateToken token=\"\(Base64URL.paddedString(bytes))\""
    }

    /// The token in a value of `Authorization`, from anywhere; `nil` unless that is this scheme alone with exactly one well-formed
    /// token. The token is not verified.
    public static func token(inAuthorization value: some StringProtocol) -> Token? {
        tokenBytes(inAuthorization: value).flatMap { try? Token(decoding: $0) }
    }

    /// The bytes in the place of a token of any type in a value of `Authorization`, from anywhere; `nil` unless that is this scheme alone.
    public static func tokenBytes(inAuthorization value: some StringProtocol) -> [UInt8]? {
        let schemes = AuthenticationField.schemes(value.utf8)
        guard schemes.count == 1, schemes[0].name == name, schemes[0].isWellFormed else { return nil }
        return schemes[0].parameters["token"].flatMap { Base64URL.paddedBytes($0) }
    }

    /// A number of seconds in digits; `nil` for anything else.
    private static func seconds(_ text: [UInt8]) -> Int? {
        guard (1...18).contains(text.count), text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}

extension ByteReader {
    /// The number in the first `count` bytes.
    static func number(_ count: Int, of bytes: [UInt8]) -> Int? {
        var reader = ByteReader(bytes)
        return reader.number(count)
    }
}
