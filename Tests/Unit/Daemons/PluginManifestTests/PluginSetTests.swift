// SPDX-License-Identifier: Apache-2.0

import IPNetwork
import JSON
import PluginManifest
import ProcessLink
import Testing

import struct Socks.AllowList

@Suite struct PluginSetTests {
    private func house(
        _ plugins: [InstalledPlugin] = [Samples.plugin()], _ grants: String = Samples.grants
    ) throws -> PluginSet {
        PluginSet(
            plugins: plugins, grants: try GrantsFile(parsing: Array(grants.utf8)), known: try Samples.known.get(),
            builtIn: Samples.builtIn)
    }

    /// A small plugin of that name.
    private func other(_ name: String, provides: [String] = [], wants: [JSON] = []) -> InstalledPlugin {
        let manifest: JSON = [
            "id": .string(name), "version": "1", "title": "Other", "description": "Other.", "run": ["program": "a"],
            "start": "resident", "provides": .array(provides.map(JSON.string)), "wants": .array(wants),
            "listens": [["name": "web", "why": "w", "port": 8080]],
        ]
        return InstalledPlugin(
            folder: name, mustMatch: true, manifest: manifest.bytes,
            interfaceFiles: provides.map {
                .init(name: "\($0).varlink", bytes: Array("# A.\ninterface \($0)\n# A.\nmethod A() -> ()".utf8))
            })
    }

    @Test func askedGrantedAndGiven() throws {
        let decision = try #require(try house().decisions.first)
        #expect(decision.state == .allowed && decision.problems.isEmpty, "\(decision.problems)")
        let effectiveGrants = try #require(decision.effectiveGrants)
        #expect(effectiveGrants.edges.map(\.grants) == [["org.vigil.exposure1.GetStatus"]])
        #expect(effectiveGrants.edges.map(\.provider) == ["core"])
        #expect(effectiveGrants.outlets.map(\.endpoint.description) == ["news.example:443", "192.168.1.2:80!"])
        #expect(effectiveGrants.listeners.map { "\($0.address):\($0.port)" } == ["127.0.0.1:8081"])
        #expect(effectiveGrants.devices == ["/dev/i2c-1"])
        // Granted and not asked for: not had, and said.
        #expect(effectiveGrants.lines == ["lights"])
        #expect(decision.notes.contains { $0.contains("buzzer") })
        #expect(effectiveGrants.quotas == Quotas(memory: 8_388_608, state: 65_536, spool: 0, processes: 4))
        #expect(effectiveGrants.mayUseMetered)
        #expect(effectiveGrants.settings["greeting"] == "Moin" && effectiveGrants.settings["times"] == 1)
        #expect(decision.permissions.lacking.map(\.name) == ["org.vigil.exposure1.Watch"])
        #expect(decision.permissions.lacking.first?.why == "To say how you are.")
        #expect(decision.permissions.items.first { $0.name == "memory" }?.gets == "8 MiB of 16 MiB")
    }

    @Test func notNamedIsNotHad() throws {
        let decision = try #require(try house([Samples.plugin()], #"{"plugins":{}}"#).decisions.first)
        #expect(decision.state == .disabled && decision.effectiveGrants == nil)
        #expect(decision.permissions.items.filter(\.isHad).allSatisfy { $0.kind == .quota })
        let bare = try #require(try house([Samples.plugin()], #"{"plugins":{"hello":{"enabled":true}}}"#).decisions.first)
        let effectiveGrants = try #require(bare.effectiveGrants)
        #expect(effectiveGrants.edges.isEmpty && effectiveGrants.outlets.isEmpty && effectiveGrants.listeners.isEmpty)
        #expect(effectiveGrants.devices.isEmpty && !effectiveGrants.mayUseMetered)
    }

    @Test func moreThanAskedForIsNotHad() throws {
        let decision = try #require(
            try house(
                [Samples.plugin()],
                """
                { "plugins": { "hello": { "enabled": true,
                  "calls": { "org.vigil.exposure1": ["GetStatus", "ProvideDiagnosisKeys"], "org.vigil.device1": ["GetRadio"] },
                  "endpoints": { "other": [{ "host": "a.example", "port": 1 }] }, "listens": { "x": {} }, "devices": ["/dev/ttyS9"] } } }
                """
            ).decisions.first)
        #expect(decision.state == .allowed, "\(decision.problems)")
        #expect(decision.effectiveGrants?.edges.flatMap(\.grants) == ["org.vigil.exposure1.GetStatus"])
        #expect(decision.effectiveGrants?.outlets.isEmpty == true && decision.effectiveGrants?.devices.isEmpty == true)
        #expect(decision.notes.filter { $0.contains("granted") }.count == 5, "\(decision.notes)")
    }

    @Test func whatDoesNotExistIsRefused() throws {
        let decision = try #require(
            try house(
                [
                    Samples.plugin(
                        try Samples.changed {
                            $0["wants"] = [
                                ["interface": "org.vigil.exposure1", "methods": ["GetStatsu"], "why": "a"],
                                ["interface": "org.example.nothing1", "methods": ["A"], "why": "a"],
                            ]
                        })
                ],
                """
                { "plugins": { "hello": { "enabled": true, "quotas": { "memory": 33554432 },
                  "calls": { "org.vigil.exposure1": ["Nothing"], "org.example.nobody1": ["A"] }, "settings": { "times": 99 } } } }
                """
            ).decisions.first)
        #expect(decision.state == .refused && decision.effectiveGrants == nil)
        #expect(
            Set(decision.problems.map { "\($0.code) \($0.path)" }) == [
                "unknownMethod wants[0].methods[0]", "unknownInterface wants[1].interface",
                "unknownMethod plugins.hello.calls[\"org.vigil.exposure1\"][0]",
                "unknownInterface plugins.hello.calls[\"org.example.nobody1\"]",
                "notAskedFor plugins.hello.quotas.memory", "badSetting plugins.hello.settings.times",
            ])
    }

    @Test func ownKeysGoToOnePluginOnly() throws {
        let wants: [JSON] = [["interface": "org.vigil.release1", "methods": ["TakeDiagnosisKeys"], "why": "To warn."]]
        let plugins = [other("a", wants: wants), other("b", wants: wants)]
        let grant = #"{"enabled":true,"calls":{"org.vigil.release1":["TakeDiagnosisKeys"]}}"#
        let both = try house(plugins, #"{"plugins":{"a":\#(grant),"b":\#(grant)}}"#)
        #expect(both.decisions.map(\.state) == [.refused, .refused])
        let one = try house(plugins, #"{"plugins":{"a":\#(grant),"b":{"enabled":true}}}"#)
        #expect(one.decisions.map(\.state) == [.allowed, .allowed])
        // Even one that is not enabled or not installed holds it.
        let sleeping = try house(plugins, #"{"plugins":{"a":\#(grant),"c":\#(grant)}}"#)
        #expect(sleeping.decisions.map(\.state) == [.refused, .disabled])
    }

    @Test func onePluginProvidesAnInterface() throws {
        let interface = "org.example.a1"
        let plugins = [other("a", provides: [interface]), other("b", provides: [interface])]
        let both = try house(plugins, #"{"plugins":{"a":{"enabled":true},"b":{"enabled":true}}}"#)
        #expect(both.decisions.map(\.state) == [.refused, .refused])
        let one = try house(plugins, #"{"plugins":{"a":{"enabled":true},"b":{"enabled":false}}}"#)
        #expect(one.decisions.map(\.state) == [.allowed, .disabled])
        let usurper = try house([other("a", provides: ["org.vigil.exposure1"])], #"{"plugins":{"a":{"enabled":true}}}"#)
        #expect(usurper.decisions.first?.problems.contains { $0.code == .taken } == true)
        #expect(usurper.decisions.first?.problems.contains { $0.code == .badInterface } == true)
    }

    @Test func aProviderThatDoesNotRunIsSaid() throws {
        let caller = other("b", wants: [["interface": "org.example.a1", "methods": ["A"], "why": "To ask."]])
        let plugins = [other("a", provides: ["org.example.a1"]), caller]
        let calls = #"{"enabled":true,"calls":{"org.example.a1":["A"]}}"#
        let asleep = try house(plugins, #"{"plugins":{"b":\#(calls)}}"#)
        #expect(asleep.decision(for: "b")?.state == .allowed)
        #expect(asleep.decision(for: "b")?.effectiveGrants?.edges.isEmpty == true)
        #expect(
            asleep.decision(for: "b")?.permissions.lacking.first?.note
                == "granted, but a, which provides it, is not enabled")
        let awake = try house(plugins, #"{"plugins":{"a":{"enabled":true},"b":\#(calls)}}"#)
        #expect(awake.decision(for: "b")?.effectiveGrants?.edges.map(\.provider) == ["a"])
    }

    @Test func interfaceTextsAreThere() throws {
        let missing = try house([Samples.plugin(text: nil)])
        #expect(missing.decisions.first?.problems.map(\.code) == [.badInterface])
        let wrongName = InstalledPlugin(
            folder: "hello", mustMatch: false, manifest: Array(Samples.manifest.utf8),
            interfaceFiles: [.init(name: "hello.varlink", bytes: Array(Samples.helloText.utf8))])
        #expect(wrongName.problems.first?.text.contains("org.example.hello1.varlink") == true)
        let broken = Samples.plugin(text: "interface")
        #expect(
            broken.problems.first?.description.contains("interfaces/org.example.hello1.varlink: cannot be read") == true)
        let folder = InstalledPlugin(
            folder: "other", mustMatch: true, manifest: Array(Samples.manifest.utf8), interfaceFiles: [])
        #expect(folder.problems.map(\.source) == [.folder])
    }

    @Test func onePortIsOnePlugins() throws {
        let plugins = [other("a"), other("b")]
        let same = try house(
            plugins,
            #"{"plugins":{"a":{"enabled":true,"listens":{"web":{}}},"b":{"enabled":true,"listens":{"web":{"address":"0.0.0.0"}}}}}"#
        )
        #expect(same.decisions.map(\.state) == [.allowed, .refused])
        #expect(
            same.decisions.first?.effectiveGrants?.listeners.first?.address.isLoopback == true,
            "nothing written is this machine only")
        let different = try house(
            plugins,
            #"{"plugins":{"a":{"enabled":true,"listens":{"web":{}}},"b":{"enabled":true,"listens":{"web":{"port":81}}}}}"#)
        #expect(different.decisions.map(\.state) == [.allowed, .allowed])
    }

    @Test func oneEntryDoesNotSpoilTheOthers() throws {
        let file = try GrantsFile(
            parsing: Array(#"{"plugin":1,"plugins":{"a":{"enabled":"yes"},"b":{"enabled":true}}}"#.utf8))
        #expect(file.problems.map(\.path) == ["plugin"])
        let pluginSet = PluginSet(
            plugins: [other("a"), other("b")], grants: file, known: try Samples.known.get(), builtIn: Samples.builtIn)
        #expect(pluginSet.decisions.map(\.state) == [.refused, .allowed])
        #expect(pluginSet.problems.count == 1)
    }

    /// A plugin with 8 names of endpoints, and what it may reach under each of them.
    private func reaching(_ hosts: [[String]]) throws -> PluginDecision {
        let names = hosts.indices.map { "e\($0)" }
        let manifest: JSON = [
            "id": "a", "version": "1", "title": "A", "description": "A.", "run": ["program": "a"], "start": "resident",
            "endpoints": .array(names.map { ["name": .string($0), "why": "w"] }),
        ]
        var endpoints = JSON.Object()
        for (name, hosts) in zip(names, hosts) {
            endpoints[name] = .array(hosts.map { ["host": .string($0), "port": 443] })
        }
        let grants: JSON = ["plugins": ["a": ["enabled": true, "endpoints": .object(endpoints)]]]
        let plugin = InstalledPlugin(folder: "a", mustMatch: true, manifest: manifest.bytes, interfaceFiles: [])
        return try #require(try house([plugin], grants.description).decisions.first)
    }

    /// As many as egress takes, and as many bytes as fit the message in which it is told.
    @Test func aPluginHasSoManyDestinations() throws {
        func hosts(_ count: Int, length: Int = 12) -> [[String]] {
            let all = (0..<count).map { number in
                let tail = "\(number).example"
                return String(repeating: "a", count: length - tail.utf8.count - 1) + "-" + tail
            }
            return stride(from: 0, to: count, by: 16).map { Array(all[$0..<min($0 + 16, count)]) }
        }
        #expect(AllowList.maximumCount == Limits.destinations)
        let most = try reaching(hosts(64))
        #expect(most.state == .allowed && most.effectiveGrants?.outlets.count == 64, "\(most.problems)")
        let more = try reaching(hosts(65))
        #expect(more.state == .refused && more.problems.map(\.code) == [.tooMany])
        #expect(more.problems.first?.path == "plugins.a.endpoints")
        #expect(more.problems.first?.text.contains("65 destinations; one plugin may have 64") == true)
        // The same under two names is one destination to egress.
        #expect(try reaching(hosts(64) + [[hosts(64)[0][0]]]).state == .allowed)
        // 64 hosts of 43 bytes, with port and commas: 3,071 bytes; one more byte each is too much.
        let long = try reaching(hosts(64, length: 43))
        #expect(long.state == .allowed, "\(long.problems)")
        let outlets = try #require(long.effectiveGrants?.outlets.map(\.endpoint.description).joined(separator: ","))
        #expect(outlets.utf8.count == 3_071 && (try? AllowList(parsing: outlets))?.rules.count == 64)
        #expect(ControlMessage("SOCKS", ["caller": String(repeating: "a", count: 64), "allow": outlets]).bytes != nil)
        let longer = try reaching(hosts(64, length: 44))
        #expect(longer.state == .refused && longer.problems.map(\.code) == [.tooMany])
        #expect(longer.problems.first?.text.contains("3072 bytes in all") == true)
    }

    /// What a provider is told of a caller fits its message.
    @Test func aPluginCallsSoManyMethodsOfAProvider() throws {
        func decision(_ count: Int) throws -> PluginDecision {
            let names = (0..<count).map { "M\($0)" + String(repeating: "x", count: 50) }
            let text = "# A.\ninterface org.example.long1\n" + names.map { "# A.\nmethod \($0)() -> ()\n" }.joined()
            let provider: JSON = [
                "id": "p", "version": "1", "title": "P", "description": "P.", "run": ["program": "a"], "start": "resident",
                "provides": ["org.example.long1"],
            ]
            let plugins = [
                InstalledPlugin(
                    folder: "p", mustMatch: true, manifest: provider.bytes,
                    interfaceFiles: [.init(name: "org.example.long1.varlink", bytes: Array(text.utf8))]),
                other(
                    "c",
                    wants: [["interface": "org.example.long1", "methods": .array(names.map(JSON.string)), "why": "a"]]),
            ]
            let grants: JSON = [
                "plugins": [
                    "p": ["enabled": true],
                    "c": ["enabled": true, "calls": ["org.example.long1": .array(names.map(JSON.string))]],
                ]
            ]
            return try #require(try house(plugins, grants.description).decisions.last)
        }
        let few = try decision(20)
        #expect(few.state == .allowed, "\(few.problems)")
        let many = try decision(60)
        #expect(many.state == .refused && many.problems.map(\.code) == [.tooMany])
        #expect(many.problems.first?.path == "plugins.c.calls")
    }

    @Test func aBoardHasSoManyEdges() throws {
        // 8 callers with 16 interfaces each fill the board; the ninth finds no room.
        let interfaces = (0..<16).map { "org.example.p\($0)" }
        let providers = [
            other("p0", provides: Array(interfaces[..<8])), other("p1", provides: Array(interfaces[8...])),
        ]
        let wants = interfaces.map { JSON.object(["interface": .string($0), "methods": ["A"], "why": "a"]) }
        let callers = (0..<9).map { other("c\($0)", wants: wants) }
        let calls = JSON.object(interfaces.reduce(into: JSON.Object()) { $0[$1] = ["A"] })
        var grants = JSON.Object()
        for plugin in providers + callers { grants[plugin.name] = ["enabled": true] }
        for caller in callers { grants[caller.name] = ["enabled": true, "calls": calls] }
        let pluginSet = try house(providers + callers, JSON.object(["plugins": .object(grants)]).description)
        #expect(pluginSet.decisions.filter { $0.state == .allowed }.count == 10)
        #expect(pluginSet.decisions.last?.problems.map(\.code) == [.tooMany])
    }

    @Test func entriesWithoutPluginAreTold() throws {
        #expect(try house([], Samples.grants).unusedEntries == ["hello"])
    }

    @Test(arguments: ["[]", "{}", #"{"plugins":[]}"#, "x", ""]) func aFileOfNoUseIsRefused(_ text: String) {
        #expect(throws: Refusal.self) { try GrantsFile(parsing: Array(text.utf8)) }
    }
}
