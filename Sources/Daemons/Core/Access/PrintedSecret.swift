// SPDX-License-Identifier: Apache-2.0

/// Secrets that are made here, to be printed on a card and typed by people: 16 characters of Crockford's base 32, which has no letter
/// that is taken for another, in groups of four: 80 bits.
public enum PrintedSecret {
    /// The number of letters and digits of a secret, without the dashes between its groups: 16 of five bits each, so 80
    /// bits, a choice of ours.
    public static let characterCount = 16
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// A new one, as it is printed: `7H2K-…`.
    package static func make(using generator: inout some RandomNumberGenerator) -> String {
        var text: [UInt8] = []
        for index in 0..<characterCount {
            if index > 0, index.isMultiple(of: 4) { text.append(UInt8(ascii: "-")) }
            text.append(alphabet[Int.random(in: 0..<alphabet.count, using: &generator)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The ``characterCount`` capital letters and digits alone, in ASCII, whatever dashes and blanks were typed between them and in whichever case; O
    /// counts as 0, I and L as 1. `nil` when it can be none that was made here.
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
