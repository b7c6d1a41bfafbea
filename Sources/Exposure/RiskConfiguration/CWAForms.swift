// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import Matching

/// What the Corona-Warn-App calls it (spec cwa-protocols 7.1 and 7.3).
enum CWAForms {
    // Real bounds go up to 99,999 ("no limit") and 999,999.
    private static let bound = Form.number(0...1_000_000)
    private static let factor = Form.number(0...100)

    /// `isComplete` is for documents in which nothing is left out; in protobuf what is 0 is.
    private static func range(isComplete: Bool) -> Form<CWASecondParameters.Range> {
        Form.object(
            CWASecondParameters.Range(),
            [
                .optional("min", \.min, bound, "From here; 0 if not given."),
                .optional("minExclusive", \.minExclusive, .flag, "Whether the lower bound itself is outside."),
                .optional("max", \.max, bound, unless: isComplete, "Up to here."),
                .optional("maxExclusive", \.maxExclusive, .flag, "Whether the upper bound itself is outside."),
            ])
    }

    // In the protobuf's JSON a level is a name; in the published files it is a number.
    private static let level: Form<RiskLevel?> = .word(
        [("UNSPECIFIED", nil), ("LOW", .low), ("HIGH", .increased)], numbers: [0: nil, 1: .low, 2: .increased])

    private static func levelMappings(isComplete: Bool) -> Form<[CWASecondParameters.LevelMapping]> {
        .list(
            .object(
                CWASecondParameters.LevelMapping(normalizedTimeRange: .init(), riskLevel: nil),
                [
                    .optional(
                        "normalizedTimeRange", \.normalizedTimeRange, range(isComplete: isComplete), unless: isComplete,
                        "Weighted minutes."),
                    .optional(
                        "riskLevel", \.riskLevel, level, unless: isComplete, "What they amount to; UNSPECIFIED is nothing."),
                ]), 0...16)
    }

    private struct LevelValue: Sendable {
        var level = 0
        var value = 0.0
    }

    private static let levelValues = Form.list(
        Form.object(
            LevelValue(),
            [
                .optional("transmissionRiskLevel", \.level, .integer(1...8), "The level."),
                .optional("transmissionRiskValue", \.value, factor, "What its minutes are multiplied with."),
            ]), 0...8
    ).mapped(
        to: { entries, path, problems in
            var values: [Int: Double] = [:]
            for (index, entry) in entries.enumerated() {
                if values.updateValue(entry.value, forKey: entry.level) != nil {
                    problems.report(
                        path.index(index).field("transmissionRiskLevel"), "level \(entry.level) has a value already")
                }
            }
            return values
        }, from: { values in values.keys.sorted().map { LevelValue(level: $0, value: values[$0] ?? 0) } }, standIn: [:])

    private static func encoding(isComplete: Bool) -> Form<CWASecondParameters.LevelEncoding> {
        var zero = CWASecondParameters.LevelEncoding()
        zero.infectiousnessOffsetStandard = 0
        zero.infectiousnessOffsetHigh = 0
        zero.reportTypeOffsetRecursive = 0
        zero.reportTypeOffsetSelfReport = 0
        zero.reportTypeOffsetConfirmedClinicalDiagnosis = 0
        zero.reportTypeOffsetConfirmedTest = 0
        let offset = Form.integer(0...8)
        return .object(
            zero,
            [
                .optional(
                    "infectiousnessOffsetStandard", \.infectiousnessOffsetStandard, offset, unless: isComplete,
                    "Added for standard infectiousness."),
                .optional(
                    "infectiousnessOffsetHigh", \.infectiousnessOffsetHigh, offset, unless: isComplete,
                    "Added for high infectiousness."),
                .optional(
                    "reportTypeOffsetRecursive", \.reportTypeOffsetRecursive, offset, unless: isComplete,
                    "Added for report type 4."),
                .optional(
                    "reportTypeOffsetSelfReport", \.reportTypeOffsetSelfReport, offset, unless: isComplete,
                    "Added for report type 3."),
                .optional(
                    "reportTypeOffsetConfirmedClinicalDiagnosis", \.reportTypeOffsetConfirmedClinicalDiagnosis, offset,
                    unless: isComplete, "Added for report type 2."),
                .optional(
                    "reportTypeOffsetConfirmedTest", \.reportTypeOffsetConfirmedTest, offset, unless: isComplete,
                    "Added for report type 1."),
            ])
    }

    /// `RiskCalculationParameters` in protobuf's JSON mapping.
    static func second(isComplete: Bool) -> Form<CWASecondParameters> {
        let range = range(isComplete: isComplete)
        let levels = levelMappings(isComplete: isComplete)
        return .object(
            CWASecondParameters(),
            [
                .optional(
                    "minutesAtAttenuationFilters", \.minutesAtAttenuationFilters,
                    .list(
                        .object(
                            CWASecondParameters.MinutesFilter(attenuationRange: .init(), dropIfMinutesInRange: .init()),
                            [
                                .optional("attenuationRange", \.attenuationRange, range, unless: isComplete, "dB."),
                                .optional(
                                    "dropIfMinutesInRange", \.dropIfMinutesInRange, range, unless: isComplete,
                                    "A window with so many minutes in it is left out."),
                            ]), 0...16), "Windows that are too short."),
                .optional(
                    "trlFilters", \.trlFilters, .list(levelFilter(range, isComplete), 0...16), "Levels that are left out."),
                .required(
                    "minutesAtAttenuationWeights", \.minutesAtAttenuationWeights,
                    .list(
                        .object(
                            CWASecondParameters.Weight(attenuationRange: .init(), weight: 0),
                            [
                                .optional("attenuationRange", \.attenuationRange, range, unless: isComplete, "dB."),
                                .optional(
                                    "weight", \.weight, factor, unless: isComplete,
                                    "What a minute there is multiplied with."),
                            ]), 1...16), "Minutes by nearness; the first range that fits counts, none is 0."),
                .required(
                    "normalizedTimePerEWToRiskLevelMapping", \.normalizedTimePerEWToRiskLevelMapping, levels,
                    "Level of a window; one without is left out."),
                .required(
                    "normalizedTimePerDayToRiskLevelMapping", \.normalizedTimePerDayToRiskLevelMapping, levels,
                    "Level of a day."),
                .required(
                    "trlEncoding", \.trlEncoding, encoding(isComplete: isComplete),
                    "How infectiousness and report type make a level."),
                .optional(
                    "transmissionRiskLevelMultiplier", \.transmissionRiskLevelMultiplier, factor,
                    "Used where transmissionRiskValueMapping is empty (2020)."),
                .optional(
                    "transmissionRiskValueMapping", \.transmissionRiskValueMapping, levelValues,
                    "What a level's minutes are multiplied with; levels that are not here with 0."),
                .optional(
                    "maxEncounterAgeInDays", \.maxEncounterAgeInDays, .integer(0...365),
                    "Days before today beyond which windows are left out; 0 leaves none out."),
            ])
    }

    private struct LevelFilter: Sendable {
        var range = CWASecondParameters.Range()
    }

    private static func levelFilter(
        _ range: Form<CWASecondParameters.Range>, _ isComplete: Bool
    ) -> Form<CWASecondParameters.Range> {
        Form.object(
            LevelFilter(), [.optional("dropIfTrlInRange", \.range, range, unless: isComplete, "Levels.")]
        ).mapped(to: { filter, _, _ in filter.range }, from: { LevelFilter(range: $0) }, standIn: .init())
    }

    // MARK: The first generation, in Vigil's own words

    private static let riskClass = Form.object(
        CWAFirstParameters.RiskClass(level: .low, min: 0, max: 0),
        [
            .required("level", \.level, .word([("LOW", .low), ("HIGH", .increased)]), "What the score amounts to."),
            .required("min", \.min, bound, "From here."),
            .required("max", \.max, bound, "To here; the bound itself is part of HIGH only."),
        ])

    static let first = Form.object(
        CWAFirstParameters(exposures: GAENForms.noScores),
        [
            .required("exposures", \.exposures, GAENForms.exposuresV1, "How an exposure is scored."),
            .required("weights", \.weights, GAENForms.bucketWeights, "For below, between and above the two thresholds."),
            .optional("offset", \.offset, .number(0...10_000), "Added to the weighted minutes."),
            .required("divisor", \.divisor, .number(0...1_000_000, above: true), "The product is divided by this."),
            .optional(
                "capMinutes", \.capMinutes, .number(0...1_440, above: true),
                "Minutes that each of the three durations counts at most."),
            .required("classes", \.classes, .list(riskClass, 1...16), "What a score amounts to."),
        ])
}
