// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JSON
import TestKit
import Testing

/// `vigil plugin` beside `vigil run`, with the examples that authors begin with: added, called, stopped, started again, removed.
@Suite(.serialized) struct PluginCommandTests {
    private static let repository = #filePath.split(separator: "/").dropLast(4).reduce(into: "") { $0 += "/\($1)" }

    /// The folder that an author would hand over, program included.
    private func folder(_ example: String, in place: String) throws -> String {
        let source = "\(Self.repository)/Plugins/Examples/\(example)"
        guard example == "hello-swift" else { return source }
        let folder = "\(place)/author/\(example)"
        try FileManager.default.createDirectory(atPath: folder + "/bin", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: source + "/plugin.json", toPath: folder + "/plugin.json")
        try FileManager.default.copyItem(atPath: source + "/interfaces", toPath: folder + "/interfaces")
        try ProgramFile.copy("\(Program.folder)/\(example)", to: "\(folder)/bin/\(example)")
        return folder
    }

    @Test(arguments: ["hello-python", "hello-swift"]) func anExampleComesWorksAndGoes(_ example: String) throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        try board.start()
        try #require(board.waits { board.state("core") == "running" }, "\(board.log)")
        func plugin(_ words: String..., status: Int32 = 0) throws -> JSON {
            let places = [
                "--plugins", "\(board.folder)/plugins", "--grants", "\(board.folder)/grants.json", "--run", board.run,
                "--state", "\(board.folder)/data/state", "--json",
            ]
            let outcome = try Program.run("\(Program.folder)/vigil", ["plugin"] + words + places)
            #expect(outcome.status == status, "\(words): \(outcome.output) \(outcome.errors)")
            return (try? JSON(parsing: Array(outcome.output.utf8))) ?? .null
        }
        func greet() throws -> JSON {
            let outcome = try Program.vigil(
                "ctl", "call", "org.example.hello1.Greet", #"{"name":"Ada"}"#, "--socket",
                "\(board.run)/console/org.example.hello1", "--json")
            #expect(outcome.status == 0, "\(outcome.errors) \(board.log)")
            return (try? JSON(parsing: Array(outcome.output.utf8))) ?? .null
        }

        let added = try plugin("add", folder(example, in: board.folder), "--grant-all", "--set", "greeting=Moin")
        #expect(added["enabled"] == true && added["supervisorTold"] == true && added["granted"]?.array?.count == 1)
        // When the command ends, the board has what was added: nobody has to try until it works.
        #expect(added["supervisorRead"] == true)
        #expect(board.state(example) == "waiting", "\(board.log)")

        // The first call starts it.
        let first = try greet()
        #expect(first["greeting"]?.string?.hasPrefix("Moin, Ada! ") == true, "\(first) \(board.log)")
        #expect(first["greeting"]?.string?.contains("could not find out") == false, "\(first) \(board.log)")
        #expect(first["count"] == 1)
        // What is written about it comes a little later than its answer.
        #expect(board.waits { board.state(example) == "running" }, "\(board.process(example))")
        let listed = try plugin("list")["plugins"]?.array?.first { $0["name"]?.string == example }
        #expect(listed?["state"] == "allowed" && listed?["process"]?["state"] == "running")

        let told = try plugin("stop", example)
        #expect(told["supervisorTold"] == true)
        #expect(board.waits { board.state(example) == "disabled" }, "\(board.process(example))")
        _ = try plugin("start", example)
        #expect(board.state(example) == "waiting", "\(board.process(example))")
        #expect(try greet()["count"] == 2, "what it keeps outlasts it")

        let number = board.number(example)
        _ = try plugin("restart", example)
        #expect(board.waits { board.state(example) != "running" || board.number(example) != number })

        _ = try plugin("remove", example, "--yes")
        #expect(board.waits { board.state(example) == "" }, "\(board.process(example))")
        #expect(access("\(board.folder)/plugins/\(example)", F_OK) != 0)
        #expect(access("\(board.folder)/data/state/\(example)", F_OK) != 0)
        _ = try plugin("restart", example, status: 2)
        #expect(board.state("core") == "running")
        #expect(board.end() == 0)
    }
}
