// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The teleTAN a health officer reads out: that of `cwa-protocols` section 4.1 with 12 characters instead of 9 before the check character
/// (ours, docs/decisions/0034). So many cannot be guessed at any pace the server has, and no try need be refused for others' tries.
public enum TeleTANIssuing {
    /// The 31 characters that a teleTAN has before its check character, in ASCII: digits and capital letters without 0,
    /// 1, I, L and O (`cwa-protocols` section 4.1).
    public static let alphabet = Array("23456789ABCDEFGHJKMNPQRSTUVWXYZ".utf8)
    static let bodyCount = 12

    /// A new teleTAN of 13 characters: twelve of ``alphabet``, 59.4 random bits, and the check character. `generator`
    /// must be cryptographically secure outside of tests. Cannot fail.
    public static func make(using generator: inout some RandomNumberGenerator) -> String {
        let body = (0..<bodyCount).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
        return String(decoding: body + [checkCharacter(of: body)], as: UTF8.self)
    }

    /// The check character, in ASCII, of the characters before it, which are not checked: the first hexadecimal digit,
    /// in upper case, of SHA-256 over them; G for 0, H for 1.
    public static func checkCharacter(of body: some Collection<UInt8>) -> UInt8 {
        let digit = (SHA256.digest(of: Array(body)).first ?? 0) >> 4
        return Array("GH23456789ABCDEF".utf8)[Int(digit)]
    }

    /// Whether the text has the 13 characters of a teleTAN, capital letters only and nothing between, and its check
    /// character fits. Says nothing about whether it was issued.
    public static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == bodyCount + 1, bytes.prefix(bodyCount).allSatisfy(alphabet.contains) else { return false }
        return bytes[bodyCount] == checkCharacter(of: bytes.prefix(bodyCount))
    }
}
