// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Varlink

@testable import Core

@Suite struct CallersFileTests {
    private static let methods: Set<String> = [
        "org.vigil.exposure1.GetStatus", "org.vigil.exposure1.ProvideDiagnosisKeys",
        "org.vigil.release1.TakeDiagnosisKeys",
    ]

    private func problems(_ text: String) -> [String] {
        do throws(CallersFile.Refusal) {
            _ = try CallersFile(parsing: Array(text.utf8), known: Self.methods)
            return []
        } catch {
            return error.problems
        }
    }

    @Test func aGoodFileIsRead() throws {
        let file = try CallersFile(
            parsing: Array(
                """
                { "$schema": "x", "callers": [
                  { "name": "sync", "grants": ["org.vigil.exposure1.*"], "spool": "/run/sync", "users": [990] },
                  { "name": "diagnosis", "grants": ["org.vigil.release1.TakeDiagnosisKeys"] } ] }
                """.utf8), known: Self.methods)
        #expect(
            file.entries == [
                .init(name: "sync", grants: ["org.vigil.exposure1.*"], spool: "/run/sync", users: [990]),
                .init(name: "diagnosis", grants: ["org.vigil.release1.TakeDiagnosisKeys"], spool: nil),
            ])
    }

    @Test func everyMistakeIsNamedAtOnce() {
        let found = problems(
            """
            { "callers": [
              { "name": "ctl", "grants": ["org.vigil.exposure1.Nothing", "org.example.*", 7], "spool": "run" },
              { "name": "A b", "grants": [], "users": [-1, "root"], "extra": true }, 5 ], "other": 1 }
            """)
        for word in [
            "callers[0].name", "no method org.vigil.exposure1.Nothing", "no method org.example.*", "callers[0].spool",
            "callers[0].grants: texts only", "callers[1].name", "callers[1].grants: at least one", "callers[1].users",
            "callers[1].extra", "callers[2]: an object", "other: there is no such field",
        ] { #expect(found.contains { $0.contains(word) }, "\(word)") }
    }

    @Test func ownKeysGoToOneCallerOnly() {
        let found = problems(
            """
            { "callers": [ { "name": "a", "grants": ["org.vigil.release1.*"] },
                           { "name": "b", "grants": ["org.vigil.release1.TakeDiagnosisKeys"] } ] }
            """)
        #expect(found.contains { $0.contains("to one caller only") })
        #expect(
            !problems(
                #"{ "callers": [ { "name": "a", "grants": ["org.vigil.exposure1.*"] }, { "name": "a", "grants": ["org.vigil.exposure1.*"] } ] }"#
            ).isEmpty)
    }

    @Test(arguments: ["", "[]", "{", "{\"callers\": 1}", "{\"callers\": [], \"callers\": []}", "\u{0}"])
    func whatIsNoSuchFileIsRefused(text: String) { #expect(!problems(text).isEmpty) }
}

/// Who learns of matches.
@Suite struct ReadingTests {
    @Test func oneMethodIsEnoughAndTheStrictestCounts() {
        for (method, reading) in Caller.readingMethods { #expect(Caller.reading { $0 == method } == reading, "\(method)") }
        #expect(Caller.reading { _ in true } == .windows)
        #expect(
            Caller.reading { ["GetExposureSummary", "GetDailySummaries"].contains($0.split(separator: ".").last) }
                == .windows)
        for method in ["GetStatus", "Watch", "ProvideDiagnosisKeys"] {
            #expect(Caller.reading { $0 == "org.vigil.exposure1.\(method)" } == .nothing)
        }
    }

    /// A plugin's author sees what a board shows.
    @Test func tryPluginHasTheSameRule() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = String(decoding: try Data(contentsOf: root.appending(path: "Tools/try-plugin")), as: UTF8.self)
        let list = try #require(text.split(separator: "READING = (").dropFirst().first).prefix { $0 != ")" }
        let names = list.split(separator: "\"").filter { $0.hasPrefix("org.vigil.") }.map(String.init)
        #expect(Set(names) == Set(Caller.readingMethods.map(\.method)) && names.count == Caller.readingMethods.count)
        let page = String(decoding: try Data(contentsOf: root.appending(path: "docs/exposure-api.md")), as: UTF8.self)
        for name in names { #expect(page.contains("`\(name.dropFirst(10))`"), "\(name)") }
    }

    // MARK: What tells of matches

    /// Methods whose answers depend on whom somebody met: who was granted one of them reads.
    private static let telling: Set<String> = [
        "exposure1.GetExposureWindows", "exposure1.GetDailySummaries", "exposure1.GetExposureSummary",
        "exposure1.GetExposureInformation", "risk1.GetRisk", "risk1.Watch", "risk1.Explain", "device1.ExportMyData",
        "indicator1.Watch",
    ]
    /// Methods that tell of it only to callers that read by one of the above.
    private static let tellingReaders: Set<String> = [
        "exposure1.GetStatus", "exposure1.Watch", "exposure1.ProvideDiagnosisKeys",
    ]
    /// Methods whose answers are the same, whoever was met.
    private static let silent: Set<String> = [
        "access1.GetRoles", "access1.SignIn", "access1.UseSession", "access1.SignOut", "access1.ChangeSecret",
        "access1.MakeProof", "access1.RedeemProof", "access1.MakeToken", "access1.GetTokens", "access1.RevokeToken",
        "access1.MakeSecret", "content1.TakeContent", "content1.GetContent", "exposure1.GetDiagnosisKeysDataMapping",
        "exposure1.SetDiagnosisKeysDataMapping", "risk1.Acknowledge", "risk1.TakeConfiguration",
        "risk1.GetConfiguration", "device1.Enable", "device1.Disable", "device1.GiveConsent", "device1.GetPreferences",
        "device1.SetPreferences", "device1.MeasureStrength", "device1.GetMeasurement", "device1.SetCorrection",
        "device1.SetRole", "device1.GetRadio", "device1.GetEvidence", "device1.GetTime", "device1.SetTime",
        "device1.GetAudit", "device1.GetStorage", "device1.WritePairingFile", "device1.ReadPairingFile",
        "device1.GetPaired", "device1.ForgetPaired", "device1.Reset", "keeper1.GetProcesses", "keeper1.GetPlugin",
        "keeper1.GetLog", "keeper1.GetNetwork", "keeper1.RestartPlugin", "keeper1.SetEnabled", "keeper1.SetSettings",
        "keeper1.ApplyNetwork", "keeper1.ConfirmNetwork", "keeper1.Reboot", "indicator1.SayNews",
        "release1.TakeDiagnosisKeys", "time1.MakeChallenge", "time1.TakeSignedTime", "trust1.GetSigners",
        "trust1.TakeSuccession",
    ]

    /// A method that is added to the core's interfaces stands in one row of this table, by hand, or this fails.
    @Test func everyMethodThatTellsOfMatchesMakesItsCallerRead() throws {
        let all = try TwinBoard.methods().map { String($0.name.dropFirst("org.vigil.".count)) }
        #expect(Set(all) == Self.telling.union(Self.tellingReaders).union(Self.silent))
        #expect(all.count == Self.telling.count + Self.tellingReaders.count + Self.silent.count)
        for name in all {
            let reads = Caller.reading { $0 == "org.vigil.\(name)" } != .nothing
            #expect(reads == Self.telling.contains(name), "\(name)")
        }
    }

    /// Whoever hands keys in learns nothing of what came of them, even where everything is granted that it asks for.
    @Test func syncAsksForNothingThatReads() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Plugins/Sync/plugin.json")
        let manifest = try JSON(parsing: [UInt8](Data(contentsOf: path)))
        var wanted: [String] = []
        for want in try #require(manifest["wants"]?.array) {
            let interface = try #require(want["interface"]?.string)
            // Without a list of methods it would be all of them.
            for method in try #require(want["methods"]?.array) { wanted.append("\(interface).\(method.string ?? "")") }
        }
        #expect(wanted.contains("org.vigil.exposure1.ProvideDiagnosisKeys"))
        let short = Set(wanted.map { String($0.dropFirst("org.vigil.".count)) })
        // Three of its kind tell of it, but only whoever reads.
        #expect(short.isDisjoint(with: Self.telling), "\(short)")
        #expect(Caller.reading { wanted.contains($0) } == .nothing)
    }
}
