// SPDX-License-Identifier: Apache-2.0

import ContentBundle
import Testing

@Suite struct ContentBundleTests {
    private static let whole = """
        {"version": 3, "languages": {
          "en": {
            "texts": {"home.title": "Today"},
            "recommendations": {"low": ["Keep your distance."], "increased": ["Stay at home.", "Call a doctor."]},
            "hotlines": [{"purpose": "health", "name": "Advice", "number": "+49 (30) 123-45/6", "hours": "8 to 20"}],
            "links": [{"title": "More", "url": "https://health.example/a?b=c#d"}],
            "publication": ["Health Institute", "Street 1"]
          },
          "de-simple": {}, "de": {"texts": {"home.title": "Heute"}}}}
        """

    private func parse(_ text: String) throws(ContentProblems) -> ContentBundle {
        try ContentBundle(parsing: Array(text.utf8))
    }

    private func problems(_ text: String) -> [String] {
        do throws(ContentProblems) {
            _ = try parse(text)
            return []
        } catch { return error.problems }
    }

    @Test func aWholeBundleIsReadAsItIs() throws {
        let bundle = try parse(Self.whole)
        #expect(bundle.version == 3)
        #expect(bundle.languages.keys.sorted() == ["de", "de-simple", "en"])
        let english = try #require(bundle.language("en"))
        #expect(english.texts == ["home.title": "Today"])
        #expect(english.recommendations[.increased] == ["Stay at home.", "Call a doctor."])
        #expect(english.hotlines.first?.purpose == .health)
        #expect(english.hotlines.first?.number == "+49 (30) 123-45/6")
        #expect(english.links.first?.url == "https://health.example/a?b=c#d")
        #expect(english.publication.count == 2)
        #expect(bundle.language("de-easy")?.texts["home.title"] == "Heute")
        #expect(bundle.language("de-simple")?.texts.isEmpty == true)
        #expect(bundle.language("fr") == nil)
    }

    @Test func everyProblemIsToldWithItsPath() {
        let found = problems(
            #"""
            {"version": 0, "other": 1, "languages": {"EN": {}, "en": {
              "texts": {"a b": "x", "ok": 5}, "recommendations": {"never": [], "low": ["a\u0007b"]},
              "hotlines": [{"purpose": "x", "name": "n", "number": "1", "hours": "h"}, {"purpose": "health", "name": "n"}],
              "links": [{"title": "t", "url": "http://a.example"}], "publication": "x", "more": []}}}
            """#)
        for path in [
            "version: ", "other: ", "languages: no language", "languages.en.texts: keys", "languages.en.texts.ok: ",
            "languages.en.recommendations.never: ", "languages.en.recommendations.low[0]: no control",
            "languages.en.hotlines[0].purpose: ", "languages.en.hotlines[1].number: it is missing",
            "languages.en.hotlines[1].hours: ", "languages.en.links[0].url: ", "languages.en.publication: a list",
            "languages.en.more: ",
        ] {
            #expect(found.contains { $0.hasPrefix(path) }, "\(path) in \(found)")
        }
        #expect(found.count == 13)
    }

    @Test(arguments: [
        "http://a.example", "https://", "https:///x", "https://a.example/\u{22}onload", "https://a b.example",
        "HTTPS://a.example",
        "javascript:alert(1)", "https://user@a.example", "https://a.example/ü", "https://a.example/<x>", "data:text/html,x",
    ]) func anAddressThatIsNoneIsRefused(url: String) {
        let escaped = url.replacing("\u{22}", with: "\\\u{22}")
        #expect(problems(#"{"version":1,"languages":{"en":{"links":[{"title":"t","url":"\#(escaped)"}]}}}"#).count == 1)
    }

    @Test(arguments: ["e", "engl", "en-", "en-x", "en_US", "de-simple-x", "de-SIMPLE", "", "en-123"])
    func aLanguageThatIsNoneIsRefused(name: String) {
        #expect(!ContentBundle.isLanguage(name))
        #expect(!problems(#"{"version":1,"languages":{"\#(name)":{}}}"#).isEmpty)
    }

    @Test func thereIsAnEndToEverything() {
        func language(_ body: String) -> [String] { problems(#"{"version":1,"languages":{"en":{\#(body)}}}"#) }
        let lines = { (count: Int) in "[" + Array(repeating: "\"x\"", count: count).joined(separator: ",") + "]" }
        #expect(language("\"publication\": \(lines(16))").isEmpty)
        #expect(language("\"publication\": \(lines(17))").count == 1)
        #expect(language(#""texts": {"a": "\#(String(repeating: "x", count: 2_000))"}"#).isEmpty)
        #expect(language(#""texts": {"a": "\#(String(repeating: "x", count: 2_001))"}"#).count == 1)
        #expect(language(#""texts": {"a": ""}"#).count == 1)
        let texts = (0..<257).map { "\"k\($0)\": \"x\"" }.joined(separator: ",")
        #expect(language("\"texts\": {\(texts)}").count == 1)
        #expect(problems(#"{"version":1,"languages":{}}"#).count == 1)
        #expect(problems(Self.whole + String(repeating: " ", count: ContentBundle.maximumByteCount)).count == 1)
        #expect(problems("[]").count == 1)
        #expect(problems("{}").count == 2)
        #expect(problems(#"{"version":1,"version":2,"languages":{"en":{}}}"#).count == 1)
        // A thousand faults are told in fifty lines.
        let many = (0..<300).map { "\"f\($0)\": 1" }.joined(separator: ",")
        #expect(language(many).count == ContentProblems.most + 1)
    }

    @Test(arguments: ["\u{202E}", "\u{2028}", "\u{85}", "\u{FEFF}", "\u{7F}"]) func whatTurnsWritingRoundIsRefused(
        text: String
    ) {
        #expect(problems(#"{"version":1,"languages":{"en":{"publication":["a\#(text)b"]}}}"#).count == 1)
    }

    /// Every prefix and every byte turned over: an answer, never a crash.
    @Test func whateverComesIsAnswered() {
        let bytes = Array(Self.whole.utf8)
        for index in bytes.indices {
            _ = try? ContentBundle(parsing: Array(bytes[..<index]))
            for flip: UInt8 in [1, 32, 128] {
                var changed = bytes
                changed[index] ^= flip
                _ = try? ContentBundle(parsing: changed)
            }
        }
    }
}
