// SPDX-License-Identifier: Apache-2.0

import Matching

/// Corona-Warn-App until 2020: one combined score for all exposures (spec cwa-protocols 7.3).
///
/// The score is the highest total risk score times the weighted minutes of all exposures together. Exposures below
/// the smallest score of the configuration do not count. A day alone has no level in this model: the verdict of a day
/// shows what its exposures would give without those of other days, and the level is that of
/// ``RiskAssessment/combined``.
public struct CWAFirstModel: RiskModel {
    /// The parameters that the model judges by; with ``CWAFirstParameters/problems`` it gives no level where a number
    /// cannot be computed.
    public let parameters: CWAFirstParameters

    /// Creates a model with `parameters`, which are not checked here; see ``RiskParameters/problems``.
    public init(_ parameters: CWAFirstParameters) { self.parameters = parameters }

    /// The model's name, always ``RiskModelName/cwaFirst``.
    public var name: RiskModelName { .cwaFirst }
    /// The input it needs: first-generation exposures, scored under ``CWAFirstParameters/exposures``.
    public var input: RiskInput { .exposuresV1(parameters.exposures) }

    /// Judges ``RiskEvidence/exposures``. Windows and `today` are ignored: the model has no age limit.
    ///
    /// Scores are in points, rounded to two decimals. The level is `nil` if the score is not finite or in no class;
    /// without exposures it is the level of a score of 0. The most relevant day is that of the newest exposure that
    /// counts.
    public func assess(_ evidence: RiskEvidence, today: UInt32) -> RiskAssessment {
        let exposures = evidence.exposures.sorted(by: ExposureV1.precedes)
        let combined = verdict(of: exposures)
        let book = DayBook(
            exposures.map { exposure in
                (
                    day: exposure.day,
                    contribution: RiskContribution(
                        bands: exposure.bands(
                            weights: parameters.weights, thresholds: parameters.exposures.durationThresholds),
                        transmissionRiskLevel: Int(exposure.transmissionRiskLevel), factor: factor(exposure.riskScore),
                        score: verdict(of: [exposure]).score, outcome: isCounted(exposure) ? .counted : .belowMinimum)
                )
            })
        let byDay = Dictionary(grouping: exposures, by: \.day)
        let days = book.days.map { day, contributions in
            RiskDay(day: day, verdict: verdict(of: byDay[day] ?? []), contributions: contributions)
        }
        return RiskAssessment(
            model: name, unit: .points, level: combined.level, days: days,
            mostRelevantDay: combined.level == .increased ? exposures.last(where: isCounted)?.day : nil, combined: combined)
    }

    /// Returns the score in points, rounded to two decimals, half away from zero. `maximumRiskScore` is the highest
    /// total risk score (0 to 4096) of the exposures that count.
    ///
    /// `minutes` are three numbers: below, between and above the two thresholds; each counts up to
    /// ``CWAFirstParameters/capMinutes``. The result is not finite if the divisor is 0.
    package func score(maximumRiskScore: Int, minutes: [Double]) -> Double {
        let weighted = zip(minutes, parameters.weights).reduce(parameters.offset) {
            $0 + min($1.0, parameters.capMinutes) * $1.1
        }
        return (factor(maximumRiskScore) * weighted * 100).rounded(.toNearestOrAwayFromZero) / 100
    }

    /// Returns the level of the first class that contains a score in points; `nil` if none does. The upper bound is
    /// part of a class only if its level is increased.
    package func level(of score: Double) -> RiskLevel? {
        parameters.classes.first {
            score >= $0.min && (score < $0.max || ($0.level == .increased && score == $0.max))
        }?.level
    }

    private func factor(_ riskScore: Int) -> Double {
        parameters.divisor != 0 ? Double(riskScore) / parameters.divisor : .nan
    }

    private func isCounted(_ exposure: ExposureV1) -> Bool {
        exposure.riskScore >= parameters.exposures.minimumRiskScore
    }

    private func verdict(of exposures: [ExposureV1]) -> RiskVerdict {
        let counted = exposures.filter(isCounted)
        let minutes = (0..<3).map { band in
            Double(
                counted.reduce(0) {
                    $0 + ($1.attenuationDurations.indices.contains(band) ? $1.attenuationDurations[band] : 0)
                }) / 60
        }
        let score = score(maximumRiskScore: counted.map(\.riskScore).max() ?? 0, minutes: minutes)
        let from = parameters.classes.filter { $0.level == .increased }.map(\.min).min()
        return RiskVerdict(
            score: score.isFinite ? score : 0, increasedFrom: from.flatMap { $0.isFinite ? $0 : nil },
            level: score.isFinite ? level(of: score) : nil)
    }
}
