// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JSON
import Testing

/// A whole board as its technician sees it: over the core's console, with real plugins.
@Suite(.serialized) struct TechnicianTests {
    /// Says what it is told, in the house's form of a log line, and tries to give the supervisor orders of its own.
    private static let plugin = """
        #!/usr/bin/python3
        import os, socket, sys
        control = socket.socket(fileno=int(os.environ["VIGIL_CONTROL"]))
        control.settimeout(2)
        def say(text): print(text, file=sys.stderr, flush=True)
        def settings(): return open(os.environ["VIGIL_RUN"] + "/settings.json").read().strip()
        def take():
            data, fds, flags, _ = socket.recv_fds(control, 4096, 4)
            if not data: sys.exit(0)
            word = data.decode().split("\\n")[0]
            if word == "STOP": sys.exit(0)
            if word == "SETTINGS": say("notice told " + settings())
            if word == "ANSWER": say("critical the supervisor answers a plugin")
            return word
        while take() != "START": pass
        control.send(b"READY")
        say("warning first word=" + settings())
        for action in ("reboot", "enable\\nplugin=loud\\nvalue=0", "restart\\nplugin=loud", "set\\nplugin=loud"):
            control.send(("REQUEST\\nnumber=1\\ndeed=" + action).encode())
        for number in range(60): say("debug line %d" % number)
        say("no level at all \\x1b[2J")
        while True:
            try: take()
            except TimeoutError: control.send(b"ALIVE")
        """

    private static func manifest(_ id: String) -> String {
        """
        {"id": "\(id)", "version": "1.2.0", "title": "Title of \(id)", "description": "A test's <b>plugin</b>.",
         "run": {"program": "bin/main"}, "start": "resident",
         "wants": [{"interface": "org.vigil.exposure1", "methods": ["GetStatus", "Watch"], "why": "to show it"}],
         "settings": {"type": "object", "properties": {
            "word": {"type": "string", "title": "Word", "default": "first", "maxLength": 20},
            "secret": {"type": "string", "title": "Secret", "writeOnly": true},
            "server": {"type": "string", "title": "Server", "default": "https://one.example", "operatorOnly": true},
            "number": {"type": "integer", "title": "Number", "minimum": 1, "maximum": 9}}}}
        """
    }

    private final class Scene {
        let air: AirProcess
        let board: BoardProcess
        let console: CallClient

        init(_ plugins: [String: String], configuration: String = "{}") throws {
            air = try AirProcess()
            board = try BoardProcess("board", on: air)
            try Data(configuration.replacing("FOLDER", with: board.folder).utf8).write(
                to: URL(filePath: board.folder + "/vigil.json"))
            board.arguments = ["--config", board.folder + "/vigil.json"]
            for (name, program) in plugins {
                try board.install(
                    name, manifest: TechnicianTests.manifest(name), files: ["bin/main": program], programs: ["bin/main"])
            }
            let entries = plugins.keys.map {
                #""\#($0)": {"enabled": true, "calls": {"org.vigil.exposure1": ["GetStatus"]}}"#
            }
            try board.grant(#"{"plugins": {\#(entries.joined(separator: ","))}}"#)
            try board.start()
            let (board, names) = (board, Array(plugins.keys))
            try #require(
                board.waits(seconds: 60) {
                    board.state("core") == "running"
                        && names.allSatisfy { ["running", "backingOff", "quarantined"].contains(board.state($0)) }
                }, "\(board.log)")
            console = try CallClient(board.run + "/ctl.sock")
        }

        func ask(_ method: String, _ parameters: JSON = [:]) throws -> JSON {
            let text = try #require(
                console.call("org.vigil.technician1.\(method)", "\(parameters)"), "\(method) \(board.log.suffix(2000))")
            return try JSON(parsing: Array(text.utf8))
        }

        /// All pages of a method that has some.
        func pages(_ method: String, _ parameters: JSON = [:]) throws -> [JSON] {
            console.send(
                Array(#"{"method":"org.vigil.technician1.\#(method)","more":true,"parameters":\#(parameters)}"#.utf8) + [0])
            var pages: [JSON] = []
            while true {
                let text = try #require(console.receive())
                let page = try JSON(parsing: Array(text.utf8))
                pages.append(page["parameters"] ?? .null)
                if page["continues"]?.bool != true { return pages }
            }
        }

        func lines(_ parameters: JSON = [:]) throws -> [JSON] {
            try pages("GetLog", parameters).flatMap { $0["lines"]?.array ?? [] }
        }
    }

    @Test func aTechnicianSeesTheBoard() throws {
        let scene = try Scene(["loud": Self.plugin])
        let board = scene.board
        #expect(board.waits { board.log.contains("no level at all") })
        board.signal(SIGHUP)
        #expect(board.waits { board.log.contains("were read again") })
        // Processes, with what confines them. The supervisor tells the core a moment after it knows.
        func areRunning() -> Bool {
            let list = (try? scene.ask("GetProcesses"))?["parameters"]?["processes"]?.array ?? []
            return list.count == 3 && list.allSatisfy { $0["state"]?.string == "running" }
        }
        #expect(board.waits { areRunning() }, "\(board.log)")
        let processes = try #require(try scene.ask("GetProcesses")["parameters"])
        let list = try #require(processes["processes"]?.array)
        #expect(list.compactMap { $0["name"]?.string } == ["core", "egress", "loud"])
        #expect(list.allSatisfy { $0["state"]?.string == "running" && ($0["sinceSeconds"]?.int ?? -1) >= 0 })
        #expect(list[2]["title"]?.string == "Title of loud" && list[2]["version"]?.string == "1.2.0")
        #expect(list[2]["confinement"]?.array?.contains { $0["primitive"]?.string == "system-calls" } == true)
        #expect(processes["safeMode"]?.bool == false && processes["problems"]?.array == [])
        // What a plugin asks for, has, and can be set to.
        let plugin = try #require(try scene.ask("GetPlugin", ["name": "loud"])["parameters"])
        let items = try #require(plugin["items"]?.array)
        #expect(items[0]["asks"]?.string == "call org.vigil.exposure1.GetStatus" && items[0]["granted"]?.bool == true)
        #expect(items[0]["gets"]?.string == "from core" && items[0]["why"]?.string == "to show it")
        #expect(items[1]["granted"]?.bool == false && items[1]["gets"]?.string == "not granted")
        let schema = try JSON(parsing: Array(#require(plugin["schema"]?.string).utf8))
        #expect(schema["properties"]?["number"]?["maximum"]?.int == 9)
        #expect(plugin["settings"]?.string == "{}" && plugin["enabled"]?.bool == true)
        for name in ["nobody", "../processes", "", ".", "loud\n"] {
            #expect(
                try scene.ask("GetPlugin", ["name": .string(name)])["error"]?.string == "org.vigil.technician1.NoSuchPlugin"
            )
        }
        // Its log, by process and level.
        let all = try scene.lines()
        #expect(all.compactMap { $0["number"]?.int } == Array(1...Int64(all.count)))
        #expect(all.contains { $0["process"]?.string == "supervisor" })
        #expect(all.contains { $0["process"]?.string == "core" && $0["level"]?.string == "notice" })
        let mine = try scene.lines(["process": "loud"])
        #expect(mine.filter { $0["level"]?.string == "debug" }.count == 60)
        #expect(mine.contains { $0["text"]?.string == "no level at all ?[2J" && $0["level"]?.string == "info" })
        let worse = try scene.lines(["process": "loud", "level": "warning"])
        #expect(worse.compactMap { $0["text"]?.string }.allSatisfy { $0.hasPrefix("first word=") } && worse.count == 1)
        let first = try #require(try scene.ask("GetLog", ["process": "loud", "after": 0])["parameters"]?["lines"]?.array)
        #expect(first == Array(mine.prefix(first.count)))
        let last = try #require(all.last?["number"]?.int)
        #expect(try scene.lines(["after": .int(last)]).count < 20)
        #expect(try scene.ask("GetLog", ["level": "loudest"])["error"]?.string == "org.varlink.service.InvalidParameter")
        // The same line goes where it always went.
        #expect(board.log.contains("loud: warning first word="))
        let shown = try Program.vigil("ctl", "log", "--process", "loud", "--level", "warning", "--run", board.run)
        #expect(shown.status == 0 && shown.output.contains("loud warning first word="), "\(shown)")
        #expect(shown.output.split(separator: "\n").count == 1)
        let listed = try Program.vigil("ctl", "processes", "--run", board.run)
        #expect(listed.status == 0 && listed.output.contains("egress"), "\(listed)")
        // A plugin's orders were none: it runs, the board runs, and nobody answered.
        #expect(board.waits { (board.process("loud")["malformedMessages"]?.int ?? 0) >= 4 }, "\(board.process("loud"))")
        #expect(board.state("loud") == "running" && !board.log.contains("answers a plugin"))
        #expect(board.end() == 0)
    }

    @Test func aTechnicianChangesAPlugin() throws {
        let scene = try Scene(["loud": Self.plugin])
        let board = scene.board
        func set(_ settings: String, _ name: String = "loud") throws -> JSON {
            try scene.ask("SetSettings", ["name": .string(name), "settings": .string(settings)])
        }
        let before = board.number("loud")
        #expect(try set(#"{"word": "second", "secret": "Geheim-4711"}"#) == ["parameters": [:]])
        #expect(board.waits { board.log.contains("told {") && board.log.contains("second") }, "\(board.log)")
        #expect(board.number("loud") == before)
        var plugin = try scene.ask("GetPlugin", ["name": "loud"])["parameters"]
        #expect(plugin?["settings"]?.string == #"{"word":"second"}"# && plugin?["secretsSet"]?.array == ["secret"])
        // What was not given stays, null takes away.
        #expect(try set(#"{"number": 3, "word": null}"#)["error"] == nil)
        plugin = try scene.ask("GetPlugin", ["name": "loud"])["parameters"]
        #expect(plugin?["settings"]?.string == #"{"number":3}"# && plugin?["secretsSet"]?.array == ["secret"])
        // What does not fit changes nothing.
        let grants = board.text("grants.json")
        for (settings, part) in [
            (#"{"number": 10}"#, "settings.number: must be between 1 and 9"),
            (#"{"no": 1}"#, "settings.no: there is no such"),
            (#"{"server": "https://two.example", "number": 4}"#, "settings.server: only the operator"),
            ("[]", "settings: must be"), ("{", "settings: must be"),
            (#"{"word": "\#(String(repeating: "x", count: 40_000))"}"#, "settings.word: must have"),
        ] {
            let answer = try set(settings)
            #expect(answer["error"]?.string == "org.vigil.technician1.Unfit", "\(answer)")
            #expect(answer["parameters"]?["problems"]?.array?.first?.string?.contains(part) == true, "\(answer)")
        }
        #expect(board.text("grants.json") == grants)
        #expect(try FileManager.default.contentsOfDirectory(atPath: board.run + "/core/wishes") == [])
        // What is the operator's may come back as it is.
        #expect(try set(#"{"server": "https://one.example"}"#)["error"] == nil)
        #expect(try set(#"{"server": null}"#)["error"] == nil)
        // Off, and on again.
        #expect(try scene.ask("SetEnabled", ["name": "loud", "enabled": false])["error"] == nil)
        #expect(board.waits { board.state("loud") == "disabled" })
        let refused = try scene.ask("RestartPlugin", ["name": "loud"])
        #expect(refused["error"]?.string == "org.vigil.technician1.NotPossible")
        #expect(try scene.ask("SetEnabled", ["name": "loud", "enabled": true])["error"] == nil)
        #expect(board.waits { board.state("loud") == "running" })
        let second = board.number("loud")
        #expect(try scene.ask("RestartPlugin", ["name": "loud"])["error"] == nil)
        #expect(board.waits { board.state("loud") == "running" && board.number("loud") != second })
        for name in ["core", "egress"] {
            #expect(
                try scene.ask("RestartPlugin", ["name": .string(name)])["error"]?.string
                    == "org.vigil.technician1.NotPossible")
        }
        for method in ["RestartPlugin", "SetEnabled", "SetSettings"] {
            let parameters: JSON = ["name": "no/body", "enabled": true, "settings": "{}"]
            var object = try #require(parameters.object)
            if method != "SetEnabled" { object["enabled"] = nil }
            if method != "SetSettings" { object["settings"] = nil }
            #expect(try scene.ask(method, .object(object))["error"]?.string == "org.vigil.technician1.NoSuchPlugin")
        }
        // No restart without the operator's word.
        let answer = try scene.ask("Reboot")
        #expect(answer["error"]?.string == "org.vigil.technician1.NotPossible" && board.state("core") == "running")
        let network = try scene.ask("GetNetwork")["parameters"]
        #expect(network?["problem"]?.string?.contains("vigil.json") == true && network?["networks"]?.array == [])
        // All of it is in the audit log, and no value is.
        let audit = try #require(scene.console.call("org.vigil.device1.GetAudit"))
        for kind in ["pluginSet", "pluginEnabled", "pluginDisabled", "pluginRestarted"] { #expect(audit.contains(kind)) }
        #expect(audit.contains("word secret") && !audit.contains("4711") && !audit.contains("second"))
        #expect(!"\(try scene.lines())".contains("4711") || board.log.contains("told"))
    }

    @Test func aTechnicianLetsAPluginOutOfQuarantine() throws {
        let scene = try Scene(["bad": "#!/bin/sh\nexit 7\n"])
        let board = scene.board
        try #require(board.waits(seconds: 90) { board.state("bad") == "quarantined" }, "\(board.process("bad"))")
        let process = try scene.ask("GetProcesses")["parameters"]?["processes"]?.array?.last
        #expect(process?["state"]?.string == "quarantined" && process?["reason"]?.string?.contains("status 7") == true)
        try board.install(
            "bad", manifest: Self.manifest("bad"), files: ["bin/main": Self.plugin], programs: ["bin/main"])
        #expect(try scene.ask("RestartPlugin", ["name": "bad"])["error"] == nil)
        #expect(board.waits { board.state("bad") == "running" }, "\(board.process("bad"))")
    }

    private static let network = """
        {"network": {"folder": "FOLDER/network", "interfaces": ["eth7"], "reload": ["/bin/sh", "FOLDER/reload", "now"]},
         "reboot": ["/bin/sh", "FOLDER/reload", "reboot"]}
        """

    @Test func aChangeOfTheNetworkIsTakenBackUnlessConfirmed() throws {
        let scene = try Scene([:], configuration: Self.network)
        let board = scene.board
        let file = "network/10-vigil-eth7.network"
        try FileManager.default.createDirectory(atPath: board.folder + "/network", withIntermediateDirectories: true)
        let script = "echo \"$@\" $(grep -c Address= \(board.folder)/\(file)) >> \(board.folder)/reloads\n"
        try Data(script.utf8).write(to: URL(filePath: board.folder + "/reload"))
        func apply(_ address: String, gateway: JSON = "192.0.2.1") throws -> JSON {
            try scene.ask(
                "ApplyNetwork",
                [
                    "seconds": 60,
                    "network": [
                        "interface": "eth7", "method": "manual", "addresses": [.string(address)], "gateway": gateway,
                        "nameServers": ["192.0.2.53"],
                    ],
                ])
        }
        let unfit = try apply("192.0.2.7/24", gateway: "198.51.100.1")
        #expect(unfit["error"]?.string == "org.vigil.technician1.Unfit" && board.text(file) == "")
        #expect(try scene.ask("ConfirmNetwork")["error"]?.string == "org.vigil.technician1.NotPossible")
        #expect(try apply("192.0.2.7/24")["error"] == nil, "\(board.log)")
        #expect(board.text(file).contains("Address=192.0.2.7/24\nGateway=192.0.2.1\nDNS=192.0.2.53"))
        #expect(board.text("reloads") == "now 1\n")
        let waiting = try scene.ask("GetNetwork")["parameters"]
        #expect((30...60).contains(waiting?["secondsToRollBack"]?.int ?? 0) && waiting?["problem"] == nil)
        #expect(try apply("192.0.2.8/24")["error"]?.string == "org.vigil.technician1.NotPossible")
        #expect(try scene.ask("ConfirmNetwork")["error"] == nil)
        let held = try scene.ask("GetNetwork")["parameters"]
        #expect(held?["secondsToRollBack"] == nil && held?["networks"]?.array?[0]["addresses"]?.array == ["192.0.2.7/24"])
        let before = board.text(file)
        // The power goes before anybody confirms.
        #expect(try apply("192.0.2.9/24")["error"] == nil)
        #expect(board.text(file).contains("192.0.2.9"))
        board.end(SIGKILL)
        try board.start()
        #expect(
            board.waits { board.text(file) == before && board.text("reloads") == "now 1\nnow 1\nnow 1\n" }, "\(board.log)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: board.folder + "/network") == ["10-vigil-eth7.network"])
        #expect(board.log.contains("was not confirmed before the last end"))
        // And the restart that this operator allows: everything stops in order, then the program is run.
        try #require(board.waits { board.state("core") == "running" })
        let console = try CallClient(board.run + "/ctl.sock")
        #expect(console.call("org.vigil.technician1.Reboot")?.contains("error") == false)
        #expect(board.waits { board.text("reloads").contains("reboot 1") }, "\(board.log)")
        #expect(board.log.contains("stopped"))
    }
}
