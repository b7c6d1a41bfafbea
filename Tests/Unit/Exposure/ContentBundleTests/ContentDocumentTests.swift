// SPDX-License-Identifier: Apache-2.0

import ContentBundle
import Testing

/// Documents written anew, as they are published.
@Suite struct ContentDocumentTests {
    private func parse(_ text: String) throws -> ContentBundle { try ContentBundle(parsing: Array(text.utf8)) }

    @Test func whatIsWrittenIsWhatWasRead() throws {
        let text = #"""
            {"languages": {"en": {
                "publication": ["Health \"Institute\""],
                "links": [{"url": "https://health.example/a?b=c#d", "title": "More"}],
                "hotlines": [{"hours": "8 to 20", "number": "+49 (30) 1-2/3", "name": "Advice", "purpose": "health"}],
                "recommendations": {"negative": [], "low": ["ü", "\u00e4"]}, "texts": {"z": "1", "a.b-C": "2"}
            }, "de-simple": {}, "de": {"texts": {}}}, "version": 7}
            """#
        let bundle = try parse(text)
        let document = bundle.document
        #expect(try ContentBundle(parsing: document) == bundle)
        #expect(
            String(decoding: document, as: UTF8.self)
                == #"{"version":7,"languages":{"de":{},"de-simple":{},"en":{"texts":{"a.b-C":"2","z":"1"},"#
                + #""recommendations":{"low":["ü","ä"],"negative":[]},"#
                + #""hotlines":[{"purpose":"health","name":"Advice","number":"+49 (30) 1-2/3","hours":"8 to 20"}],"#
                + #""links":[{"title":"More","url":"https://health.example/a?b=c#d"}],"publication":["Health \"Institute\""]}}}"#
        )
    }

    /// What cannot be told on in one message is refused where it is written, not on the board.
    @Test func whatCannotBeToldOnIsRefused() throws {
        // A quotation mark is two bytes here, and four as a text within a text.
        func bundle(_ count: Int) -> String {
            let lines = (0..<16).map { _ in "\"" + String(repeating: #"\""#, count: count) + "\"" }.joined(separator: ",")
            return #"{"version":1,"languages":{"en":{"publication":[\#(lines)]},"de":{"publication":[\#(lines)]}}}"#
        }
        #expect(throws: Never.self) { try parse(bundle(450)) }
        let problems = #expect(throws: ContentProblems.self) { try parse(bundle(490)) }
        #expect(problems?.problems.count == 1 && problems?.problems.first?.contains("cannot be told on") == true)
    }
}
