// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import JSON
import RandomValues
import SQLiteFile
import TestKit
import Testing

@testable import FleetCard

/// A desk's list of tokens: what follows on what, and that nobody can be named in it.
@Suite struct PoolTests {
    private let folder: TemporaryFolder
    private let inventory: Inventory
    private let serials: [BoardSerial]

    init() throws {
        folder = try TemporaryFolder()
        inventory = try Inventory(path: folder.file("fleet.sqlite"))
        var generator = SeededGenerator(seed: 30)
        try inventory.plan((1...30).map { "token \($0)" }, at: 1, using: &generator)
        serials = try inventory.boards().compactMap { BoardSerial($0.serial) }
        for serial in serials { try inventory.note(.cardMade, of: serial, at: 2, detail: "{}") }
    }

    private func note(
        _ verb: PoolToken.Verb, _ serial: BoardSerial, at time: Int64, _ detail: PoolToken.Detail = .init()
    ) throws -> PoolToken {
        try #require(try inventory.note(verb, of: [serial], detail, at: time).first)
    }

    @Test func aTokenGoesFromDeskToPersonAndBack() throws {
        let token = serials[0]
        #expect(try inventory.pool().map(\.state) == Array(repeating: .free, count: 30))
        #expect(try note(.charge, token, at: 10).charged == 10)
        let out = try note(.lend, token, at: 11, .init(desk: 3))
        #expect(out.state == .out && out.since == 11 && out.charged == nil && out.desk == 3)
        #expect(throws: PoolFault.self) { try note(.lend, token, at: 12) }
        #expect(throws: PoolFault.self) { try note(.wiped, token, at: 12) }
        #expect(try note(.return, token, at: 13).state == .toWipe)
        // What was not wiped is not lent, unless it is said twice.
        #expect(throws: PoolFault.self) { try note(.lend, token, at: 14) }
        #expect(try note(.wiped, token, at: 15, .init(life: 2)).state == .free)
        #expect(try note(.lend, token, at: 16).state == .out)
        #expect(try note(.lost, token, at: 17).state == .lost)
        for verb in [PoolToken.Verb.lend, .return, .wiped, .charge, .lost] {
            #expect(throws: PoolFault.self) { try note(verb, token, at: 18) }
        }
        #expect(try note(.found, token, at: 19).state == .toWipe)
        // The proof of the wipe before, or another token's.
        #expect(throws: PoolFault.self) { try note(.wiped, token, at: 20, .init(life: 2)) }
        #expect(try note(.lend, token, at: 21, .init(isInsisted: true)).state == .out)
        #expect(try note(.return, token, at: 22).state == .toWipe)
        #expect(try note(.wiped, token, at: 23, .init(life: 3)).life == 3)
        // As another process finds it, and all others untouched.
        let again = try Inventory(path: folder.file("fleet.sqlite")).pool()
        #expect(again.count == 30 && again.allSatisfy { $0.state == .free } && again[0].life == 3 && again[1].since == nil)
    }

    /// What happens to a token says nothing about its card: the commands for cards see their own events.
    @Test func aLoanIsNoNewsOfTheCard() throws {
        let before = try inventory.boards()
        _ = try note(.lend, serials[0], at: 50)
        #expect(try inventory.boards() == before)
        #expect(try inventory.board(serials[0])?.state == "cardMade")
    }

    @Test func severalAreNotedOrNone() throws {
        _ = try note(.lend, serials[4], at: 5)
        #expect(throws: PoolFault.self) { try inventory.note(.lend, of: Array(serials[0..<6]), .init(), at: 6) }
        #expect(try inventory.pool().filter { $0.state == .out }.map(\.serial) == [serials[4]])
        let dry = try inventory.note(.lend, of: Array(serials[0..<4]), .init(), at: 6, isDry: true)
        #expect(dry.allSatisfy { $0.state == .out })
        #expect(try inventory.pool().filter { $0.state == .out }.count == 1)
        #expect(try inventory.note(.lend, of: Array(serials[0..<4]), .init(), at: 7).count == 4)
        #expect(try inventory.pool().filter { $0.state == .out }.count == 5)
    }

    /// A home that made its cards one by one has no table.
    @Test func aBoardWithoutATableIsAdded() throws {
        var generator = SeededGenerator(seed: 31)
        let serial = BoardSerial(using: &generator)
        #expect(throws: PoolFault.unknown(serial)) { try note(.lend, serial, at: 1) }
        #expect(try note(.add, serial, at: 2).name == "\(serial)")
        #expect(throws: PoolFault.self) { try note(.add, serial, at: 3) }
        #expect(try note(.lend, serial, at: 4).state == .out)
        // It has no card here, so the lists of cards do not have it.
        #expect(try inventory.boards().count == 30)
    }

    /// A new card counts its lives from the beginning: the first proof of it is no old one.
    @Test(arguments: [Inventory.Event.cardMade, .cardWritten]) func aNewCardHasNewLives(_ event: Inventory.Event) throws {
        let token = serials[0]
        func round(_ time: Int64) throws {
            _ = try note(.lend, token, at: time)
            _ = try note(.return, token, at: time + 1)
            #expect(try note(.wiped, token, at: time + 2, .init(life: 2)).life == 2)
        }
        try round(10)
        try inventory.note(event, of: token, at: 20, detail: "{}")
        #expect(try inventory.pool()[0].life == nil && inventory.pool()[0].state == .free)
        try round(30)
        _ = try note(.lend, token, at: 40)
        _ = try note(.return, token, at: 41)
        #expect(throws: PoolFault.self) { try note(.wiped, token, at: 42, .init(life: 2)) }
    }

    @Test func whatIsRefusedLeavesNoTrace() throws {
        var generator = SeededGenerator(seed: 32)
        let (fresh, named) = (BoardSerial(using: &generator), BoardSerial(using: &generator))
        #expect(throws: PoolFault.self) {
            _ = try note(.add, serials[0], at: 1)
            _ = try inventory.note(.add, of: [fresh, serials[0]], .init(), at: 2)
        }
        #expect(try inventory.database.first("SELECT 1 FROM board WHERE serial = ?", [.text("\(fresh)")]) == nil)
        #expect(throws: PoolFault.unknown(fresh)) { try note(.lend, fresh, at: 3) }
        // A row of a table can have any name.
        try inventory.plan(["\(named)"], at: 4, using: &generator)
        #expect(throws: PoolFault.self) { try note(.add, named, at: 5) }
        #expect(try inventory.pool().count == 30)
    }

    /// The pool had it first, by its number; then it stands in a table.
    @Test func aTokenOfThePoolIsPlannedByItsNumber() throws {
        var generator = SeededGenerator(seed: 33)
        let serial = BoardSerial(using: &generator)
        _ = try note(.add, serial, at: 1)
        for _ in 0..<2 { try inventory.plan(["\(serial)"], at: 2, using: &generator) }
        #expect(try inventory.board(named: "\(serial)")?.serial == "\(serial)")
        #expect(try inventory.board(serial)?.state == "planned" && inventory.boards().count == 31)
        #expect(
            try inventory.database.first("SELECT count(*) FROM event WHERE serial = ?", [.text("\(serial)")])?.integer == 2)
    }

    @Test func theListIsForPrintingAndForPrograms() throws {
        let token = try note(.lend, serials[0], at: 86_400, .init(desk: 7))
        #expect(token.csv == "\(serials[0]),\"token 1\",out,1970-01-02 00:00 UTC,,,7")
        #expect(
            token.json == [
                "serial": .string("\(serials[0])"), "name": "token 1", "state": "out", "since": 86_400, "desk": 7,
            ])
        #expect(
            PoolToken.columns.split(separator: ",").count
                == token.csv.split(separator: ",", omittingEmptySubsequences: false).count)
    }

    @Test func aCodeOfABoardBecomesALabelAndNothingElseDoes() throws {
        let code = "7h2k-9d3k-ht6w-4q7p"
        let answer = #"{"secret":"7H2K-9D3K-HT6W-4Q7P"}"#
        for typed in [code, answer, code + "\n\nThis is the secret of the wearer"] {
            let files = try Card.labelFiles(
                serial: serials[0], typed: Array(typed.utf8), page: "192.168.7.1:8443", size: .brother)
            #expect(files.map(\.path) == ["label.svg", "label.pdf", "label-code.png"] && files.allSatisfy(\.isSecret))
            let svg = files[0].content.withBytes { String(decoding: $0, as: UTF8.self) }
            #expect(
                svg.contains(">7H2K-9D3K-HT6W-4Q7P<") && svg.contains(">\(serials[0])<") && svg.contains("192.168.7.1:8443")
            )
        }
        for typed in ["", "a sentence that somebody chose", "7H2K-9D3K-HT6W", #"{"secret": 7}"#] {
            #expect(throws: LabelFault.noSecret) {
                try Card.labelFiles(serial: serials[0], typed: Array(typed.utf8), page: nil, size: .small)
            }
        }
        #expect(throws: LabelFault.noPage) {
            try Card.labelFiles(serial: serials[0], typed: Array(code.utf8), page: "a\nb", size: .small)
        }
    }
}
