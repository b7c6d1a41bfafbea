// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import Matching
import RandomValues
import Testing

/// What a person is told must add up to what was judged.
@Suite struct ExplanationTests {
    private let today = RiskSamples.today

    @Test func bandsTimesFactorIsTheScore() throws {
        var generator = SeededGenerator(seed: 3)
        let evidence = RiskSamples.randomEvidence(&generator, count: 200)
        let models: [(any RiskModel, Double)] = [
            (CWASecondModel(Published.cwaSecond()), 60), (CWASecondModel(Published.cwaSecondOf2020()), 60),
            (DailySummariesModel(try Published.daily()), 1),
            (NHSFirstModel(NHSFirstParameters(exposures: try Published.exposures())), 1),
        ]
        for (model, unit) in models {
            for day in model.assess(evidence, today: today).days {
                for contribution in day.contributions {
                    let weighted = contribution.bands.reduce(0) { $0 + Double($1.seconds) * $1.weight }
                    let expected = contribution.factor * weighted / unit
                    #expect(abs(contribution.score - expected) <= 1e-9 * max(1, expected), "\(model.name)")
                }
            }
        }
    }

    @Test func everySecondIsInOneBand() throws {
        var generator = SeededGenerator(seed: 4)
        let windows = (0..<100).map { _ in RiskSamples.randomWindow(&generator) }
        for model in try Published.models() where model.input == .windows {
            for window in windows {
                let found = model.assess(RiskEvidence(windows: [window]), today: today)
                let bands = try #require(found.days.first?.contributions.first).bands
                #expect(
                    bands.reduce(0) { $0 + $1.seconds } == window.scanInstances.reduce(0) { $0 + $1.secondsSinceLastScan })
                for scan in window.scanInstances where scan.secondsSinceLastScan > 0 {
                    let decibels = Double(scan.minimumAttenuation)
                    #expect(
                        bands.count { band in
                            band.seconds > 0 && decibels >= band.from ?? -1 && decibels < band.below ?? .infinity
                        } >= 1)
                }
            }
        }
    }

    @Test func outcomesSayWhy() throws {
        let model = CWASecondModel(Published.cwaSecondOf2020())
        func outcome(_ window: ExposureWindow) -> RiskContribution.Outcome? {
            model.assess(RiskEvidence(windows: [window]), today: today).days.first?.contributions.first?.outcome
        }
        let long = [(decibels: 50, seconds: 300), (50, 300), (50, 300)]
        #expect(outcome(RiskSamples.window(long)) == .counted)
        #expect(outcome(RiskSamples.window([(50, 300)])) == .tooShort)
        #expect(outcome(RiskSamples.window(long, type: .recursive)) == .levelFiltered)
        #expect(outcome(RiskSamples.window(long, type: .unknown)) == .notCounted)
        #expect(outcome(RiskSamples.window(long, type: .revoked)) == .notCounted)
        #expect(outcome(RiskSamples.window(long, infectiousness: .none)) == .notCounted)
        var aged = Published.cwaSecond()
        #expect(aged.maxEncounterAgeInDays == 10)
        func outcome(_ age: UInt32) -> RiskContribution.Outcome? {
            CWASecondModel(aged).assess(RiskEvidence(windows: [RiskSamples.window(day: today - age, long)]), today: today)
                .days.first?.contributions.first?.outcome
        }
        #expect(outcome(10 as UInt32) == .counted)
        #expect(outcome(11 as UInt32) == .tooOld)
        aged.maxEncounterAgeInDays = 0
        #expect(outcome(14 as UInt32) == .counted)
        let nhs = NHSSecondModel(NHSSecondParameters())
        func nhsOutcome(_ window: ExposureWindow) -> RiskContribution.Outcome? {
            nhs.assess(RiskEvidence(windows: [window]), today: today).days.first?.contributions.first?.outcome
        }
        #expect(nhsOutcome(RiskSamples.window([])) == .empty)
        #expect(nhsOutcome(RiskSamples.window([(50, 0)])) == .empty)
        #expect(nhsOutcome(RiskSamples.window(day: today - 12, long)) == .tooOld)
        #expect(nhsOutcome(RiskSamples.window(day: today - 11, long)) == .counted)
        let daily = DailySummariesModel(try Published.daily())
        let short = daily.assess(RiskEvidence(windows: [RiskSamples.window([(60, 30)])]), today: today)
        #expect(short.days.first?.contributions.first?.outcome == .belowMinimum)
    }

    @Test func limitsAreSaid() throws {
        let evidence = RiskEvidence(
            windows: [RiskSamples.window([(50, 300)])], exposures: [RiskSamples.exposure(seconds: [300, 0, 0])])
        for (model, limit) in [
            (DailySummariesModel(try Published.daily()) as any RiskModel, 2_700.0),
            (CWAFirstModel(try Published.cwaFirst()), 15), (CWASecondModel(Published.cwaSecond()), 9),
            (NHSFirstModel(NHSFirstParameters(exposures: try Published.exposures())), 20),
            (NHSSecondModel(NHSSecondParameters()), 120),
        ] {
            let found = model.assess(evidence, today: today)
            #expect(found.days.first?.verdict.increasedFrom == limit, "\(model.name)")
        }
    }

    @Test func peopleAreCountedOnDaysWithALevelOnly() {
        let model = CWASecondModel(Published.cwaSecond())
        let short = RiskSamples.window([(50, 120)])
        let one = model.assess(RiskEvidence(windows: [short]), today: today)
        #expect(one.days.first?.verdict.level == nil)
        #expect(one.days.first?.encounters == nil)
        let long = RiskSamples.window([(65, 300), (65, 300)])
        let two = model.assess(RiskEvidence(windows: [short, long, long]), today: today)
        #expect(two.level == .increased)
        #expect(two.mostRelevantDay == today - 1)
        #expect(two.days.first?.encounters == [.low: 1, .increased: 1])
    }

    @Test func exposuresBelowTheMinimumTakeNoPart() throws {
        let model = CWAFirstModel(try Published.cwaFirst())
        let counted = RiskSamples.exposure(seconds: [1_800, 0, 0], riskScore: 60)
        let ignored = RiskSamples.exposure(day: today - 3, seconds: [1_800, 1_800, 0], riskScore: 0)
        let both = model.assess(RiskEvidence(exposures: [ignored, counted]), today: today)
        #expect(both.combined == model.assess(RiskEvidence(exposures: [counted]), today: today).combined)
        #expect(both.combined == RiskVerdict(score: 36, increasedFrom: 15, level: .increased))
        #expect(both.mostRelevantDay == today - 1)
        #expect(both.days.first?.contributions.first?.outcome == .belowMinimum)
    }

    @Test func theLatestDayThatWarnsIsTheOneThatCounts() {
        let model = NHSSecondModel(NHSSecondParameters())
        let near = [(decibels: Int, seconds: Int)](repeating: (35, 300), count: 6)
        let found = model.assess(
            RiskEvidence(windows: [
                RiskSamples.window(day: today - 8, near),
                RiskSamples.window(day: today - 3, near, infectiousness: .standard),
                RiskSamples.window(day: today - 1, [(90, 300)]),
            ]), today: today)
        #expect(found.level == .increased)
        #expect(found.mostRelevantDay == today - 3)
        #expect(found.days.map(\.verdict.level) == [.increased, .increased, .low])
        let distance = found.days.first?.contributions.first?.estimatedDistance ?? .nan
        #expect(distance > 0 && distance < 2)
    }

    @Test func preconditionsComeInOrder() {
        func state(_ isOn: Bool, _ tracing: Int64, _ age: Int64?) -> RiskPrecondition {
            RiskPrecondition(isOn: isOn, tracingSeconds: tracing, lastCheck: age.map { 10_000_000 - $0 }, now: 10_000_000)
        }
        #expect(state(false, 0, nil) == .off)
        #expect(state(false, 90_000, 0) == .off)
        #expect(state(true, 86_399, 0) == .unknownInitial)
        #expect(state(true, 86_400, nil) == .unknownInitial)
        #expect(state(true, 86_400, 172_800) == .met)
        #expect(state(true, 86_400, 172_801) == .unknownOutdated)
        #expect(state(true, 86_400, -500) == .met)
        #expect(RiskPrecondition(isOn: true, tracingSeconds: .max, lastCheck: .min, now: .max) == .unknownOutdated)
        #expect(RiskPrecondition(isOn: true, tracingSeconds: .max, lastCheck: .max, now: .min) == .met)
    }
}
