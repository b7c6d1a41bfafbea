// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import Matching
import RandomValues
import Testing

@Suite struct OrderTests {
    /// Bit for bit: assessments are equal, and equality of doubles is.
    @Test(arguments: 1...20)
    func theOrderOfTheEvidenceNeverMatters(_ seed: Int) throws {
        var generator = SeededGenerator(seed: seed)
        let evidence = RiskSamples.randomEvidence(&generator, count: 200)
        for model in try Published.models() {
            let first = model.assess(evidence, today: RiskSamples.today)
            #expect(!first.days.isEmpty)
            for _ in 0..<3 {
                let again = RiskEvidence(
                    windows: evidence.windows.shuffled(using: &generator),
                    exposures: evidence.exposures.shuffled(using: &generator))
                #expect(model.assess(again, today: RiskSamples.today) == first, "\(model.name)")
            }
        }
    }

    @Test func daysComeOldestFirstAndContributionsWeightiestFirst() throws {
        var generator = SeededGenerator(seed: 99)
        let evidence = RiskSamples.randomEvidence(&generator, count: 300)
        for model in try Published.models() {
            let found = model.assess(evidence, today: RiskSamples.today)
            #expect(found.days.map(\.day) == found.days.map(\.day).sorted())
            for day in found.days {
                #expect(day.contributions.map(\.score) == day.contributions.map(\.score).sorted(by: >))
            }
            let expected = model.input == .windows ? evidence.windows.count : evidence.exposures.count
            #expect(found.days.reduce(0) { $0 + $1.contributions.count } == expected, "everything is explained")
        }
    }

    /// The minute of a meeting must not show in an answer, not even by what stands first.
    @Test func theTimeOfTheFirstSightingMakesNoDifference() throws {
        var generator = SeededGenerator(seed: 7)
        let windows = (0..<50).map { _ in RiskSamples.randomWindow(&generator) }
        let moved = windows.map {
            ExposureWindow(
                day: $0.day, firstSighting: .random(in: 0 ... .max, using: &generator), reportType: $0.reportType,
                infectiousness: $0.infectiousness, calibrationConfidence: $0.calibrationConfidence,
                scanInstances: $0.scanInstances)
        }
        for model in try Published.models() {
            #expect(
                model.assess(RiskEvidence(windows: windows), today: RiskSamples.today)
                    == model.assess(RiskEvidence(windows: moved), today: RiskSamples.today))
        }
    }
}
