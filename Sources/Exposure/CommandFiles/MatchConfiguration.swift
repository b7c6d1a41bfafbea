// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
public import GAEN
public import Matching

/// The file that `vigil match --config` reads: the health authority's mapping, and the first-generation parameters if they
/// are wanted (docs/schemas/match-config.schema.json).
public struct MatchConfiguration: Sendable {
    /// The mapping of published days and report types; it names every day.
    public var mapping: DiagnosisKeyMapping
    /// The parameters of first-generation scores; `nil` when none are wanted.
    public var v1: ExposureConfigurationV1?

    /// The mapping that phones assume without an authority, and no first-generation scores.
    public static let standard = MatchConfiguration(mapping: .standard, v1: nil)

    private struct Document: Decodable {
        struct V1: Decodable {
            let minimumRiskScore: Int?
            let attenuationScores: [Int]
            let daysScores: [Int]
            let durationScores: [Int]
            let transmissionRiskScores: [Int]
            let durationThresholds: [Int]?
        }
        let format: String
        let infectiousness: [String: String]?
        let infectiousnessCompact: String?
        let infectiousnessWhenOnsetMissing: String?
        let reportTypeWhenMissing: String?
        let v1: V1?
    }

    private static let levels: [String: Infectiousness] = ["none": .none, "standard": .standard, "high": .high]
    private static let types: [String: ReportType] = [
        "confirmedTest": .confirmedTest, "clinicalDiagnosis": .clinicalDiagnosis, "selfReport": .selfReport,
    ]

    /// Reads a configuration of at most 256 KiB. Blocks. Throws ``InputError`` when the file cannot be read or is
    /// larger; with the first place that does not follow the JSON schema; or with every problem and its path.
    public static func read(path: String) throws(InputError) -> MatchConfiguration {
        let bytes = try Files.read(path, limit: 256 << 10)
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: Data(bytes))
        } catch {
            throw InputError(file: path, "is not JSON of the published schema: \(explain(error))")
        }
        var problems: [String] = []
        if document.format != "vigil-match-config-1" { problems.append("format must be vigil-match-config-1") }
        func look<Value>(_ table: [String: Value], _ text: String?, _ path: String, _ standard: Value) -> Value {
            guard let text else { return standard }
            if let value = table[text] { return value }
            problems.append("\(path) must be one of \(table.keys.sorted().joined(separator: ", "))")
            return standard
        }
        let type = look(types, document.reportTypeWhenMissing, "reportTypeWhenMissing", .confirmedTest)
        let missing = look(levels, document.infectiousnessWhenOnsetMissing, "infectiousnessWhenOnsetMissing", .standard)
        var entries = [Infectiousness](repeating: document.infectiousness == nil ? .standard : .none, count: 29)
        for (day, text) in (document.infectiousness ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let number = Int32(day), DiagnosisKeyMapping.days.contains(number) else {
                problems.append("infectiousness.\(day) must be a day from -14 to 14")
                continue
            }
            entries[Int(number + 14)] = look(levels, text, "infectiousness.\(day)", .none)
        }
        var mapping = DiagnosisKeyMapping(
            infectiousness: entries, whenOnsetMissing: missing, reportTypeWhenMissing: type)
        if let compact = document.infectiousnessCompact {
            if document.infectiousness != nil { problems.append("give infectiousness or infectiousnessCompact, not both") }
            let digits = compact.hasPrefix("0x") ? String(compact.dropFirst(2)) : compact
            mapping = UInt64(digits, radix: 16).flatMap {
                DiagnosisKeyMapping(compact: $0, reportTypeWhenMissing: type)
            }
            if mapping == nil { problems.append("infectiousnessCompact must be 16 hexadecimal digits of a valid mapping") }
        }
        var v1: ExposureConfigurationV1?
        if let parameters = document.v1 {
            let thresholds = parameters.durationThresholds ?? [50, 74]
            v1 = ExposureConfigurationV1(
                minimumRiskScore: parameters.minimumRiskScore ?? 1, attenuationScores: parameters.attenuationScores,
                daysScores: parameters.daysScores, durationScores: parameters.durationScores,
                transmissionRiskScores: parameters.transmissionRiskScores,
                durationThresholds: thresholds.count == 2 ? (thresholds[0], thresholds[1]) : (-1, -1))
            if v1 == nil {
                problems.append(
                    "v1 needs a minimumRiskScore from 0 to 4096, lists of eight scores from 0 to 8, and two rising thresholds from 0 to 255"
                )
            }
        }
        guard problems.isEmpty, let mapping else { throw InputError(file: path, problems.joined(separator: "; ")) }
        return MatchConfiguration(mapping: mapping, v1: v1)
    }

    private static func explain(_ error: any Error) -> String {
        func at(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }
        switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            return "\(at(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            let path = at(context.codingPath)
            return path.isEmpty ? "it cannot be parsed" : "\(path) has another type"
        default: return "it cannot be parsed"
        }
    }
}
