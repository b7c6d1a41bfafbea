// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import Cryptography
import FleetCard
import ForeignText
import Glibc
import JSON

/// Cards for the boards of a table.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Makes the cards of all boards of a table, and keeps an inventory.",
        discussion: """
            The table is a CSV file in UTF-8 with the columns name, use, language, network and, if you like, title and group. All of it is checked \
            before anything is written. Each board gets a serial number, secrets of its own, and a folder CARDS/SERIAL as `vigil-fleet one` \
            makes it. A board that has its card already is left alone: after a power cut, or with more rows, give the command again. \
            A card that is not as the table says is named, and the exit status is 1; --remake makes it anew.
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
            "File of the operator's private key (P-256, PEM), or its PKCS#11 URI in a security token (vigil-fleet key), that signs each board's device file; none is signed if not given."
    )
    var key: String?

    @Option(
        help:
            "File of a public key (P-256, PEM) that boards believe as well, such as that of a second token in a safe; up to 3. Needs --key."
    )
    var spareKey: [String] = []

    @Option(
        help:
            "Kind of board that alone may take these cards, such as raspberry-pi-arm64; any board if not given. Needs --key."
    )
    var boardType: String?

    @Flag(help: "These boards take signed cards only from then on. Needs --key.")
    var signedCardsOnly = false

    @Option(
        help:
            "Path beside the authority's files where boards look for the fleet's configuration (vigil-fleet configure), such as fleet/v1/configuration; nowhere if not given. Needs --key and an authority."
    )
    var configuration: String?

    @Option(
        help:
            "Address of the fleet's registration authority, like https://ra.example/.well-known/est; boards do not enrol if not given. Needs --key and --enrolment-anchor."
    )
    var enrolment: String?

    @Option(
        help:
            "File of the certificates in PEM by which boards know that server, and no other: 1 to 8, of 4096 bytes at most."
    )
    var enrolmentAnchor: String?

    @Flag(help: "Take a profile whose servers are in your own network.")
    var localAuthority = false

    @Option(
        help:
            "Serial number of a board whose card is made anew, with new secrets, as the table says now; may be given several times. The old card and label are void."
    )
    var remake: [String] = []

    @Flag(help: "Check everything; write nothing.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let table = try FleetTable(parsing: Files.read(table, limit: FleetTable.maximumByteCount))
        let authority = try AnswerFiles.authority(authority, isLocal: localAuthority)
        let technicians = try AnswerFiles.technicians(technician)
        let signer = try key.map(AnswerFiles.signingKey)
        var remade: Set<BoardSerial> = []
        for text in remake {
            guard let serial = BoardSerial(text) else {
                throw InputError(
                    file: "--remake",
                    "\(ForeignText.line(text, limit: 40)) is no serial number of a board; vigil-fleet inventory lists them"
                )
            }
            remade.insert(serial)
        }
        let run = PlanRun(
            table: table, tablePath: self.table, authority: authority, technicians: technicians, signer: signer,
            inventoryPath: inventory, cards: cards, remade: remade, enrolment: try place(), fleet: try membership(signer))
        try run.checkPlaces()
        let report: PlanReport
        if dryRun {
            report = try run.foresee()
        } else {
            guard mkdir(cards, 0o700) == 0 || errno == EEXIST else {
                throw InputError(file: cards, "cannot make the folder: \(String(cString: strerror(errno)))")
            }
            report = try WorkLock.holding(folder: cards) {
                try run.checkPlaces()
                return try WorkLock.holding(file: "\(inventory).lock", run.make)
            }
        }
        if json { print(report.json) } else { print(report.text) }
        if !report.findings.isEmpty { throw ExitCode(1) }
    }

    private func membership(_ signer: (any P256Signer)?) throws -> FleetMembership? {
        guard let signer else {
            guard boardType == nil, !signedCardsOnly, configuration == nil, spareKey.isEmpty else {
                throw InputError(
                    file: boardType != nil
                        ? "--board-type"
                        : signedCardsOnly
                            ? "--signed-cards-only" : configuration != nil ? "--configuration" : "--spare-key",
                    "it needs --key, too: only a signed card says so")
            }
            return nil
        }
        if let configuration {
            guard authority.lowercased() != "none", FleetMembership.isPath(configuration) else {
                throw InputError(
                    file: "--configuration",
                    "give a path beside the authority's files, such as fleet/v1/configuration, and an authority whose files boards fetch"
                )
            }
        }
        if let boardType, !FleetMembership.isBoardType(boardType) {
            throw InputError(
                file: "--board-type", "give the name of a file of Board/boards without its end, such as raspberry-pi-arm64")
        }
        guard spareKey.count <= FleetMembership.maximumSpares else {
            throw InputError(file: "--spare-key", "give \(FleetMembership.maximumSpares) at most")
        }
        let spares = try spareKey.map(AnswerFiles.publicKey)
        let all = [signer.verificationKey] + spares
        for (index, key) in all.enumerated() where all[..<index].contains(key) {
            throw InputError(
                file: spareKey[index - 1], "boards have this key already; a spare one is another, kept somewhere else")
        }
        return try FleetMembership(
            key: signer.verificationKey, spares: spares, boardType: boardType, takesSignedOnly: signedCardsOnly,
            configurationPath: configuration)
    }

    private func place() throws -> EnrolmentPlace? {
        guard enrolment != nil || enrolmentAnchor != nil else { return nil }
        guard let enrolment, let enrolmentAnchor, key != nil else {
            throw InputError(
                file: "--enrolment",
                "it needs --enrolment-anchor and --key, too: a board enrols by a signed device file only")
        }
        let anchor = try Files.read(enrolmentAnchor, limit: EnrolmentPlace.maximumByteCount)
        do throws(EnrolmentPlaceFault) { return try EnrolmentPlace(address: enrolment, anchor: anchor) } catch {
            throw InputError(file: "--enrolment", error.description)
        }
    }
}

/// The list for a registration authority.
struct ClaimsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "claims", abstract: "Lists what the registration authority needs: a line SERIAL HASH for each card.",
        discussion: "The hashes prove the claims and do not show them: `vigil-authority fleet import` takes the list.")

    @Argument(help: "The inventory.")
    var inventory: String

    func run() throws {
        guard access(inventory, F_OK) == 0, Inventory.canBe(inventory) else {
            throw InputError(file: inventory, "this is no inventory of vigil-fleet; vigil-fleet plan makes one")
        }
        let inventory = try Inventory(path: inventory)
        for board in try inventory.boards() where board.hasCard {
            guard let serial = BoardSerial(board.serial), let hash = try inventory.record(of: serial)?["claimHash"]?.string
            else { continue }
            print("\(serial) \(hash)")
        }
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
        guard Inventory.canBe(inventory) else {
            throw InputError(
                file: inventory, "this is no inventory of vigil-fleet; give the file that plan was given with --inventory")
        }
        let boards = try Inventory(path: inventory).boards()
        if json { return print(JSON.array(boards.map(\.json))) }
        print(Inventory.Board.columns)
        for board in boards { print(board.csv) }
    }
}
