// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// Makes and checks teleTANs, which a health officer reads out. The form is that of `cwa-protocols` section 4.1, with 12
/// characters instead of 9 before the check character (our own choice, docs/decisions/0034). So many characters cannot be
/// guessed at any rate that the server allows, and nobody's tries need to be refused because of others' tries.
public enum TeleTANIssuing {
    /// The 31 characters, in ASCII, that may stand before the check character: digits and capital letters without 0, 1, I,
    /// L and O (`cwa-protocols` section 4.1).
    public static let alphabet = Array("23456789ABCDEFGHJKMNPQRSTUVWXYZ".utf8)
    static let bodyCount = 12

    /// Returns a new teleTAN of 13 characters: twelve of ``alphabet``, which have 59.4 random bits, and the check
    /// character. `generator` must be cryptographically secure outside of tests. Cannot fail.
    public static func make(using generator: inout some RandomNumberGenerator) -> String {
        let body = (0..<bodyCount).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
        return String(decoding: body + [checkCharacter(of: body)], as: UTF8.self)
    }

    /// Returns the check character, in ASCII, for the characters before it, which are not checked: the first hexadecimal
    /// digit, in upper case, of their SHA-256, with G for 0 and H for 1.
    public static func checkCharacter(of body: some Collection<UInt8>) -> UInt8 {
        let digit = (SHA256.digest(of: Array(body)).first ?? 0) >> 4
        return Array("GH23456789ABCDEF".utf8)[Int(digit)]
    }

    /// Returns whether the text has the form of a teleTAN: 13 characters in capital letters, without gaps, with a correct
    /// check character. It does not say whether the teleTAN was issued.
    public static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == bodyCount + 1, bytes.prefix(bodyCount).allSatisfy(alphabet.contains) else { return false }
        return bytes[bodyCount] == checkCharacter(of: bytes.prefix(bodyCount))
    }
}
