// SPDX-License-Identifier: Apache-2.0

import Glibc
import RandomValues
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
        let text = try run(
            "/usr/bin/zbarimg", ["-q", "--raw", "-Sdisable", "-Sqrcode.enable", path], output: path + ".txt")
        return text.last == "\n" ? String(text.dropLast()) : text
    }

    @discardableResult private func run(_ program: String, _ words: [String], output: String) throws -> String {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var process: pid_t = 0
        let values: [UnsafeMutablePointer<CChar>?] = ([program] + words).map { strdup($0) } + [nil]
        defer { for value in values { free(value) } }
        try #require(startProgram(&process, program, &actions, values) == 0)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { try #require(errno == EINTR) }
        #expect(status == 0, "\(program)")
        let file = try #require(fopen(output, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        let file = try #require(fopen(path, "w"))
        try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
        try #require(fclose(file) == 0)
    }

    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = "\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/poster-\(Unique.name())"
        try #require(mkdir(folder, 0o700) == 0)
        defer {
            if let handle = opendir(folder) {
                while let entry = readdir(handle) {
                    let name = withUnsafePointer(to: &entry.pointee.d_name) {
                        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                    }
                    unlink("\(folder)/\(name)")
                }
                closedir(handle)
            }
            rmdir(folder)
        }
        try body(folder)
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
        try inFolder { folder in
            for text in [PosterTests.link, "a", String(repeating: "https://x.example/", count: 80)] {
                try write(try QRCode(text).png, "\(folder)/code.png")
                #expect(try read("\(folder)/code.png") == text)
            }
        }
    }

    @Test(.enabled(if: hasReader, "zbarimg is not installed"), arguments: Poster.Paper.allCases)
    func aPosterIsReadAtAnAngleAndInHalfShadow(paper: Poster.Paper) throws {
        let sheet = Poster(code: try QRCode(PosterTests.link), words: PosterTests.words("Café")).sheet(on: paper)
        try inFolder { folder in
            for (dots, degrees, shadow) in [(300.0, 0.0, false), (150, 17, false), (150, 0, true), (150, -8, true)] {
                let picture = photograph(sheet, dotsPerInch: dots, degrees: degrees, shadow: shadow)
                try write(picture, "\(folder)/photo.pgm")
                #expect(try read("\(folder)/photo.pgm") == PosterTests.link, "\(dots) dpi, \(degrees)°, shadow \(shadow)")
            }
        }
    }

    @Test(.enabled(if: hasReader && hasPrinter, "zbarimg or pdftoppm is not installed"), arguments: Poster.Paper.allCases)
    func aPrintedPDFIsRead(paper: Poster.Paper) throws {
        let poster = Poster(code: try QRCode(PosterTests.link), words: PosterTests.words("Café (Ost) \\ „Zur Post“"))
        try inFolder { folder in
            try write(try poster.pdf(on: paper), "\(folder)/poster.pdf")
            try run(
                "/usr/bin/pdftoppm", ["-r", "300", "-gray", "-singlefile", "\(folder)/poster.pdf", "\(folder)/page"],
                output: "\(folder)/out.txt")
            #expect(try read("\(folder)/page.pgm") == PosterTests.link)
        }
    }
}
