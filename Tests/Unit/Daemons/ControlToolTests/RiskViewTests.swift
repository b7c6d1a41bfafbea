// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Testing

@testable import ControlTool

/// What a person reads about their risk.
@Suite struct RiskViewTests {
    private let today = 20_778

    private func risk(_ state: Risk1.State, news: Bool = false, days: [Risk1.Day] = []) -> Risk1.Risk {
        Risk1.Risk(
            state: state, sentence: "A sentence of the core.", news: news, mostRelevantDay: days.last?.day,
            rules: state == .low || state == .increased
                ? .init(model: .cwaSecond, unit: .weightedMinutes, fallback: nil, version: 3) : nil, days: days)
    }

    private var redDay: Risk1.Day {
        .init(
            day: today - 2, verdict: .init(score: 24.6, increasedFrom: 9, level: .increased),
            encounters: .init(low: 0, increased: 1))
    }

    private func contribution(
        outcome: Risk1.Outcome = .counted, confidence: Exposure1.CalibrationConfidence = .high
    ) -> Risk1.Contribution {
        .init(
            day: today - 2,
            bands: [
                .init(from: 0, below: 63, seconds: 1_200, weight: 0.8), .init(from: 63, below: 73, seconds: 300, weight: 1),
                .init(from: 73, below: 79, seconds: 0, weight: 0.1),
            ], reportType: .confirmedTest, infectiousness: .high, transmissionRiskLevel: 8, factor: 1.6,
            estimatedDistance: nil, score: 33.6, level: .increased, outcome: outcome, calibrationConfidence: confidence)
    }

    @Test func theChartShowsEachDayAndTheLimit() {
        let text = RiskView.text(
            risk(.increased, news: true, days: [redDay]), contributions: nil, today: today, Screen(width: 400))
        let rows = text.split(separator: "\n").filter { $0.contains("2026-11-") }
        #expect(rows.count == 15)
        #expect(rows.filter { $0.contains("█") }.count == 1 && rows.contains { $0.contains("24.6 points, increased") })
        #expect(text.hasPrefix("Increased risk. A sentence of the core."))
        #expect(text.contains("at 9.0 points") && text.contains("--seen") && text.contains("version 3"))
        // Colours never say anything alone.
        let coloured = RiskView.text(
            risk(.increased, days: [redDay]), contributions: nil, today: today, Screen(isColoured: true))
        #expect(coloured.contains("\u{1B}[31m"))
    }

    /// What visits add is said first, and nothing is called low whose part is not known.
    @Test func visitsAreAPartOfTheRisk() {
        func text(_ state: Risk1.State, _ visits: VisitWarnings?) -> String {
            RiskView.text(risk(state), visits: visits, contributions: nil, today: today, Screen(width: 400))
        }
        for visits in [nil, .init(.none), .init(.none, days: [today: .low]), .init(.news)] as [VisitWarnings?] {
            #expect(text(.low, visits).hasPrefix("Low risk. A sentence of the core."))
            #expect(text(.low, visits).contains("There is a warning about a visit.") == (visits?.news == .news))
        }
        for (visits, heading, said) in [
            (.init(.kept, days: [today - 2: .increased]), "Increased risk", "2026-11-19 increased"),
            (.init(.kept, days: [today - 2: .unknown]), "Cannot be judged", "2026-11-19 cannot be judged"),
            (.init(.unknown), "Not known", "not known whether there are warnings about visits"),
            (.init(.none, isLost: true), "Not known", "The list of visits was damaged"),
            (
                .init(.none, days: [today: .low], isBehind: true), "Not known",
                "Not all warnings about visits could be looked at"
            ),
            (.init(.kept, days: [today: .low], isCut: true), "Cannot be judged", "more warnings than could be read"),
        ] as [(VisitWarnings, String, String)] {
            let text = text(.low, visits)
            #expect(text.hasPrefix("\(heading), from encounters and visits together."), "\(text)")
            #expect(text.contains("Encounters alone: low risk. A sentence of the core.") && text.contains(said), "\(text)")
        }
        // A warning of a system without levels is not among the days.
        for news in [VisitWarnings.News.kept, .news] {
            #expect(text(.low, .init(news, days: [today: .low])).contains("There is a warning about a visit."))
        }
        #expect(text(.increased, .init(.unknown)).hasPrefix("Increased risk. A sentence of the core."))
        #expect(text(.paused, .init(.kept, days: [today: .increased])).hasPrefix("Paused. A sentence of the core."))
    }

    @Test func whatCannotBeJudgedIsSaid() {
        var unjudged = risk(.unknown)
        unjudged.unjudged = 1
        let text = RiskView.text(unjudged, contributions: nil, today: today, Screen(width: 400))
        #expect(text.hasPrefix("Cannot be judged. A sentence of the core."))
        #expect(text.contains("1 warning that concerns this device cannot be judged by these rules."))
        var increased = risk(.increased, days: [redDay])
        increased.unjudged = 2
        let both = RiskView.text(increased, contributions: nil, today: today, Screen(width: 400))
        #expect(both.hasPrefix("Increased risk.") && both.contains("2 warnings that concern this device cannot be judged"))
    }

    @Test func theExplanationNamesEveryNumber() {
        let text = RiskView.text(
            risk(.increased, days: [redDay]), contributions: [contribution(), contribution(outcome: .tooShort)],
            today: today, Screen(width: 400))
        for words in [
            "2026-11-19 (2 days ago): 24.60 points; the warning begins at 9.0 points", "At least 1 person who reported",
            "may be of one person or of several", "20 min near (signal loss below 63 dB)",
            "5 min further off (63 to 73 dB)",
            "(20 min × 0.80 + 5 min × 1.00) for nearness × 1.60 for how infectious = 33.60 points, by itself enough",
            "reported a positive test", "very infectious", "sends is well known", "Not counted: too short",
            "Nobody is told about you",
            "is an estimate",
        ] {
            #expect(text.contains(words), "\(words)\n\(text)")
        }
        // No time may be read out of points, and nothing that has no part in the sum stands among it.
        #expect(!text.contains("73 to 79") && !text.contains("24.6 min") && !text.contains("level 8"))
        let unsure = RiskView.text(
            risk(.increased, days: [redDay]), contributions: [contribution(confidence: .lowest)], today: today,
            Screen(width: 400))
        #expect(unsure.contains("sends is not known"))
    }

    /// One reason, the true one: "or" leaves a person guessing.
    @Test func whatDoesNotCountSaysWhy() {
        var day = redDay
        day.verdict = .init(score: 0, increasedFrom: 9, level: nil)
        var harmless = contribution(outcome: .notCounted)
        harmless.infectiousness = Risk1.Infectiousness.none
        let text = RiskView.text(
            risk(.low, days: [day]), contributions: [harmless, contribution(outcome: .notCounted)], today: today,
            Screen(width: 400))
        #expect(text.contains("nothing of it counts by the rules"))
        #expect(text.contains("Not counted: by the rules the person was not infectious on that day."))
        #expect(text.contains("Not counted: the rules do not count reports of this kind."))
        #expect(!text.contains("× 0.80"))
    }

    /// Models whose arithmetic nobody does by hand give their result, not a sum that does not add up.
    @Test func aSumIsShownOnlyWhereItAddsUp() {
        var strange = contribution()
        strange.score = 50
        let text = RiskView.text(
            risk(.increased, days: [redDay]), contributions: [strange], today: today, Screen(width: 400))
        #expect(text.contains("By the rules this gives 50.00 points") && !text.contains("× 1.60"))
    }

    @Test(arguments: Risk1.State.allCases)
    func everyStateHasAHeading(_ state: Risk1.State) {
        let text = RiskView.text(risk(state), contributions: [], today: today, Screen())
        #expect(text.contains("A sentence of the core.") && !text.contains("\u{1B}"))
    }

    /// Where several authorities are followed: each with its word, and whose the numbers are. One alone reads as ever.
    @Test func eachAuthorityIsNamed() {
        var several = risk(.increased, days: [redDay])
        let one = RiskView.text(several, contributions: nil, today: today, Screen(width: 400))
        several.sources = [
            .init(
                name: "authority", title: [:], state: .increased, sentence: "Up.", mostRelevantDay: today - 2,
                rules: several.rules, days: [redDay], lastMatched: 1_795_262_400),
            .init(
                name: "other", title: ["en": "Other office"], state: .outdated, sentence: "Its keys are old.", unjudged: 1,
                takenBack: [.init(day: today - 3, learned: 1)]),
            .init(name: "third", title: [:], state: .low, sentence: "Down."),
        ]
        let text = RiskView.text(several, contributions: nil, today: today, Screen(width: 400))
        #expect(text.contains("Each judges by its own rules") && !one.contains("Each judges by its own rules"))
        #expect(text.contains("• Health authority of this device: increased risk. It counts from"))
        #expect(text.contains("below are those of Health authority of this device"))
        #expect(text.contains("• Other office: out of date. 1 warning of it nobody can judge. Taken back: its warning for"))
        #expect(text.contains("Its keys are old.") && text.contains("• third: low risk.") && !text.contains("Down."))
    }
}
