// SPDX-License-Identifier: Apache-2.0

/// A fault of a typed teleTAN, with a sentence for the person who typed it.
public enum TeleTANProblem: Sendable, Hashable, CustomStringConvertible {
    /// Nothing was typed but spaces and dashes.
    case empty
    /// This character is not in ``TeleTAN/alphabet``. `position` counts characters from 1 to the largest of
    /// ``TeleTAN/lengths``, without spaces and dashes.
    case notInAlphabet(position: Int, Unicode.Scalar)
    /// This many characters, at least 1, are missing to the next of ``TeleTAN/lengths``.
    case tooShort(missing: Int)
    /// There are this many characters, at least 1, more than the largest of ``TeleTAN/lengths``.
    case tooLong(extra: Int)
    /// The text does not begin as the authority's teleTANs do.
    case foreignPrefix
    /// Every character is permitted by itself, but the check character does not match the others.
    case checkCharacterWrong

    /// An English sentence without a full stop for the person who typed; it contains at most one character of what was
    /// typed.
    public var description: String {
        switch self {
        case .empty: "nothing was typed"
        case .notInAlphabet(let position, let scalar):
            "character \(position), \(Self.shown(scalar)), is not used in teleTANs\(Self.hint(scalar))"
        case .tooShort(let missing):
            "\(missing) \(missing == 1 ? "character is" : "characters are") missing; \(Self.lengths)"
        case .tooLong(let extra):
            "\(extra) \(extra == 1 ? "character" : "characters") too many; \(Self.lengths)"
        case .foreignPrefix: "it does not begin as the teleTANs of this health authority do"
        case .checkCharacterWrong: "the characters do not fit together: one of them is another one, or two are swapped"
        }
    }

    private static let lengths =
        "there are \(TeleTAN.lengths.map(String.init).joined(separator: " or ")), as the hotline gave them"

    /// The character if it can be shown, else its number.
    private static func shown(_ scalar: Unicode.Scalar) -> String {
        if (0x21...0x7E).contains(scalar.value) { return "\u{201C}\(scalar)\u{201D}" }
        return "U+" + String(repeating: "0", count: max(0, 4 - String(scalar.value, radix: 16).utf8.count))
            + String(scalar.value, radix: 16, uppercase: true)
    }

    private static func hint(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "0", "O": " (0 and O look alike; it may be a Q, D or 8)"
        case "1", "I", "L": " (1, I and L look alike; it may be a J, T or 7)"
        default: ""
        }
    }
}
