// SPDX-License-Identifier: Apache-2.0

import ContentBundle
import Interfaces
import Testing
import WebPagesGallery

@testable import WebPages

/// What a device advises, in every language, whatever the authority says in which language.
@Suite struct AdviceTests {
    /// Every choice of languages in which an authority has advice.
    static let choices: [[Language]] = (0..<(1 << Language.allCases.count)).map { choice in
        Language.allCases.enumerated().filter { choice >> $0.offset & 1 == 1 }.map(\.element)
    }

    /// How the authority says it: as a list, or in place of the pages' text.
    enum Form: CaseIterable { case list, text }

    static func content(_ languages: [Language], _ form: Form) -> AuthorityContent {
        var editions: [Language: AuthorityContent.Edition] = [:]
        for language in languages {
            func words(_ number: Int, _ state: String) -> String { "⟦\(number) \(state) \(language.rawValue)⟧" }
            let states = ["low", "increased", "positive", "negative"]
            switch form {
            case .list:
                editions[language] = AuthorityContent.Edition(
                    recommendations: Dictionary(uniqueKeysWithValues: states.map { ($0, [words(1, $0), words(2, $0)]) }))
            case .text:
                let keys =
                    states.prefix(2).map { ("today.advice.\($0)", $0) } + states.suffix(2).map { ("result.next.\($0)", $0) }
                editions[language] = AuthorityContent.Edition(
                    texts: Dictionary(uniqueKeysWithValues: keys.map { ($0.0, words(1, $0.1) + words(2, $0.1)) }))
            }
        }
        return AuthorityContent(version: 1, editions: editions)
    }

    static func context(_ language: Language, _ content: AuthorityContent?) throws -> PageContext {
        PageContext(
            texts: try Files.catalog(language), reader: .wearer, formToken: "", path: "/", content: content,
            now: Samples.now, timeIsKnown: true)
    }

    /// The page that advises in that state.
    static func markup(_ state: String, _ context: PageContext) -> String {
        func today(_ risk: Risk1.State) -> Page {
            WearerPages.today(
                WearerPages.Today(
                    status: Samples.status(), risk: Samples.risk(risk), freshness: nil, evidence: [], testNews: false),
                context)
        }
        func test(_ result: Diagnosis1.Result) -> Page {
            WearerPages.test(
                WearerPages.TestDetails(test: Samples.test(.ready), result: result, nextExchange: nil), context)
        }
        let page =
            switch state {
            case "low": today(.low)
            case "increased": today(.increased)
            case "positive": test(.positive)
            default: test(.negative)
            }
        return String(decoding: page.bytes, as: UTF8.self)
    }

    /// Which numbers of the authority's items stand on a page, in which languages.
    static func items(_ markup: String, _ state: String) -> (numbers: Set<Int>, languages: Set<String>) {
        var numbers: Set<Int> = []
        var languages: Set<String> = []
        for piece in markup.split(separator: "⟦").dropFirst() {
            let words = piece.prefix { $0 != "⟧" }.split(separator: " ")
            guard words.count == 3, words[1] == state, let number = Int(words[0]) else { continue }
            numbers.insert(number)
            languages.insert(String(words[2]))
        }
        return (numbers, languages)
    }

    @Test(arguments: ["low", "increased", "positive", "negative"], Form.allCases)
    func everyLanguageAdvisesTheSame(state: String, form: Form) throws {
        for choice in Self.choices {
            let content = Self.content(choice, form)
            for language in Language.allCases {
                let context = try Self.context(language, content)
                let markup = Self.markup(state, context)
                let found = Self.items(markup, state)
                let builtIn = try Files.catalog(language).text(
                    state == "low" || state == "increased" ? "today.advice.\(state)" : "result.next.\(state)")
                let comment: Comment = "\(language.rawValue), authority: \(choice.map(\.rawValue))"
                // All of it in one language, or the pages' own and nothing else.
                #expect(found.numbers == (choice.isEmpty ? [] : [1, 2]), comment)
                #expect(found.languages.count == (choice.isEmpty ? 0 : 1), comment)
                #expect(markup.contains(HTML(builtIn).markup) == choice.isEmpty, comment)
                // The reader's own language if there is one; any other is marked, with the voice that it needs.
                let own = choice.contains(language)
                if own { #expect(found.languages == [language.rawValue], comment) }
                let used = found.languages.first.flatMap(Language.init(rawValue:))
                let mark = used.map { context.texts.text("content.only.\($0.rawValue)") }
                if let used, let mark, !own {
                    #expect(markup.contains(HTML(mark).markup), comment)
                    #expect(markup.contains("<div lang=\"\(used.tag)\">"), comment)
                } else {
                    for other in Language.allCases {
                        #expect(
                            !markup.contains(HTML(context.texts.text("content.only.\(other.rawValue)")).markup), comment)
                    }
                }
            }
        }
    }

    @Test func plainGermanIsServedByGermanFirstAndNobodyIsLeftWithSilence() throws {
        let german = Self.content([.english, .german], .list)
        #expect(german.editions(for: .plainGerman).map(\.language) == [.german, .english])
        #expect(german.editions(for: .french).map(\.language) == [.english, .german])
        for language in Language.allCases {
            #expect(Set(Self.content(Language.allCases, .list).editions(for: language).map(\.language)).count == 4)
        }
    }

    /// Hotlines, links and who is responsible of another language are better than none, and say which language they are.
    @Test func hotlinesOfAnotherLanguageAreShownAndMarked() throws {
        let content = AuthorityContent(
            version: 1,
            editions: [
                .german: .init(
                    hotlines: [.init(topic: "health", title: "Arzt", number: "116 117", hours: "immer")],
                    publication: ["Amt", "Stadt"])
            ])
        let context = try Self.context(.french, content)
        let hotlines = String(decoding: WearerPages.hotlines(context).bytes, as: UTF8.self)
        #expect(hotlines.contains("116 117") && hotlines.contains(context.texts.text("content.only.de")))
        let imprint = String(decoding: WearerPages.imprint(context).bytes, as: UTF8.self)
        #expect(imprint.contains("Amt") && imprint.contains(context.texts.text("content.only.de")))
        #expect(imprint.contains(HTML(context.texts.text("imprint.reviewed")).markup))
    }

    @Test func theAuthoritysToolsKnowTheLanguagesOfThePages() {
        #expect(ContentBundle.spokenLanguages.sorted() == Language.allCases.map(\.rawValue).sorted())
    }

    /// What the demonstration shows: each language for itself, and the same number of things.
    @Test func theExampleHasEveryLanguage() throws {
        let example = try ContentBundle(parsing: Files.read("docs/examples/content.json"))
        #expect(example.gaps == [] && example.languages.count == Language.allCases.count)
    }
}

/// The audit log in people's words.
@Suite struct AuditWordsTests {
    @Test(arguments: Language.allCases) func everyKindHasWordsOfItsOwn(language: Language) throws {
        let texts = try Files.catalog(language)
        let other = texts.text("audit.other")
        for kind in AuditKind.allCases {
            // In the language itself, not in the one behind it.
            #expect(texts.keys.contains("audit.\(kind.rawValue)"), "\(kind)")
            let context = try AdviceTests.context(language, nil)
            let entry = Device1.AuditEntry(sequence: 1, time: nil, kind: kind.rawValue, actor: "ctl", details: [:])
            #expect(WearerPages.auditText(entry, context) != other, "\(kind)")
        }
        // And none that the core does not write.
        let kinds = Set(AuditKind.allCases.map { "audit.\($0.rawValue)" } + ["audit.other"])
        #expect(
            texts.keys.filter { $0.hasPrefix("audit.") && !$0.hasPrefix("audit.by.") }.subtracting(kinds).sorted() == [])
    }

    @Test func whoDidItIsSaidInWords() throws {
        let context = try AdviceTests.context(.german, nil)
        func actor(_ name: String) -> String {
            WearerPages.auditActor(.init(sequence: 1, time: nil, kind: "timeSet", actor: name, details: [:]), context)
                .markup
        }
        #expect(actor("ctl") == "Die Konsole des Geräts")
        #expect(actor("some-plugin") == "<bdi>some-plugin</bdi>")
        #expect(actor("<b>").contains("&lt;b&gt;"))
    }
}
