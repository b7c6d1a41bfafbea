// SPDX-License-Identifier: Apache-2.0

public import AppConfig
import JSON
import KeyExport

/// The configuration that the health authority publishes for boards and phones: `configuration.json` in the state
/// folder. The operator edits it; it is read before every publication and published signed.
public struct PublicConfiguration: Sendable, Hashable {
    /// The version, 1 to 2³¹ - 1, which the operator raises with every change. An equal or lower number with other content
    /// is refused.
    public let version: Int64
    /// The seconds over which boards spread the work that a wake message asks for, 0 to 2,700; 600 if the file does not
    /// say. A longer window would collide with the boards' next regular requests (docs/fleet-load.md).
    public let wakeWindowSeconds: Int64
    /// `ApplicationConfigurationAndroid` in protobuf's JSON mapping.
    private let appConfig: JSON

    /// Reads the configuration from the bytes of `configuration.json`, of which `version` and `appConfig` are
    /// required. Throws `invalidConfiguration` with the first 100 faults, each with its path, and the number of the
    /// others; an unknown member is a fault.
    public init(parsing bytes: [UInt8]) throws(AuthorityError) {
        let json: JSON
        do { json = try JSON(parsing: bytes, maximumDepth: 16) } catch {
            throw AuthorityError(.invalidConfiguration, "\(error)")
        }
        let problems = Problems()
        var top = ObjectReader(json, path: "configuration", problems: problems)
        if !top.has("version") { top.problem("version", "is required") }
        version = top.integer("version", in: 1...Int64(Int32.max), default: 1)
        var vigil = top.reader("vigil")
        wakeWindowSeconds = vigil.integer("wakeWindowSeconds", in: 0...2_700, default: 600)
        vigil.finish()
        let appConfig = top.value("appConfig")
        if let appConfig {
            AppConfigSchema.android.check(appConfig, path: "configuration.appConfig", problems)
            Self.checkSense(appConfig, path: "configuration.appConfig", problems)
        } else {
            top.problem("appConfig", "is required")
        }
        self.appConfig = appConfig ?? .empty
        top.finish()
        guard problems.isEmpty else { throw AuthorityError(.invalidConfiguration, "\n  \(problems.text)") }
    }

    /// What each number alone does not show.
    private static func checkSense(_ config: JSON, path: String, _ problems: Problems) {
        for (index, feature) in (config["appFeatures"]?["appFeatures"]?.array ?? []).enumerated()
        where feature["label"]?.string == ConfigurationNumber.label {
            problems.add("\(path).appFeatures.appFeatures[\(index)]", "is given by vigil-authority itself; leave it out")
        }
        if let summaries = config["dailySummariesConfig"] {
            let thresholds = summaries["attenuationBucketThresholdDb"]?.array ?? []
            let weights = summaries["attenuationBucketWeights"]?.array ?? []
            let numbers = thresholds.compactMap(\.wholeNumber)
            if !thresholds.isEmpty, thresholds.count != 3 || zip(numbers, numbers.dropFirst()).contains(where: { $0 >= $1 })
            {
                problems.add("\(path).dailySummariesConfig.attenuationBucketThresholdDb", "must be three rising numbers")
            }
            if !weights.isEmpty, weights.count != 4 {
                problems.add("\(path).dailySummariesConfig.attenuationBucketWeights", "must be four numbers")
            }
        }
        checkRanges(
            config["riskCalculationParameters"],
            ["normalizedTimePerEWToRiskLevelMapping", "normalizedTimePerDayToRiskLevelMapping"],
            path: "\(path).riskCalculationParameters", problems)
        guard let presence = config["presenceTracingParameters"] else { return }
        let names = ["normalizedTimePerCheckInToRiskLevelMapping", "normalizedTimePerDayToRiskLevelMapping"]
        let place = "\(path).presenceTracingParameters.riskCalculationParameters"
        let risk = presence["riskCalculationParameters"]
        checkRanges(risk, names, path: place, problems)
        // Without levels boards say nothing of visits.
        for name in names where (risk?[name]?.array ?? []).isEmpty { problems.add("\(place).\(name)", "is required") }
    }

    /// A missing bound counts as 0 (vectors of the Corona-Warn-App), so a range without `max` holds nothing.
    private static func checkRanges(_ risk: JSON?, _ names: [String], path: String, _ problems: Problems) {
        for name in names {
            for (index, entry) in (risk?[name]?.array ?? []).enumerated() {
                let range = entry["normalizedTimeRange"]
                let (low, high) = (range?["min"]?.anyNumber ?? 0, range?["max"]?.anyNumber ?? 0)
                if low > high {
                    problems.add("\(path).\(name)[\(index)].normalizedTimeRange", "min is above max (a missing bound is 0)")
                }
            }
        }
    }

    /// Returns the bytes of `export.bin` in `/version/v2/app_config_android`: a protobuf message without the header of key
    /// files, which lists the packages `revoked`, and has `number` as its last feature; none without it. The same input gives the same bytes. Cannot fail.
    public func appConfigBytes(revoked: [RevokedPackage], number: ConfigurationNumber?) -> [UInt8] {
        var config = appConfig.object ?? JSON.Object()
        if let number {
            let feature: JSON = ["label": .string(ConfigurationNumber.label), "value": .int(number.value)]
            let others = config["appFeatures"]?["appFeatures"]?.array ?? []
            config["appFeatures"] = ["appFeatures": .array(others + [feature])]
        }
        let download = config["keyDownloadParameters"]
        config["keyDownloadParameters"] = nil
        var writer = ProtobufWriter()
        // Ascending field numbers: the schema's fields around number 5 are written apart.
        let fields = AppConfigSchema.android.fields
        let before = MessageSchema(fields: fields.filter { $0.number < 5 })
        let after = MessageSchema(fields: fields.filter { $0.number > 5 })
        before.encode(.object(config), to: &writer)
        if download != nil || !revoked.isEmpty {
            writer.message(5) { message in
                for package in revoked where package.hour == nil { package.write(1, to: &message) }
                for package in revoked where package.hour != nil { package.write(2, to: &message) }
                AppConfigSchema.keyDownload.encode(download ?? .empty, to: &message)
            }
        }
        after.encode(.object(config), to: &writer)
        return writer.bytes
    }

    /// Returns the bytes of `export.bin` in `/version/v1/vigil_config`: a JSON object with the version and the wake window.
    /// The same configuration gives the same bytes. Cannot fail.
    public func vigilConfigBytes() -> [UInt8] {
        let document: JSON = [
            "vigilConfig": 1, "version": .int(version), "wakeWindowSeconds": .int(wakeWindowSeconds),
        ]
        return document.bytes
    }
}

/// A published package that receivers must drop and fetch again.
public struct RevokedPackage: Sendable, Hashable {
    /// The region of the package, named as in the settings.
    public let region: String
    /// The UTC day of the package, such as "2026-11-21".
    public let date: String
    /// The hour of the package, 0 to 23, UTC; `nil` for a day package.
    public let hour: Int32?
    /// The package's entity tag without quotation marks.
    public let tag: String

    func write(_ field: Int, to writer: inout ProtobufWriter) {
        writer.message(field) { message in
            message.text(1, region)
            message.text(2, date)
            if let hour {
                if hour != 0 { message.int32(3, hour) }
                message.text(4, tag)
            } else {
                message.text(3, tag)
            }
        }
    }
}
