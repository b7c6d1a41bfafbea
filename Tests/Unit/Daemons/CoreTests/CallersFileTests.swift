// SPDX-License-Identifier: Apache-2.0

// For `Process`, which starts try-plugin; tests are no firmware.
import Foundation
import Interfaces
import JSON
import Testing

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
        for method in CoreMethod.allCases {
            let reading: Caller.Reading =
                switch method.law.results {
                case .nothing: .nothing
                case .summaries: .summaries
                case .windows: .windows
                }
            #expect(Caller.reading { $0 == method.path } == reading, "\(method)")
        }
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
        let tool = Process()
        let output = Pipe()
        tool.executableURL = URL(filePath: "/usr/bin/python3")
        tool.arguments = [root.appending(path: "Tools/try-plugin").path, "--reading-methods"]
        tool.standardOutput = output
        try tool.run()
        let names = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            .split(separator: "\n").map(String.init)
        tool.waitUntilExit()
        #expect(names == CoreMethod.allCases.filter { $0.law.results != .nothing }.map(\.path).sorted() && names.count >= 9)
        let page = String(decoding: try Data(contentsOf: root.appending(path: "docs/exposure-api.md")), as: UTF8.self)
        for name in names { #expect(page.contains("`\(name.dropFirst(10))`"), "\(name)") }
    }

    // MARK: What tells of matches

    /// Methods whose answers depend on whom somebody met: who was granted one of them reads.
    private static let telling: Set<String> = [
        "donation1.GetPreview", "donation1.GetStep", "donation1.GetSurvey", "donation1.SetConsent",
        "exposure1.GetExposureWindows", "exposure1.GetDailySummaries",
        "exposure1.GetExposureSummary",
        "exposure1.GetExposureInformation", "risk1.GetRisk", "risk1.Watch", "risk1.Explain", "device1.ExportMyData",
        "indicator1.Watch",
    ]
    /// Which these are is decided here, too: a text that takes one out, or says it of another, fails. Of all others ``TwinTests`` shows
    /// that their answers are the same, whoever was met, or that they tell of it only to callers that read by one of these.
    @Test func everyMethodThatTellsOfMatchesMakesItsCallerRead() {
        for method in CoreMethod.allCases {
            let name = String(method.path.dropFirst("org.vigil.".count))
            let reads = Caller.reading { $0 == method.path } != .nothing
            #expect(reads == Self.telling.contains(name), "\(name)")
        }
        #expect(Self.telling.isSubset(of: CoreMethod.allCases.map { String($0.path.dropFirst("org.vigil.".count)) }))
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
