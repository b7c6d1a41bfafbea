// SPDX-License-Identifier: Apache-2.0

extension Form {
    /// Control characters, marks that turn the direction of text or show nothing, separators of lines: what lets a text look like
    /// something else than it is (Unicode 15, general categories Cc, Cf, Zl, Zp, as far as they are in use). A schema can say no more than
    /// ranges; what is shown goes through `ForeignText`, which knows all of Unicode.
    private static let invisible: [ClosedRange<UInt32>] = [
        0x00...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x61C...0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
        0xFEFF...0xFEFF, 0xFFF9...0xFFFB,
    ]

    /// Something for people to read.
    static func plain(_ length: ClosedRange<Int>) -> Form {
        let ranges = invisible.map { range in
            "\\u" + hexadecimal(range.lowerBound) + "-\\u" + hexadecimal(range.upperBound)
        }
        return Form(
            "\(length.lowerBound) to \(length.upperBound) characters on one line, none of them invisible",
            pattern: "^[^\(ranges.joined())]*$", length: length
        ) { text in text.unicodeScalars.allSatisfy { scalar in !invisible.contains { $0.contains(scalar.value) } } }
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
