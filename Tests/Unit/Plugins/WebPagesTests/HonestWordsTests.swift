// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Testing
import WebPagesGallery

@testable import WebPages

/// Places where a page could be read as an all-clear, or as a promise that the device does not keep; in every language.
@Suite struct HonestWordsTests {
    private let texts: TextCatalog
    private let pieces: [String: String]

    init() throws {
        texts = try Files.catalog(.english)
        pieces = try Files.pages(.english)
    }

    /// Where the state says nothing of a warning that the device has given before, the page says that its advice still applies.
    @Test(arguments: Language.allCases)
    func aStateThatSaysNothingOfAWarningEndsNone(_ language: Language) throws {
        let texts = try Files.catalog(language)
        let pieces = try Files.pages(language)
        let words = texts.text("today.earlier")
        for name in ["unknown", "outdated", "paused", "ended", "off", "timeUnknown", "radioTrouble", "stopping"] {
            #expect(try #require(pieces["today-\(name)"]).contains(words), "\(name)")
        }
        for name in ["low", "increased", "unjudged"] {
            #expect(try !#require(pieces["today-\(name)"]).contains(words), "\(name)")
        }
    }

    /// Where the core still knows it, the page shows the warning itself: its day and its advice, in each of these states.
    @Test(arguments: Language.allCases)
    func aStateThatJudgesNothingShowsTheWarningOfBefore(_ language: Language) throws {
        let texts = try Files.catalog(language)
        let pieces = try Files.pages(language)
        let day = try #require(HTML(texts.text("today.day")).markup.split(separator: "}").last)
        for state in ["unknown", "outdated", "paused", "ended", "off", "timeUnknown"] {
            let (plain, told) = (try #require(pieces["today-\(state)"]), try #require(pieces["today-\(state)-told"]))
            for key in ["today.told", "today.told-advice"] {
                let words = HTML(texts.text(key)).markup
                #expect(told.contains(words) && !plain.contains(words), "\(state)")
            }
            // As the authority advises in this gallery where the risk is increased.
            #expect(told.contains("Stay at home for the next ten days.") && !plain.contains("Stay at home for the next"))
            #expect(told.contains(day) && !plain.contains(day), "\(state)")
            #expect(!told.contains(HTML(texts.text("today.earlier")).markup), "\(state)")
        }
    }

    /// Only visits of the Corona-Warn-App are ever sent; of others nothing is to be chosen.
    @Test(arguments: Language.allCases, Checkin1.System.allCases)
    func onlyWhatCanBeSentIsAskedFor(_ language: Language, _ system: Checkin1.System) throws {
        let context = PageContext(
            texts: try Files.catalog(language), reader: .wearer, formToken: "", path: "/", now: Samples.now,
            timeIsKnown: true)
        let visit = Checkin1.Visit(
            number: 3, system: system, name: "Hall", street: nil, arrival: 1_800_000_000, departure: 1_800_003_600,
            open: false, warns: true,
            published: false)
        let page = String(decoding: WearerPages.visit(visit, context).bytes, as: UTF8.self)
        #expect(page.contains(context.t("visits.share-lead")) == (system == .coronaWarnApp))
        #expect(page.contains("name=\"warns\"") == (system == .coronaWarnApp))
    }

    /// What is published stays published, whatever is deleted here.
    @Test func deletingAPublishedVisitPromisesNothing() throws {
        let published = try #require(pieces["visit-published"])
        #expect(
            published.contains(texts.text("visits.delete-published"))
                && !published.contains(texts.text("visits.delete-lead")))
        #expect(try #require(pieces["visit-over"]).contains(texts.text("visits.delete-lead")))
    }

    /// A box that is ticked beforehand is no consent (GDPR, recital 32): neither other countries nor the consent itself.
    @Test func nothingIsTickedBeforehand() throws {
        let page = try #require(pieces["warn"])
        #expect(page.contains("name=\"federation\"") && page.contains("name=\"consent\""))
        for box in page.split(separator: "<input").filter({ $0.contains("checkbox") }) {
            #expect(!box.prefix { $0 != ">" }.contains("checked"), "\(box.prefix(120))")
        }
    }

    /// Three secrets on one page, each of which is called by another name: whoever types the present one where a new one is asked for loses what is hidden.
    @Test func presentAndNewSecretsHaveTheirOwnNames() throws {
        let page = try #require(pieces["visits-hides-again"])
        for key in ["visits.hiding-present", "visits.hiding-new"] { #expect(page.contains(texts.text(key)), "\(key)") }
        #expect(!page.contains(">\(texts.text("visits.hiding-secret"))<"))
    }
}
