// SPDX-License-Identifier: Apache-2.0

import ContentBundle
import Testing

/// What an authority is told of languages that boards speak and its content lacks.
@Suite struct GapTests {
    static func gaps(_ languages: String) throws -> [String] {
        try ContentBundle(parsing: Array(#"{"version":1,"languages":{\#(languages)}}"#.utf8)).gaps
    }

    static let whole = ["en", "de", "fr", "de-simple"]

    static func each(_ names: [String], _ content: String) -> String {
        names.map { #""\#($0)":{\#(content)}"# }.joined(separator: ",")
    }

    @Test(arguments: [
        (["en", "de"], "boards also speak fr and de-simple: "), (["fr"], "boards also speak en, de and de-simple: "),
        (["it"], "boards also speak en, de, fr and de-simple: "),
        (["en", "de", "fr", "it"], "boards also speak de-simple: "),
    ])
    func missingLanguagesAreNamed(names: [String], sentence: String) throws {
        let gaps = try Self.gaps(Self.each(names, #""publication":["Office"]"#))
        #expect(gaps.first?.hasPrefix(sentence) == true, "\(gaps)")
    }

    @Test func whatIsWholeHasNoGaps() throws {
        let advice = #""recommendations":{"increased":["a","b"],"low":["c"]},"texts":{"today.title":"x"}"#
        #expect(try Self.gaps(Self.each(Self.whole, advice)) == [])
        // A language beyond those that boards speak is no gap, and need not be whole.
        #expect(try Self.gaps(Self.each(Self.whole, advice) + #","it":{}"#) == [])
        // Other texts than advice may differ.
        #expect(try Self.gaps(Self.each(["en", "de", "fr"], #""texts":{"today.title":"x"}"#) + #","de-simple":{}"#) == [])
    }

    @Test func adviceThatDiffersIsNamed() throws {
        let two = #""recommendations":{"increased":["a","b"]}"#
        #expect(
            try Self.gaps(Self.each(["en", "de", "fr"], two) + #","de-simple":{}"#)
                == ["recommendations.increased: there is nothing in de-simple"])
        #expect(
            try Self.gaps(Self.each(["en", "de", "fr"], two) + #","de-simple":{"recommendations":{"increased":["a"]}}"#)
                == [
                    "recommendations.increased: en has 2, de has 2, fr has 2, de-simple has 1; say the same things in every language"
                ])
        #expect(
            try Self.gaps(Self.each(["en", "fr", "de-simple"], "") + #","de":{"texts":{"today.advice.low":"x"}}"#)
                == ["texts.today.advice.low: there is nothing in en, fr and de-simple"])
    }
}
