// SPDX-License-Identifier: Apache-2.0

import GAEN
import Matching

/// Google's and Apple's daily summaries with a limit on one of their scores (spec gaen-core 7). The frameworks leave
/// the limit to apps.
public struct DailySummariesModel: RiskModel {
    /// The parameters that the model judges by; with ``DailySummariesParameters/problems`` it gives no level when a
    /// limit is NaN.
    public let parameters: DailySummariesParameters

    /// Creates a model with `parameters`, which are not checked here; see ``RiskParameters/problems``.
    public init(_ parameters: DailySummariesParameters) { self.parameters = parameters }

    /// The model's name, always ``RiskModelName/dailySummaries``.
    public var name: RiskModelName { .dailySummaries }
    /// The input it needs: exposure windows.
    public var input: RiskInput { .windows }

    /// Judges ``RiskEvidence/windows`` by their age on `today`, in days since 1970, UTC
    /// (``DailySummariesConfiguration/daysSinceExposureThreshold``); first-generation exposures are ignored.
    ///
    /// Scores are weighted seconds. The level is increased if that of any day is; otherwise it is `nil` if a limit
    /// is NaN, and else low, also without any windows. With classes, the score and the limit of a day are those of
    /// the limit that is nearest to being reached or is exceeded by the highest factor, and the most relevant day
    /// is the newest one of the most serious class that is reached.
    public func assess(_ evidence: RiskEvidence, today: UInt32) -> RiskAssessment {
        let configuration = parameters.summaries
        let summaries = DailySummary.summaries(of: evidence.windows, configuration: configuration, today: today)
        let totals = Dictionary(summaries.map { ($0.day, ClassifiedDay($0)) }) { first, _ in first }
        let book = DayBook(
            evidence.windows.sorted(by: ExposureWindow.precedes).map {
                (day: $0.day, contribution: contribution(of: $0, today: today))
            })
        let days = book.days.map { day, contributions in
            var verdict =
                totals[day]?.verdict(parameters.classes)
                ?? RiskVerdict(
                    score: totals[day].map { parameters.measure.value(of: $0.total).settled } ?? 0,
                    limit: parameters.classes.isEmpty ? parameters.increasedFrom : .infinity)
            if totals[day] == nil { verdict.level = nil }
            return RiskDay(day: day, verdict: verdict, contributions: contributions)
        }
        let warning = days.last { $0.verdict.level == .increased }
        // The gravest class counts, and of it the newest day.
        let relevant = ClassifiedDay.classification(of: Array(totals.values), by: parameters.classes)?.day ?? warning?.day
        return RiskAssessment(
            model: name, unit: .weightedSeconds,
            level: warning != nil ? .increased : parameters.isNumber ? .low : nil, days: days,
            mostRelevantDay: warning == nil ? nil : relevant)
    }

    private func contribution(of window: ExposureWindow, today: UInt32) -> RiskContribution {
        let configuration = parameters.summaries
        let score = configuration.score(of: window)
        let outcome: RiskContribution.Outcome =
            if !configuration.isCounted(window) {
                .notCounted
            } else if configuration.isTooOld(window.day, today: today) {
                .tooOld
            } else if score.settled < configuration.minimumWindowScore {
                .belowMinimum
            } else {
                .counted
            }
        return RiskContribution(
            bands: bands(window), reportType: window.reportType, infectiousness: window.infectiousness,
            factor: configuration.factor(of: window),
            score: parameters.measure == .weightedDuration ? configuration.weightedSeconds(of: window) : score,
            outcome: outcome, confidence: window.calibrationConfidence)
    }

    /// Immediate, near, medium and other.
    private func bands(_ window: ExposureWindow) -> [RiskContribution.Band] {
        let configuration = parameters.summaries
        // A threshold belongs to what is nearer; attenuations are whole numbers.
        let limits = configuration.attenuationThresholds.map { Double($0 + 1) }
        return configuration.attenuationWeights.enumerated().map { index, weight in
            RiskContribution.Band(
                from: index == 0 ? nil : limits[index - 1], below: index < limits.count ? limits[index] : nil,
                seconds: window.scanInstances.reduce(0) {
                    configuration.bucket(of: $1) == index ? $0 + $1.countedSeconds : $0
                }, weight: weight)
        }
    }
}

extension DailySummariesParameters.Measure {
    fileprivate func value(of scores: ExposureScores) -> Double {
        switch self {
        case .maximum: scores.maximum
        case .sum: scores.sum
        case .weightedDuration: scores.weightedDurationSum
        }
    }
}
