// SPDX-License-Identifier: Apache-2.0

import AppConfig
import ExposureRisk
import FoundationEssentials
import GAEN
import JSON
import KeyLevels
import Matching
import RiskConfiguration

/// Documents as authorities published them, byte for byte: each is read by the reader that boards have, or, where it is a server's own file, by
/// what stands for that server. A document that nothing here reads fails.
enum RuleDocuments: VectorFamily {
    static let name = "documents"
    static let isFolder = true

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        let paths = try files(vectors.folder, "").sorted()
        for path in paths {
            check.check(path) { try read(path, Folder(root: vectors.folder)) }
        }
    }

    private static func files(_ root: String, _ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)").flatMap { name -> [String] in
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            var isFolder = false
            _ = FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder)
            return isFolder ? try files(root, path) : [path]
        }
    }

    private struct Folder {
        let root: String

        func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: "\(root)/\(path)"))) }

        /// Placeholders at their defaults; included files are the same folder's.
        func yaml(_ path: String) throws -> VectorValue {
            let folder = path.split(separator: "/").dropLast().joined(separator: "/")
            return try YAML.parse(String(decoding: bytes(path), as: UTF8.self)) { try yaml("\(folder)/\($0)") }
        }

        /// A file that the server loads into a message, with the message's names.
        func message(_ path: String, _ message: String) throws -> VectorValue {
            let folder = path.split(separator: "/").dropLast().joined(separator: "/")
            return try CWAServerFile(String(decoding: bytes(path), as: UTF8.self), message: message) {
                try yaml("\(folder)/\($0)")
            }.content
        }
    }

    private static func read(_ path: String, _ folder: Folder) throws {
        let words = path.split(separator: "/").map(String.init)
        let file = words.last ?? ""
        switch words.first {
        case "nhs": try nhs(file, folder.bytes(path))
        case "google":
            let rules = try RiskConfiguration(enExpress: folder.bytes(path), version: 1)
            try sound(rules)
            try expect("models", rules.models.map(\.name), [.dailySummaries])
        case "cwa": try cwa(path, file, folder)
        default: throw Mismatch(description: "nothing here reads it")
        }
    }

    /// What was read can be used, written and read again.
    private static func sound(_ rules: RiskConfiguration) throws {
        try expect("problems", rules.problems.map(\.description), [])
        try expect("written and read", RiskConfiguration(parsing: rules.document), rules)
    }

    private static func nhs(_ file: String, _ bytes: [UInt8]) throws {
        if file.hasPrefix("exposure-configuration") {
            let rules = try RiskConfiguration(nhsConfiguration: bytes, version: 1)
            try sound(rules)
            try expect("the last model", rules.models.last?.name, .nhsFirst)
        } else if file.hasPrefix("self-isolation") {
            let read = try require("a document", NHSIsolation(bytes))
            try expect("days of contacts", [11, 14].contains(read.england?.contactCase ?? read.legacy?.contactCase), true)
        } else if file.hasPrefix("risky-venue-configuration") {
            try expect("days", NHSIsolation.daysToBookATest(bytes) != nil, true)
        } else {
            throw Mismatch(description: "nothing here reads it")
        }
    }

    private static let valuesPath = "cwa/persistence/trl-value-mapping-1.15.yaml"
    private static let mappingPath = "cwa/main-config/v2/diagnosis-keys-data-mapping.yaml"

    /// The server fills in what other files say before it publishes.
    private static func second(_ path: String, _ folder: Folder) throws -> RiskConfiguration {
        var risk = try folder.message(path, "RiskCalculationParameters").object
        if path.hasSuffix("-1.15.yaml") {
            let values = CWAServerFile.camelCase(try folder.yaml(valuesPath))
            risk["transmissionRiskValueMapping"] = values["transmissionRiskValueMapping"]
        }
        let content: VectorValue = .object([
            "riskCalculationParameters": .object(risk),
            "diagnosisKeysDataMapping": try folder.message(mappingPath, "DiagnosisKeysDataMapping"),
        ])
        return try RiskConfiguration(cwaContent: content.document, version: 1)
    }

    private static func first(_ folder: Folder) throws -> RiskConfiguration {
        let content = try folder.message("cwa/main-config/app-config.yaml", "ApplicationConfiguration")
        try expect("the server's validators", CWAServerFile.application(content).map(\.code), [])
        return try RiskConfiguration(cwaFirstContent: content.document, version: 1)
    }

    private static func cwa(_ path: String, _ file: String, _ folder: Folder) throws {
        switch file {
        case "app-config.yaml", "attenuation-duration.yaml", "exposure-config.yaml", "risk-score-classification.yaml":
            // Parts of one document, which holds or falls as a whole.
            let messages = [
                "attenuation-duration.yaml": "AttenuationDuration", "exposure-config.yaml": "RiskScoreParameters",
                "risk-score-classification.yaml": "RiskScoreClassification",
            ]
            if let message = messages[file] { _ = try folder.message(path, message) }
            let rules = try first(folder)
            try sound(rules)
            guard case .cwaFirst(let parameters)? = rules.models.first else { throw Mismatch(description: "another model") }
            try expect("minimum", parameters.exposures.minimumRiskScore, 11)
            try expect("classes", parameters.classes.map(\.level), [.low, .increased])
        case "risk-calculation-parameters.yaml", "risk-calculation-parameters-1.15.yaml", "trl-value-mapping-1.15.yaml":
            let name = file.hasPrefix("trl") ? "risk-calculation-parameters-1.15.yaml" : file
            let rules = try second("cwa/main-config/v2/\(name)", folder)
            try sound(rules)
            guard case .cwaSecond(let parameters)? = rules.models.first else {
                throw Mismatch(description: "another model")
            }
            try expect("age", parameters.maxEncounterAgeInDays, 10)
            try expect("values by level", parameters.transmissionRiskValueMapping.isEmpty, !name.contains("1.15"))
        case "diagnosis-keys-data-mapping.yaml", "exposure-configuration.yaml", "daily-summaries-config.yaml":
            try summaries(path, file, folder)
        case "transmission-risk-encoding.yaml":
            let maps = CWAServerFile.camelCase(try folder.yaml(path))["transmissionRiskEncoding"]
            let made = LevelEncoding(
                daysSinceOnset: levels(maps["transmissionRiskToDaysSinceSymptoms"]),
                reportType: levels(maps["transmissionRiskToReportType"]))
            try expect("encoding", require("an encoding", made), .coronaWarnApp)
        case "trl-derivation.yaml":
            for (from, to) in levels(try folder.yaml(path)["trl"]["trl-mapping"]) { try expect("level \(from)", to, from) }
        case "derivation-maps.yaml":
            let maps = try folder.yaml(path)["tek-field-derivations"]
            try expect("default", Int(LevelDerivation.defaultLevel), maps["default-trl"].int)
            for (level, days) in levels(maps["dsos-from-trl"]) {
                try expect("onset of \(level)", LevelDerivation.daysSinceOnset(level: UInt8(clamping: level)), days)
            }
            for (days, level) in levels(maps["trl-from-dsos"]) {
                try expect("level of \(days)", Int32(LevelDerivation.level(daysSinceOnset: days)), level)
            }
        case "corona-test-parameters.yaml": _ = try folder.message(path, "CoronaTestParameters")
        case "presence-tracing-parameters.yaml", "revoked-trace-location-versions.yaml":
            _ = try folder.message(path, "PresenceTracingParameters")
        case "plausible-deniability-parameters.yaml":
            _ = try folder.message(path, "PresenceTracingPlausibleDeniabilityParameters")
        default: throw Mismatch(description: "nothing here reads it")
        }
    }

    private static func levels(_ json: VectorValue) -> [Int32: Int32] {
        var result: [Int32: Int32] = [:]
        for (name, value) in json.object {
            if let name = Int32(name), let value = value.int { result[name] = Int32(clamping: value) }
        }
        return result
    }

    /// The mapping as Android and iOS get it is the same, and so are the weights of the summaries.
    private static func summaries(_ path: String, _ file: String, _ folder: Folder) throws {
        let mapping = try folder.message(mappingPath, "DiagnosisKeysDataMapping")
        let android = try second("cwa/main-config/v2/risk-calculation-parameters-1.15.yaml", folder)
        switch file {
        case "exposure-configuration.yaml":
            let exposure = try folder.message(path, "ExposureConfiguration")
            try expect(
                "the mapping for iOS", exposure["infectiousnessForDaysSinceOnsetOfSymptoms"],
                mapping["daysSinceOnsetToInfectiousness"])
        case "daily-summaries-config.yaml":
            let content: VectorValue = .object([
                "dailySummariesConfig": try folder.message(path, "DailySummariesConfig"),
                "diagnosisKeysDataMapping": mapping,
            ])
            try sound(
                RiskConfiguration(
                    dailySummaries: content.document.bytes, measure: .sum, increasedFrom: 900, version: 1))
        default: break
        }
        for (day, expected): (Int32, Infectiousness) in [(1, .standard), (2, .high), (0, .none)] {
            try expect("day \(day)", android.mapping.infectiousness(daysSinceOnset: day), expected)
        }
        try expect("a missing onset", android.mapping.infectiousnessWhenOnsetMissing, .none)
    }
}
