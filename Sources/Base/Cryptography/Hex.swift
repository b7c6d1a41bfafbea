// SPDX-License-Identifier: Apache-2.0

/// Bytes as hexadecimal text. For public values only; secrets have no text form.
public enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Returns two lower-case digits for each byte, without separators; the empty text for no bytes. Cannot fail. Not
    /// constant in time.
    public static func string(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes hexadecimal digits of either case. Returns `nil` for an odd number of digits or any other character;
    /// the empty text gives no bytes. Not constant in time.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? { bytes(utf8: Array(text.utf8)) }

    /// Decodes hexadecimal digits as ``bytes(_:)`` does, from the bytes of an ASCII text.
    public static func bytes(utf8 text: some RandomAccessCollection<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(text.count / 2)
        var high: UInt8?
        for character in text {
            let value: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = character - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = character - UInt8(ascii: "A") + 10
            default: return nil
            }
            if let first = high {
                result.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return result
    }
}
