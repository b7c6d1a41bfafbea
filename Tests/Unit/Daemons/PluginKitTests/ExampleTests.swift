// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON
import PluginKit
import PluginTestKit
import RandomValues
import Testing
import Varlink
import VarlinkSocket

/// The example plugins as real processes, started as the supervisor starts them: both do the same.
@Suite struct ExampleTests {
    enum Example: String, CaseIterable {
        case swift = "hello-swift"
        case python = "hello-python"

        /// Beside the tests, or in the plugin's folder.
        var program: String {
            switch self {
            case .swift: return Self.built("hello-swift")
            case .python: return Self.repository + "/Plugins/Examples/hello-python/bin/hello-python"
            }
        }

        static let repository = #filePath.split(separator: "/").dropLast(5).reduce(into: "") { $0 += "/\($1)" }

        private static func built(_ name: String) -> String {
            // The test bundle's own path: …/debug/xxx.xctest
            let own = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
            let absolute = own.hasPrefix("/") ? own : String(cString: getcwd(nil, 0)) + "/" + own
            return absolute.split(separator: "/").dropLast().reduce(into: "") { $0 += "/\($1)" } + "/\(name)"
        }
    }

    private static let status: JSON = [
        "status": [
            "enabled": true, "state": "active", "sentence": "This device is on air.", "role": "person",
            "timeState": "authenticated", "matchedFileCount": 0, "matching": false, "limit": ["used": 0],
        ]
    ]

    private func running(
        _ example: Example, settings: JSON = ["greeting": "Moin"], supervisor: SupervisorStandIn? = nil
    ) throws -> (PluginProcess, ProviderStandIn) {
        let supervisor = try supervisor ?? SupervisorStandIn(plugin: example.rawValue, settings: settings)
        let core = try supervisor.provide(InterfaceTexts.all["org.vigil.exposure1"] ?? "", granted: ["GetStatus"])
        core.on("GetStatus", reply: Self.status)
        return (try PluginProcess(example.program, supervisor: supervisor, heartbeat: 1), core)
    }

    @Test(arguments: Example.allCases) func greetsCountsAndStops(_ example: Example) throws {
        let (plugin, core) = try running(example)
        let path = try plugin.supervisor.allow("webui", ["org.example.hello1.Greet"])
        try plugin.start()
        #expect(
            try plugin.call("org.example.hello1.Greet", ["name": "Ada"], path: path)
                == ["greeting": "Moin, Ada! This device is on air.", "count": 1])
        #expect(try plugin.call("org.example.hello1.Greet", ["name": "Bob"], path: path)["count"] == 2)
        #expect(core.calls.map(\.method) == ["GetStatus", "GetStatus"] && core.faults.isEmpty)
        try plugin.supervisor.change(settings: ["greeting": "Ahoi"])
        // Settings and calls come by different ways: the new ones hold soon.
        try plugin.wait("the new greeting") {
            (try? plugin.call("org.example.hello1.Greet", ["name": "Eve"], path: path)["greeting"]?.string?.hasPrefix(
                "Ahoi")) == true
        }
        try plugin.wait("signs of life") { plugin.supervisor.heard.filter { $0 == "ALIVE" }.count >= 2 }
        try plugin.supervisor.send("STOP")
        #expect(try plugin.waitForEnd() == 0)
        #expect(plugin.log.contains("greeted (private)") && !plugin.log.contains("Ada"), "\(plugin.log)")
        #expect(plugin.supervisor.heard.filter { $0 == "READY" }.count == 1)
        #expect(Set(plugin.supervisor.heard).isSubset(of: ["READY", "ALIVE"]))
    }

    @Test(arguments: Example.allCases) func theCountOutlastsACrash(_ example: Example) throws {
        let first = try running(example).0
        let path = try first.supervisor.allow("webui", ["org.example.hello1.*"])
        try first.start()
        for _ in 0..<3 { _ = try first.call("org.example.hello1.Greet", ["name": "Ada"], path: path) }
        first.crash()
        #expect(try first.waitForEnd() == 128 + SIGKILL)
        let supervisor = try SupervisorStandIn(plugin: example.rawValue, settings: ["greeting": "Moin"])
        _ = rename("\(first.supervisor.folder.path)/state", "\(supervisor.folder.path)/state")
        let second = try running(example, supervisor: supervisor).0
        let again = try supervisor.allow("webui", ["org.example.hello1.*"])
        try second.start()
        #expect(try second.call("org.example.hello1.Greet", ["name": "Ada"], path: again)["count"] == 4)
    }

    /// Ended at any moment, it never forgets a greeting that was answered.
    @Test(arguments: Example.allCases) func whatWasAnsweredIsKept(_ example: Example) throws {
        var state: String?
        var answered = 0
        var folders: [TemporaryFolder] = []
        for round in 0..<8 {
            let supervisor = try SupervisorStandIn(plugin: example.rawValue, settings: ["greeting": "Moin"])
            folders.append(supervisor.folder)
            if let state { _ = rename(state, "\(supervisor.folder.path)/state") }
            state = "\(supervisor.folder.path)/state"
            let plugin = try running(example, supervisor: supervisor).0
            let path = try supervisor.allow("webui", ["org.example.hello1.*"])
            try plugin.start()
            for _ in 0..<(1 + round % 3) {
                let count = try plugin.call("org.example.hello1.Greet", ["name": "Ada"], path: path)["count"]?.int ?? 0
                #expect(count > answered)
                answered = Int(count)
            }
            // A call whose answer nobody waits for, cut off somewhere.
            try VarlinkClient(path: path).callOneway("org.example.hello1.Greet", ["name": "Ada"])
            usleep(UInt32(round * 300))
            plugin.crash()
            #expect(try plugin.waitForEnd() == 128 + SIGKILL)
        }
    }

    @Test(arguments: Example.allCases) func whatIsNotGrantedIsDenied(_ example: Example) throws {
        let (plugin, core) = try running(example)
        let path = try plugin.supervisor.allow("stranger", [])
        try plugin.start()
        do {
            _ = try plugin.call("org.example.hello1.Greet", ["name": "Ada"], path: path)
            Issue.record("a call that was not granted was answered")
        } catch let error as VarlinkSocketError {
            #expect(
                error.reply?.error == ServiceError.permissionDenied || error.reply?.error == ServiceError.interfaceNotFound)
        }
        #expect(core.calls.isEmpty)
        let allowed = try plugin.supervisor.allow("friend", ["org.example.hello1.Greet"])
        let wrong: [(JSON, String)] = [
            (["name": ""], "org.example.hello1.NoName"), (["name": 5], ServiceError.invalidParameter),
            ([:], ServiceError.invalidParameter),
        ]
        for (parameters, name) in wrong {
            do {
                _ = try plugin.call("org.example.hello1.Greet", parameters, path: allowed)
                Issue.record("\(parameters) was answered")
            } catch let error as VarlinkSocketError { #expect(error.reply?.error == name) }
        }
        let text = try plugin.call(
            "org.varlink.service.GetInterfaceDescription", ["interface": "org.example.hello1"], path: allowed)
        #expect(try InterfaceDescription(parsing: text["description"]?.string ?? "").name == "org.example.hello1")
        try plugin.supervisor.forbid("friend")
        try plugin.wait("the end of the edge") {
            // The supervisor holds the listener too, so connections wait there, for nobody.
            (try? VarlinkClient(path: allowed, timeout: .milliseconds(200)).call("org.varlink.service.GetInfo")) == nil
        }
    }

    @Test(arguments: Example.allCases) func withoutCoreItStillGreets(_ example: Example) throws {
        let supervisor = try SupervisorStandIn(plugin: example.rawValue, settings: ["greeting": "Moin"])
        let plugin = try PluginProcess(example.program, supervisor: supervisor)
        let path = try supervisor.allow("webui", ["org.example.hello1.Greet"])
        try plugin.start()
        let greeting = try plugin.call("org.example.hello1.Greet", ["name": "Ada"], path: path)["greeting"]?.string
        #expect(greeting == "Moin, Ada! How this device is, I could not find out.")
        try plugin.wait("the warning") { plugin.log.contains("warning org.vigil.exposure1.GetStatus") }
    }

    @Test(arguments: Example.allCases) func withoutSupervisorItEnds(_ example: Example) throws {
        let supervisor = try SupervisorStandIn(plugin: example.rawValue, settings: ["greeting": "Moin"])
        let plugin = try PluginProcess(example.program, supervisor: supervisor)
        try plugin.start()
        supervisor.disappear()
        #expect(try plugin.waitForEnd() == 0)
    }

    @Test(arguments: Example.allCases) func byHandItSaysWhatToDo(_ example: Example) throws {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let pipe = try #require(popen("env -i PATH=/usr/bin:/bin \(example.program) 2>&1", "r"))
        let count = bytes.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, pipe) }
        let raw = pclose(pipe)
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        #expect(text.contains("is not set") && text.contains("docs/plugins.md"), "\(text)")
        #expect(raw >> 8 & 0xFF == 64)
    }

    @Test func itCanBeTriedByHand() throws {
        let tool = "\(Example.repository)/Tools/try-plugin \(Example.repository)/Plugins/Examples/hello-python"
        for (parameters, status) in [(#"{"name":"Ada"}"#, Int32(0)), (#"{"name":""}"#, 1)] {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let pipe = try #require(
                popen("\(tool) --set greeting=Ahoi --call org.example.hello1.Greet '\(parameters)' 2>/dev/null", "r"))
            let count = bytes.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, pipe) }
            #expect(pclose(pipe) >> 8 & 0xFF == status)
            let answer = try JSON(parsing: Array(bytes[..<count].dropLast()))
            if status == 0 { #expect(answer["parameters"]?["greeting"]?.string?.hasPrefix("Ahoi, Ada!") == true) }
        }
    }

    /// With a core behind it a plugin that is tried sees what it would see on a board: no results unless it asks for a method that reads them.
    @Test(arguments: [
        (#"["GetStatus"]"#, "absent"), (#"["GetStatus", "GetDailySummaries"]"#, " 3"), (#"["Watch"]"#, "PermissionDenied"),
    ])
    func whatIsTriedSeesWhatABoardShows(methods: String, seen: String) throws {
        let supervisor = try SupervisorStandIn(plugin: "hello-python")
        let core = try supervisor.provide(InterfaceTexts.all["org.vigil.exposure1"] ?? "")
        guard case .object(var status)? = Self.status["status"] else { return }
        status["matchCount"] = 3
        core.on("GetStatus", reply: ["status": .object(status)])
        let folder = "/tmp/vigil-tried-\(Unique.name())"
        let example = "\(Example.repository)/Plugins/Examples/hello-python"
        defer { _ = system("rm -rf \(folder)") }
        // The same plugin, which says how many it was told of.
        let change = """
            cp -r \(example) \(folder) &&
            sed -i 's/"methods": \\["GetStatus"\\]/"methods": '\(#"'\#(methods)'"#)'/' \(folder)/plugin.json &&
            sed -i 's/\\["status"\\]\\["sentence"\\]/["status"].get("matchCount", "absent")/; s/state = "How.*/state = str(error)/' \(folder)/bin/hello-python
            """
        try #require(system(change) == 0)
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let tool = "\(Example.repository)/Tools/try-plugin \(folder) --core \(core.path)"
        let pipe = try #require(popen("\(tool) --call org.example.hello1.Greet '{\"name\":\"Ada\"}'", "r"))
        let count = bytes.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, pipe) }
        #expect(pclose(pipe) == 0)
        let answer = try JSON(parsing: Array(bytes[..<count].dropLast()))
        #expect(answer["parameters"]?["greeting"]?.string?.contains(seen) == true, "\(answer)")
    }

    @Test func theSwiftOneIsSmall() throws {
        let (plugin, _) = try running(.swift)
        try plugin.start()
        guard let memory = plugin.memory else { return }
        // The Swift library's share of this machine included; a debug build.
        #expect(memory < 16 << 20, "\(memory) bytes")
    }
}
