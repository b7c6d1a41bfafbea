// SPDX-License-Identifier: Apache-2.0

import ControlTool
import Glibc
import JSON
import PluginTool
import Testing

@Suite(.serialized) struct ChangeTests {
    private func code(_ body: () throws -> Void) -> PluginFailure.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? PluginFailure)?.code }
    }

    @Test func withoutAnybodyToAskNothingIsGranted() throws {
        let bench = Bench()
        bench.makePlugin()
        try bench.session(json: true).add("\(bench.root)/source")
        #expect(!bench.has("etc/grants.json"), "what nobody decided is written nowhere")
        #expect(bench.answer["enabled"] == false && bench.answer["granted"] == [])
        #expect(bench.answer["notes"]?.description.contains("--grant-all") == true)
        #expect(bench.mode("plugins/hello/bin/hello") == 0o755)
        #expect(bench.mode("plugins/hello/README.md") == 0o644, "nobody but the owner writes to it")
        #expect(!bench.has("plugins/hello/.git"))
        #expect(!bench.has("plugins/.new-hello"))
        try bench.session().add("\(bench.root)/source")
        #expect(bench.shown.contains("is installed. It does not run, because nothing is granted to it."), "\(bench.shown)")
        #expect(!bench.shown.contains("not granted"), "nothing was refused before anybody was asked")
        // And is decided later.
        try bench.session(json: true).add("\(bench.root)/source", grantsAll: true)
        #expect(bench.answer["enabled"] == true && bench.answer["granted"]?.array?.count == 3)
        #expect(bench.mode("etc/grants.json") == 0o640)
    }

    /// What earlier releases left behind, and what a script said of places before anybody granted anything.
    @Test func anEntryWithoutAnyGrantIsStillOpen() throws {
        let bench = Bench()
        bench.makePlugin()
        bench.write("etc/grants.json", #"{"plugins":{"hello":{"enabled":false,"metered":true}}}"#)
        try bench.session(json: true).add("\(bench.root)/source")
        #expect(bench.json("etc/grants.json") == ["plugins": ["hello": ["enabled": false, "metered": true]]])
        try bench.session(json: true).add(
            "\(bench.root)/source", endpoints: ["news=news.example:443"], settings: ["greeting=Moin"])
        #expect(bench.json("etc/grants.json")["plugins"]?["hello"]?["enabled"] == false)
        try bench.session(json: true).add("\(bench.root)/source", grantsAll: true, settings: ["times=3"])
        let entry = bench.json("etc/grants.json")["plugins"]?["hello"]
        #expect(entry?["enabled"] == true && entry?["metered"] == true && entry?["calls"]?.object?.members.count == 2)
        #expect(entry?["endpoints"]?["news"]?.array?.count == 1)
        #expect(entry?["settings"] == ["greeting": "Moin", "times": 3])
        // What was granted once is the operator's to change.
        try bench.session(json: true).add("\(bench.root)/source", grantsAll: true, settings: ["times=4"])
        #expect(bench.json("etc/grants.json")["plugins"]?["hello"] == entry)
        #expect(bench.answer["notes"]?.description.contains("change ") == true)
        try bench.session(json: true).setEnabled(false, "hello")
        try bench.session(json: true).add("\(bench.root)/source", grantsAll: true)
        #expect(bench.json("etc/grants.json")["plugins"]?["hello"]?["enabled"] == false, "stopped stays stopped")
    }

    @Test func dataGoesOnlyWithAYes() throws {
        let bench = Bench()
        bench.makePlugin()
        try bench.session(json: true).add("\(bench.root)/source", grantsAll: true)
        bench.write("state/hello/file", "x")
        let before = bench.everything()
        #expect(throws: ControlFailure.self) { try bench.session().remove("hello") }
        #expect(throws: ControlFailure.self) { try bench.session(answers: [""]).remove("hello") }
        #expect(throws: ControlFailure.self) { try bench.session(answers: ["n"]).remove("hello") }
        #expect(bench.everything() == before)
        try bench.session(answers: ["y"]).remove("hello")
        #expect(!bench.has("plugins/hello") && !bench.has("state/hello"))
        // Without data there is nothing to ask.
        try bench.session(json: true).add("\(bench.root)/source", grantsAll: true)
        try bench.session(json: true).remove("hello")
        #expect(!bench.has("plugins/hello"))
    }

    @Test func scriptsGrantEverythingThatCanBeKnown() throws {
        let bench = Bench()
        bench.makePlugin()
        try bench.session(json: true).add(
            "\(bench.root)/source", grantsAll: true, endpoints: ["news=news.example:443", "news=10.0.0.1:80!"],
            settings: ["greeting=Moin", "times=3"])
        #expect(
            bench.json("etc/grants.json")["plugins"]?["hello"] == [
                "calls": ["org.vigil.exposure1": ["GetStatus"], "org.vigil.device1": ["GetRadio"]],
                "endpoints": [
                    "news": [["host": "news.example", "port": 443], ["host": "10.0.0.1", "port": 80, "private": true]]
                ],
                "listens": ["web": ["address": "127.0.0.1", "port": 8080]], "settings": ["greeting": "Moin", "times": 3],
                "enabled": true,
            ])
        #expect(bench.answer["enabled"] == true && bench.answer["granted"]?.array?.count == 4)
    }

    @Test func aPersonIsAskedForEachThing() throws {
        let bench = Bench()
        bench.makePlugin()
        // Status: yes. Radio: no. Where is news: a place. Page: not answered. May it run: yes.
        try bench.session(answers: ["y", "n", "news.example:443", "", "y"]).add("\(bench.root)/source")
        #expect(
            bench.json("etc/grants.json")["plugins"]?["hello"] == [
                "calls": ["org.vigil.exposure1": ["GetStatus"]],
                "endpoints": ["news": [["host": "news.example", "port": 443]]], "enabled": true,
            ])
        #expect(bench.shown.contains("It may run, with 2 of the 4 things it asks for."))
    }

    @Test func whatCannotRunIsNotEnabled() throws {
        let bench = Bench()
        bench.makePlugin()
        try bench.session(json: true).add("\(bench.root)/source", grantsAll: true, settings: ["times=0"])
        #expect(bench.json("etc/grants.json")["plugins"]?["hello"]?["enabled"] == false)
        #expect(bench.answer["notes"]?.description.contains("settings.times: must be at least 1") == true)
    }

    @Test func ownKeysAreNotTakenFromAnotherPlugin() throws {
        let bench = Bench()
        let wants: JSON = [["interface": "org.vigil.release1", "methods": ["TakeDiagnosisKeys"], "why": "To warn."]]
        bench.makePlugin("first", in: "first", wants: wants)
        bench.makePlugin("second", in: "second", wants: wants)
        try bench.session(json: true).add("\(bench.root)/first", grantsAll: true)
        try bench.session(json: true).add("\(bench.root)/second", grantsAll: true)
        #expect(bench.json("etc/grants.json")["plugins"]?["second"]?["calls"] == nil)
        #expect(code { try bench.session(json: true).list() } == .noSupervisor)
        #expect(bench.answer["plugins"]?.array?.map { $0["state"] ?? .null } == ["allowed", "allowed"])
    }

    @Test func aNewVersionTakesThePlaceOfTheOldOneWithItsGrants() throws {
        let bench = Bench()
        bench.makePlugin()
        try bench.session(json: true).add("\(bench.root)/source", grantsAll: true)
        let before = bench.text("etc/grants.json")
        bench.makePlugin(version: "2.0.0")
        bench.write("plugins/hello/old", "")
        try bench.session(json: true).add("\(bench.root)/source")
        #expect(bench.json("plugins/hello/plugin.json")["version"] == "2.0.0")
        #expect(!bench.has("plugins/hello/old") && !bench.has("plugins/.new-hello"))
        #expect(bench.text("etc/grants.json") == before)
    }

    @Test func theOperatorsOtherEntriesStayAsTheyAre() throws {
        let bench = Bench()
        bench.makePlugin()
        bench.write(
            "etc/grants.json", #"{"$schema":"x","plugins":{"zzz":{"metered":true,"enabled":false},"aaa":{"enabled":true}}}"#
        )
        try bench.session(json: true).add("\(bench.root)/source", settings: ["times=2"])
        #expect(
            bench.json("etc/grants.json") == [
                "$schema": "x",
                "plugins": [
                    "zzz": ["metered": true, "enabled": false], "aaa": ["enabled": true],
                    "hello": ["settings": ["times": 2], "enabled": false],
                ],
            ])
    }

    @Test func linksAndStrangeFilesAreNotFollowed() throws {
        for make in [
            "ln -s /etc/passwd source/data", "ln -s / source/all", "mkfifo source/pipe",
            "ln -s ../secret source/interfaces",
            "rm source/plugin.json; ln -s ../secret source/plugin.json", "rm source/plugin.json; mkfifo source/plugin.json",
            "rm -r source/bin; ln -s ../bin source/bin",
        ] {
            let bench = Bench()
            bench.makePlugin()
            bench.write("secret", "secret")
            bench.write("bin/hello", "", mode: 0o755)
            _ = system("cd \(bench.root) && \(make)")
            #expect(code { try bench.session().add("\(bench.root)/source", grantsAll: true) } == .badFolder, "\(make)")
            #expect(
                !bench.has("plugins/hello") && !bench.has("plugins/.new-hello") && !bench.has("etc/grants.json"), "\(make)")
        }
    }

    @Test func foldersHaveAnEnd() throws {
        let bench = Bench()
        bench.makePlugin()
        _ = system("cd \(bench.root)/source && mkdir many && cd many && seq 1 4200 | xargs touch")
        #expect(code { try bench.session().add("\(bench.root)/source", grantsAll: true) } == .badFolder)
        _ = system("cd \(bench.root)/source && rm -r many && mkdir -p a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a")
        #expect(code { try bench.session().add("\(bench.root)/source", grantsAll: true) } == .badFolder)
        _ = system("cd \(bench.root)/source && rm -r a && truncate -s 300M big")
        #expect(code { try bench.session().add("\(bench.root)/source", grantsAll: true) } == .badFolder)
        #expect(!bench.has("plugins/hello") && !bench.has("plugins/.new-hello"))
    }

    @Test func removalLeavesNothingAndFollowsNothing() throws {
        let bench = Bench()
        bench.makePlugin()
        try bench.session(json: true).add("\(bench.root)/source", grantsAll: true)
        bench.write("keep/me", "mine")
        bench.write("state/hello/deep/file", "x")
        _ = system("cd \(bench.root) && ln -s ../../keep state/hello/link && ln -s /etc state/hello/deep/etc")
        try bench.session(json: true).remove("hello", isAgreed: true)
        #expect(!bench.has("plugins/hello") && !bench.has("state/hello") && !bench.has("plugins/.old-hello"))
        #expect(bench.json("etc/grants.json") == ["plugins": [:]])
        #expect(bench.text("keep/me") == "mine")
        #expect(code { try bench.session().remove("hello") } == .notInstalled)
    }

    @Test func dataCanBeKept() throws {
        let bench = Bench()
        bench.makePlugin()
        try bench.session(json: true).add("\(bench.root)/source", grantsAll: true)
        bench.write("state/hello/file", "x")
        try bench.session(json: true).remove("hello", keepsData: true)
        #expect(!bench.has("plugins/hello") && bench.text("state/hello/file") == "x")
    }

    @Test func whatBelongsToTheSystemStays() throws {
        let bench = Bench()
        bench.makePlugin("wake", in: "usr/wake")
        #expect(code { try bench.session().remove("wake") } == .badUsage)
        try bench.session(json: true).setEnabled(true, "wake")
        try bench.session(json: true).remove("wake")
        #expect(bench.has("usr/wake/plugin.json"))
        #expect(bench.json("etc/grants.json") == ["plugins": [:]])
    }

    @Test func stoppingAndStartingIsWrittenDown() throws {
        let bench = Bench()
        bench.makePlugin()
        try bench.session(json: true).add("\(bench.root)/source", grantsAll: true)
        try bench.session(json: true).setEnabled(false, "hello")
        #expect(bench.json("etc/grants.json")["plugins"]?["hello"]?["enabled"] == false)
        #expect(bench.json("etc/grants.json")["plugins"]?["hello"]?["calls"] != nil, "what is granted stays")
        try bench.session(json: true).setEnabled(true, "hello")
        #expect(bench.json("etc/grants.json")["plugins"]?["hello"]?["enabled"] == true)
        #expect(code { try bench.session().setEnabled(true, "nobody") } == .notInstalled)
        #expect(code { try bench.session().setEnabled(true, "../etc") } == .badUsage)
    }

    @Test func dryRunsChangeNothing() throws {
        let bench = Bench()
        bench.makePlugin()
        try bench.session(json: true).add("\(bench.root)/source", grantsAll: true)
        bench.makePlugin("second", in: "second")
        bench.pretendSupervisor()
        let before = bench.everything()
        try bench.session(json: true, dryRun: true).add("\(bench.root)/second", grantsAll: true)
        #expect(bench.answer["dryRun"] == true && bench.answer["added"] == "second" && bench.answer["enabled"] == true)
        try bench.session(json: true, dryRun: true).add("\(bench.root)/source", grantsAll: true)
        try bench.session(json: true, dryRun: true).remove("hello")
        try bench.session(json: true, dryRun: true).setEnabled(false, "hello")
        try bench.session(json: true, dryRun: true).restart("hello")
        #expect(bench.everything() == before)
    }

    @Test func theSupervisorIsTold() throws {
        let bench = Bench()
        bench.makePlugin()
        let before = Hangups.count
        try bench.session(json: true).add("\(bench.root)/source", grantsAll: true)
        #expect(bench.answer["supervisorTold"] == false && Hangups.count == before)
        #expect(code { try bench.session().restart("hello") } == .noSupervisor)
        // A number that nobody holds a lock for is not a supervisor's, whoever has it.
        bench.write("run/supervisor.pid", "\(getpid())\n")
        #expect(code { try bench.session().restart("hello") } == .noSupervisor)
        bench.pretendSupervisor()
        try bench.session(json: true).restart("hello")
        #expect(bench.answer["supervisorTold"] == true && bench.has("run/wishes/restart.hello"))
        #expect(bench.answer["supervisorRead"] == false, "this one does not say what it has read")
        try bench.session(json: true).setEnabled(false, "hello")
        #expect(bench.answer["supervisorTold"] == true)
        let end = ContinuousClock.now + .seconds(120)
        while Hangups.count == before, ContinuousClock.now < end { usleep(1_000) }
        #expect(Hangups.count > before)
        #expect(code { try bench.session().restart("nobody") } == .notInstalled)
    }

    @Test func aSpoiltGrantsFileIsLeftAlone() throws {
        let bench = Bench()
        bench.makePlugin()
        bench.write("etc/grants.json", "{ not json")
        #expect(code { try bench.session().add("\(bench.root)/source", grantsAll: true) } == .badGrants)
        #expect(bench.text("etc/grants.json") == "{ not json" && !bench.has("plugins/hello"))
    }
}
