// SPDX-License-Identifier: Apache-2.0

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
        let high = random.next() & ~0xF000 | 0x4000
        let low = random.next() & ~(0b11 << 62) | 0b10 << 62
        func digits(_ word: UInt64, _ shift: UInt64, _ count: Int) -> String {
            let text = String(word >> shift & ((1 << UInt64(4 * count)) - 1), radix: 16)
            return String(repeating: "0", count: count - text.utf8.count) + text
        }
        text = [
            digits(high, 32, 8), digits(high, 16, 4), digits(high, 0, 4), digits(low, 48, 4), digits(low, 0, 12),
        ].joined(separator: "-")
    }

    /// The words `a token`, without the token itself.
    public var description: String { "a token" }
}
