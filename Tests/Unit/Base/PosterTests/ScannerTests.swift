// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

@testable import Poster

/// What another reader, zbar, sees of it: needs the Debian packages zbar-tools and poppler-utils (`./Tools/setup.sh labels`). Skipped tests are
/// named at the end of a run.
struct ScannerTests {
    private static let hasReader = access("/usr/bin/zbarimg", X_OK) == 0
    private static let hasPrinter = access("/usr/bin/pdftoppm", X_OK) == 0

    /// What `zbarimg` reads of a file; it must be one code.
    private func read(_ path: String) throws -> String {
        let read = try runProgram("/usr/bin/zbarimg", ["-q", "--raw", "-Sdisable", "-Sqrcode.enable", path])
        #expect(read.status == 0)
        return read.output.last == "\n" ? String(read.output.dropLast()) : read.output
    }

    /// What a camera sees of a sheet: grey, turned by `degrees`, with a shadow over one half that leaves a third of the light.
    private func photograph(_ sheet: Sheet, dotsPerInch: Double, degrees: Double, shadow: Bool) -> [UInt8] {
        let points = dotsPerInch / 25.4
        let (width, height) = (Int(sheet.width * points), Int(sheet.height * points))
        var paper = [UInt8](repeating: 235, count: width * height)
        for bar in sheet.bars {
            let columns = Int((bar.x * points).rounded())..<Int(((bar.x + bar.width) * points).rounded())
            for row in Int((bar.y * points).rounded())..<Int(((bar.y + bar.height) * points).rounded()) {
                for column in columns { paper[row * width + column] = 30 }
            }
        }
        let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
        let side = Int((Double(width * width + height * height)).squareRoot()) + 1
        var picture = [UInt8](repeating: 120, count: side * side)
        for y in 0..<side {
            for x in 0..<side {
                let (dx, dy) = (Double(x) - Double(side) / 2, Double(y) - Double(side) / 2)
                let column = Int(dx * cosine + dy * sine + Double(width) / 2)
                let row = Int(dy * cosine - dx * sine + Double(height) / 2)
                guard (0..<width).contains(column), (0..<height).contains(row) else { continue }
                let light = paper[row * width + column]
                picture[y * side + x] = shadow && x + y / 3 < side / 2 + side / 6 ? light / 3 : light
            }
        }
        return Array("P5\n\(side) \(side)\n255\n".utf8) + picture
    }

    @Test(.enabled(if: hasReader, "zbarimg is not installed")) func thePictureIsRead() throws {
        let folder = try TemporaryFolder()
        for text in [PosterTests.link, "a", String(repeating: "https://x.example/", count: 80)] {
            try folder.write(try QRCode(text).png, to: "code.png")
            #expect(try read(folder.file("code.png")) == text)
        }
    }

    @Test(.enabled(if: hasReader, "zbarimg is not installed"), arguments: Poster.Paper.allCases)
    func aPosterIsReadAtAnAngleAndInHalfShadow(paper: Poster.Paper) throws {
        let sheet = Poster(code: try QRCode(PosterTests.link), words: PosterTests.words("Café")).sheet(on: paper)
        let folder = try TemporaryFolder()
        for (dots, degrees, shadow) in [(300.0, 0.0, false), (150, 17, false), (150, 0, true), (150, -8, true)] {
            let picture = photograph(sheet, dotsPerInch: dots, degrees: degrees, shadow: shadow)
            try folder.write(picture, to: "photo.pgm")
            #expect(try read(folder.file("photo.pgm")) == PosterTests.link, "\(dots) dpi, \(degrees)°, shadow \(shadow)")
        }
    }

    @Test(.enabled(if: hasReader && hasPrinter, "zbarimg or pdftoppm is not installed"), arguments: Poster.Paper.allCases)
    func aPrintedPDFIsRead(paper: Poster.Paper) throws {
        let poster = Poster(code: try QRCode(PosterTests.link), words: PosterTests.words("Café (Ost) \\ „Zur Post“"))
        let folder = try TemporaryFolder()
        try folder.write(try poster.pdf(on: paper), to: "poster.pdf")
        let words = ["-r", "300", "-gray", "-singlefile", folder.file("poster.pdf"), folder.file("page")]
        #expect(try runProgram("/usr/bin/pdftoppm", words).status == 0)
        #expect(try read(folder.file("page.pgm")) == PosterTests.link)
    }
}
