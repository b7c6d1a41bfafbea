// SPDX-License-Identifier: Apache-2.0

/// The serial number of a board, in an inventory and on its label: 40 random bits and a check character, such as
/// `vg-7k3m-q0r1x`. It is not derived from a hardware address, and is not secret.
public struct BoardSerial: Hashable, Sendable, CustomStringConvertible {
    /// Crockford's base 32 in small letters.
    static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let randomCount = 8

    /// Eight characters of Crockford's base 32, and the check character.
    private let characters: [UInt8]

    /// Draws a new serial number from `generator`; whether another board has the same one is not checked.
    public init(using generator: inout some RandomNumberGenerator) {
        let values = (0..<Self.randomCount).map { _ in Int.random(in: 0..<32, using: &generator) }
        characters = (values + [Self.check(values)]).map { Self.alphabet[$0] }
    }

    /// Reads a serial number as a person types it, of at most 32 bytes: in any case, with or without dashes and blanks
    /// after `vg`; O is read as 0, I and L as 1. `nil` for any other text, and when the check character does not fit, as
    /// after a typing error.
    public init?(_ text: String) {
        var values: [Int] = []
        let lower = text.lowercased()
        guard lower.utf8.count <= 32, lower.hasPrefix("vg") else { return nil }
        for byte in lower.utf8.dropFirst(2) {
            let letter: UInt8
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: " "): continue
            case UInt8(ascii: "o"): letter = UInt8(ascii: "0")
            case UInt8(ascii: "i"), UInt8(ascii: "l"): letter = UInt8(ascii: "1")
            default: letter = byte
            }
            guard let value = Self.alphabet.firstIndex(of: letter) else { return nil }
            values.append(value)
        }
        guard values.count == Self.randomCount + 1, Self.check(Array(values.dropLast())) == values.last else { return nil }
        characters = values.map { Self.alphabet[$0] }
    }

    /// The rule of Luhn in base 32: one wrong character is always noticed, and two neighbours that changed places nearly always.
    private static func check(_ values: [Int]) -> Int {
        let sum = values.reversed().enumerated().reduce(0) { sum, entry in
            let value = entry.offset.isMultiple(of: 2) ? 2 * entry.element : entry.element
            return sum + value / 32 + value % 32
        }
        return (32 - sum % 32) % 32
    }

    /// The serial number as it is printed, in digits and small letters: `vg-`, four characters, a dash and five characters.
    public var description: String {
        "vg-\(String(decoding: characters.prefix(4), as: UTF8.self))-\(String(decoding: characters.dropFirst(4), as: UTF8.self))"
    }
}
