// SPDX-License-Identifier: Apache-2.0

/// RFC 4648, section 6, in either case, with all of its padding or without.
enum Base32 {
    /// The bytes of `text`; `nil` for what no encoder writes, leftover bits that are not zero included.
    static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
        var rest = Array(text)
        if rest.count.isMultiple(of: 8) {
            while rest.last == UInt8(ascii: "=") { rest.removeLast() }
            // Eight digits are five bytes; fewer hold one, two, three or four.
            guard text.count - rest.count <= 6 else { return nil }
        }
        guard [0, 2, 4, 5, 7].contains(rest.count % 8) else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(rest.count * 5 / 8)
        var word: UInt32 = 0
        var bits: UInt32 = 0
        for byte in rest {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit = byte - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = byte - UInt8(ascii: "a")
            case UInt8(ascii: "2")...UInt8(ascii: "7"): digit = byte - UInt8(ascii: "2") + 26
            default: return nil
            }
            word = word << 5 | UInt32(digit)
            bits += 5
            if bits >= 8 {
                bits -= 8
                result.append(UInt8(truncatingIfNeeded: word >> bits))
                word &= 1 << bits - 1
            }
        }
        return word == 0 ? result : nil
    }
}
