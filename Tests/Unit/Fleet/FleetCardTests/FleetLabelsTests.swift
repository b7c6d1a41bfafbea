// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JSON
import TestKit
import Testing

@testable import FleetCard

/// The labels of a whole table, printed and read by another program. Needs the Debian packages zbar-tools and poppler-utils for that.
@Suite struct FleetLabelsTests {
    private static let canRead =
        access("/usr/bin/zbarimg", X_OK) == 0 && access("/usr/bin/pdftoppm", X_OK) == 0
        && access("/usr/bin/pdftotext", X_OK) == 0
    private static let program = "\(Sample.root)/.build/debug/vigil-fleet"

    /// A table of so many boards, planned.
    private func scene(_ count: Int, _ body: (String, [Inventory.Board]) throws -> Void) throws {
        let place = try Sample.scratch()
        defer { try? FileManager.default.removeItem(atPath: place) }
        var table = "name,use,language,network,title\n"
        for number in 1...count {
            let network = number % 5 == 0 ? "192.168.7.\(number)/24 192.168.7.1 192.168.7.1" : "automatic"
            table += "board \(number),\(number % 2 == 0 ? "place" : "person"),de,\(network),Bücherei \(number)\n"
        }
        try Data(table.utf8).write(to: URL(filePath: "\(place)/fleet.csv"))
        let planned = try runProgram(
            Self.program,
            [
                "plan", "\(place)/fleet.csv", "--inventory", "\(place)/fleet.sqlite", "--cards", "\(place)/cards",
                "--authority", "none",
                "--technician", "none",
            ])
        try #require(planned.status == 0, "\(planned)")
        try body(place, Inventory(path: "\(place)/fleet.sqlite").boards())
    }

    private func labels(_ place: String, _ words: [String]) throws -> (status: Int32, output: String) {
        let done = try runProgram(
            Self.program,
            ["labels", "\(place)/fleet.sqlite", "\(place)/labels.pdf", "--cards", "\(place)/cards", "--json"] + words)
        return (done.status, done.output)
    }

    private func code(_ place: String, _ serial: String) throws -> String {
        let text = try JSON(
            parsing: Array(Data(contentsOf: URL(filePath: "\(place)/cards/\(serial)/provision/first-secrets"))))
        return try #require(text.object?.members.first?.value.string)
    }

    /// What a scanner reads from a page, or from one place of a sheet: of many codes at once it passes one over now and then.
    private func scanned(_ place: String, page: Int, at index: Int? = nil) throws -> Set<String> {
        var part: [String] = []
        if let index {
            // Avery Zweckform L6114, in mm: 7.25 at the left, 15.3 at the top, places of 63.5 x 29.6, columns 66 apart.
            let dots = { (millimetres: Double) in "\(Int((millimetres * 300 / 25.4).rounded()))" }
            part = ["-x", dots(7.25 + Double(index % 3) * 66), "-y", dots(15.3 + Double(index / 3) * 29.6)]
            part += ["-W", dots(63.5), "-H", dots(29.6)]
        }
        let drawn = try runProgram(
            "/usr/bin/pdftoppm",
            ["-r", "300", "-gray", "-f", "\(page)", "-singlefile"] + part + ["\(place)/labels.pdf", "\(place)/page"])
        try #require(drawn.status == 0)
        let read = try runProgram("/usr/bin/zbarimg", ["-q", "--raw", "\(place)/page.pgm"])
        return Set(read.output.split(separator: "\n").map(String.init))
    }

    @Test(.enabled(if: canRead, "zbarimg or poppler is not installed")) func eachBoardsLabelIsOnTheSheets() throws {
        try scene(29) { place, boards in
            let report = try labels(place, ["--paper", "a4", "--skip", "3"])
            #expect(report.status == 0)
            let said = try JSON(parsing: Array(report.output.utf8))
            #expect(said["labels"] == 29 && said["pages"] == 2 && said["written"] == true && said["withoutCode"] == [])
            var status = stat()
            #expect(stat("\(place)/labels.pdf", &status) == 0 && status.st_mode & 0o777 == 0o600)
            let wanted = try boards.map { "VIGIL:1;ID:\($0.serial);K:\(try code(place, $0.serial))" }
            // 27 on a sheet, of whose first three places are gone.
            for (index, text) in wanted.enumerated() {
                let (page, at) = (index + 3).quotientAndRemainder(dividingBy: 27)
                #expect(try scanned(place, page: page + 1, at: at) == [text], "\(index)")
            }
            #expect(try scanned(place, page: 1, at: 2).isEmpty)
            #expect(try scanned(place, page: 2, at: 5).isEmpty)
            let texts = try runProgram("/usr/bin/pdftotext", ["-layout", "\(place)/labels.pdf", "-"]).output
            for board in boards {
                let printed = try code(place, board.serial)
                #expect(texts.contains(board.serial) && texts.contains(printed), "\(board.serial)")
            }
            #expect(texts.contains("Bücherei 29") && texts.contains("192.168.7.25:8443") && texts.contains(".local:8443"))
            // No claim, which is the card's alone.
            let claim = try Data(contentsOf: URL(filePath: "\(place)/cards/\(boards[0].serial)/provision/enrolment-claim"))
            #expect(!texts.contains(String(decoding: claim, as: UTF8.self).trimming("\n")))
        }
    }

    @Test(.enabled(if: canRead, "zbarimg or poppler is not installed"), arguments: LabelSize.allCases)
    func aRollHasALabelAPage(_ size: LabelSize) throws {
        try scene(3) { place, boards in
            let report = try labels(
                place, ["--paper", size.rawValue, "--board", boards[2].serial, "--board", boards[0].serial])
            let said = try JSON(parsing: Array(report.output.utf8))
            #expect(report.status == 0 && said["labels"] == 2 && said["pages"] == 2)
            for (page, board) in [boards[2], boards[0]].enumerated() {
                let printed = try code(place, board.serial)
                #expect(try scanned(place, page: page + 1) == ["VIGIL:1;ID:\(board.serial);K:\(printed)"])
            }
        }
    }

    /// Nobody gets another board's label, a label of a card that was changed, or a file over the one before.
    @Test func whatIsNotAsItWasMadeGetsNoLabel() throws {
        try scene(5) { place, boards in
            func path(_ index: Int) -> String { "\(place)/cards/\(boards[index].serial)" }
            // Written and deleted; swapped; a code that somebody changed.
            try FileManager.default.removeItem(atPath: "\(path(0))/provision")
            try FileManager.default.moveItem(atPath: path(1), toPath: "\(place)/aside")
            try FileManager.default.moveItem(atPath: path(2), toPath: path(1))
            try FileManager.default.moveItem(atPath: "\(place)/aside", toPath: path(2))
            try Data(#"{"technician":"0000-0000-0000-0000"}"#.utf8).write(
                to: URL(filePath: "\(path(3))/provision/first-secrets"))
            let report = try labels(place, [])
            let said = try JSON(parsing: Array(report.output.utf8))
            #expect(report.status == 1 && said["labels"] == 1 && said["withoutCode"] == [.string(boards[0].serial)])
            let problems = (said["problems"]?.array ?? []).compactMap(\.string)
            #expect(problems.count == 3)
            for index in 1...3 {
                #expect(problems.contains { $0.contains(boards[index].serial) && $0.contains("--remake") })
            }
            let again = try runProgram(
                Self.program, ["labels", "\(place)/fleet.sqlite", "\(place)/labels.pdf", "--cards", "\(place)/cards"])
            #expect(again.status == 2)
            let mistyped = try runProgram(
                Self.program, ["labels", "\(place)/fleet.sqlite", "\(place)/other.pdf", "--cards", "\(place)/card"])
            #expect(mistyped.status == 2 && access("\(place)/other.pdf", F_OK) != 0, "not that no board has a code")
            #expect(try labels(place, ["--replace", "--dry-run"]).output.contains(#""written":false"#))
            for wrong in [
                ["--paper", "a3"], ["--skip", "1"], ["--paper", "a4", "--skip", "27"], ["--board", "vg-0000-00000"],
                ["--board", "x"],
            ] { #expect(try labels(place, ["--replace"] + wrong).status == 2, "\(wrong)") }
        }
    }
}
