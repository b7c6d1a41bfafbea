// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import JSON
import Matching

/// The content of SwissCovid's `/v1/config` as far as a board uses it (spec rules-and-nhs 7): the rule, and whether
/// tracing continues.
package struct SwissCovidPublished {
    /// The platform whose block of numbers is used.
    package enum Platform: String, Sendable { case android, iOS }

    /// What people are told while `deactivate` is true.
    static let switchedOff =
        "The health authority has ended tracing in its configuration for now. Encounters are still noted; nothing is judged until it goes on."

    /// The rule with SwissCovid's mapping; the service is paused when ``isSwitchedOff`` is `true`.
    package let configuration: RiskConfiguration
    /// Whether the document states `deactivate`.
    package let isSwitchedOff: Bool

    /// Reads the body without verifying its signature. Numbers that are left out, and all when the platform's block
    /// is missing, have the defaults of the software kit. Throws `tooLarge`, `malformed`, or `outOfRange` and
    /// `invalid` with all problems.
    package init(_ bytes: [UInt8], platform: Platform, version: Int64) throws(RiskConfigurationError) {
        let json = try DocumentReading.json(bytes, limit: RiskConfiguration.maximumByteCount)
        let names = ["forceUpdate", "deactivate", "androidGaenSdkConfig", "iOSGaenSdkConfig"]
        guard let object = json.object, names.contains(where: { object[$0] != nil }) else {
            throw RiskConfigurationError(
                .invalid,
                problems: [
                    RiskProblem(
                        "", "this is no configuration of SwissCovid: it has none of \(names.joined(separator: ", "))")
                ])
        }
        let block = platform == .android ? "androidGaenSdkConfig" : "iOSGaenSdkConfig"
        var kept = JSON.Object()
        // Java writes null for what is not there.
        for name in ["deactivate", block] { kept[name] = object[name].flatMap { $0 == .null ? nil : $0.withoutNulls } }
        let form = Self.form(block)
        let read = try DocumentReading.value(JSON.object(kept).known(to: form.schema), form)
        isSwitchedOff = read.isOff
        configuration = RiskConfiguration(
            version: version, models: [.swissCovid(read.rule)], mapping: Self.mapping,
            service: read.isOff ? .paused(words: Self.switchedOff) : .running)
    }

    /// Its keys carry onset 0 and nothing else, and phones took every day for highly infectious.
    private static let mapping =
        DiagnosisKeyMapping(
            infectiousness: Array(repeating: .high, count: DiagnosisKeyMapping.days.count), whenOnsetMissing: .high)
        ?? .standard

    private struct Draft: Sendable {
        var isOff = false
        var rule = SwissCovidParameters()
    }

    private static func form(_ block: String) -> Form<Draft> {
        Form.object(
            Draft(),
            [
                .optional("deactivate", \.isOff, .flag, "Whether tracing is over."),
                .optional(
                    block, \.rule, .object(SwissCovidParameters(), SwissCovidForms.published), "From where on a day warns."),
            ]
        ).mapped(
            to: { read, path, problems in
                problems.report(read.rule.problems) { path.field(block).joined($0) }
                return read
            }, from: { $0 }, standIn: Draft())
    }
}

extension RiskConfiguration {
    /// Reads the body of SwissCovid's `/v1/config` for Android, without verifying its signature. The document has no
    /// version, so the caller passes a count as `version`, which is not checked. Throws `tooLarge`, `malformed`, or
    /// `outOfRange` and `invalid` with all problems.
    public init(swissCovidConfiguration bytes: [UInt8], version: Int64) throws(RiskConfigurationError) {
        self = try SwissCovidPublished(bytes, platform: .android, version: version).configuration
    }
}

extension JSON {
    /// Without the fields that are null.
    fileprivate var withoutNulls: JSON {
        guard case .object(let object) = self else { return self }
        var kept = JSON.Object()
        for member in object.members where member.value != .null { kept[member.name] = member.value }
        return .object(kept)
    }

    /// Only what a form of that schema knows, at every depth: documents of others get fields that are nobody's business here.
    func known(to schema: JSON.Object) -> JSON {
        switch self {
        case .object(let object):
            guard let properties = schema["properties"]?.object else { return self }
            var kept = JSON.Object()
            for member in object.members {
                if let inner = properties[member.name]?.object { kept[member.name] = member.value.known(to: inner) }
            }
            return .object(kept)
        case .array(let elements):
            guard let inner = schema["items"]?.object else { return self }
            return .array(elements.map { $0.known(to: inner) })
        default: return self
        }
    }
}
