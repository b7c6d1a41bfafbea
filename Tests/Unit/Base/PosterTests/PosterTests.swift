// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Poster

struct PosterTests {
    static let link = "https://e.coronawarn.app?v=1#" + String(repeating: "CAESLAgBEg_ZDY-bDqQ", count: 14)

    static func words(_ name: String) -> Poster.Words {
        Poster.Words(
            heading: "Check in here", name: name, details: ["Street 1, 12345 Town", "26 November, 19:00 to 23:00"],
            steps: [
                "Open the app Corona-Warn-App and scan this code.",
                "No phone? Ask for a small print of this code, and note when you came and when you left.",
                "When you leave, check out.",
            ], notes: ["This place does not learn who you are: no names, no list and no count."])
    }

    static let names = [
        "Café", "", "W", String(repeating: "W", count: 255), String(repeating: "long name ", count: 25),
        "<script>&\"'</text>",
        "a\u{0}b\u{1B}[31m\u{202E}c\nd\re", "(\\) endstream endobj", "日本語", String(repeating: "👩‍👩‍👧", count: 60), "   ",
    ]

    @Test(arguments: names, Poster.Paper.allCases) func everythingIsOnThePaper(name: String, paper: Poster.Paper) throws {
        let poster = Poster(code: try QRCode(Self.link), words: Self.words(name))
        let sheet = poster.sheet(on: paper)
        let module = poster.module(on: paper)
        #expect(sheet.width == paper.width && sheet.height == paper.height)
        // The code with its quiet zone: nothing else in it, and large enough.
        let quiet = Double(QRCode.quiet) * module
        let left = try #require(sheet.bars.map(\.x).min()) - quiet
        let top = try #require(sheet.bars.map(\.y).min()) - quiet
        let side = Double(poster.code.side) * module + 2 * quiet
        #expect(side >= 0.4 * paper.width - 0.001 && left >= 0 && left + side <= paper.width)
        for line in sheet.lines {
            #expect(line.x >= 0 && line.x + line.font.width(line.text) * line.size <= paper.width, "\(line.text)")
            #expect(line.y <= paper.height && line.y - line.size >= 0)
            // From the ascent to the descent.
            #expect(
                line.y + 0.22 * line.size <= top + 0.001 || line.y - 0.75 * line.size >= top + side - 0.001, "\(line.text)")
        }
        // Modules are where they belong.
        var drawn: Set<Int> = []
        for bar in sheet.bars {
            let (column, row) = (Int(((bar.x - left) / module).rounded()) - 4, Int(((bar.y - top) / module).rounded()) - 4)
            for offset in 0..<Int((bar.width / module).rounded()) { drawn.insert(row * 1_000 + column + offset) }
        }
        for row in 0..<poster.code.side {
            for column in 0..<poster.code.side {
                #expect(drawn.contains(row * 1_000 + column) == poster.code.isDark(column, row))
            }
        }
    }

    /// SVG and PDF say the bars and the words of the sheet, whatever a name has in it.
    @Test(arguments: names) func noNameChangesThePicture(name: String) throws {
        let code = try QRCode(Self.link)
        let sheet = Poster(code: code, words: Self.words(name)).sheet(on: .a4)
        let svg = sheet.svg
        #expect(svg.split(separator: "<text ").count == sheet.lines.count + 1)
        #expect(svg.split(separator: "<").count == 2 * sheet.lines.count + 4)
        #expect(svg.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0 != "\u{202E}" && $0 != "\u{7F}" })
        let pdf = String(decoding: sheet.pdf, as: Unicode.ASCII.self)
        #expect(pdf.split(separator: " re\n", omittingEmptySubsequences: false).count == sheet.bars.count + 1)
        #expect(pdf.split(separator: " Tj ET\n", omittingEmptySubsequences: false).count == sheet.lines.count + 1)
        #expect(pdf.split(separator: "\nendobj\n", omittingEmptySubsequences: false).count == 8)
    }

    /// Each entry of the table leads to its object, and the stream is as long as it says.
    @Test func aPDFIsWhole() throws {
        let pdf = try Poster(code: try QRCode(Self.link), words: Self.words("Café „Zur Post“ – 5 €")).pdf(on: .a6)
        let text = String(decoding: pdf, as: Unicode.ASCII.self)
        func number(after mark: String) -> Int? {
            text.range(of: mark).flatMap { Int(text[$0.upperBound...].prefix { $0.isNumber }) }
        }
        let table = try #require(number(after: "startxref\n"))
        #expect(pdf[table...].starts(with: Array("xref\n0 8\n".utf8)))
        for (index, entry) in text.dropFirst(table).split(separator: "\n").dropFirst(3).prefix(7).enumerated() {
            let place = try #require(Int(entry.prefix(10)))
            #expect(pdf[place...].starts(with: Array("\(index + 1) 0 obj".utf8)))
        }
        let start = try #require(text.range(of: "stream\n")?.upperBound)
        let end = try #require(text.range(of: "endstream")?.lowerBound)
        #expect(text.distance(from: start, to: end) == number(after: "/Length "))
        // é and the marks, each one byte.
        #expect(pdf.contains(0xE9) && pdf.contains(0x84) && pdf.contains(0x93) && pdf.contains(0x96) && pdf.contains(0x80))
    }

    @Test func lettersThatAPDFLacksAreSaid() throws {
        let poster = Poster(code: try QRCode("a"), words: Self.words("Şişli"))
        #expect(throws: PosterError.noFont) { try poster.pdf(on: .a4) }
        #expect(poster.sheet(on: .a4).svg.contains("Şişli"))
    }

    @Test func linesAreBrokenWhereTheyMayBe() {
        let font = Sheet.Font.mono
        #expect(font.lines("aa bb cc", room: 3.1) == ["aa bb", "cc"])
        #expect(font.lines("aaaaaaaaaa", room: 1.9) == ["aaa", "aaa", "aaa", "a"])
        #expect(font.lines("", room: 1) == [] && font.lines("  a  ", room: 0.1) == ["a"])
    }
}

extension String {
    fileprivate func range(of mark: String) -> Range<String.Index>? { ranges(of: mark).first }
}
