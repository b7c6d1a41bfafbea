// SPDX-License-Identifier: Apache-2.0

import AppConfig
import ExposureRisk
import GAEN
package import JSON
import Matching

/// The Corona-Warn-App's configurations as they were published.
///
/// Fields that are not about risk are nobody's business here, and fields that the tables do not know are stepped over, as protobuf
/// wants it. What is known is judged like Vigil's own document.
extension RiskConfiguration {
    /// Reads export.bin of `/version/v2/app_config_android`: the second model with its mapping. ``reportTypes``
    /// stays ``ReportTypeMeaning/stated``, and whether matching is switched off is not looked at;
    /// ``SignedRiskConfiguration`` does both. The signature is not verified. The message has no version, so the
    /// caller passes a count as `version`, which is not checked. Throws `tooLarge`, `malformed`, or `outOfRange`
    /// and `invalid` with all problems; their paths are those of the message.
    public init(cwaConfiguration bytes: [UInt8], version: Int64) throws(RiskConfigurationError) {
        let content = try CWAReading.content(bytes, of: "ApplicationConfigurationAndroid")
        try self.init(
            cwaContent: CWAReading.part(content, ["riskCalculationParameters", "diagnosisKeysDataMapping"]),
            version: version)
    }

    /// Reads the same configuration from protobuf's JSON mapping; otherwise the same as
    /// ``init(cwaConfiguration:version:)``. Throws `outOfRange` or `invalid` with all problems.
    package init(cwaContent: JSON, version: Int64) throws(RiskConfigurationError) {
        let read = try DocumentReading.value(cwaContent, CWAReading.secondDocument)
        self.init(version: version, models: [.cwaSecond(read.risk)], mapping: read.mapping)
    }

    /// Reads export.bin of `/version/v1/configuration/country/DE/app_config` (2020): the first model. Keys of that
    /// generation have neither onset nor report type, so the mapping is the one that phones assume. The signature is
    /// not verified. The caller passes a count as `version`, which is not checked. Throws `tooLarge`, `malformed`, or
    /// `outOfRange` and `invalid` with all problems; their paths are those of the message.
    public init(cwaFirstConfiguration bytes: [UInt8], version: Int64) throws(RiskConfigurationError) {
        let content = try CWAReading.content(bytes, of: "ApplicationConfiguration")
        let parts = ["minRiskScore", "riskScoreClasses", "exposureConfig", "attenuationDuration"]
        try self.init(cwaFirstContent: CWAReading.part(content, parts), version: version)
    }

    /// Reads the same configuration from protobuf's JSON mapping; otherwise the same as
    /// ``init(cwaFirstConfiguration:version:)``. Throws `outOfRange` or `invalid` with all problems.
    package init(cwaFirstContent: JSON, version: Int64) throws(RiskConfigurationError) {
        let parameters = try DocumentReading.value(cwaFirstContent, CWAReading.firstDocument)
        self.init(version: version, models: [.cwaFirst(parameters)], mapping: .standard)
    }
}

enum CWAReading {
    static func content(_ bytes: [UInt8], of message: String) throws(RiskConfigurationError) -> ConfigValue {
        let limit = AppConfiguration.maximumByteCount
        guard bytes.count <= limit else { throw RiskConfigurationError(.tooLarge, "more than \(limit) bytes") }
        guard let content = ConfigReader.read(bytes, as: message) else {
            throw RiskConfigurationError(.malformed, problems: [RiskProblem("", "this is no message \(message)")])
        }
        return content
    }

    /// Those fields in protobuf's JSON mapping.
    static func part(_ content: ConfigValue, _ names: [String]) -> JSON {
        var object = JSON.Object()
        for name in names { object[name] = content[name].map(json) }
        return .object(object)
    }

    private static func json(_ value: ConfigValue) -> JSON {
        switch value {
        case .integer(let number): return .int(number)
        case .number(let number): return .double(number)
        case .bool(let flag): return .bool(flag)
        case .string(let text): return .string(text)
        case .bytes: return .null
        case .list(let values): return .array(values.map(json))
        case .message(let fields):
            var object = JSON.Object()
            for name in fields.keys.sorted() { object[name] = fields[name].map(json) }
            return .object(object)
        case .map(let values):
            var object = JSON.Object()
            for name in values.keys.sorted() { object["\(name)"] = values[name].map(json) }
            return .object(object)
        }
    }

    // MARK: The second generation

    struct Second: Sendable {
        var risk = CWASecondParameters()
        var mapping = DiagnosisKeyMapping.standard
    }

    static let secondDocument = Form.object(
        Second(),
        [
            .required("riskCalculationParameters", \.risk, CWAForms.second(isComplete: false), "The risk model."),
            .required(
                "diagnosisKeysDataMapping", \.mapping, GAENForms.mapping(isComplete: false),
                "How what was published with a key is read."),
        ]
    ).mapped(
        to: { read, path, problems in
            let inner = path.field("riskCalculationParameters")
            problems.report(RiskModelParameters.cwaSecond(read.risk).problems) { inner.joined($0) }
            return read
        }, from: { $0 }, standIn: Second())

    // MARK: The first generation

    private struct First: Sendable {
        var minimum = 0
        var classes: [CWAFirstParameters.RiskClass] = []
        var exposure = Exposure()
        var durations = Durations()
    }

    private struct Exposure: Sendable {
        var transmission = [Int](repeating: 0, count: 8)
        var duration = [Int](repeating: 0, count: 8)
        var days = [Int](repeating: 0, count: 8)
        var attenuation = [Int](repeating: 0, count: 8)
    }

    private struct Durations: Sendable {
        var thresholds = [0, 0]
        var weights = [0.0, 0.0, 0.0]
        var offset = 0.0
        var divisor = 0.0
    }

    /// Protobuf's JSON has names; the published files have numbers.
    private static let level: Form<Int> = .word(
        ["UNSPECIFIED", "LOWEST", "LOW", "LOW_MEDIUM", "MEDIUM", "MEDIUM_HIGH", "HIGH", "VERY_HIGH", "HIGHEST"].enumerated()
            .map {
                ("RISK_LEVEL_\($0.element)", $0.offset)
            }, numbers: Dictionary((0...8).map { (Int64($0), $0) }, uniquingKeysWith: { $1 }))

    private static func levels(_ names: [String]) -> Form<[Int]> {
        .object(
            [Int](repeating: 0, count: 8),
            names.enumerated().map { .optional($0.element, \.[$0.offset], level, "A score of 0 to 8.") })
    }

    private static let unusedWeight = Form.number(-1_000_000...1_000_000)

    private static let exposureFields: [Field<Exposure>] = [
        .required("transmission", \.transmission, levels((1...8).map { "appDefined\($0)" }), "By transmission risk level."),
        .unused("transmissionWeight", unusedWeight, "Of no effect in the frameworks."),
        .required(
            "duration", \.duration,
            levels([
                "eq0Min", "gt0Le5Min", "gt5Le10Min", "gt10Le15Min", "gt15Le20Min", "gt20Le25Min", "gt25Le30Min", "gt30Min",
            ]), "By duration."),
        .unused("durationWeight", unusedWeight, "Of no effect in the frameworks."),
        .required(
            "daysSinceLastExposure", \.days,
            levels([
                "ge14Days", "ge12Lt14Days", "ge10Lt12Days", "ge8Lt10Days", "ge6Lt8Days", "ge4Lt6Days", "ge2Lt4Days",
                "ge0Lt2Days",
            ]), "By age."),
        .unused("daysWeight", unusedWeight, "Of no effect in the frameworks."),
        .required(
            "attenuation", \.attenuation,
            levels([
                "gt73Dbm", "gt63Le73Dbm", "gt51Le63Dbm", "gt33Le51Dbm", "gt27Le33Dbm", "gt15Le27Dbm", "gt10Le15Dbm",
                "le10Dbm",
            ]), "By attenuation."),
        .unused("attenuationWeight", unusedWeight, "Of no effect in the frameworks."),
    ]

    private static let factor = Form.number(0...100)

    private static let durationFields: [Field<Durations>] = [
        .group(
            "thresholds",
            [
                .optional("lower", \.thresholds[0], .integer(0...255), "dB."),
                .optional("upper", \.thresholds[1], .integer(0...255), "dB."),
            ], in: Durations(), "Of the three durations."),
        .group(
            "weights",
            [
                .optional("low", \.weights[0], factor, "Below."), .optional("mid", \.weights[1], factor, "Between."),
                .optional("high", \.weights[2], factor, "Above."),
            ], in: Durations(), "Of the three durations."),
        .optional("defaultBucketOffset", \.offset, .number(0...10_000), "Added to the weighted minutes."),
        .required(
            "riskScoreNormalizationDivisor", \.divisor, .number(0...1_000_000, above: true),
            "The product is divided by this."),
    ]

    private static let riskClass = Form.object(
        CWAFirstParameters.RiskClass(level: .low, min: 0, max: 0),
        [
            .required("label", \.level, .word([("LOW", .low), ("HIGH", .increased)]), "What the score amounts to."),
            .optional("min", \.min, .number(0...1_000_000), "From here."),
            .optional("max", \.max, .number(0...1_000_000), "To here."),
            .unused("url", .words(0...500), "A page."),
        ])

    private struct Classes: Sendable {
        var classes: [CWAFirstParameters.RiskClass] = []
    }

    private static let places = Places(
        [
            "exposures.minimumRiskScore": "minRiskScore", "exposures.attenuationScores": "exposureConfig.attenuation",
            "exposures.daysScores": "exposureConfig.daysSinceLastExposure",
            "exposures.durationScores": "exposureConfig.duration",
            "exposures.transmissionRiskScores": "exposureConfig.transmission",
            "exposures.durationThresholds": "attenuationDuration.thresholds", "exposures": "exposureConfig",
            "weights": "attenuationDuration.weights", "offset": "attenuationDuration.defaultBucketOffset",
            "divisor": "attenuationDuration.riskScoreNormalizationDivisor", "classes": "riskScoreClasses.riskClasses",
        ], ends: [".level": ".label"])

    static let firstDocument = Form.object(
        First(),
        [
            .optional("minRiskScore", \.minimum, .integer(0...4_096), "Scores below this count as 0."),
            .required(
                "riskScoreClasses", \.classes,
                Form.object(
                    Classes(), [.required("riskClasses", \.classes, .list(riskClass, 1...16), "What a score amounts to.")]
                ).mapped(to: { read, _, _ in read.classes }, from: Classes.init, standIn: []), "What a score amounts to."),
            .required("exposureConfig", \.exposure, .object(Exposure(), exposureFields), "How an exposure is scored."),
            .required(
                "attenuationDuration", \.durations, .object(Durations(), durationFields),
                "How exposures are judged together."),
        ]
    ).mapped(
        to: { read, path, problems in
            var scores = GAENForms.Scores()
            scores.minimum = read.minimum
            scores.attenuation = read.exposure.attenuation
            scores.days = read.exposure.days
            scores.duration = read.exposure.duration
            scores.transmissionRisk = read.exposure.transmission
            scores.thresholds = read.durations.thresholds
            let place = path.field("attenuationDuration").field("thresholds")
            var parameters = CWAFirstParameters(exposures: scores.configuration(thresholdsAt: place, &problems))
            parameters.weights = read.durations.weights
            parameters.offset = read.durations.offset
            parameters.divisor = read.durations.divisor
            parameters.classes = read.classes
            problems.report(RiskModelParameters.cwaFirst(parameters).problems) { path.joined(places.place($0)) }
            return parameters
        }, from: { _ in First() }, standIn: CWAFirstParameters(exposures: GAENForms.noScores))
}
