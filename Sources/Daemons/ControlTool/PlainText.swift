// SPDX-License-Identifier: Apache-2.0

import ForeignText
public import JSON

/// Text for a terminal: its width, its parts, and JSON that shows what it is.
public enum PlainText {
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

    /// Returns the value as one line of JSON, without a line break at the end. Characters that are unsafe to show on a
    /// terminal are written as `\u` escapes, so parsing gives the same value. Cannot fail.
    public static func json(_ value: JSON) -> String {
        var result = ""
        for scalar in value.description.unicodeScalars {
            if ForeignText.isHarmless(scalar) {
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
}
