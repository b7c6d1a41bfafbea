// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import ExposureRisk
import FoundationEssentials
import JSON
import PluginManifest
import RandomValues
import SchemaCheck
import Testing

/// The published schema is the reader's, and says the same as it does.
@Suite struct ProfileSchemaTests {
    private let schema = AuthorityProfile.schema

    /// With `VIGIL_WRITE_SCHEMAS=1` it writes it instead: to be done after a change, and looked through.
    @Test func thePublishedFileIsTheReaders() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/schemas/authority-profile.schema.json")
        let text = schema.indentedText
        if ProcessInfo.processInfo.environment["VIGIL_WRITE_SCHEMAS"] != nil {
            try Data(text.utf8).write(to: path)
        }
        let published = String(decoding: try Data(contentsOf: path), as: UTF8.self)
        #expect(
            published == text,
            "it is not what the reader says; run this test with VIGIL_WRITE_SCHEMAS=1 and look at the difference")
    }

    @Test func goodProfilesFit() throws {
        for good in [
            try Sample.json(), Sample.closed(), try Sample.json().with("rules", nil), try Sample.json().with("warn", nil),
            try Sample.json().with("region", nil), try Sample.json().with("distribution/intervalSeconds", 3_600.0),
            try Sample.json().with("distribution/base", "https://a:1/b"),
            try Sample.json().with("distribution/base", "https://a:65535"),
        ] {
            #expect(Sample.problems(good.bytes).isEmpty, "\(Sample.problems(good.bytes))")
            #expect(SchemaCheck.faults(good, schema).isEmpty, "\(SchemaCheck.faults(good, schema))")
        }
    }

    @Test(
        arguments: [
            ("name", nil), ("name", "authority"), ("name", "A"), ("title", nil), ("title/en", nil), ("title/it", "x"),
            ("status", "off"), ("region", "a b"), ("keys", nil), ("keys/0/id", nil), ("keys/0/role", "time"),
            ("keys/0/key", "short"), ("rules/form", "google"), ("rules/document/version", 0), ("rules/path", "/a"),
            ("rules/x", 1), ("distribution/base", "example.org"), ("distribution/base", "https://a/"),
            ("distribution/base", "https://a:0"), ("distribution/base", "https://a:65536"),
            ("distribution/base", "https://a:99999/b"), ("distribution/base", "https://a:080"),
            ("distribution/base", "https://a:+80"), ("distribution/base", "https://a:"),
            ("distribution/kind", nil), ("distribution/intervalSeconds", 1), ("warn/kind", "mail"), ("x", 1),
        ] as [(String, JSON?)])
    func badProfilesDoNot(_ path: String, _ value: JSON?) throws {
        let bad = try Sample.json().with(path, value)
        #expect(!Sample.problems(bad.bytes).isEmpty)
        #expect(!SchemaCheck.faults(bad, schema).isEmpty)
    }

    /// What only the reader can say: what belongs together.
    @Test(
        arguments: [
            ("keys", []), ("rules/country", "DE"), ("distribution/index", nil), ("warn/apiKey", nil),
            ("keys/0/key", .string(String(repeating: "A", count: 64))),
        ] as [(String, JSON?)])
    func beyondTheSchema(_ path: String, _ value: JSON?) throws {
        let bad = try Sample.json().with(path, value)
        #expect(Sample.problems(bad.bytes).count == 1)
        #expect(SchemaCheck.faults(bad, schema).isEmpty)
    }

    /// Whatever the reader takes, the schema takes.
    @Test func readerAndSchemaAgreeOnMutants() throws {
        var dice = SeededGenerator(seed: 9)
        var (taken, refused) = (0, 0)
        let values: [JSON] = [nil, true, 0, -1, 1.5, "", "a", "https://a", "running", "cwa", "none", [], [:], "\u{202E}"]
        let places = [
            "name", "title", "title/en", "title/de", "status", "region", "keys", "keys/0", "keys/0/id", "keys/0/spare",
            "keys/1", "rules", "rules/form", "rules/document/models/0", "distribution", "distribution/kind",
            "distribution/base", "warn", "warn/kind", "warn/apiKey", "warn/x",
        ]
        for _ in 0..<500 {
            let value = Bool.random(using: &dice) ? nil : values.randomElement(using: &dice)
            let mutant = try Sample.json().with(try #require(places.randomElement(using: &dice)), value)
            let problems = Sample.problems(mutant.bytes)
            if problems.isEmpty {
                taken += 1
                #expect(SchemaCheck.faults(mutant, schema).isEmpty, "\(SchemaCheck.faults(mutant, schema))")
            } else {
                refused += 1
            }
        }
        #expect(taken > 30 && refused > 150, "\(taken) taken, \(refused) refused")
    }
}
