// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import Matching
import RiskConfiguration

/// An operator's rules in sentences with their numbers.
enum RuleSentences {
    static func sentences(_ document: RiskConfiguration) -> [String] {
        document.models.map(sentence) + [mapping(document.mapping)]
    }

    static func advice(_ document: RiskConfiguration) -> [String] {
        document.models.compactMap { model in
            guard case .dailySummaries(let parameters) = model else { return nil }
            guard parameters.summaries.daysSinceExposureThreshold == 0 else { return nil }
            return
                "No day is left out for its age (daysSinceExposureThreshold); EN Express leaves out what is older than 14 days."
        }
    }

    private static func sentence(_ model: RiskModelParameters) -> String {
        switch model {
        case .dailySummaries(let parameters): return sentence(parameters)
        case .swissCovid(let parameters):
            return
                "swissCovid: increased from \(number(parameters.triggerThreshold)) weighted minutes a day; a minute below \(parameters.lowerThreshold) dB counts \(number(parameters.factorLow)), one below \(parameters.higherThreshold) dB \(number(parameters.factorHigh))."
        case .cwaSecond(let parameters):
            let from = parameters.normalizedTimePerDayToRiskLevelMapping.filter { $0.riskLevel == .increased }
                .map(\.normalizedTimeRange.min).min()
            return "cwaSecond: increased from \(number(from ?? .infinity)) weighted minutes a day."
        case .cwaFirst(let parameters):
            let from = parameters.classes.filter { $0.level == .increased }.map(\.min).min()
            return "cwaFirst: increased from \(number(from ?? .infinity)) points."
        case .nhsSecond(let parameters):
            return "nhsSecond: increased from \(number(parameters.riskThreshold)) weighted seconds of one encounter."
        case .nhsFirst(let parameters): return "nhsFirst: increased from \(number(parameters.riskThreshold)) points."
        }
    }

    private static func sentence(_ parameters: DailySummariesParameters) -> String {
        let summaries = parameters.summaries
        let weights = zip(["immediate", "near", "medium", "other"], summaries.attenuationWeights)
            .map { "\($0) \(number($1))" }.joined(separator: ", ")
        let limits =
            parameters.classes.isEmpty
            ? "increased from \(minutes(parameters.increasedFrom)) (\(parameters.measure.rawValue))"
            : "increased from "
                + parameters.classes.enumerated().map { index, exposureClass in
                    let limits = ExposureClass.limits.filter { exposureClass[keyPath: $0.path] > 0 }
                        .map { "\(minutes(exposureClass[keyPath: $0.path])) (\($0.name))" }.joined(separator: " or ")
                    return "class \(index + 1): \(limits)"
                }.joined(separator: "; ")
        let types = zip(
            ["confirmed test", "clinical diagnosis", "self-report", "recursive"], summaries.reportTypeWeights[1...4]
        )
        .map { "\($0) \(number($1))" }.joined(separator: ", ")
        return
            "dailySummaries: \(limits). Limits in dB: \(summaries.attenuationThresholds.map(String.init).joined(separator: ", ")). Weights: \(weights); infectiousness standard \(number(summaries.infectiousnessWeights[1])), high \(number(summaries.infectiousnessWeights[2])); \(types)."
    }

    private static func mapping(_ mapping: DiagnosisKeyMapping) -> String {
        let days = zip(DiagnosisKeyMapping.days, mapping.infectiousness).filter { $0.1 != .none }
        let range = days.first.map { "from day \($0.0) to day \(days.last?.0 ?? $0.0) since the onset" } ?? "on no day"
        let missing = mapping.infectiousnessWhenOnsetMissing == .none ? "does not count" : "counts"
        return "People are infectious \(range); a key without an onset \(missing)."
    }

    private static func minutes(_ seconds: Double) -> String { "\(number(seconds / 60)) weighted minutes a day" }

    /// Without decimals that say nothing.
    private static func number(_ value: Double) -> String {
        guard value.isFinite else { return "no number" }
        let rounded = (value * 100).rounded() / 100
        return rounded == rounded.rounded() && rounded.magnitude < 1e15 ? "\(Int64(rounded))" : "\(rounded)"
    }
}
