// SPDX-License-Identifier: Apache-2.0

public import JSON

/// Makes text that somebody else wrote fit to be shown: nothing in it can move a cursor, change a colour or turn the direction of
/// reading.
public enum PlainText {
    /// One line of at most `limit` characters; what must not be shown becomes `?`, breaks become blanks.
    public static func line(_ text: String, limit: Int = 400) -> String {
        var result = ""
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < limit else { return result + "…" }
            count += 1
            switch scalar {
            case "\n", "\t": result.unicodeScalars.append(" ")
            default: result.unicodeScalars.append(isHarmless(scalar) ? scalar : "?")
            }
        }
        return result
    }

    /// Several lines, each as ``line(_:limit:)``.
    public static func lines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line(String($0), limit: 1_000) }.joined(
            separator: "\n")
    }

    /// The first place of `words` in `text`, byte for byte; `nil` when there is none or `words` is empty. The standard library's own search
    /// is that of its regular expressions, two megabytes of them.
    static func firstRange(of words: String, in text: some StringProtocol) -> Range<String.Index>? {
        let bytes = text.utf8
        var start = bytes.startIndex
        while !words.isEmpty, let found = bytes[start...].firstIndex(of: words.utf8[words.utf8.startIndex]) {
            let rest = bytes[found...]
            if rest.starts(with: words.utf8) { return found..<bytes.index(found, offsetBy: words.utf8.count) }
            start = bytes.index(after: found)
        }
        return nil
    }

    /// `text` with every `words` replaced.
    static func replacing(_ words: String, with other: String, in text: String) -> String {
        var result = ""
        var rest = text[...]
        while let range = firstRange(of: words, in: rest) {
            result += rest[..<range.lowerBound] + other
            rest = rest[range.upperBound...]
        }
        return result + rest
    }

    /// The value as one line of JSON in which every scalar that must not be shown is escaped: the same value to whoever parses it.
    public static func json(_ value: JSON) -> String {
        var result = ""
        for scalar in value.description.unicodeScalars {
            if isHarmless(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                // Outside of strings JSON is ASCII, so this is within one.
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return result
    }

    /// Columns that a terminal gives to the text, nearly: nothing for marks that join, two for wide scripts and pictures.
    static func width(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { sum, scalar in
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark: return sum
            default: break
            }
            switch scalar.value {
            case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
                0xFFE0...0xFFE6,
                0x1F300...0x1FAFF, 0x20000...0x3FFFD:
                return sum + 2
            default: return sum + 1
            }
        }
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Formats turn directions or show nothing at all; private use and unassigned show whatever a terminal likes.
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
