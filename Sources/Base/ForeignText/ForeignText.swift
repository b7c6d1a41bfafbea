// SPDX-License-Identifier: Apache-2.0

/// Makes text from other parties safe to show in a terminal, on a page or in a log: nothing in the result can move
/// a cursor, change a colour, reverse the direction of reading by a control character or end a line. A few letters
/// and marks without a shape, such as U+3164 (Hangul filler) and variation selectors, are kept.
///
/// Not for text that a program processes further: use and validate the original instead.
public enum ForeignText {
    /// Returns one line of at most `limit` Unicode scalars (0 or more; 400 by default, our own choice), followed by
    /// `…` if the text was longer. Line feeds, the pair of carriage return and line feed, and tabs become spaces; every
    /// other character that is not ``isHarmless(_:)``, a carriage return alone included, becomes `?`, and so does each
    /// combining mark after ``StreamSafe/maximumMarks`` others: the result is ``StreamSafe/isSafe(_:)``. Cannot fail.
    public static func line(_ text: some StringProtocol, limit: Int = 400) -> String {
        var result = ""
        var count = 0
        var marks = 0
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            // One end of a line, not two characters.
            if scalar == "\r", rest.first == "\n" { continue }
            guard count < limit else { return result + "…" }
            count += 1
            marks = StreamSafe.isMark(scalar) ? marks + 1 : 0
            switch scalar {
            case "\n", "\t": result.unicodeScalars.append(" ")
            case _ where marks > StreamSafe.maximumMarks:
                result.unicodeScalars.append("?")
                marks = 0
            default: result.unicodeScalars.append(isHarmless(scalar) ? scalar : "?")
            }
        }
        return result
    }

    /// Returns the text line by line, each as ``line(_:limit:)`` returns it and cut at `limit`. Lines end with a
    /// line feed, or with the pair of carriage return and line feed; in the result with a line feed. The number of lines
    /// is not limited. Cannot fail.
    public static func lines(_ text: some StringProtocol, limit: Int = 1_000) -> String {
        // The pair is one Character.
        text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map { line($0, limit: limit) }
            .joined(separator: "\n")
    }

    /// Returns one line of ASCII, for names that appear in the logs of other machines: at most `limit` characters, followed
    /// by `...` if the text was longer. Everything but spaces and visible ASCII becomes `?`. Cannot fail.
    public static func ascii(_ text: some StringProtocol, limit: Int) -> String {
        var result = ""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            guard index < limit else { return result + "..." }
            result.unicodeScalars.append((0x20...0x7E).contains(scalar.value) ? scalar : "?")
        }
        return result
    }

    /// Returns whether `name` has the form of a language's name as texts for people have it: `[a-z]{2,3}(-[a-z]{2,8})?`,
    /// such as `de` or `de-simple`.
    public static func isLanguage(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ $0.allSatisfy { (97...122).contains($0) } }) else { return false }
        return (2...3).contains(parts[0].count) && (parts.count == 1 || (2...8).contains(parts[1].count))
    }

    /// Returns whether the character is safe to show anywhere: not a control or format character, not the end of a
    /// line, neither private nor unassigned (the general categories of Unicode).
    public static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        // Nearly all text.
        if scalar.isASCII { return (0x20...0x7E).contains(scalar.value) }
        switch scalar.properties.generalCategory {
        // Formats turn directions or show nothing at all; private use and unassigned show whatever a terminal likes.
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return false
        default: return true
        }
    }
}
