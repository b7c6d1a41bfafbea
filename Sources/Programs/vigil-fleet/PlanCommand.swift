// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import FleetCard
import Glibc
import JSON

/// Cards for the boards of a table.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Makes the cards of all boards of a table, and keeps an inventory.",
        discussion: """
            The table is a CSV file in UTF-8 with the columns name, use, language, network and, if you like, title. All of it is checked \
            before anything is written. Each board gets a serial number, secrets of its own, and a folder CARDS/SERIAL as `vigil-fleet one` \
            makes it. A board that has its card already is left alone: after a power cut, or with more rows, give the command again.
            """)

    @Argument(help: "The table: a CSV file.")
    var table: String

    @Option(help: "The inventory; made when there is none.")
    var inventory: String

    @Option(help: "Folder for the boards' folders; its last part is made when it is not there.")
    var cards: String

    @Option(help: "File of the health authority's profile, or none: for all boards of the table.")
    var authority: String

    @Option(help: "File of the technician's public SSH key, or none: for all boards of the table.")
    var technician: String

    @Option(
        help:
            "File of the operator's private key (P-256, PEM) that signs each board's device file; none is signed if not given."
    )
    var key: String?

    @Flag(help: "Take a profile whose servers are in your own network.")
    var localAuthority = false

    @Flag(help: "Check everything; write nothing.")
    var dryRun = false

    func run() throws {
        let rows = try FleetTable(parsing: Files.read(table, limit: FleetTable.maximumByteCount)).rows
        let authority = try AnswerFiles.authority(authority, isLocal: localAuthority)
        let technicians = try AnswerFiles.technicians(technician)
        let signer = try key.map(AnswerFiles.signingKey)
        guard !dryRun else { return print("\(rows.count) boards; the table is good. Nothing was written.") }
        guard mkdir(cards, 0o700) == 0 || errno == EEXIST else {
            throw InputError(file: cards, "cannot make the folder: \(String(cString: strerror(errno)))")
        }
        var generator = SystemRandomNumberGenerator()
        let inventory = try Inventory(path: inventory)
        try inventory.plan(rows.map(\.name), at: Int64(time(nil)), using: &generator)
        var made = 0
        for row in rows {
            guard let board = try inventory.board(named: row.name), board.state == Inventory.Event.planned.rawValue,
                let serial = BoardSerial(board.serial)
            else { continue }
            let answers = try BoardAnswers(
                use: row.use, language: row.language, network: row.network, authority: authority, technicians: technicians,
                title: row.title)
            var card = try Card(answers, serial: serial, secrets: CardSecrets(using: &generator))
            guard card.problems.isEmpty else {
                throw InputError(
                    file: table, line: row.line, "a board would not take it: \(card.problems.joined(separator: "; "))")
            }
            if let signer { card = try card.signed(by: signer) }
            // After a cut the folder may be there: nobody has been told of it, so it is made anew.
            try CardFolder.write(card, to: "\(cards)/\(serial)", replacing: serial)
            try inventory.note(.cardMade, of: serial, at: Int64(time(nil)), detail: card.recordText)
            made += 1
        }
        print(
            "\(made) cards made, \(rows.count - made) were there already. The inventory says which serial number each board has."
        )
    }
}

/// What the inventory says.
struct InventoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inventory", abstract: "Lists boards, their serial numbers, and what became of each last.",
        discussion: "Prints comma-separated values, or JSON with --json. Nothing in an inventory is secret.")

    @Argument(help: "The inventory.")
    var inventory: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        guard access(inventory, F_OK) == 0 else {
            throw InputError(file: inventory, "there is no inventory; vigil-fleet plan makes one")
        }
        let boards = try Inventory(path: inventory).boards()
        if json { return print(JSON.array(boards.map(\.json))) }
        print(Inventory.Board.columns)
        for board in boards { print(board.csv) }
    }
}
