// SPDX-License-Identifier: Apache-2.0

public import JSON

extension JSON {
    /// Any value but those with U+0000, which is refused, and numbers that are not finite.
    public static func random(depth: Int, _ random: inout SeededGenerator) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .int(.random(in: .min ... .max, using: &random))
        case 3:
            let value = Double(bitPattern: random.next())
            return .double(value.isFinite ? value : 0.1)
        case 4: return .string(text(&random))
        case 5:
            return .array((0..<Int.random(in: 0..<5, using: &random)).map { _ in .random(depth: depth - 1, &random) })
        default:
            var object = Object()
            for _ in 0..<Int.random(in: 0..<20, using: &random) {
                object[text(&random)] = .random(depth: depth - 1, &random)
            }
            return .object(object)
        }
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let ranges: [ClosedRange<UInt32>] = [
            1...0x1F, 0x20...0x7E, 0x22...0x22, 0x5C...0x5C, 0x80...0xD7FF, 0x10000...0x10FFFF,
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<8, using: &random) {
            let range = ranges[Int.random(in: 0..<ranges.count, using: &random)]
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { text.append(scalar) }
        }
        return String(text)
    }
}
