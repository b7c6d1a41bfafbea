// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Testing

@Suite struct ForeignTextTests {
    /// What seven copies of this rule let through, some this and some that.
    @Test(arguments: [
        "\u{1B}[2J", "\u{9B}2J", "\u{85}", "\u{7F}", "\r", "\u{0}", "\u{202E}", "\u{2066}", "\u{200B}", "\u{AD}", "\u{61C}",
        "\u{FEFF}", "\u{2028}", "\u{2029}", "\u{E0041}", "\u{E000}", "\u{F0000}", "\u{378}", "\u{FFF9}",
    ])
    func nothingActs(text: String) {
        let first = text.unicodeScalars.first
        #expect(first.map(ForeignText.isHarmless) == false)
        for shown in [
            ForeignText.line("a\(text)b"), ForeignText.lines("a\(text)b"), ForeignText.ascii("a\(text)b", limit: 9),
        ] {
            #expect(shown.unicodeScalars.allSatisfy { $0 != first })
            #expect(shown.unicodeScalars.starts(with: "a?".unicodeScalars))
        }
    }

    @Test func peoplesTextStays() {
        for text in ["Grüße, 東京 – “quoted” ½ €", "e\u{301}", "🇩🇪 👍", "مرحبا", "~ \"'<&>"] {
            #expect(ForeignText.line(text) == text)
        }
    }

    @Test func breaksBecomeBlanksOrStay() {
        #expect(ForeignText.line("a\n\tb") == "a  b")
        #expect(ForeignText.lines("a\n\tb\n") == "a\n b\n")
        #expect(ForeignText.ascii("a\n\tb", limit: 9) == "a??b")
    }

    /// Carriage return and line feed together end a line, once; a carriage return alone moves a cursor.
    @Test func windowsLinesAreLines() {
        #expect(ForeignText.line("a\r\nb\r\n") == "a b ")
        #expect(ForeignText.line("a\r\r\nb\rc\n\rd\r") == "a? b?c ?d?")
        #expect(ForeignText.line("ab\r\nc", limit: 3) == "ab …" && ForeignText.line("ab\r\nc", limit: 4) == "ab c")
        #expect(ForeignText.lines("a\r\nb\nc\r\n\r\n") == "a\nb\nc\n\n")
        #expect(ForeignText.lines("a\rb\n\rc\r") == "a?b\n?c?")
        #expect(ForeignText.lines("abcd\r\nabc\r\n", limit: 3) == "abc…\nabc\n")
    }

    @Test func longTextIsCut() {
        #expect(ForeignText.line("abcdef", limit: 6) == "abcdef")
        #expect(ForeignText.line("abcdefg", limit: 6) == "abcdef…")
        #expect(ForeignText.ascii("abcdefg", limit: 6) == "abcdef...")
        #expect(ForeignText.line("a\u{301}\u{301}\u{301}", limit: 2).unicodeScalars.count == 3)
        #expect(ForeignText.line("", limit: 0) == "")
        #expect(ForeignText.lines("abc\ndefg", limit: 3) == "abc\ndef…")
    }

    @Test func allOfUnicodeIsJudged() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isVisible = ForeignText.isHarmless(scalar)
            // The rule for ASCII is a short cut and no other rule.
            let isGood: Bool
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                isGood = false
            default: isGood = true
            }
            if isVisible != isGood { Issue.record("U+\(String(value, radix: 16))") }
        }
    }
}
