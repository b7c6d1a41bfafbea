// SPDX-License-Identifier: Apache-2.0

/// Makes text that somebody else wrote fit to be shown in a terminal, a page or a log: nothing in it can move a cursor, change a colour, turn the
/// direction of reading, end a line or hide.
///
/// Not for text that a machine reads on: use the original for that, and judge it.
public enum ForeignText {
    /// One line of at most `limit` Unicode scalars (0 or more), then `…` where it was cut. Line feeds and tabs become
    /// blanks; what else must not be shown becomes `?`, a carriage return too. Cannot fail.
    public static func line(_ text: some StringProtocol, limit: Int = 400) -> String {
        var result = ""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            guard index < limit else { return result + "…" }
            switch scalar {
            case "\n", "\t": result.unicodeScalars.append(" ")
            default: result.unicodeScalars.append(isHarmless(scalar) ? scalar : "?")
            }
        }
        return result
    }

    /// Several lines, each as ``line(_:limit:)`` and so cut at `limit`; the number of lines has no bound. Cannot fail.
    public static func lines(_ text: some StringProtocol, limit: Int = 1_000) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line($0, limit: limit) }.joined(separator: "\n")
    }

    /// One line of ASCII, for names that reach logs of other machines: at most `limit` characters, then `...` where it was
    /// cut. Everything but blanks and visible ASCII becomes `?`. Cannot fail.
    public static func ascii(_ text: some StringProtocol, limit: Int) -> String {
        var result = ""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            guard index < limit else { return result + "..." }
            result.unicodeScalars.append((0x20...0x7E).contains(scalar.value) ? scalar : "?")
        }
        return result
    }

    /// Whether the character shows what it is, wherever it stands: no control, no format character, no line end, no private or unassigned one.
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
