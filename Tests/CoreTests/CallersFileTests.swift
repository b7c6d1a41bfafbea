// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
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
            .deletingLastPathComponent()
        let text = String(decoding: try Data(contentsOf: root.appending(path: "Tools/try-plugin")), as: UTF8.self)
        let list = try #require(text.split(separator: "READING = (").dropFirst().first).prefix { $0 != ")" }
        let names = list.split(separator: "\"").filter { $0.hasPrefix("org.vigil.") }.map(String.init)
        #expect(Set(names) == Set(Caller.readingMethods.map(\.method)) && names.count == Caller.readingMethods.count)
        let page = String(decoding: try Data(contentsOf: root.appending(path: "docs/exposure-api.md")), as: UTF8.self)
        for name in names { #expect(page.contains("`\(name.dropFirst(10))`"), "\(name)") }
    }
}
