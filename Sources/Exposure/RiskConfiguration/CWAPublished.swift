// SPDX-License-Identifier: Apache-2.0

import AppConfig
import ExposureRisk
import GAEN
import Matching

/// The Corona-Warn-App's configuration as a board follows it: not the rules alone, but also for whom they are and whether they hold
/// (spec cwa-protocols 3).
struct CWAPublished {
    enum Platform { case android, iOS }

    /// What people are told while `exposureDetectionParameters` is 0.
    static let switchedOff =
        "The health authority has switched the comparison of encounters off in its configuration. Encounters are still noted; nothing is judged until it goes on."

    var configuration: RiskConfiguration
    let isSwitchedOff: Bool
    /// Generation, then the latest app.
    let order: [Int64]
    /// What tells an older one, where the authority gives it.
    let number: ConfigurationNumber?

    /// Reads export.bin of either generation. Throws `tooLarge`, `malformed`, `outOfRange`, `invalid` or `otherRegion`.
    init(
        _ bytes: [UInt8], platform: Platform, country: String?, version: Int64
    ) throws(RiskConfigurationError) {
        let message = platform == .android ? "ApplicationConfigurationAndroid" : "ApplicationConfigurationIOS"
        let (content, isFirst) = try Self.content(bytes, message)
        try Self.check(country, content)
        do throws(ConfigurationRefusal) { number = try ConfigurationNumber.read(content) } catch {
            throw RiskConfigurationError(
                .malformed, problems: [RiskProblem("appFeatures", "its \(ConfigurationNumber.label) is none")])
        }
        let detection: ConfigValue?
        if isFirst {
            let os = platform == .android ? "android" : "ios"
            detection = content["\(os)ExposureDetectionParameters"]
            order = [1] + Self.numbers(content["appVersion"]?[os]?["latest"])
            configuration = try RiskConfiguration(cwaFirstConfiguration: bytes, version: version)
        } else {
            detection = content["exposureDetectionParameters"]
            switch platform {
            case .android:
                order = [2, content["latestVersionCode"]?.integer ?? 0]
                configuration = try RiskConfiguration(cwaConfiguration: bytes, version: version)
            case .iOS:
                order = [2] + Self.numbers(content["latestVersion"])
                configuration = try RiskConfiguration(cwaIOSContent: content, version: version)
            }
            // Its server publishes transmission risk levels there (docs/warn-others.md).
            configuration.reportTypes = .codes
        }
        // Without the message nothing was said; within it, an absent number is 0.
        let frequency = ConfigRules.detectionFrequency(
            detection.map { $0["maxExposureDetectionsPerInterval"]?.integer ?? 0 })
        isSwitchedOff = frequency.maximumPerDay == 0
        if isSwitchedOff { configuration.service = .paused(words: Self.switchedOff) }
    }

    /// The generations tell themselves apart: a field of one is of another kind in the other.
    private static func content(
        _ bytes: [UInt8], _ message: String
    ) throws(RiskConfigurationError) -> (ConfigValue, isFirst: Bool) {
        let first = "ApplicationConfiguration"
        let second: ConfigValue
        do throws(RiskConfigurationError) { second = try CWAReading.content(bytes, of: message) } catch {
            guard error.code == .malformed, let content = try? CWAReading.content(bytes, of: first) else { throw error }
            return (content, true)
        }
        if second["riskCalculationParameters"] == nil, let content = try? CWAReading.content(bytes, of: first),
            content["exposureConfig"] != nil
        {
            return (content, true)
        }
        return (second, false)
    }

    private static func check(_ country: String?, _ content: ConfigValue) throws(RiskConfigurationError) {
        let countries = (content["supportedCountries"]?.list ?? []).compactMap(\.string)
        guard let country, !countries.isEmpty, !countries.contains(country) else { return }
        let shown = countries.prefix(40).filter { $0.utf8.count <= 8 && $0.utf8.allSatisfy { (0x41...0x5A).contains($0) } }
        throw RiskConfigurationError(.otherRegion, "\(shown.joined(separator: ", ")), and not \(country)")
    }

    private static func numbers(_ version: ConfigValue?) -> [Int64] {
        ["major", "minor", "patch"].map { version?[$0]?.integer ?? 0 }
    }
}

extension RiskConfiguration {
    /// `ApplicationConfigurationIOS`: the same risk model; the mapping is in `exposureConfiguration`, and says nothing of keys without an
    /// onset.
    init(cwaIOSContent content: ConfigValue, version: Int64) throws(RiskConfigurationError) {
        let exposure = content["exposureConfiguration"]
        var mapping: [String: ConfigValue] = [:]
        mapping["daysSinceOnsetToInfectiousness"] = exposure?["infectiousnessForDaysSinceOnsetOfSymptoms"]
        mapping["reportTypeWhenMissing"] = exposure?["reportTypeNoneMap"]
        var parts: [String: ConfigValue] = [:]
        parts["riskCalculationParameters"] = content["riskCalculationParameters"]
        parts["diagnosisKeysDataMapping"] = exposure == nil ? nil : .message(mapping)
        try self.init(
            cwaContent: CWAReading.part(.message(parts), ["riskCalculationParameters", "diagnosisKeysDataMapping"]),
            version: version)
    }

    /// Reads export.bin of `/version/v2/app_config_ios`; otherwise the same as ``init(cwaConfiguration:version:)``.
    /// The signature is not verified. The caller passes a count as `version`, which is not checked. Throws
    /// `tooLarge`, `malformed`, or `outOfRange` and `invalid` with all problems; their paths are those of the
    /// message for Android.
    public init(cwaIOSConfiguration bytes: [UInt8], version: Int64) throws(RiskConfigurationError) {
        try self.init(cwaIOSContent: CWAReading.content(bytes, of: "ApplicationConfigurationIOS"), version: version)
    }
}
