// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JSON
import ProgramStart
import RandomValues
import Testing

@testable import FleetCard

/// The program itself, with what is typed at it in a file.
@Suite struct ProgramTests {
    private struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Where the executables are built.
    private static let program = "\(Sample.root)/.build/debug/vigil-fleet"

    private func run(
        _ words: [String], command: [String] = ["one"], typed: String = "", in place: String
    ) throws -> Outcome {
        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: URL(filePath: "\(place)/\(name)")), as: UTF8.self)
        }
        try Data(typed.utf8).write(to: URL(filePath: "\(place)/typed"))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "\(place)/typed", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "\(place)/out", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, "\(place)/err", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let values: [UnsafeMutablePointer<CChar>?] = ([Self.program] + command + words).map { strdup($0) } + [nil]
        defer { for value in values { free(value) } }
        var process: pid_t = 0
        try #require(startProgram(&process, Self.program, &actions, values) == 0)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { try #require(errno == EINTR) }
        let code = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
        return Outcome(status: code, output: try text("out"), errors: try text("err"))
    }

    private func scene(_ body: (String) throws -> Void) throws {
        let place = try Sample.scratch()
        defer { try? FileManager.default.removeItem(atPath: place) }
        try Data((Sample.key + "\n").utf8).write(to: URL(filePath: "\(place)/key.pub"))
        try body(place)
    }

    @Test func fiveAnswersMakeACard() throws {
        try scene { place in
            // The third is wrong at first, and asked again.
            let typed = """
                place
                de
                wifi
                192.168.1.20/24 192.168.1.1 192.168.1.1
                \(Sample.root)/Provisioning/authorities/example-cwa.json
                \(place)/key.pub

                """
            let made = try run(["\(place)/board"], typed: typed, in: place)
            #expect(made.status == 0, "\(made.errors)")
            for question in Question.allCases { #expect(made.errors.contains(question.text)) }
            let serial = try #require(try CardFolder.owner(of: "\(place)/board"))
            #expect(made.output.contains("\(serial)"))
            func text(_ path: String) throws -> String {
                String(decoding: try Data(contentsOf: URL(filePath: "\(place)/board/\(path)")), as: UTF8.self)
            }
            for name in ["authority.json", "vigil.json", "ports", "network/20-wired.network", "authorized_keys"] {
                #expect(try text("provision/\(name)") == Sample.card().text("provision/\(name)"), "\(name)")
            }
            let claim = try text("provision/enrolment-claim").trimming("\n")
            let code = try #require(try JSON(parsing: Array(text("provision/first-secrets").utf8))["technician"]?.string)
            for secret in [claim, code] { #expect(!made.output.contains(secret) && !made.errors.contains(secret)) }
            // Once more: never over it, but for that board.
            let again = try run(["\(place)/board", "--dry-run"], typed: typed, in: place)
            #expect(again.status == 2 && again.errors.contains("belongs to the board \(serial)") && again.output.isEmpty)
            let anew = try run(["\(place)/board", "--replace", "\(serial)", "--json"], typed: typed, in: place)
            #expect(anew.status == 0, "\(anew.errors)")
            #expect(try JSON(parsing: Array(anew.output.utf8))["serial"]?.string == "\(serial)")
            let other = try text("provision/enrolment-claim").trimming("\n")
            #expect(other != claim && !anew.output.contains(other))
        }
    }

    @Test func optionsAnswerToo() throws {
        try scene { place in
            let words = [
                "--use", "person", "--language", "fr", "--network", "automatic", "--authority", "none", "--technician",
                "none",
            ]
            let dry = try run(["\(place)/board", "--dry-run", "--json"] + words, in: place)
            #expect(dry.status == 0, "\(dry.errors)")
            #expect(try JSON(parsing: Array(dry.output.utf8))["written"] == false)
            #expect(access("\(place)/board", F_OK) != 0)
            #expect(try run(["\(place)/board"] + words, in: place).status == 0)
            #expect(try CardFolder.owner(of: "\(place)/board") != nil)
        }
    }

    @Test func whatIsWrongWritesNothing() throws {
        try scene { place in
            let good = [
                "--use", "person", "--language", "fr", "--network", "automatic", "--authority", "none", "--technician",
                "none",
            ]
            func wrong(_ option: String, _ value: String) -> [String] {
                var words = good
                words[(words.firstIndex(of: option) ?? 0) + 1] = value
                return words
            }
            for (words, part) in [
                (Array(good.prefix(8)), "technician has no answer"), (wrong("--use", "shop"), "is no use of a board"),
                (wrong("--technician", "\(place)/none.pub"), "cannot be read"),
                (wrong("--authority", "/etc/passwd"), "no profile"),
                (good + ["--replace", "vg-0000-00001"], "no serial number"), (good + ["--title", ""], "1 to 60"),
            ] {
                let outcome = try run(["\(place)/board"] + words, in: place)
                #expect(
                    outcome.status == 2 && outcome.errors.contains(part) && outcome.output.isEmpty,
                    "\(words): \(outcome.errors)")
                #expect(access("\(place)/board", F_OK) != 0)
            }
        }
    }

    /// A table of three boards. A folder that was written just before a cut is made anew; what was finished stays.
    @Test func aTableMakesCardsOnce() throws {
        try scene { place in
            let table = "name,use,language,network\nBücherei,place,de,automatic\nOma,person,de-simple,automatic\n"
            try Data(table.utf8).write(to: URL(filePath: "\(place)/fleet.csv"))
            let words = [
                "\(place)/fleet.csv", "--inventory", "\(place)/fleet.sqlite", "--cards", "\(place)/cards", "--authority",
                "\(Sample.root)/Provisioning/authorities/example-ens.json", "--technician", "\(place)/key.pub",
            ]
            let dry = try run(words + ["--dry-run"], command: ["plan"], in: place)
            #expect(dry.status == 0 && access("\(place)/cards", F_OK) != 0 && access("\(place)/fleet.sqlite", F_OK) != 0)
            let first = try run(words, command: ["plan"], in: place)
            #expect(first.status == 0 && first.output.hasPrefix("2 cards made, 0 were there"), "\(first.errors)")
            let boards = try Inventory(path: "\(place)/fleet.sqlite").boards()
            #expect(boards.map(\.name) == ["Bücherei", "Oma"] && boards.allSatisfy { $0.state == "cardMade" })
            func claim(_ serial: String) throws -> Data {
                try Data(contentsOf: URL(filePath: "\(place)/cards/\(serial)/provision/enrolment-claim"))
            }
            let claims = try boards.map { try claim($0.serial) }
            #expect(Set(claims).count == 2)
            // As a cut leaves it between the folder and the inventory.
            var generator = SeededGenerator(seed: 151)
            let inventory = try Inventory(path: "\(place)/fleet.sqlite")
            try inventory.plan(["Drei"], at: 1, using: &generator)
            let third = try #require(try inventory.board(named: "Drei"))
            let serial = try #require(BoardSerial(third.serial))
            let half = try Card(Sample.answers(), serial: serial, secrets: CardSecrets(using: &generator))
            try CardFolder.write(half, to: "\(place)/cards/\(serial)")
            try Data((table + "Drei,place,fr,automatic\n").utf8).write(to: URL(filePath: "\(place)/fleet.csv"))
            let second = try run(words, command: ["plan"], in: place)
            #expect(second.status == 0 && second.output.hasPrefix("1 cards made, 2 were there"), "\(second.errors)")
            #expect(try boards.map { try claim($0.serial) } == claims)
            #expect(try String(decoding: claim(third.serial), as: UTF8.self) != half.text("provision/enrolment-claim"))
            let listed = try run(["\(place)/fleet.sqlite", "--json"], command: ["inventory"], in: place)
            #expect(try JSON(parsing: Array(listed.output.utf8)).array?.count == 3 && listed.status == 0)
            for data in claims {
                let secret = String(decoding: data, as: UTF8.self).trimming("\n")
                let file = try Data(contentsOf: URL(filePath: "\(place)/fleet.sqlite"))
                #expect(file.firstRange(of: Data(secret.utf8)) == nil && !first.output.contains(secret))
            }
            let missing = try run(["\(place)/none.sqlite"], command: ["inventory"], in: place)
            #expect(missing.status == 2 && access("\(place)/none.sqlite", F_OK) != 0)
            try Data((table + "oma,place,fr,wifi\nOMA,place,fr,automatic\n").utf8).write(
                to: URL(filePath: "\(place)/fleet.csv"))
            let wrong = try run(words, command: ["plan"], in: place)
            #expect(
                wrong.status == 2 && wrong.errors.contains("Line 4: ") && wrong.errors.contains("Line 5: "),
                "\(wrong.errors)")
        }
    }
}
