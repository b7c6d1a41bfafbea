// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import JSON
import Matching

/// NHS COVID-19's `/distribution/exposure-configuration` (spec checkin-and-nhs B.2).
extension RiskConfiguration {
    /// Reads the four blocks: the second model from `riskScore` and `v2RiskCalculation`, then the first from
    /// `exposureNotification` and `riskCalculation`, which some countries' documents lack. At least one of the two
    /// pairs is required; of the second model's neither may come alone, `riskCalculation` needs
    /// `exposureNotification`, and `exposureNotification` alone is ignored. The mapping is that of
    /// `v2RiskCalculation`, otherwise ``DiagnosisKeyMapping/standard``. Unknown fields are ignored, as in the apps.
    /// The document has no version, so the caller passes a count as `version`, which is not checked. Throws
    /// `tooLarge`, `malformed`, or `outOfRange` and `invalid` with all problems.
    public init(nhsConfiguration bytes: [UInt8], version: Int64) throws(RiskConfigurationError) {
        let json = try DocumentReading.json(bytes, limit: Self.maximumByteCount)
        let read = try DocumentReading.value(json.known(to: NHSReading.document.schema), NHSReading.document)
        self.init(version: version, models: read.models, mapping: read.mapping)
    }
}

enum NHSReading {
    struct Result: Sendable {
        var models: [RiskModelParameters] = []
        var mapping = DiagnosisKeyMapping.standard
    }

    private struct Blocks: Sendable {
        var exposures: ExposureConfigurationV1?
        var first: First?
        var second: Second?
        var score: NHSSecondParameters?
    }

    private struct First: Sendable {
        var weights = [0.0, 0.0, 0.0]
        var threshold = 0.0
    }

    private struct Second: Sendable {
        var infectiousness = [Infectiousness](repeating: .none, count: 29)
        var weights = [0.0, 0.0, 0.0]
        var reportTypeWhenMissing = ReportType.confirmedTest
        var threshold = 0.0

        /// A missing onset counts as high on Android, and the backend fills it in as day 0, which is high (spec B.2).
        var mapping: DiagnosisKeyMapping {
            DiagnosisKeyMapping(
                infectiousness: infectiousness, whenOnsetMissing: .high, reportTypeWhenMissing: reportTypeWhenMissing)
                ?? .standard
        }
    }

    private static let threshold = Form.number(0...1_000_000, above: true)
    private static let unusedWeight = Form.number(-1_000_000...1_000_000)

    private static let exposures = Form.object(
        GAENForms.Scores(),
        [
            .required("minimumRiskScore", \.minimum, .integer(0...4_096), "Scores below this count as 0."),
            .required("attenuationDurationThresholds", \.thresholds, .list(.integer(0...255), 2...2), "dB."),
            .required("attenuationLevelValues", \.attenuation, GAENForms.scores, "By attenuation."),
            .required("daysSinceLastExposureLevelValues", \.days, GAENForms.scores, "By age."),
            .required("durationLevelValues", \.duration, GAENForms.scores, "By duration."),
            .required("transmissionRiskLevelValues", \.transmissionRisk, GAENForms.scores, "By transmission risk level."),
            .unused("attenuationWeight", unusedWeight, "Of no effect in the frameworks."),
            .unused("daysSinceLastExposureWeight", unusedWeight, "Of no effect in the frameworks."),
            .unused("durationWeight", unusedWeight, "Of no effect in the frameworks."),
            .unused("transmissionRiskWeight", unusedWeight, "Of no effect in the frameworks."),
        ]
    ).mapped(
        to: { $0.configuration(thresholdsAt: $1.field("attenuationDurationThresholds"), &$2) }, from: GAENForms.Scores.init,
        standIn: GAENForms.noScores)

    private static let blocks = Form.object(
        Blocks(),
        [
            .maybe("exposureNotification", \.exposures, exposures, "First generation."),
            .maybe(
                "riskCalculation", \.first,
                .object(
                    First(),
                    [
                        .required("durationBucketWeights", \.weights, GAENForms.bucketWeights, "Of the three durations."),
                        .required("riskThreshold", \.threshold, threshold, "Score from which on the risk is increased."),
                    ]), "First model."),
            .maybe(
                "v2RiskCalculation", \.second,
                .object(
                    Second(),
                    [
                        .required(
                            "daysSinceOnsetToInfectiousness", \.infectiousness, .list(GAENForms.infectiousness, 29...29),
                            "For the days -14 to 14."),
                        .required(
                            "infectiousnessWeights", \.weights, NHSForms.infectiousnessWeights,
                            "For none, standard and high."),
                        .required(
                            "reportTypeWhenMissing", \.reportTypeWhenMissing, GAENForms.reportTypeWhenMissing,
                            "What a key without a report type counts as."),
                        .required("riskThreshold", \.threshold, threshold, "Score from which on the risk is increased."),
                    ]), "Second model."),
            .maybe("riskScore", \.score, .object(NHSSecondParameters(), NHSForms.riskScore), "How distance is estimated."),
        ])

    private static let secondPlaces = Places(
        NHSForms.places.merging(
            [
                "infectiousnessWeights": "v2RiskCalculation.infectiousnessWeights",
                "riskThreshold": "v2RiskCalculation.riskThreshold",
            ], uniquingKeysWith: { $1 }))

    private static let firstPlaces = Places([
        "exposures.minimumRiskScore": "exposureNotification.minimumRiskScore",
        "exposures.attenuationScores": "exposureNotification.attenuationLevelValues",
        "exposures.daysScores": "exposureNotification.daysSinceLastExposureLevelValues",
        "exposures.durationScores": "exposureNotification.durationLevelValues",
        "exposures.transmissionRiskScores": "exposureNotification.transmissionRiskLevelValues",
        "exposures.durationThresholds": "exposureNotification.attenuationDurationThresholds",
        "exposures": "exposureNotification", "durationBucketWeights": "riskCalculation.durationBucketWeights",
        "riskThreshold": "riskCalculation.riskThreshold",
    ])

    static let document = blocks.mapped(
        to: { blocks, path, problems in
            var result = Result()
            if var score = blocks.score, let second = blocks.second {
                score.infectiousnessWeights = second.weights
                score.riskThreshold = second.threshold
                result.models.append(.nhsSecond(score))
            } else if blocks.score != nil || blocks.second != nil {
                problems.report(
                    path.field(blocks.score == nil ? "riskScore" : "v2RiskCalculation"),
                    "is missing: riskScore and v2RiskCalculation are one model")
            }
            if let second = blocks.second { result.mapping = second.mapping }
            if let exposures = blocks.exposures, let first = blocks.first {
                var parameters = NHSFirstParameters(exposures: exposures)
                parameters.durationBucketWeights = first.weights
                parameters.riskThreshold = first.threshold
                result.models.append(.nhsFirst(parameters))
            } else if blocks.first != nil {
                // The other way round is how Android's document is.
                problems.report(path.field("exposureNotification"), "is missing: riskCalculation needs it")
            }
            if result.models.isEmpty && problems.problems.isEmpty {
                problems.report(path, "has no model: neither v2RiskCalculation with riskScore, nor riskCalculation")
            }
            for model in result.models {
                let places = if case .nhsSecond = model { secondPlaces } else { firstPlaces }
                problems.report(model.problems) { path.joined(places.place($0)) }
            }
            return result
        }, from: { _ in Blocks() }, standIn: Result())
}
