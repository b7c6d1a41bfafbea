// SPDX-License-Identifier: Apache-2.0

import ControlTool
import JSON
import PluginTool
import Testing

@Suite struct CheckTests {
    @Test func theTableSaysWhatAndWhy() throws {
        let bench = Bench()
        bench.makePlugin()
        bench.write(
            "grants.json",
            #"{"plugins":{"hello":{"enabled":true,"calls":{"org.vigil.exposure1":["GetStatus"]},"endpoints":{"news":[{"host":"news.example","port":443}]}}}}"#
        )
        try bench.session().check("\(bench.root)/source", grants: "\(bench.root)/grants.json")
        for part in [
            "Hello (hello 1.0.0)", "✓  call org.vigil.exposure1.GetStatus", "from core", "To say how you are.",
            "–  call org.vigil.device1.GetRadio", "not granted", "✓  reach news", "news.example:443", "–  listen as web",
            "Limits: memory 32 MiB", "It may run, without 2 of the things it asks for.",
        ] { #expect(bench.shown.contains(part), "\(part) is not in\n\(bench.shown)") }
    }

    @Test func withoutGrantsItSaysWhatIsAskedFor() throws {
        let bench = Bench()
        bench.makePlugin()
        try bench.session(json: true).check("\(bench.root)/source")
        #expect(bench.answer["state"] == "disabled")
        #expect(bench.answer["items"]?.array?.count { $0["had"] == false } == 4)
        #expect(bench.answer["items"]?.array?.first?["why"] == "To say how you are.")
    }

    @Test func problemsAreShownAndFail() throws {
        let bench = Bench()
        bench.makePlugin(wants: [["interface": "org.vigil.exposure1", "methods": ["GetStatsu"], "why": "A."]])
        #expect(throws: PluginFailure.self) { try bench.session().check("\(bench.root)/source") }
        #expect(bench.shown.contains("plugin.json: wants[0].methods[0]: org.vigil.exposure1 has no method GetStatsu"))
        bench.write("source/bin/hello", "#!/bin/sh\n", mode: 0o644)
        #expect(throws: PluginFailure.self) { try bench.session().check("\(bench.root)/source") }
        #expect(bench.shown.contains("cannot be executed"))
    }

    @Test func whatIsNoPluginIsSaid() throws {
        let bench = Bench()
        bench.write("empty/x", "")
        for path in ["nowhere", "empty"] {
            do {
                try bench.session().check("\(bench.root)/\(path)")
                Issue.record("\(path) was taken for a plugin")
            } catch let failure as PluginFailure {
                #expect(failure.code == .badFolder && failure.status.rawValue == 2)
            }
        }
    }

    @Test func listJoinsPluginsGrantsAndProcesses() throws {
        let bench = Bench()
        bench.makePlugin(in: "plugins/hello")
        bench.makePlugin("other", in: "usr/other")
        bench.makePlugin("broken", in: "plugins/misnamed")
        bench.write(
            "etc/grants.json",
            #"{"plugins":{"hello":{"enabled":true,"calls":{"org.vigil.exposure1":["GetStatus"]},"settings":{"token":"s3cret"}},"gone":{"enabled":true}}}"#
        )
        do {
            try bench.session().list()
            Issue.record("without a supervisor nothing runs")
        } catch let failure as PluginFailure {
            #expect(failure.code == .noSupervisor && failure.status == .unavailable)
        }
        for part in [
            "hello", "allowed", "1 of 4", "other", "disabled", "broken", "refused", "entry for gone",
        ] {
            #expect(bench.shown.contains(part), "\(part) is not in\n\(bench.shown)")
        }
        bench.pretendSupervisor(
            #"{"version":"1","safeMode":true,"processes":[{"name":"core","state":"running","pid":12,"restarts":0},{"name":"hello","state":"quarantined","restarts":5,"memory":5242880,"reason":"it ended \u001b[31mtoo often"}]}"#
        )
        try bench.session().list()
        for part in ["core", "running", "12", "quarantined", "5 MiB", "it ended ?[31mtoo often", "Safe mode"] {
            #expect(bench.shown.contains(part), "\(part) is not in\n\(bench.shown)")
        }
        try bench.session(json: true).list()
        #expect(bench.answer["plugins"]?.array?.count == 3)
        #expect(bench.answer["supervisor"]?["safeMode"] == true)
        #expect(!bench.shown.contains("s3cret"))
    }
}
