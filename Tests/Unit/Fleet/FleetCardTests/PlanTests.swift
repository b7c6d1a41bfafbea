// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import JSON
import RandomValues
import SQLiteFile
import Testing

@testable import FleetCard

@Suite struct TableTests {
    private func fault(_ text: String) -> TableFault? {
        do throws(TableFault) { _ = try FleetTable(parsing: Array(text.utf8)) } catch { return error }
        return nil
    }

    @Test func aTableIsReadAsSpreadsheetsWriteIt() throws {
        let text =
            "\u{FEFF}Name;use;language;network;title\r\n\"Bücherei; \"\"Süd\"\"\";place;de;automatic;Erdgeschoß\r\n\r\nzwei;person;fr;192.168.1.20/24 192.168.1.1 9.9.9.9;\r\n"
        let rows = try FleetTable(parsing: Array(text.utf8)).rows
        #expect(rows.map(\.name) == ["Bücherei; \"Süd\"", "zwei"] && rows.map(\.line) == [2, 4])
        #expect(
            rows[0].title == "Erdgeschoß" && rows[1].title == nil && rows[0].network == .automatic && rows[1].use == .person
        )
    }

    /// A mark within a quoted field is doubled; one that was not is told, so that no board gets half a name.
    @Test func quotationMarksAreReadAsTheyAreMeantOrNotAtAll() throws {
        let head = "name,use,language,network\n"
        let rest = ",place,de,automatic\n"
        for (field, name) in [
            ("\"Room \"\"Blue\"\"\"", "Room \"Blue\""), ("\"\"\"Blue\"\" room\"", "\"Blue\" room"),
            ("5\" pipe", "5\" pipe"),
            ("\"a, b\"", "a, b"), ("\"Ward\"", "Ward"), ("\"a\"\"\"", "a\""), (" \"a\"", " \"a\""),
        ] {
            #expect(try FleetTable(parsing: Array((head + field + rest).utf8)).rows.map(\.name) == [name], "\(field)")
        }
        for field in ["\"Room \"Blue\"\"", "\"Ward\"3", "\"Ward\" ", "\"\"Blue\"\"", "\"a\"\rb"] {
            let found = try #require(fault(head + field + rest + "b" + rest), "\(field)")
            #expect(found.count == 1 && found.problems[0].hasPrefix("Line 2: a quotation mark ends a field"), "\(field)")
        }
        let open = try #require(fault("name,\"use,language,network\na,place,de,automatic\n"))
        #expect(open.count == 1 && open.problems == ["Line 1: a quotation mark is not closed."])
        let title = "name,use,language,network,title\r\na,place,de,automatic,\"b\"\r\nc,place,de,automatic,\"d\"\r"
        #expect(try FleetTable(parsing: Array(title.utf8)).rows.map(\.title) == ["b", "d"])
    }

    @Test func twoBoardsOfOneAddressAreNamed() throws {
        let text =
            "name,use,language,network\na,place,de,192.168.1.20/24 192.168.1.1 9.9.9.9\nb,place,de,automatic\nc,place,de,192.168.1.20/16 192.168.1.1 9.9.9.9\n"
        let notes = try FleetTable(parsing: Array(text.utf8)).notes
        #expect(notes.count == 1 && notes[0].hasPrefix("Lines 2 and 4 give two boards the address 192.168.1.20."))
    }

    @Test func everythingWrongIsToldWithItsLine() throws {
        let head = "name,use,language,network\n"
        let found = try #require(
            fault(
                head
                    + "a,place,de,automatic\nA,place,de,automatic\nb,shop,de,automatic\nc,place,xx,automatic\nd,place,de,wifi\n,place,de,automatic\ne,place,de\n"
            ))
        #expect(found.count == 6)
        for (line, part) in [
            (3, "in line 2 already"), (4, "no use"), (5, "does not speak"), (6, "is no network"), (7, "1 to 100"),
            (8, "has 3 fields"),
        ] {
            #expect(
                found.problems.contains { $0.hasPrefix("Line \(line): ") && $0.contains(part) },
                "\(line): \(found.problems)")
        }
        // The same letters, composed and not: one name.
        #expect(fault(head + "M\u{FC}ller,place,de,automatic\nMu\u{308}ller,place,de,automatic\n")?.count == 1)
        for text in [
            "", head, "name,use\n", head + "\"a,place,de,automatic\n", "name,name,use,language,network\n",
            "name,use,language,network,colour\n",
        ] {
            #expect(fault(text) != nil, "\(text)")
        }
        for line in 1...4 {
            let text = (head + "a,place,de,automatic\n\nb,place,de,automatic\n").split(
                separator: "\n", omittingEmptySubsequences: false)
            let before = text[..<(line - 1)].map { $0 + "\n" }.joined()
            let wrong = Array(before.utf8) + [0x4D, 0xFC, 0x6C, 0x2C] + Array("\n\n".utf8)
            do throws(TableFault) {
                _ = try FleetTable(parsing: wrong)
                Issue.record("line \(line) was read")
            } catch { #expect(error.count == 1 && error.problems[0].hasPrefix("Line \(line): ")) }
        }
        let many = try #require(fault(head + String(repeating: "x,y,z,w\n", count: 500)))
        #expect(many.count == 500 && many.problems.count == 20 && many.description.contains("480 more"))
    }

    @Test func aHundredThousandBoardsArePlanned() throws {
        let place = try Sample.scratch()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let text = "name,use,language,network\n" + (0..<100_000).map { "Gerät \($0),place,de,automatic\n" }.joined()
        let rows = try FleetTable(parsing: Array(text.utf8)).rows
        #expect(rows.count == 100_000)
        let inventory = try Inventory(path: "\(place)/fleet.sqlite")
        var generator = SeededGenerator(seed: 7)
        try inventory.plan(rows.map(\.name), at: 1, using: &generator)
        let boards = try inventory.boards()
        #expect(
            boards.count == 100_000 && Set(boards.map(\.serial)).count == 100_000
                && boards.allSatisfy { $0.state == "planned" })
        // Once more: nobody gets another serial number.
        try inventory.plan(rows.map(\.name), at: 2, using: &generator)
        #expect(try inventory.boards() == boards)
    }
}

@Suite struct InventoryTests {
    @Test func eventsAreOnlyAdded() throws {
        let place = try Sample.scratch()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let path = "\(place)/fleet.sqlite"
        var generator = SeededGenerator(seed: 7)
        let inventory = try Inventory(path: path)
        try inventory.plan(["Bücherei", "=1+1"], at: 5, using: &generator)
        let board = try #require(try inventory.board(named: "BÜCHEREI"))
        let serial = try #require(BoardSerial(board.serial))
        try inventory.note(.cardMade, of: serial, at: 6)
        let again = try #require(try Inventory(path: path).board(named: "Bücherei"))
        #expect(
            again.state == "cardMade" && again.time == 6 && again.serial == board.serial && again.json["name"] == "Bücherei"
        )
        #expect(try inventory.board(named: "other") == nil)
        for statement in ["DELETE FROM event", "UPDATE event SET kind = 'planned'"] {
            #expect(throws: InventoryFault.self) { try inventory.database.run(statement) }
        }
        #expect(try inventory.board(named: "Bücherei") == again)
        #expect(try inventory.boards().map(\.csv).contains { $0.contains("\"'=1+1\"") })
        #expect(try inventory.boards().map(\.csv).contains { $0.hasSuffix(",6,1970-01-01 00:00 UTC") })
        #expect(throws: InventoryFault.self) { _ = try Inventory(path: "\(place)/none/fleet.sqlite") }
        try Data("no database".utf8).write(to: URL(filePath: "\(place)/text"))
        #expect(throws: InventoryFault.self) { _ = try Inventory(path: "\(place)/text") }
    }
}
