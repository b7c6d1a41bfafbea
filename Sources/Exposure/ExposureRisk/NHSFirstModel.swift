// SPDX-License-Identifier: Apache-2.0

import Glibc
import Matching

/// NHS COVID-19's fallback: the seconds of an exposure, weighted by three ranges of attenuation and by how near the
/// day was to the onset of symptoms (spec checkin-and-nhs B.3).
///
/// Each exposure is judged by itself. The transmission risk level is 7 minus the number of days from onset.
public struct NHSFirstModel: RiskModel {
    /// The level of the day of onset.
    private static let highestLevel = 7.0

    /// The parameters that the model judges by; with ``NHSFirstParameters/problems`` it gives no level where a number
    /// cannot be computed.
    public let parameters: NHSFirstParameters

    /// Creates a model with `parameters`, which are not checked here; see ``RiskParameters/problems``.
    public init(_ parameters: NHSFirstParameters) { self.parameters = parameters }

    /// The model's name, always ``RiskModelName/nhsFirst``.
    public var name: RiskModelName { .nhsFirst }
    /// The input it needs: first-generation exposures, scored under ``NHSFirstParameters/exposures``.
    public var input: RiskInput { .exposuresV1(parameters.exposures) }

    /// Judges ``RiskEvidence/exposures``. Windows and `today` are ignored: the model has no age limit.
    ///
    /// Scores are weighted seconds. The level is increased if that of any day is; otherwise it is `nil` if a number
    /// could not be computed, and else low, also without any exposures.
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

    /// Returns the factor of a transmission risk level: a Gaussian curve of its distance from 7, which is 1 at 7 and
    /// above 0 elsewhere.
    package func infectiousness(level: Int) -> Double {
        let distance = (Self.highestLevel - Double(level)) / parameters.sigma
        return exp(-0.5 * distance * distance)
    }

    /// Returns the weighted seconds. `durations` are the seconds below, between and above the thresholds; a duration
    /// without a weight does not count.
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
