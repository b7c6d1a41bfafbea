// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Authority
import ContentBundle
import FoundationEssentials
import Testing
import Trust

/// `content.json`, from the operator to a board.
@Suite struct ContentPublishingTests {
    private let now = Scene.start
    private static let path = "/version/v1/content_bundle"

    private static func text(_ version: Int, _ title: String = "Heute") -> String {
        """
        {
            "version": \(version),
            "languages": {"de": {"texts": {"home.title": "\(title)"}}, "en": {"publication": ["Health Institute"]}}
        }
        """
    }

    private func write(_ text: String, _ scene: Scene) throws {
        try #require(FileManager.default.createFile(atPath: scene.folder.contentFile, contents: Data(text.utf8)))
    }

    private func published(_ scene: Scene) throws -> ContentBundle {
        try ContentBundle(parsing: scene.document(Self.path))
    }

    @Test func anAuthorityNeedHaveNone() throws {
        let scene = try Scene()
        #expect(try scene.publish(now).configurationFaults == [])
        #expect(scene.file(Self.path) == nil && scene.file("/version/v1/risk_config") != nil)
    }

    @Test func aBoardTakesWhatIsPublished() throws {
        let scene = try Scene()
        try write(Self.text(1), scene)
        #expect(try scene.publish(now).configurationFaults == [])
        let document = try scene.document(Self.path)
        #expect(
            SignedConfiguration.isSigned(
                exportBin: document, exportSig: try scene.signatures(Self.path), trust: try scene.trust(), time: now))
        let bundle = try published(scene)
        #expect(bundle.version == 1 && bundle.language("de")?.texts["home.title"] == "Heute")
        // Nothing that could be left out: boards have little room for it.
        #expect(document == bundle.document && document.count < Self.text(1).utf8.count)
        // Another layout and order is no other content.
        let before = scene.file(Self.path)
        try write(
            #"{"languages":{"en":{"publication":["Health Institute"],"links":[]},"de":{"texts":{"home.title":"Heute"}}},"version":1}"#,
            scene)
        #expect(try !scene.publish(now).isChanged)
        #expect(scene.file(Self.path) == before)
    }

    @Test func versionsRiseAndABadFileLeavesTheLastGoodOnePublic() throws {
        let scene = try Scene()
        try write(Self.text(2), scene)
        try scene.publish(now)
        let first = try published(scene)
        let bad = [
            Self.text(2, "Morgen"), Self.text(1), "{", "", "[]",
            #"{"version":3,"languages":{"en":{"links":[{"title":"t"}]}}}"#,
            #"{"version":3,"languages":{"en":{"publication":["\#(String(repeating: "x", count: 501))"]}}}"#,
            String(repeating: " ", count: 1 << 20) + Self.text(3),
        ]
        for text in bad {
            try write(text, scene)
            #expect(try scene.publish(now).configurationFaults == [AuthorityError(.invalidContent)], "\(text.prefix(80))")
            #expect(try published(scene) == first)
        }
        try write(Self.text(3, "Morgen"), scene)
        #expect(try scene.publish(now).configurationFaults.isEmpty)
        #expect(try published(scene).version == 3)
        // A file that is gone takes nothing back: boards would keep it anyhow. And keys are published whatever else is wrong.
        try FileManager.default.removeItem(atPath: scene.folder.contentFile)
        _ = try scene.accept([Scene.key(0)], now: now)
        let report = try scene.publish(now + Scene.hour)
        #expect(report.configurationFaults == [AuthorityError(.stateUnusable)] && report.packages.count == 2)
        #expect(try published(scene).version == 3)
    }

    /// The last good one was of a release that took more: keys and everything else go on, and a higher version mends it.
    @Test func whatCannotBeReadAnyMoreStopsNothingElse() throws {
        let scene = try Scene()
        try write(Self.text(4), scene)
        try scene.publish(now)
        try scene.tamper("UPDATE document SET source = CAST('{}' AS BLOB) WHERE name = 'content'")
        _ = try scene.accept([Scene.key(0)], now: now)
        let report = try scene.publish(now + Scene.hour)
        #expect(report.packages.count == 2 && scene.file("/version/v1/risk_config") != nil)
        #expect(Set(report.configurationFaults) == [AuthorityError(.invalidContent)] && scene.file(Self.path) == nil)
        try write(Self.text(5), scene)
        #expect(try scene.publish(now + Scene.hour).configurationFaults == [])
        #expect(try published(scene).version == 5)
    }

    /// Limits are those of what is published: an indented file may be longer.
    @Test func blanksBetweenPartsDoNotCount() throws {
        let scene = try Scene()
        let lines = (0..<16).map { _ in "\"" + String(repeating: "x", count: 490) + "\"" }
        try write(
            #"{"version": 1, "languages": {"en": {"publication": ["#
                + lines.joined(separator: ",\n" + String(repeating: " ", count: 4_000))
                + "]}}}", scene)
        #expect(try scene.publish(now).configurationFaults == [])
        #expect(try scene.document(Self.path).count < 10_000)
    }

    @Test func checkTellsEveryFaultWithItsPath() throws {
        let scene = try Scene()
        try write(
            #"""
            {"version": 0, "languages": {"en": {"texts": {"a b": "x"}, "links": [{"title": "t", "url": "http://x.example"}],
             "hotlines": [{"purpose": "health", "name": "n", "number": "call", "hours": "h"}]}, "DE": {}}, "extra": 1}
            """#, scene)
        let check = try Program.run(Program.authority, ["check", "--state", scene.path])
        #expect(check.status == 1)
        for part in [
            "content: version: a whole number", "content: languages.en.texts: keys have",
            "content: languages.en.links[0].url: ",
            "content: languages.en.hotlines[0].number: ", "content: languages: no language is named", "content: extra: ",
            "[invalidContent]",
        ] { #expect(check.errors.contains(part), "\(part) in \(check.errors)") }
        // What was handed in is at fault, not the machine.
        #expect(try Program.run(Program.authority, ["publish", "--state", scene.path]).status == 1)
        let other = scene.path + "/draft.json"
        try #require(FileManager.default.createFile(atPath: other, contents: Data(Self.text(1).utf8)))
        let good = try Program.run(Program.authority, ["check", "--state", scene.path, "--content", other])
        #expect(good.status == 0 && good.output.contains("content"))
        // Boards speak languages that this draft lacks: no fault, but said.
        #expect(good.errors.contains("content: boards also speak "), "\(good.errors)")
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let whole = root.path + "/docs/examples/content.json"
        let example = try Program.run(Program.authority, ["check", "--state", scene.path, "--content", whole])
        #expect(example.status == 0 && example.errors.isEmpty, "\(example.errors)")
        let missing = try Program.run(Program.authority, ["check", "--state", scene.path, "--content", other + "x"])
        #expect(missing.status == 1 && missing.errors.contains("draft.jsonx"))
    }
}
