// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import Glibc
import JSON
import Poster
import TestKit
import Testing

@testable import FleetCard

/// Needs the Debian package zbar-tools for what another reader sees.
@Suite struct LabelTests {
    private static let hasReader = access("/usr/bin/zbarimg", X_OK) == 0

    @Test(.enabled(if: hasReader, "zbarimg is not installed"), arguments: LabelSize.allCases)
    func aLabelIsReadBackAndSaysTheCode(_ size: LabelSize) throws {
        let card = try Sample.card()
        let labelled = try card.labelled(size)
        let code = try card.code
        let added = labelled.files.dropFirst(card.files.count)
        #expect(added.map(\.path) == ["label.svg", "label.pdf", "label-code.png"] && added.allSatisfy(\.isSecret))
        let png = try #require(labelled.files.first { $0.path == "label-code.png" }).content.withBytes { Array($0) }
        let folder = try TemporaryFolder()
        try folder.write(png, to: "code.png")
        let read = try runProgram("/usr/bin/zbarimg", ["-q", "--raw", "--oneshot", folder.file("code.png")])
        #expect(read.status == 0 && read.output.trimming("\n") == "VIGIL:1;ID:\(card.serial);K:\(code)")
        let svg = try #require(labelled.text("label.svg"))
        #expect(svg.contains(">\(code)<") && svg.contains(">\(card.serial)<") && svg.contains("Bücherei, Erdgeschoß"))
        let claim = try card.claim
        for file in added { #expect(labelled.text(file.path)?.contains(claim) == false) }
    }

    /// Whatever is drawn is drawn twice the same: the modules of the SVG are those of the code, and within the label.
    @Test func theDrawingIsTheCode() throws {
        let code = try QRCode("VIGIL:1;ID:vg-0000-00000;K:0000-0000-0000-0000", level: .quartile)
        let label = Label(.small, code: code, lines: ["a", "b & <c>"])
        let module = label.size.height / Double(code.side + 2 * QRCode.quiet)
        var drawn: Set<Int> = []
        for bar in label.sheet.bars {
            let (column, row) = (Int((bar.x / module).rounded()), Int((bar.y / module).rounded()))
            for offset in 0..<Int((bar.width / module).rounded()) { drawn.insert(row * 1_000 + column + offset) }
            #expect(bar.x + bar.width <= label.size.height && bar.y + bar.height <= label.size.height)
        }
        for row in 0..<code.side {
            for column in 0..<code.side {
                #expect(drawn.contains((row + QRCode.quiet) * 1_000 + column + QRCode.quiet) == code.isDark(column, row))
            }
        }
        for line in label.sheet.lines { #expect(line.x + Double(line.text.count) * 0.6 * line.size <= label.size.width) }
        #expect(label.sheet.svg.contains("b &amp; &lt;c&gt;"))
        // Each entry of the table of a PDF leads to its object.
        let pdf = label.sheet.pdf
        let text = String(decoding: pdf, as: UTF8.self)
        let table = try #require(text.firstRange(of: "xref\n0 8\n"))
        for (index, entry) in text[table.upperBound...].split(separator: "\n").dropFirst().prefix(7).enumerated() {
            let place = try #require(Int(entry.prefix(10)))
            #expect(pdf[place...].starts(with: Array("\(index + 1) 0 obj".utf8)))
        }
    }

    @Test func anUnknownSizeIsRefused() {
        #expect(throws: LabelFault.noSize("A4")) { _ = try LabelSize(parsing: "A4") }
    }
}
