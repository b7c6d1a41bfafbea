// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import RandomValues
import SchemaCheck
import Testing
import Varlink

@testable import PluginManifest

/// A fleet's configuration: which stages count on which board, and what none may change.
struct FleetConfigurationTests {
    private func read(_ text: String, granted: JSON.Object? = nil) throws(FleetConfigurationError) -> FleetConfiguration {
        try FleetConfiguration(parsing: Array(text.utf8), granted: granted)
    }

    private func stages(_ text: String, version: String = "7") -> String {
        #"{"format": "vigil-fleet-configuration-1", "version": \#(version), "stages": [\#(text)]}"#
    }

    /// A stage for the fleet that changes this of a plugin.
    private func plugin(_ text: String) -> String { stages(#"{"to": "fleet", "plugins": {"sync": \#(text)}}"#) }

    @Test func theBoardCountsMoreThanItsGroupAndThatMoreThanTheFleet() throws {
        let wish = try read(
            stages(
                #"""
                {"to": "board:vg-1", "plugins": {"sync": {"settings": {"a": 3}}}},
                {"to": "group:libraries", "plugins": {"sync": {"enabled": true, "settings": {"a": 2, "b": 2}}}, "networks": [{"interface": "eth0", "method": "automatic"}]},
                {"to": "fleet", "plugins": {"sync": {"enabled": false, "settings": {"a": 1, "b": 1, "c": null}}}, "networks": [{"interface": "eth0", "method": "manual", "addresses": ["192.0.2.7/24"]}]}
                """#))
        func settings(_ board: String, _ group: String?) -> String {
            let change = wish.change(board: board, group: group, lot: 0)
            return JSON.object(change.plugins["sync"]?.settings ?? [:]).description
        }
        #expect(settings("vg-2", nil) == #"{"a":1,"b":1,"c":null}"#)
        #expect(settings("vg-2", "libraries") == #"{"a":2,"b":2,"c":null}"#)
        #expect(settings("vg-1", "libraries") == #"{"a":3,"b":2,"c":null}"#)
        #expect(settings("vg-1", "others") == #"{"a":3,"b":1,"c":null}"#)
        #expect(wish.change(board: "vg-2", group: nil, lot: 0).networks["eth0"]?.isManual == true)
        #expect(wish.change(board: "vg-2", group: "libraries", lot: 0).networks["eth0"]?.isManual == false)
        #expect(wish.trial == 10_800 && wish.until == nil && wish.version == 7)
    }

    /// Whoever is in a share is in each larger one, and shares are about what they say.
    @Test func aShareGrows() throws {
        let wishes = try [10, 30, 100].map {
            try read(stages(#"{"to": "fleet", "share": \#($0), "plugins": {"sync": {"enabled": true}}}"#))
        }
        var generator = SeededGenerator(seed: 24)
        var counts = [0, 0, 0]
        for _ in 0..<5_000 {
            let digest = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let lot = FleetConfiguration.lot(ofDigest: digest)
            let isIn = wishes.map { !$0.change(board: "vg-1", group: nil, lot: lot).isEmpty }
            #expect((0..<100).contains(lot) && (!isIn[0] || isIn[1]) && isIn[2])
            for (index, flag) in isIn.enumerated() where flag { counts[index] += 1 }
        }
        #expect((400...600).contains(counts[0]) && (1_350...1_650).contains(counts[1]) && counts[2] == 5_000, "\(counts)")
    }

    @Test func onlyWhatIsWrittenChanges() throws {
        let before = try #require(
            JSON(
                parsing: Array(
                    #"{"note": 1, "plugins": {"wake": {"enabled": true}, "sync": {"enabled": true, "calls": {"a.b": ["C"], "a.c": ["D"]}, "settings": {"x": 1, "y": 2}}}}"#
                        .utf8)
            ).object)
        let change = try read(
            plugin(#"{"calls": {"a.b": null, "org.vigil.device1": ["GetTime"]}, "settings": {"x": null, "z": [1]}}"#)
        ).change(board: "vg-1", group: nil, lot: 99)
        let after = JSON.object(change.applied(to: before))
        #expect(after["plugins"]?["wake"] == JSON.object(before)["plugins"]?["wake"] && after["note"] == 1)
        #expect(after["plugins"]?["sync"]?["calls"]?.description == #"{"a.c":["D"],"org.vigil.device1":["GetTime"]}"#)
        #expect(after["plugins"]?["sync"]?["settings"]?.description == #"{"y":2,"z":[1]}"#)
        #expect(after["plugins"]?["sync"]?["enabled"] == true)
        // Of a plugin that had no entry nothing is enabled by itself.
        let new = try read(stages(#"{"to": "fleet", "plugins": {"new": {"settings": {"x": 1}}}}"#))
            .change(board: "vg-1", group: nil, lot: 0).applied(to: [:])
        #expect(JSON.object(new)["plugins"]?["new"]?["enabled"] == false)
    }

    @Test(arguments: [
        (#"{"calls": {"org.vigil.access1": ["SignIn"]}}"#), (#"{"calls": {"org.vigil.technician1": ["Reboot"]}}"#),
        (#"{"calls": {"org.vigil.device1": ["GetTime", "Enable"]}}"#),
        (#"{"calls": {"org.vigil.device1": ["GiveConsent"]}}"#),
        (#"{"calls": {"org.vigil.device1": ["Reset"]}}"#), (#"{"calls": {"org.vigil.release1": ["TakeDiagnosisKeys"]}}"#),
        (#"{"calls": {"org.vigil.donation1": ["SetConsent"]}}"#), (#"{"listens": {}}"#), (#"{"devices": []}"#),
        (#"{"lines": []}"#),
        (#"{"quotas": {}}"#), (#"{"metered": true}"#),
        (#"{"endpoints": {"distribution": [{"host": "192.168.1.5", "port": 443}]}}"#),
        (#"{"endpoints": {"distribution": [{"host": "cdn.example", "port": 443, "private": true}]}}"#),
        (#"{"endpoints": {"distribution": [{"host": "cdn.example", "port": 443, "private": false}]}}"#),
        (#"{"endpoints": {"distribution": [{"host": "printer.local", "port": 443}]}}"#),
        (#"{"settings": {"sources": [{"base": "https://10.0.0.1/tree"}]}}"#),
        (#"{"settings": {"a": "http://localhost:80"}}"#),
        (#"{"settings": {"a": {"b": ["mqtts://[fe80::1]:8883"]}}}"#),
        (#"{"settings": {"a": "https://user@192.168.0.1:1/"}}"#),
    ])
    func whatNoConfigurationMayChange(_ text: String) throws {
        let error = #expect(throws: FleetConfigurationError.self) { try read(plugin(text)) }
        #expect(error?.rule == .forbidden, "\(text): \(String(describing: error))")
    }

    /// What a configuration may give to a plugin that does not have it: what brings signed documents and signed time, what everybody may ask at the page, what
    /// starts Sync and the venue's look for warnings. Who adds a method here has said why it is nobody's.
    private static let given: Set<String> = [
        "org.vigil.checkin1.GetScreen", "org.vigil.checkin1.LookForWarnings", "org.vigil.content1.GetContent",
        "org.vigil.content1.TakeContent", "org.vigil.device1.GetTime", "org.vigil.donation1.TakeTerms",
        "org.vigil.exposure1.GetStatus", "org.vigil.exposure1.Watch", "org.vigil.risk1.GetConfiguration",
        "org.vigil.risk1.TakeConfiguration", "org.vigil.sync1.GetFreshness", "org.vigil.sync1.SyncNow",
        "org.vigil.sync1.Watch", "org.vigil.time1.MakeChallenge", "org.vigil.time1.TakeSignedTime",
        "org.vigil.trust1.GetConfiguration", "org.vigil.trust1.GetSigners", "org.vigil.trust1.TakeConfiguration",
        "org.vigil.trust1.TakeSuccession",
    ]

    /// Every method of every interface of this tree, and some of none: given if the text says so, and refused otherwise, also beside one that is given.
    @Test func whatMayBeGivenIsWhatTheTextsSay() throws {
        var methods = [
            ("org.example.hello1", "Greet"), ("org.vigil.device9", "GetTime"), ("org.vigil.device1", "GetTimes"),
        ]
        for (interface, text) in InterfaceTexts.all {
            methods += try InterfaceDescription(parsing: text).methods.map { (interface, $0.name) }
        }
        #expect(methods.count > 120)
        var given: Set<String> = []
        for (interface, method) in methods.sorted(by: { $0 < $1 }) {
            do throws(FleetConfigurationError) {
                _ = try read(plugin(#"{"calls": {"\#(interface)": ["\#(method)"]}}"#))
                given.insert("\(interface).\(method)")
            } catch {
                #expect(error.rule == .forbidden, "\(interface).\(method): \(error)")
                let beside = #"{"calls": {"org.vigil.device1": ["GetTime"], "\#(interface)": ["\#(method)"]}}"#
                #expect(throws: FleetConfigurationError.self) { try read(plugin(beside)) }
            }
            // Taken away it can be, whatever it is.
            #expect(throws: Never.self) { try read(plugin(#"{"calls": {"\#(interface)": null}}"#)) }
            #expect(throws: Never.self) { try read(plugin(#"{"calls": {"\#(interface)": []}}"#)) }
        }
        #expect(given == Self.given)
    }

    /// What a card granted may be said again, and only that.
    @Test func whatIsGrantedMayStay() throws {
        let granted = try #require(
            JSON(parsing: Array(#"{"plugins": {"sync": {"calls": {"org.vigil.device1": ["Enable"]}}}}"#.utf8)).object)
        #expect(throws: Never.self) { try read(plugin(#"{"calls": {"org.vigil.device1": ["Enable"]}}"#), granted: granted) }
        #expect(throws: FleetConfigurationError.self) {
            try read(plugin(#"{"calls": {"org.vigil.device1": ["Enable", "Reset"]}}"#), granted: granted)
        }
        for core in ["core", "egress"] {
            #expect(throws: FleetConfigurationError.self) {
                try read(stages(#"{"to": "fleet", "plugins": {"\#(core)": {}}}"#))
            }
        }
    }

    @Test func eachFormThatIsWrongIsNamed() throws {
        let wrong: [(String, FleetConfigurationError.Rule)] = [
            ("", .malformed), ("[]", .malformed), ("{}", .malformed), (stages("", version: "0"), .malformed),
            (stages("", version: "-1"), .malformed),
            (stages("", version: "1.5"), .malformed), (stages("", version: #""1""#), .malformed), (stages("1"), .malformed),
            (stages("{}"), .malformed),
            (stages(#"{"to": "everybody"}"#), .malformed), (stages(#"{"to": "group:"}"#), .malformed),
            (stages(#"{"to": "board:vg:1"}"#), .malformed),
            (stages(#"{"to": "fleet", "share": 0}"#), .malformed), (stages(#"{"to": "fleet", "share": 101}"#), .malformed),
            (stages(#"{"to": "fleet", "enable": true}"#), .unknownField),
            (stages(#"{"to": "fleet", "wifi": {}}"#), .unknownField),
            (plugin("[]"), .malformed), (plugin(#"{"enabled": 1}"#), .malformed),
            (plugin(#"{"enable": true}"#), .unknownField),
            (plugin(#"{"calls": {"a.b": "C"}}"#), .malformed), (plugin(#"{"calls": {"a.b": [1]}}"#), .malformed),
            (plugin(#"{"endpoints": {"a": [{"host": "cdn.example"}]}}"#), .malformed),
            (plugin(#"{"endpoints": {"a": [{"host": "cdn.example", "port": 70000}]}}"#), .malformed),
            (plugin(#"{"settings": []}"#), .malformed),
            (stages(#"{"to": "fleet", "networks": [{"interface": "eth0"}]}"#), .malformed),
            (stages(#"{"to": "fleet", "networks": [{"interface": "a,b", "method": "automatic"}]}"#), .malformed),
            (
                stages(
                    #"{"to": "fleet", "networks": [{"interface": "eth0", "method": "automatic"}, {"interface": "eth0", "method": "automatic"}]}"#
                ), .malformed
            ),
            (
                stages(#"{"to": "fleet", "networks": [{"interface": "eth0", "method": "automatic", "dns": []}]}"#),
                .unknownField
            ),
            (stages(Array(repeating: #"{"to": "fleet"}"#, count: 257).joined(separator: ",")), .tooLarge),
            (#"{"format": "vigil-fleet-configuration-2", "version": 1, "stages": []}"#, .malformed),
            (#"{"format": "vigil-fleet-configuration-1", "version": 1, "stages": [], "trialSeconds": 59}"#, .malformed),
            (#"{"format": "vigil-fleet-configuration-1", "version": 1, "stages": [], "trialSeconds": 86401}"#, .malformed),
            (#"{"format": "vigil-fleet-configuration-1", "version": 1, "stages": [], "until": "now"}"#, .malformed),
            (#"{"format": "vigil-fleet-configuration-1", "version": 1, "stages": [], "enable": true}"#, .unknownField),
            (String(repeating: "[", count: 100_000), .malformed),
        ]
        for (text, rule) in wrong {
            let error = #expect(throws: FleetConfigurationError.self) { try read(text) }
            #expect(error?.rule == rule, "\(text.prefix(100)): \(String(describing: error))")
        }
    }

    /// A changed byte is refused or read; nothing else happens.
    @Test func noByteMakesItEndOtherwise() throws {
        let bytes = Array(
            plugin(
                #"{"calls": {"org.vigil.sync1": ["SyncNow"]}, "endpoints": {"a": [{"host": "cdn.example", "port": 443}]}, "settings": {"a": "https://cdn.example"}}"#
            ).utf8)
        var generator = SeededGenerator(seed: 62)
        for index in bytes.indices {
            var changed = bytes
            changed[index] = UInt8.random(in: 0...255, using: &generator)
            _ = try? FleetConfiguration(parsing: changed)
            _ = try? FleetConfiguration(parsing: Array(bytes.prefix(index)))
        }
    }
}
