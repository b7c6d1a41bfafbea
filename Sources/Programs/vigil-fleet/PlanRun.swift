// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Cryptography
import FleetCard
import ForeignText
import Glibc
import JSON

/// One run of `plan`, whose answers are all read.
struct PlanRun {
    let table: FleetTable
    let tablePath: String
    let authority: BoardAnswers.Authority?
    let technicians: TechnicianKeys?
    let signer: (any P256Signer)?
    let inventoryPath: String
    let cards: String
    let remade: Set<BoardSerial>
    let enrolment: EnrolmentPlace?
    let fleet: FleetMembership?

    /// Refuses places that cannot be right; writes nothing. An inventory that is not there beside cards that are is a name typed wrongly: a new one
    /// would give each board a second serial number.
    func checkPlaces() throws {
        for path in [cards, inventoryPath] {
            let above = CardFolder.parent(of: path)
            guard !path.isEmpty else {
                throw InputError(file: path == cards ? "--cards" : "--inventory", "the path is empty")
            }
            var status = stat()
            guard stat(above, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                throw FolderFault.noParent(path: path, parent: above)
            }
            guard access(path, F_OK) == 0 || access(above, W_OK | X_OK) == 0 else {
                throw InputError(file: path, "you may not write in the folder \(ForeignText.line(above))")
            }
        }
        let made = CardFolder.serials(in: cards)
        guard access(inventoryPath, F_OK) == 0 else {
            guard let first = made.first else { return }
            throw InputError(
                file: inventoryPath,
                "there is no inventory, but \(ForeignText.line(cards)) has cards, such as \(first). Give the inventory that has these boards, or another folder for the cards"
            )
        }
        guard Inventory.canBe(inventoryPath) else {
            throw InputError(file: inventoryPath, "this is no inventory of vigil-fleet; it was left as it is")
        }
    }

    /// What ``make()`` would do.
    func foresee() throws -> PlanReport {
        var report = PlanReport(rows: table.rows.count, isWritten: false, notes: table.notes)
        let inventory = access(inventoryPath, F_OK) == 0 ? try Inventory(path: inventoryPath) : nil
        try check(inventory)
        for row in table.rows {
            guard let board = try inventory?.board(named: row.name), let serial = made(board) else {
                report.made += 1
                continue
            }
            if remade.contains(serial) { report.made += 1 } else { try report.add(findings(row, serial, inventory)) }
        }
        return report
    }

    /// Makes the cards that are not there. The caller holds the locks.
    func make() throws -> PlanReport {
        var report = PlanReport(rows: table.rows.count, isWritten: true, notes: table.notes)
        var generator = SystemRandomNumberGenerator()
        let inventory = try Inventory(path: inventoryPath)
        try check(inventory)
        try inventory.plan(table.rows.map(\.name), at: Int64(time(nil)), using: &generator)
        for row in table.rows {
            guard let board = try inventory.board(named: row.name), let serial = BoardSerial(board.serial) else {
                throw InputError(
                    file: inventoryPath,
                    "the board of line \(row.line) (\(ForeignText.line(row.name, limit: 100))) has no serial number in it. Take back the last copy of the inventory, or give the row another name"
                )
            }
            if made(board) != nil {
                guard remade.contains(serial) else {
                    try report.add(findings(row, serial, inventory))
                    continue
                }
                // First in the inventory: after a cut the next run makes the card.
                try inventory.note(.cardVoid, of: serial, at: Int64(time(nil)))
                report.void.append(serial)
            }
            var card = try Card(
                answers(row), serial: serial, secrets: CardSecrets(using: &generator), name: row.name,
                enrolment: enrolment, fleet: membership(row, inventory.record(of: serial)))
            guard card.problems.isEmpty else {
                throw InputError(
                    file: tablePath, line: row.line, "a board would not take it: \(card.problems.joined(separator: "; "))")
            }
            if let signer { card = try card.signed(by: signer) }
            // After a cut the folder may be there: nobody has been told of it, so it is made anew.
            try CardFolder.write(card, to: "\(cards)/\(serial)", replacing: serial)
            try inventory.note(.cardMade, of: serial, at: Int64(time(nil)), detail: card.recordText)
            report.made += 1
        }
        return report
    }

    /// What the board's card says of its fleet. `former` is the record of the card that was made for it before: boards take no older one.
    private func membership(_ row: FleetTable.Row, _ former: JSON?) -> FleetMembership? {
        guard var fleet else { return nil }
        fleet.group = row.group
        var before: Int64 = 0
        if case .int(let number)? = former?["issued"] { before = number }
        fleet.issued = max(Int64(time(nil)), before + 1)
        return fleet
    }

    /// The serial number of a board whose card was made, and is not void.
    private func made(_ board: Inventory.Board) -> BoardSerial? {
        board.hasCard ? BoardSerial(board.serial) : nil
    }

    private func answers(_ row: FleetTable.Row) throws(AnswerFault) -> BoardAnswers {
        try BoardAnswers(
            use: row.use, language: row.language, network: row.network, authority: authority, technicians: technicians,
            title: row.title)
    }

    /// Refuses an inventory that does not know the cards that are there, and boards to be made anew that are not in the table.
    private func check(_ inventory: Inventory?) throws {
        for serial in CardFolder.serials(in: cards) where try inventory?.board(serial) == nil {
            throw InputError(
                file: inventoryPath,
                "this inventory has no board \(serial), but \(ForeignText.line(cards)) has its card. Give the inventory that has these boards, or another folder for the cards"
            )
        }
        guard !remade.isEmpty else { return }
        var known: Set<BoardSerial> = []
        for row in table.rows {
            if let board = try inventory?.board(named: row.name), let serial = BoardSerial(board.serial) {
                known.insert(serial)
            }
        }
        for serial in remade.sorted(by: { "\($0)" < "\($1)" }) where !known.contains(serial) {
            throw InputError(
                file: "--remake",
                "no line of the table is the board \(serial); vigil-fleet inventory lists names and serial numbers")
        }
    }

    /// How a card that was made differs from its row, from its folder, and from the inventory.
    private func findings(
        _ row: FleetTable.Row, _ serial: BoardSerial, _ inventory: Inventory?
    ) throws -> [PlanReport.Finding] {
        let anew = "To make it anew, with new secrets: add --remake \(serial)."
        var found: [PlanReport.Finding] = []
        func add(_ kind: PlanReport.Finding.Kind, _ text: String) {
            found.append(PlanReport.Finding(kind: kind, line: row.line, name: row.name, serial: serial, text: text))
        }
        let record = try inventory?.record(of: serial)
        if let record {
            let differences = try CardDifference.all(
                answers(row), record, enrolment: enrolment, fleet: membership(row, record))
            if !differences.isEmpty {
                add(
                    .differs,
                    "\(differences.map { $0.clause(serial) }.joined(separator: "; ")); it is left as it is. \(anew)")
            }
        }
        do throws(FolderFault) {
            if let existing = try CardFolder.existing(at: "\(cards)/\(serial)") {
                if existing.serial != serial || existing.record["claimHash"] != record?["claimHash"] {
                    add(
                        .otherCard,
                        "the folder \(serial) in \(ForeignText.line(cards)) has another card than the inventory. \(anew)")
                }
            } else {
                add(.noFolder, "\(serial) has no folder in \(ForeignText.line(cards)). \(anew)")
            }
        } catch { add(.unreadable, error.description) }
        return found
    }
}
