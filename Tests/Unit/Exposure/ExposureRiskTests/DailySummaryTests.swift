// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import Matching
import Testing

/// What Google's daily summaries leave out, and where a limit lies.
@Suite struct DailySummaryTests {
    private static func parameters(
        measure: DailySummariesParameters.Measure, weights: [Double] = [1, 1, 1, 1], infectiousness: [Double] = [1, 1, 1],
        from limit: Double = 900, classes: [ExposureClass] = [], minimum: Double = 0
    ) throws -> DailySummariesParameters {
        let summaries = try #require(
            DailySummariesConfiguration(
                attenuationThresholds: [40, 53, 60], attenuationWeights: weights,
                reportTypeWeights: [0, 1, 1, 1, 1, 0], infectiousnessWeights: infectiousness, minimumWindowScore: minimum))
        var parameters = DailySummariesParameters(summaries: summaries)
        (parameters.measure, parameters.increasedFrom, parameters.classes) = (measure, limit, classes)
        return parameters
    }

    /// A phone hands no window of such a day to an app, whatever its rules weigh.
    @Test(arguments: [DailySummariesParameters.Measure.sum, .maximum, .weightedDuration])
    func aDayOnWhichNobodyIsInfectiousCountsNowhere(measure: DailySummariesParameters.Measure) throws {
        var duration = ExposureClass()
        duration.weightedDuration = 900
        for classes in [[], [duration]] {
            let model = DailySummariesModel(try Self.parameters(measure: measure, classes: classes))
            let far = RiskSamples.window([(20, 1_800)], infectiousness: .none)
            let alone = model.assess(RiskEvidence(windows: [far]), today: RiskSamples.today)
            #expect(alone.level == .low)
            #expect(alone.days.first?.contributions.map(\.outcome) == [.notCounted])
            // Beside it others count as ever.
            let near = RiskSamples.window([(20, 900)], infectiousness: .standard)
            let both = model.assess(RiskEvidence(windows: [far, near]), today: RiskSamples.today)
            #expect(both.level == .increased && both.days.first?.verdict.score == 900)
        }
    }

    /// Whole seconds are added before they are weighed, and what is left of an error of addition decides nothing.
    @Test func whoReachesTheLimitIsWarned() throws {
        for (weight, scans, seconds) in [
            (1.4, 5, 180), (0.7, 10, 180), (0.8, 7, 300), (0.9, 7, 240), (2.3, 9, 60), (0.1, 30, 180),
        ] {
            let limit = (weight * 10).rounded() * Double(scans * seconds) / 10
            for measure in [DailySummariesParameters.Measure.sum, .maximum, .weightedDuration] {
                for classes in [false, true] {
                    var exposureClass = ExposureClass()
                    (exposureClass.perDaySum, exposureClass.weightedDuration) = (limit, limit)
                    let model = DailySummariesModel(
                        try Self.parameters(
                            measure: measure, weights: [weight, weight, weight, weight], from: limit,
                            classes: classes ? [exposureClass] : [], minimum: limit))
                    func level(_ scans: [(Int, Int)]) -> RiskLevel? {
                        model.assess(RiskEvidence(windows: [RiskSamples.window(scans)]), today: RiskSamples.today).level
                    }
                    // Near and far in turn, so that buckets mix.
                    let all = (0..<scans).map { ($0.isMultiple(of: 2) ? 30 : 50, seconds) }
                    #expect(level(all) == .increased, "\(weight) × \(scans) × \(seconds), \(measure), \(classes)")
                    #expect(level(Array(all.dropLast()) + [(30, seconds - 1)]) == .low)
                }
            }
        }
    }
}
