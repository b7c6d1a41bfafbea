// SPDX-License-Identifier: Apache-2.0

import Testing
import WebPagesGallery

@testable import WebPages

/// What the pages say when a warning was taken back, in every language.
@Suite struct TakenBackTests {
    @Test(arguments: Language.allCases)
    func everyPageSaysItAndTheAdviceAgrees(_ language: Language) throws {
        let texts = try Files.catalog(language)
        let pieces = Dictionary(
            Gallery.pieces(texts).map { ($0.name, String(decoding: $0.page.bytes, as: UTF8.self)) }
        ) { first, _ in first }
        let words = texts.text("today.taken-back", ["date": "|"]).split(separator: "|").map(String.init)
        #expect(words.count == 2)
        let advice = texts.text("today.taken-back-advice")
        let stands = texts.text("today.taken-back-stands")
        func page(_ name: String) throws -> String { try #require(pieces[name], "\(name)") }
        for name in ["today-low-taken-back", "why-taken-back"] {
            let text = try page(name)
            #expect(words.allSatisfy(text.contains) && text.contains(advice) && !text.contains(stands), "\(name)")
        }
        let red = try page("today-increased-taken-back")
        #expect(words.allSatisfy(red.contains) && red.contains(stands) && !red.contains(advice))
        #expect(try page("history-taken-back").contains(texts.text("history.taken-back")))
        #expect(try page("why-day-taken-back").contains(texts.text("why.taken-back")))
        for name in ["today-low", "today-increased", "history", "why"] {
            let text = try page(name)
            #expect(!text.contains(words[1]) && !text.contains(texts.text("history.taken-back")), "\(name)")
        }
    }
}
