// SPDX-License-Identifier: Apache-2.0

/// Secrets that are made here, to be printed on a card and typed by people: 16 characters of Crockford's base 32, in which
/// no two look alike, in groups of four; 80 bits.
public enum PrintedSecret {
    /// The number of letters and digits of a secret, without the dashes between its groups: 16 of five bits each, 80 bits
    /// in all; our choice.
    public static let characterCount = 16
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// Makes a new secret in its printed form: `7H2K-…`.
    package static func make(using generator: inout some RandomNumberGenerator) -> String {
        var text: [UInt8] = []
        for index in 0..<characterCount {
            if index > 0, index.isMultiple(of: 4) { text.append(UInt8(ascii: "-")) }
            text.append(alphabet[Int.random(in: 0..<alphabet.count, using: &generator)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the ``characterCount`` capital letters and digits in ASCII, without dashes and blanks and from either case;
    /// O counts as 0, I and L as 1. `nil` if the text cannot be a secret that was made here.
    public static func normalized(_ text: String) -> [UInt8]? {
        var result: [UInt8] = []
        for byte in text.utf8 {
            // To upper case.
            switch (97...122).contains(byte) ? byte - 32 : byte {
            case UInt8(ascii: "-"), UInt8(ascii: " "): continue
            case UInt8(ascii: "O"): result.append(UInt8(ascii: "0"))
            case UInt8(ascii: "I"), UInt8(ascii: "L"): result.append(UInt8(ascii: "1"))
            case let letter where alphabet.contains(letter): result.append(letter)
            default: return nil
            }
        }
        return result.count == characterCount ? result : nil
    }
}
