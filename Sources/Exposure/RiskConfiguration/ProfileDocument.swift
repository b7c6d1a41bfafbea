// SPDX-License-Identifier: Apache-2.0

package import ExposureRisk
package import GAEN
import JSON
import Matching

extension RiskConfiguration {
    /// Reads the rules in an authority's profile: Vigil's own document, or EN Express's settings
    /// (``init(enExpress:version:)``), which get the version 1. They are not signed, and other boards do not use
    /// them, so rules that could never warn anybody are errors too. Throws `tooLarge`, `malformed`, `emptyMapping`
    /// when the mapping makes nobody infectious, or `outOfRange` and `invalid` with all problems.
    public init(profileDocument bytes: [UInt8]) throws(RiskConfigurationError) {
        let json = try DocumentReading.json(bytes, limit: Self.maximumByteCount)
        let isEnExpress = json["vigilRisk"] == nil && (json["config"] ?? json)[EnExpressReading.mapName] != nil
        if isEnExpress {
            try self.init(enExpress: bytes, version: 1)
        } else {
            guard json["vigilRisk"] != nil else {
                throw RiskConfigurationError(
                    .invalid,
                    problems: [
                        RiskProblem(
                            "",
                            "is neither Vigil's own document, which has a field vigilRisk, nor EN Express's settings, which have a field \(EnExpressReading.mapName)"
                        )
                    ])
            }
            try self.init(parsing: bytes)
        }
        guard service != .running || saysWhoIsInfectious else { throw RiskConfigurationError(.emptyMapping) }
        let silent = problemsOfSilence
        guard silent.isEmpty else {
            let places = silent.map { isEnExpress ? RiskProblem("", $0.sentence) : $0 }
            throw RiskConfigurationError(.invalid, problems: places)
        }
    }

    /// Reads the settings of an EN Express app in the form of Google and Apple (`app/configs/*.json`, with or
    /// without the enclosing object `config`): weights in percent, the days of infectiousness in 64 bits, and up to
    /// four classes of exposure. Fields that are not about risk are ignored; those about risk, except the days of
    /// infectiousness, may be left out and then have defaults (spec rules-and-nhs 8). The caller passes a count as
    /// `version`, which is not checked. Throws `tooLarge`, `malformed`, or `outOfRange` and `invalid` with all
    /// problems, such as classes whose limits are all off.
    public init(enExpress bytes: [UInt8], version: Int64) throws(RiskConfigurationError) {
        let read = try EnExpressReading.read(bytes)
        guard !read.classes.isEmpty else {
            throw RiskConfigurationError(
                .invalid,
                problems: [RiskProblem("", "has no class of exposure with a limit above 0: nobody would ever be warned")])
        }
        self.init(version: version, models: [.dailySummaries(read.parameters)], mapping: read.mapping)
    }
}

/// Reads EN Express's settings (spec rules-and-nhs 8).
package enum EnExpressReading {
    static let mapName = "symptomOnsetToInfectiousnessMap"

    /// The part of the settings that is about risk.
    package struct Settings: Sendable {
        /// The weights and thresholds; percentages are read as hundredths.
        package var summaries = GAENForms.noSummaries
        /// The mapping of onsets and report types.
        package var mapping = DiagnosisKeyMapping.standard
        /// The classes with a limit above 0, the most serious first; at most four.
        package var classes: [ExposureClass] = []

        /// The parameters of ``RiskModelName/dailySummaries``, in which the classes decide.
        package var parameters: DailySummariesParameters {
            var parameters = DailySummariesParameters(summaries: summaries)
            parameters.classes = classes
            return parameters
        }
    }

    /// Returns the mapping from at most sixteen hexadecimal digits, with or without `0x`: two bits for each day from
    /// -14 in the least significant bits, and the thirtieth pair for keys without an onset; the highest four bits are
    /// not used. Returns `nil` for other text and for a pair of the value 3.
    package static func mapping(
        _ text: String, reportTypeWhenMissing: ReportType = .confirmedTest
    ) -> DiagnosisKeyMapping? {
        let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
        guard (1...16).contains(digits.utf8.count), digits.utf8.first.map({ $0 != 0x2B && $0 != 0x2D }) == true,
            let bits = UInt64(digits, radix: 16)
        else { return nil }
        return DiagnosisKeyMapping(compact: bits & (1 << 60 - 1), reportTypeWhenMissing: reportTypeWhenMissing)
    }

    /// Reads the settings, in JSON of at most ``RiskConfiguration/maximumByteCount`` bytes with or without the
    /// enclosing object `config`; fields that are not about risk are ignored. Throws `tooLarge`, `malformed`, or
    /// `outOfRange` and `invalid` with all problems.
    package static func read(_ bytes: [UInt8]) throws(RiskConfigurationError) -> Settings {
        let json = try DocumentReading.json(bytes, limit: RiskConfiguration.maximumByteCount)
        return try DocumentReading.value((json["config"] ?? json).known(to: form.schema), form)
    }

    private struct Draft: Sendable {
        var thresholds = [30, 50, 60]
        var attenuationWeights = [150, 100, 50, 0]
        var infectiousnessWeights = [100, 100]
        var reportTypeWeights = [100, 100, 100]
        var reportTypeWhenMissing = ReportType.selfReport
        var days = 14
        var map = "0"
        var classes = [ExposureClass](repeating: ExposureClass(), count: 4)
    }

    private static let form: Form<Settings> = {
        let decibels = Form.integer(0...255)
        let percent = Form.integer(0...250)
        var fields: [Field<Draft>] = [
            .optional("attenuationImmediateNearThreshold", \.thresholds[0], decibels, "dB."),
            .optional("attenuationNearMedThreshold", \.thresholds[1], decibels, "dB."),
            .optional("attenuationMedFarThreshold", \.thresholds[2], decibels, "dB."),
            .optional("attenuationImmediateWeight", \.attenuationWeights[0], percent, "Percent."),
            .optional("attenuationNearWeight", \.attenuationWeights[1], percent, "Percent."),
            .optional("attenuationMedWeight", \.attenuationWeights[2], percent, "Percent."),
            .optional("attenuationOtherWeight", \.attenuationWeights[3], percent, "Percent."),
            .optional("infectiousnessStandardWeight", \.infectiousnessWeights[0], percent, "Percent."),
            .optional("infectiousnessHighWeight", \.infectiousnessWeights[1], percent, "Percent."),
            .optional("reportTypeConfirmedTestWeight", \.reportTypeWeights[0], percent, "Percent."),
            .optional("reportTypeConfirmedClinicalDiagnosisWeight", \.reportTypeWeights[1], percent, "Percent."),
            .optional("reportTypeSelfReportWeight", \.reportTypeWeights[2], percent, "Percent."),
            .optional(
                "reportTypeNoneMap", \.reportTypeWhenMissing, GAENForms.reportTypeWhenMissing,
                "What a key without a report type counts as."),
            .optional("daysSinceExposureThreshold", \.days, .integer(0...100), "Days."),
            .required(mapName, \.map, .words(1...18), "Infectiousness by days since onset, in 64 bits."),
        ]
        for index in 0..<4 {
            for limit in ExposureClass.limits {
                fields.append(
                    .computed(
                        "\(limit.name)_\(index + 1)", get: { $0.classes[index][keyPath: limit.path] },
                        set: { $0.classes[index][keyPath: limit.path] = $1 }, .number(0...1_000_000),
                        "Weighted seconds of a day; 0 is off."))
            }
        }
        return Form.object(Draft(), fields).mapped(to: settings, from: { _ in Draft() }, standIn: Settings())
    }()

    private static func settings(_ draft: Draft, _ path: JSONPath, _ problems: inout ProblemList) -> Settings {
        var result = Settings()
        func parts(_ percents: [Int]) -> [Double] { percents.map { Double($0) / 100 } }
        if let summaries = DailySummariesConfiguration(
            attenuationThresholds: draft.thresholds, attenuationWeights: parts(draft.attenuationWeights),
            // There is no weight for recursive reports, and none for keys without a type: those have been mapped.
            reportTypeWeights: [0] + parts(draft.reportTypeWeights) + [0, 0],
            infectiousnessWeights: [0] + parts(draft.infectiousnessWeights), daysSinceExposureThreshold: draft.days)
        {
            result.summaries = summaries
        } else {
            problems.report(
                path.field("attenuationNearMedThreshold"), "none of the three thresholds may be below the one before it")
        }
        if let mapping = mapping(draft.map, reportTypeWhenMissing: draft.reportTypeWhenMissing) {
            result.mapping = mapping
        } else if problems.problems.isEmpty {
            problems.report(
                path.field(mapName), "must be up to sixteen hexadecimal digits, two bits for each day and none of them 3")
        }
        result.classes = draft.classes.filter { $0 != ExposureClass() }
        return result
    }
}
