// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import Matching

/// What Google and Apple call it (`ExposureConfiguration`, `DailySummariesConfig`, `DiagnosisKeysDataMapping`).
enum GAENForms {
    static let weight = Form.number(0...2.5)
    static let score = Form.integer(0...8)
    static let scores = Form.list(score, 8...8)
    /// Three weights for below, between and above two thresholds.
    static let bucketWeights = Form.list(Form.number(0...100), 3...3)

    // MARK: The first generation

    struct Scores: Sendable {
        var minimum = 1
        var attenuation = [Int](repeating: 0, count: 8)
        var days = [Int](repeating: 0, count: 8)
        var duration = [Int](repeating: 0, count: 8)
        var transmissionRisk = [Int](repeating: 0, count: 8)
        var thresholds = [
            ExposureConfigurationV1.standardDurationThresholds.low, ExposureConfigurationV1.standardDurationThresholds.high,
        ]

        init() {}

        init(_ configuration: ExposureConfigurationV1) {
            minimum = configuration.minimumRiskScore
            attenuation = configuration.attenuationScores
            days = configuration.daysScores
            duration = configuration.durationScores
            transmissionRisk = configuration.transmissionRiskScores
            thresholds = [configuration.durationThresholds.low, configuration.durationThresholds.high]
        }

        /// Everything but the order of the thresholds was looked at when it was read.
        func configuration(thresholdsAt path: JSONPath, _ problems: inout ProblemList) -> ExposureConfigurationV1 {
            if thresholds.count == 2,
                let made = ExposureConfigurationV1(
                    minimumRiskScore: minimum, attenuationScores: attenuation, daysScores: days, durationScores: duration,
                    transmissionRiskScores: transmissionRisk, durationThresholds: (thresholds[0], thresholds[1]))
            {
                return made
            }
            problems.report(path, "the second must not be below the first")
            return GAENForms.noScores
        }
    }

    /// Stands in where nothing could be read.
    static let noScores: ExposureConfigurationV1 = {
        let none = [Int](repeating: 0, count: 8)
        guard
            let made = ExposureConfigurationV1(
                minimumRiskScore: 1, attenuationScores: none, daysScores: none, durationScores: none,
                transmissionRiskScores: none)
        else { preconditionFailure("eight scores of zero are in range") }
        return made
    }()

    static let exposuresV1 = Form.object(
        Scores(),
        [
            .required("minimumRiskScore", \.minimum, .integer(0...4_096), "Scores below this count as 0."),
            .required(
                "attenuationScores", \.attenuation, scores,
                "For attenuations >73, >63, >51, >33, >27, >15, >10 dB, and the rest."),
            .required(
                "daysSinceLastExposureScores", \.days, scores,
                "For ages of at least 14, 12, 10, 8, 6, 4, 2 days, and the rest."),
            .required(
                "durationScores", \.duration, scores,
                "For durations of at most 0, 5, 10, 15, 20, 25, 30 minutes, and the rest."),
            .required("transmissionRiskScores", \.transmissionRisk, scores, "For transmission risk levels 1 to 8."),
            .required(
                "durationAtAttenuationThresholds", \.thresholds, .list(.integer(0...255), 2...2),
                "dB, rising: time is summed below the first, between, and from the second on."),
        ]
    ).mapped(
        to: { $0.configuration(thresholdsAt: $1.field("durationAtAttenuationThresholds"), &$2) }, from: Scores.init,
        standIn: noScores)

    // MARK: Daily summaries

    struct Summaries: Sendable {
        var thresholds = [30, 50, 70]
        var attenuationWeights = [Double](repeating: 1, count: 4)
        var days = 0
        var infectiousnessWeights: [Int: Double] = [:]
        var minimumScore = 0.0
        var reportTypeWeights: [Int: Double] = [:]

        init() {}

        init(_ configuration: DailySummariesConfiguration) {
            thresholds = configuration.attenuationThresholds
            attenuationWeights = configuration.attenuationWeights
            days = configuration.daysSinceExposureThreshold
            infectiousnessWeights = Self.byNumber(configuration.infectiousnessWeights)
            minimumScore = configuration.minimumWindowScore
            reportTypeWeights = Self.byNumber(configuration.reportTypeWeights)
        }

        private static func byNumber(_ weights: [Double]) -> [Int: Double] {
            Dictionary(weights.enumerated().map { ($0.offset, $0.element) }, uniquingKeysWith: { $1 })
        }

        /// What is not said weighs nothing (`DailySummariesConfig`).
        var configuration: DailySummariesConfiguration? {
            DailySummariesConfiguration(
                attenuationThresholds: thresholds, attenuationWeights: attenuationWeights,
                reportTypeWeights: (0...5).map { reportTypeWeights[$0] ?? 0 },
                infectiousnessWeights: (0...2).map { infectiousnessWeights[$0] ?? 0 }, minimumWindowScore: minimumScore,
                daysSinceExposureThreshold: days)
        }
    }

    static let noSummaries: DailySummariesConfiguration = {
        guard let made = Summaries().configuration else { preconditionFailure("these are in range") }
        return made
    }()

    static let summaries = Form.object(
        Summaries(),
        [
            .required(
                "attenuationBucketThresholdDb", \.thresholds, .list(.integer(0...255), 3...3),
                "Three attenuations in dB, none below the one before it: immediate up to the first, near, medium, other."),
            .required(
                "attenuationBucketWeights", \.attenuationWeights, .list(weight, 4...4),
                "Weights for immediate, near, medium and other."),
            .optional(
                "daysSinceExposureThreshold", \.days, .integer(0...100),
                "Days before today beyond which windows are left out; 0 leaves none out."),
            .required(
                "infectiousnessWeights", \.infectiousnessWeights, .byNumber(0...2, weight),
                "Weights by infectiousness: 0 none, 1 standard, 2 high. What is not here weighs nothing."),
            .optional(
                "minimumWindowScore", \.minimumScore, .number(0...1_000_000_000),
                "Weighted seconds below which a window is left out."),
            .required(
                "reportTypeWeights", \.reportTypeWeights, .byNumber(0...5, weight),
                "Weights by report type: 1 confirmed test, 2 clinical diagnosis, 3 self-report, 4 recursive. What is not here weighs nothing."
            ),
        ]
    ).mapped(
        to: { draft, path, problems in
            if let configuration = draft.configuration { return configuration }
            let thresholds = path.field("attenuationBucketThresholdDb")
            // A list that is faulty in itself has been told.
            if !problems.problems.contains(where: { $0.path.hasPrefix(thresholds.description) }) {
                problems.report(thresholds, "none of the three may be below the one before it")
            }
            return noSummaries
        }, from: Summaries.init, standIn: noSummaries)

    /// The framework's summaries, and the limit that it leaves to apps.
    static let dailySummaries = Form.object(
        DailySummariesParameters(summaries: noSummaries),
        [
            .required("summaries", \.summaries, summaries, "How days are summed up (DailySummariesConfig)."),
            .required(
                "measure", \.measure,
                .word([("maximum", .maximum), ("sum", .sum), ("weightedDuration", .weightedDuration)]),
                "Which number of a day counts: the highest score of a window, all scores, or all seconds weighted by attenuation only."
            ),
            .required(
                "increasedFrom", \.increasedFrom, .number(0...1_000_000, above: true),
                "Weighted seconds of a day from which on the risk is increased."),
            .optional(
                "classes", \.classes, .list(exposureClass, 0...4),
                "EN Express's classes of exposure, the gravest first. With any, they decide in place of measure and increasedFrom."
            ),
        ])

    private static let exposureClass = Form.object(
        ExposureClass(),
        ExposureClass.limits.map {
            .optional($0.name, $0.path, .number(0...1_000_000), "Weighted seconds of a day that suffice; 0 is off.")
        })

    // MARK: Mapping

    struct Mapping: Sendable {
        var days: [Int: Infectiousness] = [:]
        var missing = Infectiousness.none
        var reportType = ReportType.confirmedTest

        init() {}

        init(_ mapping: DiagnosisKeyMapping) {
            for (day, infectiousness) in zip(DiagnosisKeyMapping.days, mapping.infectiousness)
            where mapping.names(day: day) { days[Int(day)] = infectiousness }
            missing = mapping.infectiousnessWhenOnsetMissing
            reportType = mapping.reportTypeWhenMissing
        }

        /// Days that are not said are not infectious, and not judged.
        var mapping: DiagnosisKeyMapping {
            var named: [Int32: Infectiousness] = [:]
            for (day, infectiousness) in days { named[Int32(clamping: day)] = infectiousness }
            // The form lets no other days through.
            return DiagnosisKeyMapping(days: named, whenOnsetMissing: missing, reportTypeWhenMissing: reportType)
                ?? .standard
        }
    }

    static let infectiousness = Form.integer(0...2).mapped(
        to: { number, _, _ in Infectiousness(rawValue: UInt8(number)) ?? .none }, from: { Int($0.rawValue) }, standIn: .none
    )

    static let reportTypeWhenMissing = Form.integer(1...4).mapped(
        to: { number, _, _ in ReportType(rawValue: UInt8(number)) ?? .confirmedTest }, from: { Int($0.rawValue) },
        standIn: .confirmedTest)

    /// `isComplete`: what the protobuf leaves out because it is 0 must be there.
    static func mapping(isComplete: Bool) -> Form<DiagnosisKeyMapping> {
        Form.object(
            Mapping(),
            [
                .optional(
                    "daysSinceOnsetToInfectiousness", \.days, .byNumber(-14...14, infectiousness), unless: isComplete,
                    "Infectiousness (0 none, 1 standard, 2 high) by days since onset, -14 to 14. What is not here is 0 in windows, and models that look at windows do not judge its keys; 0 is a judgement."
                ),
                .optional(
                    "infectiousnessWhenDaysSinceOnsetMissing", \.missing, infectiousness, unless: isComplete,
                    "Infectiousness of keys without an onset; with 0 models that look at windows do not judge them."),
                .optional(
                    "reportTypeWhenMissing", \.reportType, reportTypeWhenMissing, unless: isComplete,
                    "What a key without a report type counts as: 1 confirmed test, 2 clinical diagnosis, 3 self-report, 4 recursive (phones skip these)."
                ),
            ]
        ).mapped(to: { draft, _, _ in draft.mapping }, from: Mapping.init, standIn: .standard)
    }
}
