// SPDX-License-Identifier: Apache-2.0

import GAEN
package import Matching

/// NHS COVID-19's model: it estimates the distance of a person second by second from the scans of a window, and
/// counts the seconds nearby (spec checkin-and-nhs B.1).
///
/// Each window is judged by itself, and warns if its risk reaches the threshold and it is not too old. A window of
/// one scan scores at most one step (``NHSSecondParameters/sampleResolution``) times its weight, because the
/// seconds of a scan are those before it and nothing is known of the time before the first scan. Scans of 0 seconds
/// are left out; a window without others has the outcome ``RiskContribution/Outcome/empty``.
public struct NHSSecondModel: RiskModel {
    /// dB of a band in explanations. The model itself knows no bands.
    private static let bandWidth = 10
    /// Bands are shown up to here; what is further is in the last one.
    private static let lastBand = 120

    /// The parameters that the model judges by; with ``NHSSecondParameters/problems`` it gives no level where a number
    /// cannot be computed.
    public let parameters: NHSSecondParameters

    /// Creates a model with `parameters`, which are not checked here; see ``RiskParameters/problems``.
    public init(_ parameters: NHSSecondParameters) { self.parameters = parameters }

    /// The model's name, always ``RiskModelName/nhsSecond``.
    public var name: RiskModelName { .nhsSecond }
    /// The input it needs: exposure windows.
    public var input: RiskInput { .windows }

    /// Judges ``RiskEvidence/windows`` by their age on `today`, in days since 1970, UTC
    /// (``NHSSecondParameters/contactCaseDays``); first-generation exposures are ignored.
    ///
    /// Scores are weighted seconds. The level is increased if that of any day is; otherwise it is `nil` if a number
    /// could not be computed, and else low, also without any windows.
    public func assess(_ evidence: RiskEvidence, today: UInt32) -> RiskAssessment {
        var scorer = DistanceScorer(parameters)
        var areNumbers = true
        let entries = evidence.windows.sorted(by: ExposureWindow.precedes).map { window in
            let (contribution, isNumber) = contribution(of: window, today: today, &scorer)
            areNumbers = areNumbers && isNumber
            return (day: window.day, contribution: contribution)
        }
        return RiskAssessment(
            model: name, unit: .weightedSeconds, dayByDay: DayBook(entries), limit: parameters.riskThreshold,
            areNumbers: areNumbers)
    }

    /// Returns the contribution of one window to the assessment on `today`, in days since 1970, UTC.
    package func contribution(of window: ExposureWindow, today: UInt32) -> RiskContribution {
        var scorer = DistanceScorer(parameters)
        return contribution(of: window, today: today, &scorer).0
    }

    /// Returns the assessment of windows whose risks, in weighted seconds, are known: the most relevant day is the
    /// latest one that reaches the threshold (inclusive), and the score of a day is its highest risk. Days are
    /// since 1970, UTC, in any order. Risks must be finite, which is not checked.
    package static func assessment(risks: [(day: UInt32, risk: Double)], threshold: Double) -> RiskAssessment {
        let entries = risks.map { day, risk in
            let verdict = RiskVerdict(score: risk, limit: threshold)
            return (
                day: day,
                contribution: RiskContribution(
                    bands: [], factor: 1, score: verdict.score, level: verdict.level, outcome: .counted)
            )
        }
        return RiskAssessment(
            model: .nhsSecond, unit: .weightedSeconds, dayByDay: DayBook(entries), limit: threshold, areNumbers: true)
    }

    private func contribution(
        of window: ExposureWindow, today: UInt32, _ scorer: inout DistanceScorer
    ) -> (RiskContribution, isNumber: Bool) {
        let weight = parameters.infectiousnessWeights.element(Int(window.infectiousness.rawValue))
        var result = RiskContribution(
            bands: Self.bands(window), reportType: window.reportType, infectiousness: window.infectiousness, factor: weight,
            score: 0, outcome: .empty, confidence: window.calibrationConfidence)
        let scans = window.scanInstances.filter { $0.countedSeconds > 0 }
            .map {
                DistanceScorer.Scan(
                    attenuation: Double($0.minimumAttenuation), seconds: Double($0.countedSeconds))
            }
        guard let (minutes, distance) = scorer.score(scans) else { return (result, true) }
        let verdict = RiskVerdict(score: 60 * minutes * weight, limit: parameters.riskThreshold)
        result.estimatedDistance = distance
        result.score = verdict.score
        if window.day.isOlder(than: parameters.contactCaseDays, today: today) {
            result.outcome = .tooOld
        } else if weight == 0 || window.infectiousness == .none {
            // Phones hand no window of a day without infectiousness to an app (spec gaen-core 6).
            result.outcome = .notCounted
            result.level = verdict.level
        } else {
            result.outcome = .counted
            result.level = verdict.level
        }
        return (result, verdict.level != nil)
    }

    private static func bands(_ window: ExposureWindow) -> [RiskContribution.Band] {
        var seconds: [Int: Int] = [:]
        for scan in window.scanInstances {
            let from = min(max(scan.minimumAttenuation / bandWidth * bandWidth, 0), lastBand)
            seconds[from, default: 0] += scan.countedSeconds
        }
        return seconds.sorted { $0.key < $1.key }.map { from, seconds in
            RiskContribution.Band(
                from: Double(from), below: from == lastBand ? nil : Double(from + bandWidth), seconds: seconds, weight: 1)
        }
    }
}

extension RiskAssessment {
    /// For models whose days are as grave as their gravest window or exposure (NHS): the latest day that warns is the one that counts.
    init(model: RiskModelName, unit: RiskUnit, dayByDay book: DayBook, limit: Double, areNumbers: Bool) {
        let days = book.days.map { day, contributions in
            let judged = contributions.filter { $0.outcome == .counted || $0.outcome == .notCounted }
            var verdict = RiskVerdict(score: judged.map(\.score).max() ?? 0, limit: limit)
            if verdict.level == .low, judged.contains(where: { $0.level == nil }) { verdict.level = nil }
            // Evidence that was not looked at has no level.
            if judged.isEmpty { verdict.level = nil }
            return RiskDay(day: day, verdict: verdict, contributions: contributions)
        }
        let warning = days.last { $0.verdict.level == .increased }
        self.init(
            model: model, unit: unit, level: warning != nil ? .increased : areNumbers && !limit.isNaN ? .low : nil,
            days: days, mostRelevantDay: warning?.day)
    }
}

extension [Double] {
    /// The element, or 0 where there is none.
    func element(_ index: Int) -> Double { indices.contains(index) ? self[index] : 0 }
}
