// SPDX-License-Identifier: Apache-2.0

/// A UUID that a server gave, or will take, as a proof: a registration token or a TAN (RFC 9562, version 4 when it is ours).
///
/// Whoever has one can ask for the result or submit in somebody's name, so it is printed by name only.
public struct ServerToken: Sendable, Hashable, CustomStringConvertible {
    /// 36 characters, as the server wrote them. A secret.
    public let text: String

    /// The number of characters of a UUID, hyphens included (RFC 9562).
    public static let length = 36

    /// The token that a server has sent; `nil` unless the text is a UUID of either case.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [8, 4, 4, 4, 12], parts.allSatisfy({ $0.allSatisfy(\.isHexadecimal) }) else {
            return nil
        }
        self.text = text
    }

    /// A random token: a UUID of version 4, in lower case, as fakes carry it. Cannot fail.
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

    /// The words `a token`, never which.
    public var description: String { "a token" }
}
