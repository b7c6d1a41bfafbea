// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import FaultServer
import FoundationEssentials
import Glibc
import Interfaces
import PluginKit
import PluginManifest
import PluginTestKit
import RandomValues
import SyncPlan
import SyncPlugin
import Testing

/// The plugin as it runs on a board, against a real server over TLS and a core that really unpacks and verifies.
@Suite(.serialized) struct SyncPluginTests {
    struct Scene {
        let publisher: Publisher
        let server: FaultServer
        let core: VerifyingCore
        let bench: PluginBench<SyncPlugin>
        let provider: ProviderStandIn
    }

    /// `more` offers the plugin what else a core offers.
    func scene(
        _ change: (inout JSON.Object) -> Void = { _ in },
        more: (SupervisorStandIn, Publisher) throws -> Void = { _, _ in }
    ) throws -> Scene {
        let publisher = try Publisher()
        let server = try FaultServer(files: publisher.folder)
        let core = VerifyingCore(try publisher.trust)
        let authority = try String(contentsOf: URL(filePath: server.authority), encoding: .utf8)
        let publicKey = Data(publisher.key.verificationKey.subjectPublicKeyInfo).base64EncodedString()
        var settings: JSON.Object = [
            "sources": [
                [
                    "name": "region", "kind": "cwa", "config": "version/v2/app_config_android",
                    "base": .string("https://localhost:\(server.ports.good)/file"),
                ]
            ],
            "configKeys": [["name": "262-v1", "key": .string(publicKey)]],
            "authorities": .string(authority), "pins": [.string(try server.pin("good"))],
        ]
        change(&settings)
        // As the supervisor hands them over: checked against the manifest, with its defaults.
        let filled = try manifest().settings.filled(.object(settings))
        var provider: ProviderStandIn?
        let bench = try PluginBench<SyncPlugin>(name: "sync", settings: filled) {
            provider = try core.serve($0)
            try more($0, publisher)
        }
        return Scene(publisher: publisher, server: server, core: core, bench: bench, provider: try #require(provider))
    }

    func manifest() throws -> Manifest {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try Manifest(parsing: [UInt8](Data(contentsOf: root.appending(path: "Plugins/Sync/plugin.json"))))
    }

    func run(_ scene: Scene) throws -> Sync1.Source {
        try scene.bench.start()
        _ = try scene.bench.call("\(Sync1.name).SyncNow")
        var reply = try freshness(scene)
        try scene.bench.turn {
            reply = (try? freshness(scene)) ?? reply
            return !reply.running && reply.sources.first?.lastAttempt != nil
        }
        return try #require(reply.sources.first)
    }

    func freshness(_ scene: Scene) throws -> Sync1.Freshness {
        try scene.bench.call("\(Sync1.name).GetFreshness").decode(Sync1.FreshnessReply.self).freshness
    }

    func spool(_ scene: Scene) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scene.bench.supervisor.folder.path + "/spool")
    }

    @Test func theManifestIsOne() throws {
        let manifest = try manifest()
        #expect(manifest.id == "sync")
        #expect(throws: (any Error).self) { try manifest.settings.filled(["sources": [["name": "x"]]]) }
    }

    @Test func everythingPublishedReachesTheCoreOnce() throws {
        let scene = try scene()
        try scene.publisher.publish()
        let source = try run(scene)
        let taken = scene.core.state
        #expect(taken.keys.count == scene.publisher.published && taken.keys.values.allSatisfy { $0 == 1 })
        #expect(taken.repeatedCount == 0)
        #expect(source.problem == nil && source.faults.isEmpty && source.missingCount == 0)
        #expect(source.newestEnd == scene.publisher.now / 3_600 * 3_600)
        #expect(source.lastSuccess != nil && source.packageCount == taken.callCount)
        #expect(try spool(scene) == [])
        // Nothing was asked for twice.
        let requests = scene.publisher.requests
        #expect(Set(requests).count == requests.count)
        #expect(scene.provider.faults == [])
    }

    @Test func brokenAnswersAreAskedForAgain() throws {
        let scene = try scene()
        try scene.publisher.publish(days: 6)
        var generator = SeededGenerator(seed: 1)
        let cuts = (0..<12).map { _ in
            let (first, second) = (Int.random(in: 0...4_000, using: &generator), Int.random(in: 0...300, using: &generator))
            return "[\"cut\",\(first)],[\"cut\",\(second)],[]"
        }
        try scene.publisher.setFaults("[\(cuts.joined(separator: ","))]")
        let source = try run(scene)
        #expect(scene.core.state.keys.count == scene.publisher.published)
        #expect(source.missingCount == 0 && source.problem == nil)
        #expect(source.faults["truncated", default: 0] >= 12)
        #expect(try spool(scene) == [])
    }

    @Test func aStrangersFileKeepsNoOtherAway() throws {
        let scene = try scene()
        try scene.publisher.publish(days: 5, strangers: [-3])
        let source = try run(scene)
        #expect(scene.core.state.keys.count == scene.publisher.published - 20)
        #expect(source.missingCount == 1 && source.faults == ["signatureMismatch": 1])
        #expect(try #require(source.problem).contains("refused"))
        // Known up to where the bad one begins, and not beyond.
        #expect(source.newestEnd == (scene.publisher.now / 86_400 - 3) * 86_400)
        #expect(try spool(scene) == [])
    }

    /// The oldest one, which is asked for first, in every run.
    @Test(arguments: [500, 503, 400, 401, 451]) func anObjectThatNeverComesKeepsNoOtherAway(status: Int) throws {
        let scene = try scene()
        try scene.publisher.publish(days: 5)
        let oldest = CWAPath.day("EUR", CivilDate(day: scene.publisher.now / 86_400 - 5))
        try scene.publisher.answer(oldest, status: status)
        let source = try run(scene)
        #expect(scene.core.state.keys.count == scene.publisher.published - 20)
        #expect(source.missingCount == 1 && source.faults == ["status\(status)": 1])
        #expect(try spool(scene) == [])
        // What there is beyond it is not said to be complete.
        #expect(try #require(source.newestEnd) <= (scene.publisher.now / 86_400 - 5) * 86_400)
    }

    /// The server of one of them is overloaded, or its store wants a password where nothing is.
    @Test(arguments: [500, 401]) func aDocumentThatNeverComesKeepsNoKeysAway(status: Int) throws {
        let scene = try scene { settings in
            guard case .object(var source)? = settings["sources"]?.array?.first else { return }
            source["vigilConfig"] = "version/v1/vigil_config"
            settings["sources"] = [.object(source)]
        }
        try scene.publisher.publish()
        try scene.publisher.put("/version/v1/vigil_config", [1])
        for path in [CWAPath.appConfiguration, "/version/v1/vigil_config"] {
            try scene.publisher.answer(path, status: status)
        }
        let source = try run(scene)
        #expect(scene.core.state.keys.count == scene.publisher.published && source.missingCount == 0)
        #expect(source.faults == ["status\(status)": 2] && source.lastSuccess != nil)
        #expect(try #require(source.problem).contains("\(status)"))
    }

    /// Whoever wants to be left alone is asked for nothing else.
    @Test func aServerThatAsksForTimeIsGivenIt() throws {
        let scene = try scene()
        try scene.publisher.publish()
        try scene.publisher.answer(CWAPath.appConfiguration, status: 429)
        let source = try run(scene)
        #expect(scene.core.state.callCount == 0 && source.faults == ["status429": 1])
        #expect(scene.publisher.requests == [String(CWAPath.appConfiguration.dropFirst())])
    }

    @Test func withAWrongClockFilesWait() throws {
        let scene = try scene()
        try scene.publisher.publish()
        try scene.publisher.setDate(scene.publisher.now - 3 * 3_600)
        let source = try run(scene)
        #expect(scene.core.state.callCount == 0)
        #expect(try #require(source.problem).contains("clock"))
        #expect(source.faults["clock"] == 1)
        let offset = try #require(try freshness(scene).clockOffset)
        #expect(abs(offset + 10_800) < 60)
        // Three days were published; by the server's clock the last may not be over yet.
        #expect(try spool(scene).count >= 2)
    }

    @Test func whatIsWrongWithTheServerIsSaid() throws {
        for (port, word) in [
            (\FaultServer.Ports.expired, "certificateExpired"), (\.misnamed, "wrongName"), (\.unknown, "unknownIssuer"),
        ] {
            var number = 0
            let scene = try scene { $0["pins"] = [] }
            number = scene.server.ports[keyPath: port]
            let other = try self.scene {
                $0["pins"] = []
                $0["sources"] = [["name": "region", "kind": "cwa", "base": .string("https://localhost:\(number)/file")]]
                $0["authorities"] =
                    .string((try? String(contentsOf: URL(filePath: scene.server.authority), encoding: .utf8)) ?? "")
            }
            let source = try run(other)
            #expect(source.faults == [word: 1])
            #expect(try #require(source.problem).contains("certificate"))
            #expect(try #require(try freshness(other).secondsToNext) > 200)
        }
    }

    @Test func aFolderIsASourceToo() throws {
        let publisher = try Publisher()
        let folder = publisher.folder + "/stick"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for day in Int64(1)...3 {
            let start = (publisher.now / 86_400 - day) * 86_400
            let bytes = try publisher.package(start, start + 86_400, keys: 5, with: publisher.key)
            try Data(bytes).write(to: URL(filePath: "\(folder)/day\(day).zip"))
        }
        try Data("no key file".utf8).write(to: URL(filePath: folder + "/notes.txt"))
        let core = VerifyingCore(try publisher.trust)
        let settings = try manifest().settings.filled([
            "sources": [["name": "stick", "kind": "folder", "base": .string(folder)]]
        ])
        var provider: ProviderStandIn?
        let bench = try PluginBench<SyncPlugin>(name: "sync", settings: settings) { provider = try core.serve($0) }
        let scene = Scene(
            publisher: publisher, server: try FaultServer(), core: core, bench: bench, provider: try #require(provider))
        let source = try run(scene)
        #expect(core.state.keys.count == 15 && source.packageCount == 3 && source.missingCount == 0)
        #expect(try spool(scene) == [])
    }

    /// A process that died while it replaced a file leaves a draft; the next one clears it away.
    @Test func draftsOfADeadProcessGo() throws {
        let publisher = try Publisher()
        let core = VerifyingCore(try publisher.trust)
        let settings = try manifest().settings.filled([
            "sources": [["name": "stick", "kind": "folder", "base": .string(publisher.folder)]]
        ])
        let bench = try PluginBench<SyncPlugin>(name: "sync", settings: settings) { supervisor in
            _ = try core.serve(supervisor)
            for name in ["sync.journal.new", "region.config.new"] { try supervisor.folder.write("state/\(name)", "half") }
        }
        try bench.start()
        let state = bench.supervisor.folder.path + "/state"
        #expect(try FileManager.default.contentsOfDirectory(atPath: state) == ["sync.journal"])
    }

    @Test func settingsThatMakeNoSenseAreNamed() throws {
        for (name, value) in [
            ("base", "ftp://x"), ("base", "http://x"), ("base", "x"), ("name", "X"), ("name", "../x"), ("name", ""),
        ] {
            do {
                _ = try self.scene { settings in
                    var source: JSON.Object = ["name": "region", "kind": "cwa", "base": "https://x"]
                    source[name] = .string(value)
                    settings["sources"] = [.object(source)]
                }
                Issue.record("\(name) \(value) was accepted")
            } catch { #expect("\(error)".contains("small letters") || "\(error)".contains("must be like https")) }
        }
        for name in ["310", "-v1", "310-", "-"] {
            do {
                _ = try self.scene { settings in
                    settings["sources"] = [["name": "region", "kind": "cwa", "base": "https://x"]]
                    settings["configKeys"] = [["name": .string(name), "key": "AAAA"]]
                }
                Issue.record("the key \(name) was accepted")
            } catch { #expect("\(error)".contains("not ID-VERSION")) }
        }
    }
}
