// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// A UUID that serves as a proof at a server: a registration token or a TAN (RFC 9562; version 4 if made here).
///
/// Anyone who has one can ask for the result or submit keys in the person's name, so it is never printed.
public struct ServerToken: Sendable, Hashable, CustomStringConvertible {
    /// The token, 36 characters as the server wrote them. A secret.
    public let text: String

    /// The number of characters of a UUID, including hyphens: 36 (RFC 9562).
    public static let length = 36

    /// Reads a token that a server has sent; `nil` unless the text is a UUID, in either case.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [8, 4, 4, 4, 12], parts.allSatisfy({ $0.allSatisfy(\.isHexadecimal) }) else {
            return nil
        }
        self.text = text
    }

    /// Creates a random token: a UUID of version 4 in lower case, for fakes among others. Cannot fail.
    public init(using random: inout some RandomNumberGenerator) {
        text = RandomUUID.text(using: &random)
    }

    /// The words `a token`, without the token itself.
    public var description: String { "a token" }
}
