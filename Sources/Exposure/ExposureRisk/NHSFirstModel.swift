// SPDX-License-Identifier: Apache-2.0

import Glibc
import Matching

/// NHS COVID-19's fallback: seconds of an exposure, weighted by three distances and by how near the day was to the onset of symptoms
/// (spec checkin-and-nhs B.3).
///
/// Each exposure is judged by itself. The transmission risk level is 7 less the days from onset.
public struct NHSFirstModel: RiskModel {
    /// The level of the day of onset.
    private static let highestLevel = 7.0

    public let parameters: NHSFirstParameters

    public init(_ parameters: NHSFirstParameters) { self.parameters = parameters }

    public var name: RiskModelName { .nhsFirst }
    public var input: RiskInput { .exposuresV1(parameters.exposures) }

    public func assess(_ evidence: RiskEvidence, today: UInt32) -> RiskAssessment {
        var areNumbers = true
        let entries = evidence.exposures.sorted(by: ExposureV1.precedes).map { exposure in
            let factor = infectiousness(level: Int(exposure.transmissionRiskLevel))
            let seconds = weightedSeconds(exposure.attenuationDurations)
            let verdict = RiskVerdict(score: seconds * factor, limit: parameters.riskThreshold)
            areNumbers = areNumbers && verdict.level != nil
            return (
                day: exposure.day,
                contribution: RiskContribution(
                    bands: exposure.bands(
                        weights: parameters.durationBucketWeights, thresholds: parameters.exposures.durationThresholds),
                    transmissionRiskLevel: Int(exposure.transmissionRiskLevel), factor: factor, score: verdict.score,
                    level: verdict.level, outcome: .counted)
            )
        }
        return RiskAssessment(
            model: name, unit: .weightedSeconds, dayByDay: DayBook(entries), limit: parameters.riskThreshold,
            areNumbers: areNumbers)
    }

    /// A bell over the level's distance from 7; 1 at the highest.
    package func infectiousness(level: Int) -> Double {
        let distance = (Self.highestLevel - Double(level)) / parameters.sigma
        return exp(-0.5 * distance * distance)
    }

    /// Seconds below, between and above the thresholds, by their weights.
    package func weightedSeconds(_ durations: [Int]) -> Double {
        zip(durations, parameters.durationBucketWeights).reduce(0) { $0 + Double($1.0) * $1.1 }
    }
}

extension ExposureV1 {
    /// Time below, between and from the thresholds on.
    func bands(weights: [Double], thresholds: (low: Int, high: Int)) -> [RiskContribution.Band] {
        let bounds: [(from: Double?, below: Double?)] = [
            (nil, Double(thresholds.low)), (Double(thresholds.low), Double(thresholds.high)),
            (Double(thresholds.high), nil),
        ]
        return zip(bounds, attenuationDurations).enumerated().map { index, entry in
            RiskContribution.Band(
                from: entry.0.from, below: entry.0.below, seconds: entry.1, weight: weights.element(index))
        }
    }
}
