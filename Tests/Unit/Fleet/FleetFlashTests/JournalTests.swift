// SPDX-License-Identifier: Apache-2.0

import RandomValues
import TestKit
import Testing

@testable import FleetCard

/// What the inventory allows to be bound, and what it calls written.
@Suite struct JournalTests {
    private func medium(_ mark: String, size: UInt64 = 4096) -> Inventory.Medium {
        Inventory.Medium(mark: mark, size: size, cardNumber: nil, device: "sdb", image: "i")
    }

    private func serial(_ name: String, _ inventory: Inventory) throws -> BoardSerial {
        let board = try inventory.board(named: name)
        return try #require(BoardSerial(board?.serial ?? ""))
    }

    @Test func aBoardGetsOneMediumAndAMediumOneBoard() throws {
        let folder = try TemporaryFolder()
        var generator = SeededGenerator(seed: 24)
        let inventory = try Inventory(path: folder.file("fleet.sqlite"))
        try inventory.plan(["zebra", "ant"], at: 1, using: &generator)
        let boards = [try serial("zebra", inventory), try serial("ant", inventory)]
        let (first, second) = (medium("01"), medium("02"))
        #expect(try !inventory.begin(first, for: boards[0], at: 2), "its card is not made")
        for board in boards { try inventory.note(.cardMade, of: board, at: 3, detail: "{}") }
        #expect(try inventory.unwritten().map(\.name) == ["zebra", "ant"], "in the order of planning")

        #expect(try !inventory.finish(first, for: boards[0], at: 4), "it was never begun")
        #expect(try inventory.begin(first, for: boards[0], at: 5))
        // Another process has the file open, too.
        let other = try Inventory(path: folder.file("fleet.sqlite"))
        #expect(try !other.begin(second, for: boards[0], at: 6), "one board on two media")
        #expect(try !other.begin(first, for: boards[1], at: 6), "two boards on one medium")
        #expect(try other.begin(first, for: boards[0], at: 6), "the same once more")
        #expect(try !other.finish(second, for: boards[0], at: 7))
        #expect(try inventory.unwritten().map(\.name) == ["ant"])
        let bound = try inventory.bound()
        #expect(bound.map(\.medium) == [first] && bound.map(\.isWritten) == [false])
        #expect(try inventory.finish(first, for: boards[0], at: 8))
        #expect(try !inventory.finish(first, for: boards[0], at: 9) && !inventory.begin(first, for: boards[0], at: 9))
        #expect(try inventory.bound().map(\.isWritten) == [true])
        #expect(try inventory.boards().allSatisfy(\.hasCard))
    }

    /// A desk lends tokens whose cards are written, and others are written meanwhile.
    @Test func whatADeskNotesFreesNoMedium() throws {
        let folder = try TemporaryFolder()
        var generator = SeededGenerator(seed: 26)
        let inventory = try Inventory(path: folder.file("fleet.sqlite"))
        try inventory.plan(["one", "two"], at: 1, using: &generator)
        let boards = [try serial("one", inventory), try serial("two", inventory)]
        for board in boards { try inventory.note(.cardMade, of: board, at: 2, detail: "{}") }
        _ = try inventory.note(.charge, of: boards, .init(), at: 3)
        #expect(try inventory.unwritten().map(\.name) == ["one", "two"])
        #expect(try inventory.begin(medium("01"), for: boards[0], at: 4))
        _ = try inventory.note(.lend, of: [boards[0]], .init(), at: 5)
        #expect(try inventory.bound().map(\.medium) == [medium("01")])
        #expect(try !inventory.begin(medium("01"), for: boards[1], at: 6), "two boards on one medium")
        #expect(try inventory.finish(medium("01"), for: boards[0], at: 7))
        _ = try inventory.note(.lost, of: [boards[0]], .init(), at: 8)
        #expect(try inventory.bound().map(\.isWritten) == [true] && inventory.unwritten().map(\.name) == ["two"])
    }

    @Test func aBoardThatIsMadeAnewCountsForNoMedium() throws {
        let folder = try TemporaryFolder()
        var generator = SeededGenerator(seed: 25)
        let inventory = try Inventory(path: folder.file("fleet.sqlite"))
        try inventory.plan(["one"], at: 1, using: &generator)
        let serial = try self.serial("one", inventory)
        try inventory.note(.cardMade, of: serial, at: 2)
        #expect(try inventory.begin(medium("01"), for: serial, at: 3))
        try inventory.note(.cardVoid, of: serial, at: 4)
        #expect(try !inventory.finish(medium("01"), for: serial, at: 5), "its secrets are void")
        #expect(try inventory.unwritten().isEmpty && inventory.bound().isEmpty)
        try inventory.note(.cardMade, of: serial, at: 6)
        #expect(try inventory.begin(medium("02"), for: serial, at: 7) && inventory.finish(medium("02"), for: serial, at: 8))
    }
}
