// SPDX-License-Identifier: Apache-2.0

import RandomValues
@_spi(_Unicode) import Swift
import Testing

@testable import ForeignText

struct StreamSafeTests {
    /// Of several classes, of the three without a class, and one that is two marks.
    private static let marks: [Unicode.Scalar] = [
        "\u{300}", "\u{301}", "\u{323}", "\u{344}", "\u{345}", "\u{5B0}", "\u{F73}", "\u{F75}", "\u{F81}", "\u{302A}",
        "\u{3099}", "\u{1D165}",
    ]

    private func row(_ count: Int, _ random: inout SeededGenerator) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<count { text.append(Self.marks.randomElement(using: &random) ?? "\u{300}") }
        return String(text)
    }

    @Test func aRowOfMarksIsBounded() {
        var random = SeededGenerator(seed: 15)
        for _ in 0..<200 {
            let before = ["", "a", "ä", "語", "\u{1F600}"].randomElement(using: &random) ?? ""
            let most = row(StreamSafe.maximumMarks, &random)
            for text in [before + most, before + most + "b" + most, most + "\u{FE0F}" + most] {
                #expect(StreamSafe.isSafe(text) && StreamSafe.decode(Array(text.utf8)) == text)
            }
            for text in [before + most + "\u{301}", "x" + most + row(1, &random) + "y", most + most] {
                #expect(!StreamSafe.isSafe(text) && StreamSafe.decode(Array(text.utf8)) == nil)
            }
        }
        #expect(StreamSafe.decode([0xFF]) == nil && StreamSafe.decode([0xCC]) == nil && StreamSafe.decode([]) == "")
    }

    /// A mark is whatever Unicode puts into an order: a character whose canonical decomposition begins with one.
    @Test func everyCharacterIsWhatUnicodeSays() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let first = String(Character(scalar))._nfd.first { _ in true }
            let isMark = first.map { $0.properties.canonicalCombiningClass != .notReordered } ?? false
            guard StreamSafe.isMark(scalar) != isMark else { continue }
            Issue.record("U+\(String(value, radix: 16)) is \(isMark ? "a" : "no") mark")
        }
    }

    @Test func aLineThatIsShownIsSafe() {
        var random = SeededGenerator(seed: 16)
        for _ in 0..<200 {
            let text = "a" + row(.random(in: 0...200, using: &random), &random)
            let line = ForeignText.line(text)
            #expect(StreamSafe.isSafe(line) && line.unicodeScalars.count == text.unicodeScalars.count)
            #expect(!StreamSafe.isSafe(text) || line == text)
        }
    }
}
