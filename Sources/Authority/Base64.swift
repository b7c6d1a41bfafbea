// SPDX-License-Identifier: Apache-2.0

/// RFC 4648, section 4: standard alphabet, padded. Strict: one text for each sequence of bytes.
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values: [Int8] = {
        var table = [Int8](repeating: -1, count: 256)
        for (value, symbol) in alphabet.enumerated() { table[Int(symbol)] = Int8(value) }
        return table
    }()

    /// The bytes as text.
    public static func string(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var bits: UInt32 = 0
            for place in 0..<count { bits |= UInt32(bytes[start + place]) << (16 - 8 * UInt32(place)) }
            for position in 0..<4 {
                let symbol = alphabet[Int(bits >> (18 - 6 * UInt32(position)) & 63)]
                text.append(position <= count ? symbol : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of `text`; `nil` for anything ``string(_:)`` would not write.
    public static func bytes(_ text: String) -> [UInt8]? {
        var symbols = Array(text.utf8)
        guard symbols.count.isMultiple(of: 4) else { return nil }
        var padding = 0
        while padding < 2, symbols.last == UInt8(ascii: "=") {
            symbols.removeLast()
            padding += 1
        }
        var result: [UInt8] = []
        result.reserveCapacity(symbols.count * 3 / 4)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for symbol in symbols {
            let value = values[Int(symbol)]
            guard value >= 0 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                result.append(UInt8(truncatingIfNeeded: bits >> count))
                bits &= (1 << count) - 1
            }
        }
        // What is left of the last symbol must be zero, or two texts would mean the same.
        return bits == 0 && count == UInt32(padding * 2) ? result : nil
    }
}
