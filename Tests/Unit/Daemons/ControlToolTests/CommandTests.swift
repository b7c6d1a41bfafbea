// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import FoundationEssentials
import Glibc
import Interfaces
import JSON
import KeyExport
import SelfCheck
import Testing

@testable import ControlTool

/// Every command against a server that holds its answers against the interface.
@Suite struct CommandTests {
    private func with(
        in folder: String = TestCore.freshFolder(),
        _ answer: @escaping @Sendable (String, JSON) -> TestCore.Answer = Canned.answer, _ body: (Desk) throws -> Void
    ) throws {
        let core = try TestCore(in: folder, answer)
        defer { core.end() }
        try body(Desk(core))
        #expect(core.unsendable == 0, "an answer of this test is not what the interface says")
    }

    private func file(_ desk: Desk, _ name: String, _ text: String) throws -> String {
        let path = desk.core.folder + "/" + name
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test func theBoardAndItsLogAreShown() throws {
        try with { desk in
            let board = try desk.shows { session in try session.processes() }
            #expect(isHarmless(board) && board.contains("Safe mode") && board.contains("grants.json: x"))
            #expect(board.contains("quarantined") && board.contains("it failed") && board.contains("core"))
            let text = try desk.shows { session in try session.log(process: "sync", level: "info", isFollowed: false) }
            #expect(
                text.split(separator: "\n").map(String.init) == [
                    "(6 older lines are no longer kept)", "10:30:00 sync info line 7", "10:30:00 sync error line 8",
                ])
            #expect(desk.core.calls.last?.parameters == ["process": "sync", "level": "info"])
            let lines = try desk.shows(json: true) { session in
                try session.log(process: nil, level: nil, isFollowed: false)
            }.split(separator: "\n")
            #expect(lines.count == 2 && json(String(lines[1]))["number"]?.int == 8)
        }
    }

    @Test func theSelfCheckSaysWhatIsWrongAndWhatHelps() throws {
        try with { desk in
            var verdict: HealthVerdict?
            let text = try desk.shows { verdict = try $0.health() }
            // In safe mode, by the answers of this server; nobody answers for sync.
            #expect(verdict == .bad && isHarmless(text))
            #expect(
                text.hasPrefix("Bad:") && text.contains("Plugins do not run.") && text.contains("docs/health.md#safe-mode"))
            let answer = json(try desk.shows(json: true) { _ = try $0.health() })
            #expect(answer["verdict"]?.string == "bad")
            let findings = answer["findings"]?.array ?? []
            let first = findings.first { $0["id"]?.string == "safe-mode" }
            #expect(first?["severity"]?.string == "serious" && first?["fix"]?.string?.isEmpty == false)
            #expect(findings.contains { $0["id"]?.string == "plugin-quarantined" && $0["detail"]?.string == "it failed" })
        }
        // What does not answer is no reason to fail, and none to call a board good.
        try with { method, parameters in
            method.hasPrefix("org.vigil.technician1.")
                ? .error("org.varlink.service.MethodNotFound", ["method": .string(method)])
                : Canned.answer(method, parameters)
        } _: { desk in
            var verdict: HealthVerdict?
            _ = try desk.shows { verdict = try $0.health() }
            #expect(verdict == .unknown)
        }
    }

    @Test func statusSaysItInAFewLines() throws {
        try with { desk in
            let text = try desk.shows { session in try session.status() }
            #expect(
                text == """
                    Active: This device sends and listens.
                    Takes part  yes
                    Stands for  a person
                    Time        proven by a signature
                    Last match  2026-11-21 05:46 UTC, 4 hours 43 minutes ago
                    Found       2 published people met, in 12 files matched
                    Limit       6 of 6 calls used this UTC day; the next is permitted at 2026-11-22 00:00 UTC, in 13
                                hours 30 minutes

                    """)
            // As it came, to the last field.
            let asJSON = try desk.shows(json: true) { session in try session.status() }
            #expect(
                json(asJSON) == json(#"{"status":\#(Canned.status)}"#))
        }
    }

    @Test func whatAsksNeedsAnAnswer() throws {
        try with { desk in
            let disable = { (session: ControlSession) throws in try session.disable(isAgreed: false) }
            #expect(desk.failure(disable)?.status == .usage)
            #expect(desk.failure(answers: [""], disable)?.status == .refused)
            #expect(desk.failure(answers: [], disable)?.status == .refused)
            #expect(desk.core.calls.isEmpty)
            #expect(desk.failure(answers: [" y "], disable) == nil)
            #expect(desk.questions.last?.contains("neither send nor listen") == true)
            let reset = { (session: ControlSession) throws in try session.reset(isAgreed: false) }
            #expect(desk.failure(answers: ["y"], reset)?.code == .declined)
            #expect(desk.core.calls.map(\.method) == ["org.vigil.device1.Disable"])
            #expect(desk.failure(answers: ["erase"], reset) == nil)
            #expect(desk.core.calls.last?.parameters == ["ticket": "ABCD-EFGH"])
            // Nothing to agree to.
            #expect(desk.failure { session in try session.setRole(.person, isAgreed: false) } == nil)
            #expect(desk.failure { session in try session.setRole(.place, isAgreed: false) }?.status == .usage)
            #expect(desk.failure { session in try session.setRole(.place, isAgreed: true) } == nil)
            #expect(desk.core.calls.last?.parameters == ["role": "place"])
        }
    }

    @Test(arguments: [true, false]) func notifyingLeavesTheOtherChoices(isWanted: Bool) throws {
        let chosen: JSON = ["introduced": true, "notifications": .bool(!isWanted), "language": "de-simple"]
        let answer: @Sendable (String, JSON) -> TestCore.Answer = { method, parameters in
            method.hasSuffix(".GetPreferences") ? .reply(["preferences": chosen]) : Canned.answer(method, parameters)
        }
        try with(answer) { desk in
            let shown = try desk.shows { session in try session.showNotify() }
            #expect(shown.contains(isWanted ? "stay quiet" : "tell that"))
            #expect(desk.failure { session in try session.notify(isWanted) } == nil)
            #expect(
                desk.core.calls.last?.parameters
                    == ["preferences": ["introduced": true, "notifications": .bool(isWanted), "language": "de-simple"]])
        }
    }

    @Test func filesGoUnderOtherNamesAndComeBackUnderTheirOwn() throws {
        try with { desk in
            let first = try file(desk, "keys one.zip", "first")
            let second = try file(desk, "k2.zip", "second")
            let text = try desk.shows { session in
                try session.provide([first, second], showsProgress: false)
            }
            #expect(text.contains(first) && text.contains(second) && !text.contains("console-"))
            #expect(text.contains("1 published person was newly found") && text.contains("3 entries left out"))
            let sent = desk.core.calls.last?.parameters["files"]?.array?.compactMap(\.string) ?? []
            #expect(sent.count == 2 && sent.allSatisfy { $0.hasPrefix("console-") })
            #expect(names(in: desk.core.spool).isEmpty)
            let lines = try desk.shows(json: true) { session in
                try session.provide([first], showsProgress: true)
            }.split(separator: "\n").map { json(String($0)) }
            #expect(lines.count == 2 && lines[0]["progressByteCount"] == 65_536)
            #expect(lines[1]["result"]?["files"]?.array?.first?["name"]?.string == first)
        }
    }

    @Test func theCopiesAreThereWhileTheCoreReads() throws {
        let folder = TestCore.freshFolder()
        try with(
            in: folder,
            { method, parameters in
                // The core's side: what lies in the folder at that moment.
                guard let name = parameters["files"]?.array?.first?.string else { return .silence }
                let found = try? Data(contentsOf: URL(filePath: "\(folder)/ctl/\(name)"))
                let reason = found.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
                return .error(
                    "org.vigil.exposure1.FileRefused",
                    ["file": .string(name), "rule": "badSignature", "reason": .string("\(name): \(reason)")] as JSON.Object)
            }
        ) { desk in
            let path = try file(desk, "mine.zip", "content")
            let failure = desk.failure(json: true) { session in
                try session.provide([path], showsProgress: false)
            }
            #expect(failure?.status == .refused)
            #expect(failure?.description == "\(path): content [FileRefused]")
            #expect(json(desk.shown)["parameters"]?["file"]?.string == path)
            #expect(json(desk.shown)["error"] == "org.vigil.exposure1.FileRefused")
            #expect(names(in: desk.core.spool).isEmpty)
        }
    }

    @Test func filesThatCannotBeUsedAreSaidBeforeAnythingIsAsked() throws {
        try with { desk in
            for path in ["/nowhere/keys.zip", desk.core.folder, "/dev/null"] {
                let failure = desk.failure { session in
                    try session.provide([path], showsProgress: false)
                }
                #expect(failure?.status == .input && failure?.description.contains(path) == true)
            }
            let many = [String](repeating: "x", count: 129)
            #expect(desk.failure { session in try session.provide(many, showsProgress: false) }?.status == .usage)
            #expect(desk.core.calls.isEmpty && names(in: desk.core.spool).isEmpty)
        }
    }

    @Test func copiesOfKilledCommandsAreRemovedAfterADay() throws {
        try with { desk in
            let path = try file(desk, "keys.zip", "x")
            for (name, age) in [("console-old-1.zip", 90_000), ("console-new-1.zip", 60), ("mine.zip", 90_000)] {
                let copy = try file(desk, "ctl/" + name, "x")
                var times = [timeval(tv_sec: time(nil) - age, tv_usec: 0), timeval(tv_sec: time(nil) - age, tv_usec: 0)]
                #expect(utimes(copy, &times) == 0)
            }
            _ = try desk.shows { session in try session.provide([path], showsProgress: false) }
            #expect(names(in: desk.core.spool).sorted() == ["console-new-1.zip", "mine.zip"])
        }
    }

    @Test func releasedKeysGoToAFileOfTheirOwnAndNowhereElse() throws {
        try with { desk in
            let path = desk.core.folder + "/released.csv"
            let text = try desk.shows(answers: ["y"]) { session in
                try session.release(to: path, isAgreed: false)
            }
            #expect(text.contains("2 keys written") && !text.contains("75c734"))
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
            let keys = try KeysFile.read(path: path)
            #expect(keys.count == 2 && keys[0].rollingStart == 2_991_888 && keys[1].rollingPeriod == 60)
            let written = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
            #expect(written.contains("75c734c36add74a4dea65f9b5a5be748"))
            // Nothing is overwritten, and no consent is spent for a file that cannot be made.
            let calls = desk.core.calls.count
            for path in [path, "/nowhere/x", "/dev/stdout"] {
                #expect(desk.failure { session in try session.release(to: path, isAgreed: true) }?.status == .input)
            }
            #expect(desk.core.calls.count == calls)
        }
    }

    @Test func aRefusedReleaseLeavesNoFile() throws {
        try with({ method, _ in
            method.hasSuffix("GiveConsent")
                ? Canned.answer(method, .empty)
                : .error("org.vigil.release1.WrongRole", ["reason": "A device in a place warns nobody."] as JSON.Object)
        }) { desk in
            let path = desk.core.folder + "/released.csv"
            let failure = desk.failure { session in try session.release(to: path, isAgreed: true) }
            #expect(failure?.description == "A device in a place warns nobody. [WrongRole]")
            #expect(access(path, F_OK) != 0)
        }
    }

    @Test func pairingFilesComeAndGoThroughTheSpool() throws {
        let folder = TestCore.freshFolder()
        try with(
            in: folder,
            { method, parameters in
                if method.hasSuffix("WritePairingFile"), let name = parameters["file"]?.string {
                    try? Data("vigil-pairing 1\n".utf8).write(to: URL(filePath: "\(folder)/ctl/\(name)"))
                }
                return Canned.answer(method, parameters)
            }
        ) { desk in
            let path = desk.core.folder + "/me.pairing"
            _ = try desk.shows { session in try session.writePairing(to: path) }
            #expect(String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self) == "vigil-pairing 1\n")
            let text = try desk.shows { session in try session.readPairing(path, name: "My phone") }
            #expect(text.hasPrefix("Paired with My phone: "))
            #expect(desk.core.calls.last?.parameters["ticket"] == "ABCD-EFGH")
            #expect(desk.failure { session in try session.writePairing(to: path) }?.status == .input)
            _ = try desk.shows { session in try session.forgetPaired("My phone") }
            #expect(desk.core.calls.last?.parameters == ["name": "My phone"])
        }
    }

    /// Both parts become one capture, and the core's files go.
    @Test func aRecordingComesThroughTheSpoolAsOneFile() throws {
        let folder = TestCore.freshFolder()
        try with(in: folder, Canned.answer) { desk in
            let (spool, path) = ("\(folder)/ctl", "\(folder)/board.btsnoop")
            let heading = "btsnoop\0-heading"
            try Data("\(heading)old".utf8).write(to: URL(filePath: "\(spool)/recording.btsnoop.older"))
            try Data("\(heading)new".utf8).write(to: URL(filePath: "\(spool)/recording.btsnoop"))
            let text = try desk.shows { session in try session.stopRecording(to: path) }
            #expect(text.contains("7 packets") && text.contains("1 left out"))
            #expect(String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self) == "\(heading)oldnew")
            #expect(
                access("\(spool)/recording.btsnoop", F_OK) != 0 && access("\(spool)/recording.btsnoop.older", F_OK) != 0)
            // Nothing is overwritten, and without a recording there is no file.
            #expect(desk.failure { session in try session.stopRecording(to: path) }?.status == .input)
            let fetched = desk.failure { session in try session.stopRecording(to: "\(folder)/b") }
            #expect(fetched?.status == .input && fetched.map { "\($0)".contains("fetched already") } == true)
            // Whoever runs this may read more than the core, which owns the folder: no link, pipe or second name is read.
            let secret = "\(folder)/secret"
            try Data("\(heading)secret".utf8).write(to: URL(filePath: secret))
            let name = "\(spool)/recording.btsnoop"
            for make in [
                { symlink(secret, name) }, { link(secret, name) }, { mkfifo(name, 0o600) }, { mkdir(name, 0o700) },
            ] {
                #expect(make() == 0)
                #expect(desk.failure { session in try session.stopRecording(to: "\(folder)/c") }?.status == .input)
                #expect(access("\(folder)/c", F_OK) != 0)
                if unlink(name) != 0 { rmdir(name) }
            }
            // Nor is what is no capture.
            try Data("something else".utf8).write(to: URL(filePath: name))
            #expect(desk.failure { session in try session.stopRecording(to: "\(folder)/c") }?.status == .input)
            #expect(access(name, F_OK) == 0)
            // Without anybody at the terminal, or --yes, nothing begins.
            #expect(desk.failure { session in try session.startRecording(seconds: 60, isAgreed: false) }?.status == .usage)
        }
    }

    /// All that only ask: each is understood, shown to people without control characters, and to scripts as it came.
    @Test func everyQuestionIsShown() throws {
        typealias Command = (ControlSession) throws -> Void
        let commands: [(String, Command)] = [
            ("radio", { session in try session.radio() }),
            ("evidence", { session in try session.evidence(days: 2, byHour: false) }),
            ("hours", { session in try session.evidence(days: 2, byHour: true) }),
            ("time", { session in try session.showTime() }),
            ("set time", { session in try session.setTime(1_795_257_000_000) }),
            ("audit", { session in try session.audit(after: nil) }),
            ("storage", { session in try session.storage() }),
            ("data", { session in try session.exportMyData(to: nil) }),
            ("limit", { session in try session.limit() }),
            ("windows", { session in try session.windows() }),
            ("daily", { session in try session.daily(configuration: nil) }),
            ("summary", { session in try session.summary(configuration: nil) }),
            ("information", { session in try session.information(configuration: nil) }),
            ("mapping", { session in try session.mapping() }),
            ("paired", { session in try session.listPaired() }),
            ("role", { session in try session.showRole() }),
            ("notify", { session in try session.showNotify() }),
            ("notify off", { session in try session.notify(false) }),
            ("consent", { session in try session.consent(.pair) }),
            ("enable", { session in try session.enable() }),
            ("interfaces", { session in try session.interfaces() }),
            ("interface", { session in try session.interface("device1") }),
            ("access", { session in try session.listAccess() }),
            ("make", { session in try session.makeSecret(.technician) }),
            ("revoke", { session in try session.revokeToken("metrics") }),
            ("recording", { session in try session.showRecording() }),
            ("record", { session in try session.startRecording(seconds: 60, isAgreed: true) }),
            ("content", { session in try session.showContent() }),
            ("configuration", { session in try session.showConfiguration() }),
            ("keep", { session in try session.keepConfiguration(9) }),
            ("watch", { session in try session.watch() }),
        ]
        try with { desk in
            for (name, command) in commands {
                let text = try desk.shows(command)
                #expect(isHarmless(text) && text.hasSuffix("\n") && text.count > 10, "\(name): \(text)")
                let lines = try desk.shows(json: true, command).split(separator: "\n")
                #expect(
                    lines.count == (name == "watch" ? 2 : 1) && lines.allSatisfy { json(String($0)).object != nil },
                    "\(name)")
            }
        }
    }

    @Test func configurationsAreReadInTheInterfacesForm() throws {
        try with { desk in
            let good = try file(desk, "good.json", JSON(encoding: Configurations.first).description)
            _ = try desk.shows { session in try session.summary(configuration: good) }
            #expect(desk.core.calls.last?.parameters["configuration"]?["minimumRiskScore"] == 4)
            let mapping = try file(desk, "mapping.json", json(Canned.mapping)["mapping"]?.description ?? "")
            _ = try desk.shows { session in try session.setMapping(mapping) }
            let bad = try file(desk, "bad.json", #"{"minimumRiskScore": "four"}"#)
            for path in [bad, good + ".not", try file(desk, "worse.json", "{")] {
                let failure = desk.failure { session in try session.information(configuration: path) }
                #expect(failure?.status == .input && failure?.description.contains(path) == true)
            }
            #expect(desk.failure { session in try session.daily(configuration: good) }?.status == .input)
        }
    }

    /// What holds, is on trial, was taken back and was refused, each with its reason; and which version is kept.
    @Test func theConfigurationOfTheFleetIsSaid() throws {
        try with { desk in
            let text = try desk.shows { session in try session.showConfiguration() }
            for part in [
                "Version 7 of the fleet's configuration holds.", "Version 9 is on trial.", "in 10 minutes",
                "vigil ctl configuration keep 9", "Version 8 was taken back: it",
                "Version 6 was refused: The configuration 7",
            ] { #expect(text.replacing("\n", with: " ").contains(part), "\(part): \(text)") }
            for (content, sentence) in [("new", "It is on trial"), ("old", "It holds.")] {
                let path = try file(desk, "signed", content)
                let said = try desk.shows { session in try session.takeConfiguration(path) }
                #expect(said.hasPrefix(sentence))
                #expect(desk.core.calls.last?.parameters["document"]?.string == content)
            }
            let tooLong = try file(desk, "long", String(repeating: " ", count: 40_961))
            for path in [tooLong, tooLong + ".not"] {
                let failure = desk.failure { session in try session.takeConfiguration(path) }
                #expect(failure?.status == .input)
            }
            _ = try desk.shows { session in try session.keepConfiguration(9) }
            #expect(desk.core.calls.last?.parameters == ["version": 9])
            // The self-check says the most urgent of it.
            let answer = json(try desk.shows(json: true) { _ = try $0.health() })
            let found = (answer["findings"]?.array ?? []).compactMap { $0["id"]?.string }
            #expect(
                found.filter { $0.hasPrefix("configuration-") && $0 != "configuration-problems" } == [
                    "configuration-on-trial"
                ])
        }
    }

    @Test func anyCallCanBeMade() throws {
        try with { desk in
            let text = try desk.shows { session in
                try session.call("org.vigil.device1.GetAudit", parameters: #"{"after": 1}"#, answers: .several)
            }
            #expect(json(text) == json(Canned.audit))
            #expect(desk.core.calls.last?.parameters == ["after": 1])
            _ = try desk.shows { session in
                try session.call("org.vigil.device1.Enable", parameters: nil, answers: .none)
            }
            for (method, parameters) in [
                ("Enable", "{}"), ("org.vigil.device1.Enable", "[]"), ("org.vigil.device1.Enable", "{"),
            ] {
                let failure = desk.failure { session in
                    try session.call(method, parameters: parameters, answers: .one)
                }
                #expect(failure?.status == .usage)
            }
            // Refused by the real checker of the interface.
            let failure = desk.failure(json: true) { session in
                try session.call("org.vigil.device1.SetTime", parameters: #"{"now": "soon"}"#, answers: .one)
            }
            #expect(failure?.status == .refused)
            #expect(json(desk.shown)["error"] == "org.varlink.service.InvalidParameter")
        }
    }

    @Test func theDataGoToAFileOfTheirOwn() throws {
        try with { desk in
            let path = desk.core.folder + "/data.txt"
            _ = try desk.shows { session in try session.exportMyData(to: path) }
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
            #expect(String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self).contains("ownKeys"))
            #expect(desk.failure { session in try session.exportMyData(to: path) }?.status == .input)
        }
    }
}
