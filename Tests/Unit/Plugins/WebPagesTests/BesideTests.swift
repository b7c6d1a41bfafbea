// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Testing
import WebPagesGallery

@testable import WebPages

/// What must not stand beside what, on every page of the gallery, in every language.
@Suite struct BesideTests {
    private struct Shown {
        let texts: TextCatalog
        let pieces: [String: String]

        init(_ language: Language) throws {
            texts = try Files.catalog(language)
            pieces = try Files.pages(language)
        }

        func page(_ name: String) throws -> String { try #require(pieces[name], "\(name)") }
        func has(_ name: String, _ key: String) throws -> Bool { try page(name).contains(HTML(texts.text(key)).markup) }
        /// The text with the name of that system in its place.
        func text(_ key: String, of system: Checkin1.System) -> String {
            texts.text(key).split(separator: "{system}", omittingEmptySubsequences: false).joined(
                separator: texts.text("venue.system.\(system.rawValue)"))
        }
        func all(_ prefix: String) -> [String] { pieces.keys.filter { $0.hasPrefix(prefix) }.sorted() }
    }

    /// Advice about a visit beside a low risk goes before it; beside other advice both hold.
    @Test(arguments: Language.allCases) func theAdviceAboutAVisitSaysHowItStandsToTheOther(_ language: Language) throws {
        let shown = try Shown(language)
        var seen: Set<String> = []
        for name in shown.all("today-") {
            let isLow = try shown.has(name, "today.word.low")
            let isMore = try shown.has(name, "today.word.increased") || shown.has(name, "today.word.unjudged")
            let isToldOfVisit = try shown.has(name, "today.visit-news") || shown.has(name, "today.visit-kept")
            #expect(try shown.has(name, "today.visit-low") == (isToldOfVisit && isLow), "\(name)")
            #expect(try shown.has(name, "today.visit-both") == (isToldOfVisit && isMore), "\(name)")
            if isToldOfVisit { seen.insert(isLow ? "low" : isMore ? "more" : "else") }
        }
        #expect(seen.isSuperset(of: ["low", "more"]))
    }

    /// Whoever says that a person is not told to be infected says also that they may be, by the same words.
    @Test(arguments: Language.allCases) func nobodyIsCalledNotInfected(_ language: Language) throws {
        let texts = try Files.catalog(language)
        let may = try #require(texts.text("today.sentence.increased").split(separator: ". ").last)
        for key in ["today.visit-increased", "visits.notice-why"] { #expect(texts.text(key).hasSuffix(may), "\(key)") }
    }

    /// A number of days needs a day to count from.
    @Test(arguments: Language.allCases) func eachWarningAboutAVisitHasItsDay(_ language: Language) throws {
        let shown = try Shown(language)
        let text = HTML(shown.texts.text("today.day")).markup
        let words = try #require(text.split(separator: "}").last)
        let expected = VenueSamples.notices.notices.count { $0.level != .low }
        #expect(expected > 2 && expected < VenueSamples.notices.notices.count)
        #expect(try shown.page("visits").split(separator: words, omittingEmptySubsequences: false).count - 1 == expected)
        for name in ["today-visit-unjudged-low", "today-visit-increased-low"] {
            #expect(try shown.page(name).contains(words), "\(name)")
        }
        // Of encounters that cannot be judged no day is known.
        #expect(try !shown.page("today-unjudged").contains(words))
    }

    /// "There is no warning" stands beside nothing that says that it is not known.
    @Test(arguments: Language.allCases) func noWarningIsNotSaidBesideDoubt(_ language: Language) throws {
        let shown = try Shown(language)
        let keys = ["visits.not-known", "visits.unfetched", "visits.lost", "visits.none", "visits.hiding-lost"]
        var doubts: [String] = keys.map { shown.texts.text($0) }
        for system in Checkin1.System.allCases {
            doubts.append(shown.text("visits.unchecked", of: system))
            doubts.append(shown.text("visits.unfollowed", of: system))
        }
        #expect(try shown.has("visits-calm", "visits.no-notices") && shown.has("visits-pending", "visits.not-known"))
        for name in shown.all("visits") where try shown.has(name, "visits.no-notices") {
            for doubt in doubts { #expect(try !shown.page(name).contains(HTML(doubt).markup), "\(name): \(doubt)") }
        }
        for name in shown.all("visits") where try shown.has(name, "visits.none") && !shown.has(name, "visits.lost") {
            #expect(try !shown.page(name).contains("id=\"notices-title\""), "\(name)")
        }
    }

    /// What hides a warning does not end it.
    @Test(arguments: Language.allCases) func whatIsNotShownAnyMoreStillApplies(_ language: Language) throws {
        let shown = try Shown(language)
        for name in ["reset-done", "visits-lost", "visits-choice-lost", "error-500", "error-503"] {
            #expect(try shown.has(name, "today.still-applies"), "\(name)")
        }
        for name in ["error-404", "visits", "visits-calm"] {
            #expect(try !shown.has(name, "today.still-applies"), "\(name)")
        }
    }

    /// Who does not answer has found nothing and done nothing that one could tell.
    @Test(arguments: Language.allCases) func silenceIsNoAnswer(_ language: Language) throws {
        let shown = try Shown(language)
        for name in ["proof-silent", "history-silent", "today-silent"] {
            #expect(try shown.has(name, "today.hours-unknown") && !shown.has(name, "today.no-hours"), "\(name)")
            #expect(try !shown.has(name, "history.gap"), "\(name)")
        }
        #expect(try shown.has("proof-empty", "today.no-hours") && !shown.has("proof-empty", "proof.unknown"))
        #expect(try shown.has("tech-silent", "tech.not-checked") && !shown.has("tech-silent", "tech.no-findings"))
        #expect(
            try shown.has("tech-checks-silent", "tech.not-checked") && !shown.has("tech-checks-silent", "tech.checks.fine"))
        #expect(try shown.has("tech-radio", "tech.no-findings") && !shown.has("tech-radio", "tech.not-checked"))
    }

    /// While a result is not there the advice is the same, asked for or not; and nobody is told of an answer.
    @Test(arguments: Language.allCases) func whoWaitsIsAdvisedAlike(_ language: Language) throws {
        let shown = try Shown(language)
        for name in ["test-waiting", "result-pending"] {
            let advice = HTML(shown.texts.text("result.next.pending")).markup
            #expect(try shown.page(name).split(separator: advice, omittingEmptySubsequences: false).count == 2, "\(name)")
            #expect(try !shown.has(name, "tests.state.ready"), "\(name)")
        }
        #expect(try shown.has("test-ready", "result.there") && !shown.has("test-ready", "result.next.pending"))
        for result in Diagnosis1.Result.allCases where result != .pending {
            let name = "result-\(result.rawValue)"
            for key in ["tests.state.ready", "tests.meaning.ready"] { #expect(try !shown.has(name, key), "\(name)") }
        }
        // What an unclear result advises is no more and no less than what waiting does.
        let texts = shown.texts
        #expect(!texts.text("result.meaning.invalid").contains(texts.text("result.word.positive") + "."))
    }

    /// What holds of a code is said by the clock, and of one that can be seen.
    @Test(arguments: Language.allCases) func noCodeIsCalledValidThatIsNotKnownToBe(_ language: Language) throws {
        let shown = try Shown(language)
        for (name, badge) in [("tech-code-no-time", "places.time-unknown"), ("tech-code-unfit", "places.not-drawn")] {
            #expect(try shown.has(name, badge), "\(name)")
            #expect(
                try !shown.page(name).contains("<span>\(HTML(shown.texts.text("places.state.shown")).markup)</span>"),
                "\(name)")
        }
        #expect(try !shown.has("tech-code-shown-1", "places.time-unknown"))
        #expect(try shown.has("screen-event", "poster.no-phone-event") && !shown.has("screen-event", "poster.no-phone"))
        #expect(try shown.has("screen", "poster.no-phone") && !shown.has("screen", "poster.no-phone-event"))
    }

    /// Hidden places are sent with no warning, and the page of such a visit says so.
    @Test(arguments: Language.allCases) func aHiddenVisitSaysThatItIsNotSent(_ language: Language) throws {
        let shown = try Shown(language)
        let words = HTML(shown.text("visits.share-not", of: .swissCovid)).markup
        #expect(
            try shown.has("visit-over", "visits.delete-agreed") && !shown.has("visit-published", "visits.delete-agreed"))
        for name in ["visit-hidden-open", "visit-hidden-over"] {
            #expect(try shown.page(name).contains(words) && !shown.page(name).contains("name=\"warns\""), "\(name)")
            #expect(try !shown.has(name, "visits.delete-agreed"), "\(name)")
        }
    }

    /// A server's English is called English where the page is not.
    @Test(arguments: Language.allCases) func aServersSentenceIsMarked(_ language: Language) throws {
        let shown = try Shown(language)
        let page = try shown.page("visits")
        #expect(page.contains("The server does not answer."))
        let mark = HTML(shown.texts.text("content.only.en")).markup
        let before = try #require(page.split(separator: "The server does not answer.").first)
        #expect(before.suffix(300).contains(mark) == (language != .english))
    }

    /// Whoever is asked for the button has to tick the box again, by the button's own name, and is not told twice whom the answer does not reach.
    @Test(arguments: Language.allCases) func theButtonIsFollowedByTheSameButton(_ language: Language) throws {
        let shown = try Shown(language)
        #expect(shown.texts.text("warn.fault-button").contains(shown.texts.text("warn.send")))
        let told = "name=\"\(WearerPages.toldField)\""
        for (name, isTold) in [("button", true), ("consent", false), ("day", false)] {
            #expect(try shown.page("warn-fault-\(name)").contains(told) == isTold, "\(name)")
        }
    }

    /// Only handing the device on ends the code of before (ResetAccessTests): whoever speaks of giving it away names that.
    @Test(arguments: Language.allCases) func givingTheDeviceAwayIsHandingItOn(_ language: Language) throws {
        let texts = try Files.catalog(language)
        for key in ["help.answer.9", "reset.after", "today.advice.ended"] {
            #expect(texts.text(key).contains(texts.text("tech.hand-on.title")), "\(key)")
        }
    }

    /// A telephone number is called what stands over it on the page of numbers, and each office has one name.
    @Test(arguments: Language.allCases) func numbersAndOfficesHaveOneName(_ language: Language) throws {
        let texts = try Files.catalog(language)
        let topics = TextFamily.hotline.members.map { texts.text("hotlines.topic.\($0)") }
        let (open, before): (Character, [String]) =
            switch language {
            case .english: ("“", ["number for "])
            case .german, .plainGerman: ("„", ["Nummer für "])
            case .french: ("«", ["numéro des ", "numéro "])
            }
        // Names that nothing on the pages explains.
        let strange: [String] =
            switch language {
            case .english: ["the hotline", "technical hotline", "local health authority", "the health office"]
            case .german: ["Hotline", "die Technik ", "Austausch "]
            case .plainGerman: ["Hilfe-Nummer", "Hotline", "Die Technik ", "die Technik "]
            case .french: ["assistance", "numéro d’aide", "autorité de santé", "autorité sanitaire locale"]
            }
        var named = 0
        for key in texts.keys where !key.hasPrefix("tech.") && !key.hasPrefix("donate.") {
            let text = texts.text(key)
            for word in strange { #expect(!text.contains(word), "\(key): \(word)") }
            if language == .plainGerman {
                let offices = text.split(separator: "Gesundheits-Amt", omittingEmptySubsequences: false).dropFirst()
                for rest in offices { #expect(rest.hasPrefix(" in Ihrer Nähe"), "\(key)") }
            }
            for lead in before {
                for part in text.split(separator: lead + String(open), omittingEmptySubsequences: false).dropFirst() {
                    let name = part.prefix { !"”“»".contains($0) }
                    let words = name.split(separator: " ").joined(separator: " ")
                    #expect(topics.contains(words), "\(key): \(words)")
                    named += 1
                }
            }
        }
        #expect(named > 12)
    }
}
