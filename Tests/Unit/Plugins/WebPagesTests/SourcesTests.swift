// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Testing
import WebPagesGallery

@testable import WebPages

/// What the pages say where several authorities are followed, in every language.
@Suite struct SourcesTests {
    private func today(_ risk: Risk1.Risk, _ context: PageContext) -> String {
        let model = WearerPages.Today(
            status: Samples.status(), risk: risk, freshness: nil, evidence: [], testNews: false)
        return String(decoding: WearerPages.todayFragment(model, context), as: UTF8.self)
    }

    private func why(_ risk: Risk1.Risk, _ context: PageContext) -> String {
        String(
            decoding: WearerPages.why(
                .init(status: Samples.status(), risk: risk, contributions: [], day: nil), context
            ).bytes, as: UTF8.self)
    }

    @Test(arguments: Language.allCases) func whoIsMissingIsSaidBesideTheState(_ language: Language) throws {
        let context = try AdviceTests.context(language, nil)
        for state in [Risk1.State.low, .increased] {
            let risk = Samples.risk(state)
            let name = language == .german || language == .plainGerman ? "WA Notify (Washington)" : "WA Notify"
            let named = context.t("today.not-known-for", ["names": name])
            #expect(today(Samples.withSources(risk), context).contains(HTML(named).markup))
            #expect(!today(risk, context).contains("WA Notify"))
        }
    }

    /// Each with its word, its days and what it has taken back; the one whose numbers stand above is not told twice.
    @Test(arguments: Language.allCases) func eachHasAPlaceOfItsOwn(_ language: Language) throws {
        let context = try AdviceTests.context(language, nil)
        let risk = Samples.risk(.increased)
        let page = why(Samples.withSources(risk), context)
        let one = why(risk, context)
        for text in [
            context.t("sources.lead"), context.t("sources.standard"), context.t("sources.shown"),
            context.t(.sourceSentence, "increased"), context.t(.sourceSentence, "outdated"),
            context.t(.sourceSentence, "off"),
            context.t("sources.taken-back", ["date": context.longDay(Int(Samples.now / 86_400) - 2)]),
            context.t("why.unjudged", counting: 1),
        ] {
            #expect(page.contains(HTML(text).markup), "\(text)")
            #expect(!one.contains(HTML(text).markup), "\(text)")
        }
        #expect(page.contains(HTML(context.number(900)).markup))
        // A day of which only the other one warns is marked in the history.
        func marks(_ risk: Risk1.Risk) -> Int {
            String(decoding: WearerPages.history(evidence: [], risk: risk, context).bytes, as: UTF8.self)
                .components(of: HTML(context.t(.levelWord, "increased")).markup)
        }
        #expect(marks(Samples.withSources(risk)) == marks(risk) + 1)
    }
}

extension String {
    /// How often `text` is in it.
    fileprivate func components(of text: String) -> Int {
        var count = 0
        var rest = self[...]
        while let found = rest.firstRange(of: text) {
            count += 1
            rest = rest[found.upperBound...]
        }
        return count
    }
}
