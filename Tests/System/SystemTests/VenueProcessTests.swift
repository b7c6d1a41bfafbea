// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JSON
import Testing

/// Check-ins on a whole board: the real plugin under the real supervisor, from a place's poster to a visitor's diary.
@Suite(.serialized) struct VenueProcessTests {
    private static let canary = "Canary Tavern 4711"

    private let air: AirProcess
    private let board: BoardProcess

    init() throws {
        air = try AirProcess()
        board = try BoardProcess("board", on: air)
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let path = root.appending(path: "Plugins/Venue/plugin.json")
        let manifest = String(decoding: try Data(contentsOf: path), as: UTF8.self)
        try board.install("venue", manifest: manifest)
        var calls = JSON.Object()
        for want in try JSON(parsing: Array(manifest.utf8))["wants"]?.array ?? [] {
            // This board has no Sync.
            guard let name = want["interface"]?.string, name != "org.vigil.sync1" else { continue }
            calls[name] = want["methods"]
        }
        let settings = #"{"systems": ["coronaWarnApp"]}"#
        try board.grant(
            #"{"plugins": {"venue": {"enabled": true, "calls": \#(JSON.object(calls)), "settings": \#(settings)}}}"#)
        try board.start()
        let board = board
        try #require(board.waits { board.state("core") == "running" && board.state("venue") == "waiting" }, "\(board.log)")
    }

    /// The reply as it comes: parameters, or an error.
    private func ask(_ method: String, _ parameters: JSON = [:]) throws -> JSON {
        let isPlugins = method.hasPrefix("org.vigil.checkin1")
        let client = try CallClient(board.run + (isPlugins ? "/console/org.vigil.checkin1" : "/ctl.sock"))
        let text = try #require(client.call(method, "\(parameters)"), "\(method): \(board.log.suffix(2_000))")
        return try JSON(parsing: Array(text.utf8))
    }

    private func venue(_ method: String, _ parameters: JSON = [:]) throws -> JSON {
        try ask("org.vigil.checkin1.\(method)", parameters)
    }

    /// Another role is another life: the core begins anew, and plugins are emptied. Waits until the plugin answers as it must in the new one.
    private func become(_ role: String, until method: String, _ parameters: JSON = [:], answers: (JSON) -> Bool) throws {
        let board = board
        func emptied() -> Int { board.log.split(separator: "\n").count { $0.contains("what it kept is removed") } }
        let core = board.number("core")
        let before = emptied()
        #expect(try ask("org.vigil.device1.SetRole", ["role": .string(role)])["error"] == nil)
        let isAnotherLife = board.waits {
            board.number("core") != core && board.state("core") == "running" && emptied() > before
        }
        #expect(isAnotherLife, "\(board.log)")
        // While core and plugin end and start again, calls are closed without an answer.
        let isThere = board.waits {
            guard let client = try? CallClient(board.run + "/console/org.vigil.checkin1"),
                let text = client.call("org.vigil.checkin1.\(method)", "\(parameters)"),
                let reply = try? JSON(parsing: Array(text.utf8))
            else { return false }
            return answers(reply)
        }
        #expect(isThere, "\(role): \(board.log.suffix(2_000))")
    }

    /// What the board tells a technician, and what lies on its disk.
    private func everythingElse() throws -> [(String, [UInt8])] {
        var found: [(String, [UInt8])] = [("log", Array(board.log.utf8))]
        for (method, parameters): (String, JSON) in [
            ("org.vigil.technician1.GetProcesses", [:]), ("org.vigil.technician1.GetPlugin", ["name": "venue"]),
            ("org.vigil.device1.GetStorage", [:]), ("org.vigil.device1.GetRadio", [:]),
            ("org.vigil.exposure1.GetStatus", [:]),
        ] { found.append((method, Array("\(try ask(method, parameters))".utf8))) }
        for method in ["org.vigil.technician1.GetLog", "org.vigil.device1.GetAudit"] {
            let client = try CallClient(board.run + "/ctl.sock")
            client.send(Array(#"{"method":"\#(method)","more":true}"#.utf8) + [0])
            var isOver = false
            while !isOver {
                let text = try #require(client.receive())
                found.append((method, Array(text.utf8)))
                isOver = try JSON(parsing: Array(text.utf8))["continues"]?.bool != true
            }
        }
        for path in ["data", "run"].flatMap({ files(in: "\(board.folder)/\($0)") }) {
            if let bytes = try? Data(contentsOf: URL(filePath: path)) { found.append((path, Array(bytes))) }
        }
        return found
    }

    /// Plain files below a folder.
    private func files(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).flatMap { name -> [String] in
            let path = "\(folder)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0 else { return [] }
            return switch status.st_mode & S_IFMT {
            case S_IFDIR: files(in: path)
            case S_IFREG: [path]
            default: []
            }
        }
    }

    private func holds(_ bytes: [UInt8], _ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return bytes.indices.contains { bytes[$0] == wanted[0] && bytes[$0...].starts(with: wanted) }
    }

    /// What the host chooses goes on air, and again when the core alone was started anew: it kept nothing of it, and has the plugin woken.
    @Test func aPlaceBroadcastsItsCodeAlsoAfterAStartOfTheCore() throws {
        #expect(try ask("org.vigil.device1.SetTime", ["now": .int(Int64(time(nil)) * 1_000)])["error"] == nil)
        try become("place", until: "CheckIn", ["code": "x"]) { $0["error"] == "org.vigil.checkin1.WrongRole" }
        #expect(try ask("org.vigil.device1.Enable")["error"] == nil)
        _ = try venue(
            "Describe", ["name": .string(Self.canary), "street": "Street 1", "kind": "foodService", "stayMinutes": 90])
        let board = board
        func broadcasts() -> Bool { board.text("run/core/state.json").contains("\"door\" : true") }
        #expect(!broadcasts())
        #expect(try venue("SetBroadcast", ["number": 1])["error"] == nil)
        #expect(board.waits { broadcasts() }, "\(board.log.suffix(2_000))")
        let core = board.number("core")
        kill(core, SIGKILL)
        #expect(board.waits { board.number("core") != core && board.state("core") == "running" })
        #expect(board.waits { broadcasts() }, "\(board.log.suffix(2_000))")
        let isThere = board.waits { (try? venue("SetBroadcast")["error"] == nil) ?? false }
        #expect(isThere)
        #expect(board.waits { !broadcasts() }, "\(board.log.suffix(2_000))")
    }

    @Test func fromAPlacesPosterToAVisitorsDiary() throws {
        // Without a known time nobody checks in.
        let early = try venue("CheckIn", ["code": "x"])
        #expect(early["error"] == "org.vigil.checkin1.NotPossible" || early["error"] == "org.vigil.checkin1.Refused")
        #expect(try ask("org.vigil.device1.SetTime", ["now": .int(Int64(time(nil)) * 1_000)])["error"] == nil)

        // A place, with the poster at its door.
        try become("place", until: "CheckIn", ["code": "x"]) { $0["error"] == "org.vigil.checkin1.WrongRole" }
        let described = try venue(
            "Describe", ["name": .string(Self.canary), "street": "Street 1", "kind": "foodService", "stayMinutes": 90])
        #expect(described["parameters"]?["place"]?["number"] == 1, "\(described)")
        let poster = try #require(try venue("GetPoster", ["number": 1])["parameters"]?["text"])

        // A visitor, who is killed in the middle.
        try become("person", until: "GetPlaces") { $0["error"] == "org.vigil.checkin1.WrongRole" }
        #expect(try venue("CheckIn", ["code": poster])["parameters"]?["began"] == true)
        let number = board.number("venue")
        #expect(number > 0)
        kill(number, SIGKILL)
        #expect(board.waits { board.number("venue") != number })
        let visits = try venue("GetVisits")["parameters"]?["visits"]?.array
        #expect(visits?.count == 1 && visits?.first?["name"] == .string(Self.canary) && visits?.first?["open"] == true)
        #expect(try venue("CheckIn", ["code": poster])["parameters"]?["began"] == false)

        let shown = try Program.vigil("ctl", "visits", "--run", board.run)
        #expect(shown.status == 0 && shown.output.contains(Self.canary) && shown.output.contains("there now"))

        // Nobody else learns of it: not by what a technician is told, nor from the disk.
        let code = try #require(poster.string?.split(separator: "#").last)
        let looked = try everythingElse()
        #expect(looked.count > 10 && looked.contains { $0.0.hasSuffix("venue/store") })
        for (place, bytes) in looked {
            #expect(!holds(bytes, Self.canary) && !holds(bytes, String(code.prefix(40))), "\(place)")
        }

        // It rests, and is there when it is called.
        #expect(board.waits { board.state("venue") == "waiting" }, "\(board.process("venue"))")
        #expect(try venue("CheckOut", ["number": 1])["parameters"]?["visit"]?["open"] == false)

        // What a place keeps of a person: nothing. And the other way round.
        try become("place", until: "GetPlaces") { $0["parameters"]?["places"] == [] }
        try become("person", until: "GetVisits") { $0["parameters"]?["visits"] == [] }
        #expect(board.end() == 0)
    }
}
