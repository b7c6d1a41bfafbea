// SPDX-License-Identifier: Apache-2.0

/// Text that a terminal or a page may show as it is.
enum PlainWords {
    /// Control characters, marks that turn the direction of text or show nothing, separators of lines: what lets a text look like
    /// something else than it is (Unicode 15, general categories Cc, Cf, Zl, Zp, as far as they are in use).
    static let forbidden: [ClosedRange<UInt32>] = [
        0x00...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x61C...0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
        0xFEFF...0xFEFF, 0xFFF9...0xFFFB,
    ]

    static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        // Tags, invisible as well, lie beyond what one \u of a pattern can say.
        !forbidden.contains { $0.contains(scalar.value) }
    }

    static func isHarmless(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isHarmless) }

    /// The text on one line, harmless, with at most `limit` characters.
    static func line(_ text: String, limit: Int) -> String {
        var result = ""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            guard index < limit else { return result + "…" }
            result.unicodeScalars.append(isHarmless(scalar) ? scalar : scalar == "\n" || scalar == "\t" ? " " : "?")
        }
        return result
    }
}
