// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import FleetCard
import ForeignText
import Glibc
import JSON

/// The list of a desk that lends tokens.
struct PoolCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pool",
        abstract: "Notes which tokens of a pool are out, back, wiped, lost or charged, and lists them.",
        discussion: """
            Without a verb it lists all tokens as comma-separated values, for printing. It stores no borrower: there is nowhere to write one. \
            Several tokens are noted all or none. docs/pool.md says what a desk does.

              vigil-fleet pool --inventory fleet.sqlite lend vg-7k3m-q0r1x
              vigil ctl wiped --json | vigil-fleet pool --inventory fleet.sqlite wiped vg-7k3m-q0r1x --proof -
            """)

    @Argument(help: "list, add, lend, return, wiped, lost, found or charge.")
    var verb: Word = .list

    @Argument(help: "Serial numbers, as they are on the labels.")
    var serials: [String] = []

    @Option(help: "The inventory; `add` makes one when there is none.")
    var inventory: String

    @Option(help: "The number of your desk, 1 to 99.")
    var desk: Int?

    @Option(help: "With wiped: the answer of `vigil ctl wiped --json`, a file, or - for standard input. For one token.")
    var proof: String?

    @Flag(help: "With wiped: you have seen that it was wiped, and have no file of it.")
    var seen = false

    @Flag(help: "With lend: the token was returned and not wiped, and you lend it all the same.")
    var notWiped = false

    @Option(help: "With list: only free, out, toWipe or lost.")
    var state: Where?

    @Flag(help: "Check everything; write nothing.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    enum Where: String, ExpressibleByArgument, CaseIterable {
        case free, out, toWipe, lost
    }

    enum Word: String, ExpressibleByArgument, CaseIterable {
        case list, add, lend, `return`, wiped, lost, found, charge
    }

    func validate() throws {
        if let desk, !(1...99).contains(desk) { throw ValidationError("--desk is a number from 1 to 99") }
        guard (verb == .list) == serials.isEmpty else {
            throw ValidationError(verb == .list ? "list takes no serial numbers" : "give the serial number of each token")
        }
        if verb == .wiped, (proof != nil) == seen {
            throw ValidationError(
                "wiped needs --proof FILE, or --seen if there is no file: look at the token, not at a note")
        }
        if verb != .wiped, proof != nil || seen { throw ValidationError("--proof and --seen go with wiped") }
        if proof != nil, serials.count != 1 { throw ValidationError("a proof is one token's: give one serial number") }
        if verb != .lend, notWiped { throw ValidationError("--not-wiped goes with lend") }
        if verb != .list, state != nil { throw ValidationError("--state goes with list") }
    }

    func run() throws {
        guard verb == .add || access(inventory, F_OK) == 0 else {
            throw InputError(file: inventory, "there is no inventory; vigil-fleet plan or vigil-fleet pool add makes one")
        }
        guard access(inventory, F_OK) != 0 || Inventory.canBe(inventory) else {
            throw InputError(file: inventory, "this is no inventory of vigil-fleet")
        }
        guard let event = PoolToken.Verb(rawValue: verb.rawValue) else {
            return show(
                try Inventory(path: inventory).pool().filter { state == nil || $0.state.rawValue == state?.rawValue })
        }
        var tokens: [BoardSerial] = []
        for (index, text) in serials.enumerated() {
            guard let serial = BoardSerial(text) else { throw PoolFault.noSerial(position: index + 1) }
            guard !tokens.contains(serial) else { throw PoolFault.refused(serial, "is given twice") }
            tokens.append(serial)
        }
        let detail = PoolToken.Detail(desk: desk, life: try proof.map(life), isInsisted: notWiped || seen)
        if dryRun, access(inventory, F_OK) != 0 { return show(tokens.map { PoolToken(serial: $0, name: "\($0)") }) }
        show(try Inventory(path: inventory).note(event, of: tokens, detail, at: Int64(time(nil)), isDry: dryRun))
    }

    /// The number of the life that the proof says, if it says that the token is ready.
    private func life(_ file: String) throws -> Int64 {
        let bytes = try Files.read(file == "-" ? "/dev/stdin" : file, limit: 16 << 10)
        guard let json = try? JSON(parsing: bytes), let isReady = json["ready"]?.bool else {
            throw PoolFault.noProof("This is no answer of `vigil ctl wiped --json`.")
        }
        guard isReady, let life = json["life"]?.int, life > 1 else {
            let reasons = (json["reasons"]?.array ?? []).prefix(8).compactMap(\.string)
            throw PoolFault.noProof(
                "The token is not ready: \(ForeignText.line(reasons.joined(separator: " "), limit: 600))")
        }
        return life
    }

    private func show(_ tokens: [PoolToken]) {
        if json { return print(JSON.array(tokens.map(\.json))) }
        print(PoolToken.columns)
        for token in tokens { print(token.csv) }
    }
}
