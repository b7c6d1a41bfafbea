// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Glibc

/// The terminal or file that answers are shown on: how wide it is, and whether it has colours.
public struct Screen: Sendable {
    /// Colours always stand beside a word that says the same.
    package enum Tone: String {
        case good = "32"
        case bad = "31"
        case attention = "33"
        case quiet = "2"
        case strong = "1"
    }

    /// The number of columns that a line may have; at least 40 if given to the initialiser, not checked if set.
    public var width: Int
    /// Whether colours are shown, by escape sequences of a terminal.
    public var isColoured: Bool

    /// Creates a screen of this width.
    ///
    /// - Parameters:
    ///   - width: The number of columns; fewer than 40 count as 40. 100 by default, our choice.
    ///   - isColoured: Whether colours are shown; `false` by default.
    public init(width: Int = 100, isColoured: Bool = false) {
        self.width = max(40, width)
        self.isColoured = isColoured
    }

    /// Returns the screen for standard output. A terminal has its own width (80 columns if it reports none, at
    /// least 40), and colours unless NO_COLOR (no-color.org) is set and not empty, or TERM is `dumb` or not set.
    /// Anything else is 100 columns wide, without colours, so that the input of scripts does not depend on a
    /// window. Cannot fail.
    public static func standardOutput() -> Screen {
        guard isatty(1) == 1 else { return Screen() }
        func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        var size = winsize()
        let width = ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
        let isDumb = environment("TERM").map { $0 == "dumb" } ?? true
        return Screen(width: width, isColoured: !isDumb && (environment("NO_COLOR") ?? "").isEmpty)
    }

    /// The text in the tone's colour, or as it is without colours or tone. What is in the text is not cleaned.
    package func tint(_ text: String, _ tone: Tone?) -> String {
        guard isColoured, let tone, !text.isEmpty else { return text }
        return "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m"
    }

    /// Text in lines that fit into `width` columns (the screen's, 20 at least), later ones set in by `indent`. The text must be clean
    /// already.
    package func wrapped(_ text: String, width: Int? = nil, indent: Int = 0) -> [String] {
        let width = max(20, width ?? self.width)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            let room = width - (lines.isEmpty ? 0 : indent)
            if !line.isEmpty, PlainText.width(line) + 1 + PlainText.width(String(word)) > room {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        lines.append(line)
        return lines.enumerated().map { ($0.offset == 0 ? "" : String(repeating: " ", count: indent)) + $0.element }
    }

    /// A paragraph in lines that fit, cleaned of what terminals obey and cut to 2,000 characters, with a line break at its end.
    package func paragraph(_ text: String, _ tone: Tone? = nil) -> String {
        wrapped(ForeignText.line(text, limit: 2_000)).map { tint($0, tone) + "\n" }.joined()
    }

    /// Names and values below each other, values aligned and wrapped, with a line break at the end. Both are cleaned.
    package func list(_ pairs: [(String, String)]) -> String {
        let names = pairs.map { ForeignText.line($0.0, limit: 40) }
        let column = (names.map(PlainText.width).max() ?? 0) + 2
        var text = ""
        for (name, pair) in zip(names, pairs) {
            let gap = String(repeating: " ", count: column - PlainText.width(name))
            let value = wrapped(ForeignText.line(pair.1, limit: 2_000), width: width - column)
            text += tint(name, .quiet) + gap + (value.first ?? "") + "\n"
            for line in value.dropFirst() { text += String(repeating: " ", count: column) + line + "\n" }
        }
        return text
    }
}
