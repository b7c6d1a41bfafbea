// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment
import FoundationEssentials
import Glibc
import JSON
import RandomValues
import TestKit
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
        try finish(start(words, command: command, typed: typed, in: place), in: place)
    }

    /// Starts the program; what it prints goes into files of `mark` in `place`.
    private func start(
        _ words: [String], command: [String] = ["one"], typed: String = "", in place: String, mark: String = ""
    ) throws -> pid_t {
        try Data(typed.utf8).write(to: URL(filePath: "\(place)/typed\(mark)"))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "\(place)/typed\(mark)", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "\(place)/out\(mark)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, "\(place)/err\(mark)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let values: [UnsafeMutablePointer<CChar>?] = ([Self.program] + command + words).map { strdup($0) } + [nil]
        defer { for value in values { free(value) } }
        var process: pid_t = 0
        try #require(startProgram(&process, Self.program, &actions, values) == 0)
        return process
    }

    private func finish(_ process: pid_t, in place: String, mark: String = "") throws -> Outcome {
        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: URL(filePath: "\(place)/\(name)\(mark)")), as: UTF8.self)
        }
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
            let typed = """
                place
                de
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
            try Data("x".utf8).write(to: URL(filePath: "\(place)/board/notes.txt"))
            let strange = try run(["\(place)/board", "--replace", "\(serial)"], typed: typed, in: place)
            #expect(strange.status == 2 && strange.errors.contains("not made: notes.txt."), "\(strange.errors)")
        }
    }

    /// The desk's list takes serial numbers and numbers of desks, and no word that could be somebody's name; nor does it repeat one.
    @Test func thePoolTakesNoNames() throws {
        try scene { place in
            func pool(_ words: [String], typed: String = "") throws -> Outcome {
                try run(words + ["--inventory", "\(place)/pool.sqlite"], command: ["pool"], typed: typed, in: place)
            }
            let serial = "vg-2kr5-qz4ra"
            #expect(try pool(["lend", serial]).status == 2)
            #expect(try pool(["add", serial, "--dry-run"]).status == 0 && access("\(place)/pool.sqlite", F_OK) != 0)
            let added = try pool(["add", serial, "--json"])
            #expect(added.status == 0, "\(added.errors)")
            for words in [
                ["lend", serial, "Erna"], ["lend", "Erna"], ["lend", serial, "--desk", "Erna"],
                ["lend", serial, "--to", "Erna"],
            ] {
                let refused = try pool(words)
                #expect([2, 64].contains(refused.status) && refused.output.isEmpty, "\(words) \(refused)")
            }
            #expect(try !pool(["lend", "Erna"]).errors.contains("Erna"))
            #expect(try pool(["lend", serial, "--desk", "3"]).output.contains("\(serial),\"\(serial)\",out,"))
            #expect(try pool(["return", "VG 2KR5 QZ4RA"]).status == 0)
            let early = try pool(["lend", serial])
            #expect(early.status == 2 && early.errors.contains("--not-wiped"), "\(early.errors)")
            #expect(try pool(["wiped", serial]).status == 64)
            let bad = try pool(
                ["wiped", serial, "--proof", "-"], typed: #"{"ready":false,"life":2,"reasons":["It was never erased."]}"#)
            #expect(bad.status == 2 && bad.errors.contains("It was never erased."), "\(bad.errors)")
            #expect(try pool(["wiped", serial, "--proof", "-"], typed: "wiped, I swear").status == 2)
            let good = try pool(
                ["wiped", serial, "--proof", "-", "--json"], typed: #"{"ready":true,"life":2,"reasons":[]}"#)
            #expect(good.status == 0 && good.output.contains(#""life":2"#), "\(good.errors) \(good.output)")
            #expect(try pool([]).output.split(separator: "\n").count == 2)
            #expect(try pool(["list", "--state", "out"]).output.split(separator: "\n").count == 1)
            let bytes = try Data(contentsOf: URL(filePath: "\(place)/pool.sqlite"))
            #expect(!String(decoding: bytes, as: UTF8.self).contains("Erna"))
            // The label of the next wearer's code.
            let label = try run(
                [serial, "\(place)/label"], command: ["label"], typed: #"{"secret":"7H2K-9D3K-HT6W-4Q7P"}"#, in: place)
            #expect(label.status == 0 && !label.output.contains("7H2K"), "\(label.errors)")
            #expect(access("\(place)/label/label.pdf", F_OK) == 0)
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
            #expect(try run(["\(place)/board", "--title", "Foyer"] + words, in: place).status == 0)
            let serial = try #require(try CardFolder.owner(of: "\(place)/board"))
            // The title is no question: it stays unless another is given.
            let anew = try run(["\(place)/board", "--replace", "\(serial)"] + words, in: place)
            #expect(anew.status == 0 && anew.output.contains("are void"), "\(anew.errors)")
            #expect(anew.output.contains("label.txt, provision in \(place)/board"), "\(anew.output)")
            #expect(try CardFolder.existing(at: "\(place)/board")?.record["title"] == "Foyer")
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
            let pipe = "\(place)/pipe"
            try #require(mkfifo(pipe, 0o600) == 0)
            for (words, part) in [
                // Nobody writes into it: it would be waited for.
                (wrong("--authority", pipe), "this is no ordinary file"),
                (wrong("--technician", pipe), "this is no ordinary file"),
                (Array(good.prefix(8)), "Input ended before question 5; give --technician FILE or none."),
                (wrong("--use", "shop"), "is no use of a board"),
                (wrong("--technician", "\(place)/none.pub"), "cannot be read"),
                (wrong("--authority", "/etc/passwd"), "no profile"),
                (good + ["--replace", "vg-0000-00001"], "no serial number"), (good + ["--title", ""], "--title: "),
            ] {
                let outcome = try run(["\(place)/board"] + words, in: place)
                #expect(
                    outcome.status == 2 && outcome.errors.contains(part) && outcome.output.isEmpty,
                    "\(words): \(outcome.errors)")
                #expect(access("\(place)/board", F_OK) != 0)
            }
            // From a file, the first wrong answer ends it: the next line answers another question.
            let typed = try run(["\(place)/board"], typed: "place\nde\nwifi\nautomatic\nnone\nnone\n", in: place)
            #expect(
                typed.status == 2 && typed.errors.contains("Answer 3 (--network): “wifi” is no network"), "\(typed.errors)")
            #expect(access("\(place)/board", F_OK) != 0)
            for (words, part) in [
                (["\(place)/none/board", "--dry-run"], "there is no folder \(place)/none"), ([""], "is empty"),
                (
                    ["\(place)/board", "--replace", "\(try Sample.card().serial)"],
                    "board does not exist; nothing to replace."
                ),
            ] {
                let outcome = try run(words + good, in: place)
                #expect(outcome.status == 2 && outcome.errors.contains(part), "\(words): \(outcome.errors)")
            }
            let unknown = try run([], command: ["on"], in: place)
            #expect(unknown.status == 64 && unknown.errors.contains("There is no command “on”. Did you mean one?"))
        }
    }

    /// A wireless network comes by options, all of them or none; its password from a file, and what is wrong is said without it.
    @Test func aNetworkIsTakenWholeOrRefused() throws {
        try scene { place in
            let good = [
                "--use", "person", "--language", "en", "--network", "automatic", "--authority", "none", "--technician",
                "none",
            ]
            let all = ["--wifi-name", "Library", "--wifi-password-file", "\(place)/password", "--country"]
            let wrong: [(words: [String], password: String, part: String)] = [
                (["--wifi-name", "Library"], "", "together"), (["--country", "DE"], "", "together"),
                (["--wifi-hidden"], "", "together"), (all + ["DE"], "Zq7\n", "3 characters"),
                (all + ["DE"], "Zq7 correct\nhorse\n", "more than one line"),
                (all + ["UK"], "Zq7 correct horse", "country"),
                (all + ["DE"], "", "password= is missing"),
            ]
            for (words, password, part) in wrong {
                try Data(password.utf8).write(to: URL(filePath: "\(place)/password"))
                let outcome = try run(["\(place)/board"] + good + words, in: place)
                #expect(outcome.status == 2 && outcome.errors.contains(part), "\(words): \(outcome.errors)")
                #expect(!outcome.errors.contains("Zq7") && access("\(place)/board", F_OK) != 0)
            }
            try Data("Zq7 correct horse\r\n".utf8).write(to: URL(filePath: "\(place)/password"))
            // Sizes of secret files are left out: a network's gives the length of the password.
            let dry = try run(["\(place)/board", "--dry-run", "--json"] + good + all + ["DE"], in: place)
            let listed = try JSON(parsing: Array(dry.output.utf8))["files"]?.array ?? []
            #expect(listed.contains { $0["path"] == "provision/wifi" && $0["secret"] == true })
            #expect(listed.allSatisfy { ($0["bytes"] == nil) == ($0["secret"] == true) }, "\(dry.output)")
            let made = try run(["\(place)/board"] + good + all + ["DE", "--wifi-hidden"], in: place)
            #expect(made.status == 0 && !made.output.contains("Zq7") && !made.errors.contains("Zq7"), "\(made.errors)")
            let text = String(decoding: try Data(contentsOf: URL(filePath: "\(place)/board/provision/wifi")), as: UTF8.self)
            #expect(text == "name=Library\npassword=Zq7 correct horse\ncountry=DE\nhidden=yes\n")
        }
    }

    /// Two runs at once: one works, the other says that it waits for nobody, and every card is whole.
    @Test func twoRunsAtOnceSpoilNothing() throws {
        try scene { place in
            let words = [
                "--use", "place", "--language", "fr", "--network", "automatic", "--authority",
                "\(Sample.root)/Provisioning/authorities/example-cwa.json", "--technician", "\(place)/key.pub",
            ]
            try Data("name,use,language,network\na,place,de,automatic\nb,place,de,automatic\n".utf8).write(
                to: URL(filePath: "\(place)/fleet.csv"))
            for round in 0..<12 {
                let folder = "\(place)/cards-\(round)"
                let isPlan = round.isMultiple(of: 2)
                if !isPlan { mkdir(folder, 0o700) }
                let all =
                    isPlan
                    ? ["\(place)/fleet.csv", "--inventory", "\(place)/\(round).sqlite", "--cards", folder] + words.suffix(4)
                    : ["\(folder)/board"] + words
                let processes = try ["-1", "-2", "-3"].map {
                    ($0, try start(all, command: [isPlan ? "plan" : "one"], in: place, mark: $0))
                }
                let outcomes = try processes.map { try finish($0.1, in: place, mark: $0.0) }
                #expect(outcomes.contains { $0.status == 0 })
                for outcome in outcomes where outcome.status != 0 {
                    #expect(
                        outcome.status == 3 && outcome.errors.contains("Another vigil-fleet is working here.")
                            || outcome.status == 2 && outcome.errors.contains("belongs to the board"), "\(outcome.errors)")
                }
                let folders = isPlan ? CardFolder.serials(in: folder).map { "\(folder)/\($0)" } : ["\(folder)/board"]
                #expect(folders.count == (isPlan ? 2 : 1))
                for folder in folders {
                    let record = try #require(try CardFolder.existing(at: folder)).record
                    func bytes(_ name: String) throws -> [UInt8] {
                        Array(try Data(contentsOf: URL(filePath: "\(folder)/provision/\(name)")))
                    }
                    for file in record["files"]?.object?.members ?? [] {
                        #expect(try DeviceFile.hash(bytes(file.name)) == file.value.string, "\(file.name)")
                    }
                    let claim = String(decoding: try bytes("enrolment-claim"), as: UTF8.self).trimming("\n")
                    #expect(CardSecrets.digest(SecretBytes(copying: claim.utf8)) == record["claimHash"]?.string)
                }
                let left = try FileManager.default.contentsOfDirectory(atPath: folder)
                #expect(left.filter { $0.hasPrefix(".") } == [WorkLock.name])
            }
            // While somebody works, nobody else does.
            try WorkLock.holding(folder: place) {
                let outcome = try run(["\(place)/board"] + words, in: place)
                #expect(outcome.status == 3 && access("\(place)/board", F_OK) != 0, "\(outcome.errors)")
            }
        }
    }

    /// What is not as the table says is named, changes nothing, and is made anew only when that is asked for.
    @Test func whatHasChangedIsNamed() throws {
        try scene { place in
            func write(_ text: String) throws {
                try Data("name,use,language,network\n\(text)".utf8).write(to: URL(filePath: "\(place)/fleet.csv"))
            }
            func plan(
                _ more: [String] = [], inventory: String = "fleet.sqlite", technician: String? = nil
            ) throws -> Outcome {
                try run(
                    [
                        "\(place)/fleet.csv", "--inventory", "\(place)/\(inventory)", "--cards", "\(place)/cards",
                        "--authority",
                        "none", "--technician", technician ?? "\(place)/key.pub",
                    ] + more, command: ["plan"], in: place)
            }
            try write("Jörg,person,en,automatic\nHalle,place,de,automatic\n")
            #expect(try plan().status == 0)
            let inventory = try Inventory(path: "\(place)/fleet.sqlite")
            let serial = try #require(BoardSerial(inventory.board(named: "Jörg")?.serial ?? ""))
            let record = try #require(try inventory.record(of: serial))
            let label = String(
                decoding: try Data(contentsOf: URL(filePath: "\(place)/cards/\(serial)/label.txt")), as: UTF8.self)
            #expect(record["name"] == "Jörg" && label.contains("Name  Jörg\n"))
            try write("Jörg,person,fr,automatic\nHalle,place,de,automatic\n")
            for more in [[], ["--dry-run"]] {
                let changed = try plan(more)
                #expect(
                    changed.status == 1
                        && changed.output.contains(
                            "Line 2 (Jörg): the table says fr, the card \(serial) was made with en; it is left as it is. ")
                        && changed.output.contains("--remake \(serial)") && !changed.output.contains("Halle"),
                    "\(changed.output)\(changed.errors)")
            }
            #expect(try inventory.record(of: serial) == record)
            let keys = try JSON(parsing: Array(plan(["--json"], technician: "none").output.utf8))["findings"]?.array ?? []
            #expect(keys.count == 2 && keys.allSatisfy { $0["text"]?.string?.contains("--technician says none") == true })
            // Not behind the inventory's back.
            let one = try run(
                [
                    "\(place)/cards/\(serial)", "--replace", "\(serial)", "--use", "person", "--language", "fr",
                    "--network",
                    "automatic", "--authority", "none", "--technician", "none",
                ], in: place)
            #expect(one.status == 2 && one.errors.contains("--remake \(serial)"), "\(one.errors)")
            let anew = try plan(["--remake", "\(serial)"])
            #expect(anew.status == 0 && anew.output.hasPrefix("1 card made, 1 was there") && anew.output.contains("void"))
            let made = try #require(try inventory.record(of: serial))
            #expect(made["language"] == "fr" && made["claimHash"] != record["claimHash"])
            #expect(try CardFolder.existing(at: "\(place)/cards/\(serial)")?.record == made)
            #expect(try plan().status == 0)
            // A cut after the old card was said to be void: the next run makes the new one.
            try inventory.note(.cardVoid, of: serial, at: 1)
            #expect(try plan(["--dry-run"]).output.contains("1 card would be made, 1 is there already"))
            #expect(try plan().status == 0)
            #expect(try inventory.record(of: serial)?["claimHash"] != made["claimHash"])
            let wrong = try plan(["--remake", "\(try Sample.card().serial)"])
            #expect(wrong.status == 2 && wrong.errors.contains("no line of the table"))
            // A name typed wrongly would give each board a second serial number.
            let mistyped = try plan(inventory: "flet.sqlite")
            #expect(mistyped.status == 2 && mistyped.errors.contains("there is no inventory, but"), "\(mistyped.errors)")
            #expect(access("\(place)/flet.sqlite", F_OK) != 0)
            _ = try Inventory(path: "\(place)/other.sqlite")
            let other = try plan(inventory: "other.sqlite")
            #expect(other.status == 2 && other.errors.contains("has no board vg-"), "\(other.errors)")
            let table = try plan(inventory: "fleet.csv")
            #expect(table.status == 2 && table.errors.contains("is no inventory"), "\(table.errors)")
            let listed = try run(["\(place)/fleet.csv"], command: ["inventory"], in: place)
            #expect(listed.status == 2 && listed.errors.contains("is no inventory"), "\(listed.errors)")
            try FileManager.default.removeItem(atPath: "\(place)/cards/\(serial)")
            let gone = try plan()
            #expect(gone.status == 1 && gone.output.contains("\(serial) has no folder in"), "\(gone.output)")
        }
    }

    /// A table of three boards. A folder that was written just before a cut is made anew; what was finished stays.
    /// A token that came into the pool by its number, and has a row in the table now.
    @Test func aTokenOfThePoolGetsItsCard() throws {
        try scene { place in
            let serial = "vg-2kr5-qz4ra"
            let added = try run(["add", serial, "--inventory", "\(place)/fleet.sqlite"], command: ["pool"], in: place)
            #expect(added.status == 0, "\(added.errors)")
            try Data("name,use,language,network\n\(serial),person,en,automatic\n".utf8)
                .write(to: URL(filePath: "\(place)/fleet.csv"))
            let made = try run(
                [
                    "\(place)/fleet.csv", "--inventory", "\(place)/fleet.sqlite", "--cards", "\(place)/cards",
                    "--authority", "none", "--technician", "none",
                ], command: ["plan"], in: place)
            #expect(made.status == 0 && made.output.hasPrefix("1 card made"), "\(made.output)\(made.errors)")
            #expect(access("\(place)/cards/\(serial)/provision", F_OK) == 0)
        }
    }

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
            #expect(second.status == 0 && second.output.hasPrefix("1 card made, 2 were there"), "\(second.errors)")
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
