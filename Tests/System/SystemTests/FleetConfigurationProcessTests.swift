// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import Glibc
import JSON
import Testing
import Trust

/// A whole board that gets configurations of its fleet: what is signed, newer and fits is tried and kept when it comes again; what cuts the board off takes itself back.
@Suite(.serialized) struct FleetConfigurationProcessTests {
    private static let plugin = """
        #!/usr/bin/python3
        import os, socket, sys
        control = socket.socket(fileno=int(os.environ["VIGIL_CONTROL"]))
        control.settimeout(2)
        def take():
            data, fds, flags, _ = socket.recv_fds(control, 4096, 4)
            if not data: sys.exit(0)
            word = data.decode().split("\\n")[0]
            if word == "STOP": sys.exit(0)
            if word == "SETTINGS": print("notice told " + open(os.environ["VIGIL_RUN"] + "/settings.json").read().strip(), file=sys.stderr, flush=True)
            return word
        while take() != "START": pass
        control.send(b"READY")
        while True:
            try: take()
            except TimeoutError: control.send(b"ALIVE")
        """
    private static let manifest = """
        {"id": "loud", "version": "1.2.0", "title": "Loud", "description": "A test's plugin.",
         "run": {"program": "bin/main"}, "start": "resident",
         "wants": [{"interface": "org.vigil.exposure1", "methods": ["GetStatus", "Watch"], "why": "to show it"}],
         "settings": {"type": "object", "properties": {
            "word": {"type": "string", "title": "Word", "default": "first", "maxLength": 20},
            "believes": {"type": "string", "title": "Believes", "operatorOnly": true, "cardOnly": true},
            "secret": {"type": "string", "title": "Secret", "writeOnly": true}}}}
        """
    private static let grants =
        #"{"plugins": {"loud": {"enabled": true, "calls": {"org.vigil.exposure1": ["GetStatus"]}}}}"#

    private final class Scene {
        let air: AirProcess
        let board: BoardProcess
        let key: P256.SigningKey
        var console: CallClient

        init() throws {
            key = try .generate()
            air = try AirProcess()
            board = try BoardProcess("board", on: air)
            let folder = board.folder
            try FileManager.default.createDirectory(atPath: "\(folder)/network", withIntermediateDirectories: true)
            // The stand-in for networkctl: it takes its time, and it fails, while there is a file that says so.
            let reload =
                "echo \"$@\" >> \(folder)/reloads; while [ -e \(folder)/hold ]; do sleep 0.05; done; [ ! -e \(folder)/fail ]\n"
            try Data(reload.utf8).write(to: URL(filePath: "\(folder)/reload"))
            try Data(key.verificationKey.pem().utf8).write(to: URL(filePath: "\(folder)/fleet.pem"))
            let configuration = """
                {"operatorKeys": ["fleet-1=\(folder)/fleet.pem"], "fleet": {"board": "vg-7k3m-q0r1x", "group": "libraries"},
                 "network": {"folder": "\(folder)/network", "interfaces": ["eth7"], "reload": ["/bin/sh", "\(folder)/reload", "now"]}}
                """
            try Data(configuration.utf8).write(to: URL(filePath: "\(folder)/vigil.json"))
            board.arguments = ["--config", "\(folder)/vigil.json"]
            try board.install(
                "loud", manifest: FleetConfigurationProcessTests.manifest,
                files: ["bin/main": FleetConfigurationProcessTests.plugin], programs: ["bin/main"])
            try board.grant(FleetConfigurationProcessTests.grants)
            try board.start()
            let running = board
            try #require(
                running.waits(seconds: 60) { running.state("core") == "running" && running.state("loud") == "running" },
                "\(running.log)")
            console = try CallClient(board.run + "/ctl.sock")
            // A board that does not know the time cannot tell that a configuration's is over.
            try setTime(Int(Date().timeIntervalSince1970))
        }

        /// What the board says of a configuration of these stages, which a person brings: `held`, `trial`, or why it is refused.
        func bring(
            _ version: Int, _ stages: String, by signers: [P256.SigningKey]? = nil, more: String = ""
        ) throws -> String {
            let document =
                #"{"format": "vigil-fleet-configuration-1", "version": \#(version), "trialSeconds": 600\#(more), "stages": [\#(stages)]}"#
            return try bring(SignedConfiguration(signing: Array(document.utf8), with: signers ?? [key]).file)
        }

        /// What the board says when a person keeps that version; empty if it is kept.
        func keep(_ version: Int) throws -> String {
            try ask("KeepConfiguration", ["version": .int(Int64(version))])["parameters"]?["reason"]?.string ?? ""
        }

        /// Waits until the system has read its network files, and keeps it.
        func keeps(_ version: Int) -> Bool { board.waits { (try? keep(version)) == "" } }

        func call(_ method: String, _ parameters: JSON = [:]) throws -> JSON {
            let text = try #require(console.call(method, "\(parameters)"), "\(method) \(board.log.suffix(2_000))")
            return try JSON(parsing: Array(text.utf8))
        }

        func setTime(_ seconds: Int) throws {
            let reply = try call("org.vigil.device1.SetTime", ["now": .int(Int64(seconds) * 1_000)])
            try #require(reply["error"] == nil, "\(reply)")
        }

        func restart(_ number: Int32 = SIGTERM) throws {
            board.end(number)
            try board.start()
            try #require(board.waits(seconds: 60) { board.state("core") == "running" }, "\(board.log.suffix(3_000))")
            console = try CallClient(board.run + "/ctl.sock")
            try setTime(Int(Date().timeIntervalSince1970))
        }

        func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: URL(filePath: "\(board.folder)/\(name)"))
        }

        func bring(_ file: [UInt8]) throws -> String {
            let reply = try ask("TakeConfiguration", ["document": .string(String(decoding: file, as: UTF8.self))])
            if let onTrial = reply["parameters"]?["onTrial"]?.bool { return onTrial ? "trial" : "held" }
            return "\(reply["parameters"]?["rule"]?.string ?? "\(reply)"): \(reply["parameters"]?["reason"]?.string ?? "")"
        }

        func ask(_ method: String, _ parameters: JSON = [:]) throws -> JSON {
            try call("org.vigil.trust1.\(method)", parameters)
        }

        var isOnAir: Bool {
            (try? call("org.vigil.device1.GetRadio"))?["parameters"]?["radio"]?["onAir"] == true
        }
        var state: JSON? { try? ask("GetConfiguration")["parameters"] }
        var network: String { board.text("network/10-vigil-eth7.network") }
        var word: String? {
            (try? JSON(parsing: Array(board.text("grants.json").utf8)))?["plugins"]?["loud"]?["settings"]?["word"]?.string
        }
    }

    private static func stages(_ word: String, _ address: String) -> String {
        """
        {"to": "fleet", "plugins": {"loud": {"settings": {"word": "never"}}}},
        {"to": "group:libraries", "plugins": {"loud": {"calls": {"org.vigil.exposure1": ["GetStatus", "Watch"]}, "settings": {"word": "\(word)"}}},
         "networks": [{"interface": "eth7", "method": "manual", "addresses": ["\(address)/24"], "gateway": "192.0.2.1"}]},
        {"to": "board:vg-0000-00000", "plugins": {"loud": {"enabled": false}}}
        """
    }

    @Test func whatCutsTheBoardOffTakesItselfBack() throws {
        let scene = try Scene()
        let board = scene.board
        let good = Self.stages("kept", "192.0.2.7")
        // Nothing of what is not in order changes anything.
        let before = board.text("grants.json")
        let long = String(repeating: " ", count: 41_000)
        for (said, rule) in [
            (try scene.bring(1, good, by: [.generate()]), "notSigned"), (try scene.bring(Array(long.utf8)), "tooLarge"),
            (try scene.bring(Array("{}".utf8)), "malformedDocument"),
            (try scene.bring(1, good, more: #", "until": 1000"#), "expired"),
            // By a slip: whoever took it would take nothing else for a lifetime.
            (try scene.bring(4_000_000_000, good), "versionTooHigh"), (try scene.bring(1 << 53, good), "versionTooHigh"),
            (
                try scene.bring(1, good, more: #", "enable": true"#),
                "notPossible: The configuration is not taken (unknownField)"
            ),
            (try scene.bring(1, Self.stages("x", "192.0.2.255")), "notPossible: eth7: network.addresses[0]"),
            (
                try scene.bring(
                    1,
                    #"{"to": "fleet", "plugins": {"loud": {"calls": {"org.vigil.device1": ["GetTime"]}}}}"#),
                "notPossible: plugins.loud"
            ),
            (
                try scene.bring(1, #"{"to": "fleet", "plugins": {"loud": {"settings": {"secret": "1234"}}}}"#),
                "notPossible: plugins.loud.settings.secret: it is a secret"
            ),
            (
                try scene.bring(1, #"{"to": "fleet", "plugins": {"loud": {"settings": {"believes": "me"}}}}"#),
                "notPossible: plugins.loud.settings.believes: it says whom the plugin believes"
            ),
            (
                try scene.bring(1, #"{"to": "fleet", "plugins": {"loud": {"calls": {"org.vigil.device1": ["Enable"]}}}}"#),
                "notPossible: The configuration is not taken (forbidden)"
            ),
            (
                try scene.bring(1, #"{"to": "fleet", "plugins": {"nobody": {"enabled": true}}}"#),
                "notPossible: plugins.nobody"
            ),
        ] { #expect(said.hasPrefix(rule), "\(said) is not \(rule)") }
        #expect(scene.state?["refused"] == 1 && scene.state?["refusedReason"]?.string?.contains("nobody") == true)
        #expect(try scene.keep(1).contains("No configuration is on trial"))
        #expect(board.text("grants.json") == before && scene.network == "" && scene.state?["trial"] == nil)

        // It is tried as a whole, and kept when it comes again, late enough.
        #expect(try scene.bring(1, good) == "trial", "\(board.log.suffix(3_000))")
        #expect(scene.word == "kept" && scene.network.contains("Address=192.0.2.7/24") && board.text("reloads") == "now\n")
        #expect(scene.state?["trial"] == 1 && board.waits { board.log.contains(#"told {"word":"kept"}"#) })
        #expect(try scene.bring(2, good).contains("is on trial") && scene.keep(2).contains("and not 2"))
        // A person who brings it again shows nothing of the network; who keeps it says so.
        #expect(try scene.bring(1, good) == "trial")
        #expect(scene.keeps(1), "\(scene.state ?? .null) \(board.log.suffix(3_000))")
        #expect(scene.state?["version"] == 1 && scene.state?["trial"] == nil && scene.word == "kept")
        let held = (board.text("grants.json"), scene.network)

        // A network that the system does not take: everything is as before, and it is not tried again.
        try Data().write(to: URL(filePath: "\(board.folder)/fail"))
        let bad = Self.stages("bad", "192.0.2.9")
        let said = try scene.bring(2, bad)
        #expect(said == "trial" || said.contains("was taken back"), "\(said)")
        #expect(board.waits { scene.state?["takenBack"] == 2 }, "\(board.log.suffix(3_000))")
        #expect(
            (board.text("grants.json"), scene.network) == held
                && scene.state?["reason"]?.string?.contains("did not take the network") == true)
        unlink("\(board.folder)/fail")
        #expect(try scene.bring(2, bad).contains("was taken back"))
        #expect(try scene.bring(1, good) == "held" && scene.bring(1, bad).contains("is not newer"))

        // The power goes while one is on trial.
        #expect(board.waits { (try? scene.bring(3, bad)) == "trial" }, "\(board.log.suffix(3_000))")
        #expect(scene.word == "bad" && scene.network.contains("192.0.2.9"))
        try scene.restart(SIGKILL)
        #expect(
            (board.text("grants.json"), scene.network) == held && scene.state?["takenBack"] == 3
                && scene.state?["version"] == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(board.folder)/network") == ["10-vigil-eth7.network"])
        #expect(try scene.bring(3, bad).contains("was taken back"))
        #expect(board.log.contains("the fleet's configuration is taken back") || board.log.contains("and is taken back"))
        // What was done is in the log of changes.
        let audit = try #require(scene.console.call("org.vigil.device1.GetAudit", "{}"))
        #expect(audit.contains("configurationTaken") && audit.contains("keptByPerson"))

        // It goes to another fleet: numbers of the one before shut out nothing.
        let other = try P256.SigningKey.generate()
        try scene.write("fleet.pem", other.verificationKey.pem())
        try scene.restart()
        #expect(scene.state?["version"] == nil && scene.state?["takenBack"] == nil, "\(scene.state ?? .null)")
        #expect(try scene.bring(3, good).hasPrefix("notSigned"))
        #expect(try scene.bring(1, good, by: [other]) == "trial", "\(board.log.suffix(3_000))")
    }

    /// What others change counts: a technician's network that nobody has confirmed, a `vigil plugin` that is at work. And what was taken in time is kept in time.
    @Test func nothingIsTriedBesideOthersChanges() throws {
        let scene = try Scene()
        let board = scene.board
        let good = Self.stages("kept", "192.0.2.7")
        let network: JSON = [
            "interface": "eth7", "method": "manual", "addresses": ["192.0.2.5/24"], "gateway": "192.0.2.1",
            "nameServers": [],
        ]
        #expect(
            try scene.call("org.vigil.technician1.ApplyNetwork", ["seconds": 600, "network": network])["error"] == nil)
        #expect(try scene.bring(1, good).contains("A change of the network is on trial"))
        // Also one that leaves the network alone, and nothing of it stays.
        let words = #"{"to": "fleet", "plugins": {"loud": {"settings": {"word": "other"}}}}"#
        #expect(try scene.bring(1, words).contains("A change of the network is on trial"))
        #expect(scene.word == nil && scene.state?["trial"] == nil && scene.network.contains("192.0.2.5"))
        #expect(try scene.call("org.vigil.technician1.ConfirmNetwork")["error"] == nil)

        // Somebody else is changing grants.
        var lock = open("\(board.folder)/plugins", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        #expect(try scene.bring(1, good).contains("`vigil plugin` is changing something"))
        #expect(scene.word == nil && scene.network.contains("192.0.2.5"))
        close(lock)

        // Its time is over while it is on trial: it was taken in time.
        let now = Int(Date().timeIntervalSince1970)
        let until = #", "until": \#(now + 100)"#
        #expect(board.waits { scene.isOnAir })
        #expect(try scene.bring(1, good, more: until) == "trial", "\(board.log.suffix(3_000))")
        try scene.setTime(now + 200)
        #expect(try scene.bring(1, good, more: until) == "trial")
        // The wearer, who switches the device off meanwhile, does not have it taken back.
        #expect(try scene.call("org.vigil.device1.Disable")["error"] == nil)
        #expect(board.waits { !scene.isOnAir })
        #expect(scene.keeps(1), "\(board.log.suffix(3_000))")
        #expect(try scene.bring(1, good, more: until) == "held" && scene.word == "kept")
        #expect(try scene.bring(2, good, more: until).hasPrefix("expired"))

        // The network comes back at once, and grants when whoever changes them is done.
        let held = board.text("grants.json")
        try scene.write("fail", "")
        lock = open("\(board.folder)/plugins", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(lock) }
        try scene.write("hold", "")
        #expect(try scene.bring(2, Self.stages("bad", "192.0.2.9")) == "trial", "\(board.log.suffix(3_000))")
        try #require(flock(lock, LOCK_EX | LOCK_NB) == 0)
        unlink("\(board.folder)/hold")
        #expect(board.waits { scene.network.contains("192.0.2.7") }, "\(board.log.suffix(3_000))")
        #expect(board.waits { board.log.contains("are taken back in a moment") })
        #expect(scene.word == "bad" && scene.state?["takenBack"] == nil)
        flock(lock, LOCK_UN)
        #expect(board.waits { scene.state?["takenBack"] == 2 }, "\(board.log.suffix(3_000))")
        #expect(board.text("grants.json") == held && scene.network.contains("192.0.2.7"))
        unlink("\(board.folder)/fail")
    }

    /// The operator's key is replaced: the core judges by the new one, the supervisor by the one of the card, until the card has the new one too. So both sign.
    @Test func twoKeysSignWhileOneIsReplaced() throws {
        let scene = try Scene()
        let (old, new) = (scene.key, try P256.SigningKey.generate())
        let (former, name) = (KeyName(id: "fleet", version: "1"), KeyName(id: "fleet", version: "2"))
        let key = TrustedKey(name: name, role: .operator, key: new.verificationKey)
        let document = try SuccessionContent(
            sequence: 1, roles: [.operator: [key]], source: nil,
            proofs: [key: KeyProof.make(with: new, role: .operator, name: name)]
        ).document()
        let signature = try old.sign(Succession.digest(of: document))
        let file = try Succession(
            document: document, signatures: [.init(role: .operator, name: former, signature: signature)]
        ).file()
        let good = Self.stages("kept", "192.0.2.7")
        #expect(try scene.bring(1, good, by: [new]).hasPrefix("notSigned"))
        let reply = try scene.ask("TakeSuccession", ["document": .string(String(decoding: file, as: UTF8.self))])
        #expect(reply["parameters"]?["changed"] == true, "\(reply)")
        #expect(try scene.bring(1, good, by: [old]).hasPrefix("notSigned"))
        #expect(try scene.bring(1, good, by: [new]).contains("No key that was provisioned"))
        #expect(scene.word == nil)
        #expect(try scene.bring(1, good, by: [old, new]) == "trial", "\(scene.board.log.suffix(3_000))")
        #expect(scene.keeps(1) && scene.word == "kept")
    }
}
