// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing

@testable import Poster

/// Codes of libqrencode, read by code that has nothing of it.
struct QRCodeTests {
    private static func text(_ count: Int, _ letters: String, _ random: inout SeededGenerator) -> String {
        let letters = Array(letters)
        return String((0..<count).map { _ in letters.randomElement(using: &random) ?? "a" })
    }

    /// Whoever makes a code is given none that was not read back, so every table is right that a code was made with.
    @Test(arguments: QRCode.Level.allCases) func everyVersionIsReadBack(level: QRCode.Level) throws {
        var random = SeededGenerator(seed: 11)
        for version in 1...40 {
            // As much as fits: four bits of mode, eight or sixteen of length.
            let count = QRBlocks(version: version, level: level).dataCount - (version < 10 ? 2 : 3)
            let text = Self.text(count, "abcdefghijklmnopqrstuvwxyz?#=-_", &random)
            let code = try QRCode(text, level: level)
            #expect(code.level == level && code.version == version)
        }
    }

    @Test(arguments: [
        "0", "12", "123", "0123456789012345678901234567890", "HTTPS://E.EXAMPLE/AB $%*+-./:",
        "UKC19TRACING:1:eyJhbGciOiJFUzI1NiJ9.abc_-9",
        "https://e.coronawarn.app?v=1#CAESLAgBEgRDYWbDqQ", "Größe 12345678901234567890 ABCDEFGHIJKLMNOP z", "日本語のテキスト",
        "\n", " ",
    ]) func everyKindOfTextIsReadBack(text: String) throws {
        #expect(try QRCode(text).reading() == Array(text.utf8))
    }

    /// Each module counts: in version 1 and 7 none is left over.
    @Test(arguments: [1, 7]) func aModuleThatIsWrongIsSeen(version: Int) throws {
        let code = try QRCode(String(repeating: "a", count: version == 1 ? 14 : 120))
        try #require(code.version == version)
        for wrong in 0..<code.side * code.side {
            var dark = (0..<code.side * code.side).map { code.isDark($0 % code.side, $0 / code.side) }
            dark[wrong].toggle()
            let damaged = QRCode(side: code.side, level: code.level, dark: dark)
            #expect(throws: PosterError.unreadable, "module \(wrong)") { try damaged.reading() }
        }
    }

    @Test func whatIsNoCodeIsRefused() {
        var random = SeededGenerator(seed: 12)
        for side in [0, 20, 22, 25, 177, 181] {
            let dark = (0..<side * side).map { _ in Bool.random(using: &random) }
            #expect(throws: PosterError.unreadable) { try QRCode(side: side, level: .low, dark: dark).reading() }
        }
    }

    @Test func whatDoesNotFitIsRefused() throws {
        for text in ["", "\0", "a\0b", String(repeating: "a", count: 2_954), String(repeating: "ä", count: 100_000)] {
            #expect(throws: PosterError.unfit) { try QRCode(text) }
        }
        // What fits with less only is made with less.
        #expect(try QRCode(String(repeating: "a", count: 2_500)).level == .low)
        #expect(try QRCode(String(repeating: "a", count: 2_300)).level == .medium)
    }

    @Test func pathAndRunsAreTheModules() throws {
        let code = try QRCode("https://e.coronawarn.app?v=1#abc")
        var drawn: Set<Int> = []
        for run in code.runs {
            for column in run.column..<run.column + run.length { drawn.insert(run.row * code.side + column) }
        }
        let dark = (0..<code.side * code.side).filter { code.isDark($0 % code.side, $0 / code.side) }
        #expect(drawn == Set(dark))
        // The path, followed as a browser does.
        var stroked: Set<Int> = []
        for line in code.path.split(separator: "M") {
            let steps = line.split(separator: "h")
            let start = steps[0].split(separator: " ")
            var column = try #require(Int(start[0])) - QRCode.quiet
            #expect(start[1].hasSuffix(".5"))
            let row = try #require(Int(start[1].dropLast(2))) - QRCode.quiet
            for step in steps.dropFirst() {
                let parts = step.split(separator: "m")
                for _ in 0..<(try #require(Int(parts[0]))) {
                    stroked.insert(row * code.side + column)
                    column += 1
                }
                if parts.count > 1 { column += try #require(Int(parts[1].dropLast(2))) }
            }
        }
        #expect(stroked == Set(dark))
    }
}
