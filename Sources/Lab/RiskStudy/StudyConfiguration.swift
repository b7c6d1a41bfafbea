// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import JSON
public import RiskConfiguration

/// Reads a risk configuration in any of its published forms.
public enum StudyConfiguration {
    /// The most bytes of a configuration file that programs read: 1 MiB, far more than any published one. ``read(_:)`` does
    /// not check it. Our own choice.
    public static let maximumByteCount = 1 << 20

    /// Reads a risk configuration from the bytes of a file: Vigil's own document, the NHS's JSON, or `export.bin`
    /// of the Corona-Warn-App (tried as second generation, then as first). Except for Vigil's document, its version
    /// is 1. Throws `invalidConfiguration` with everything that is wrong; and, with advice, for Google's
    /// configuration, other JSON, and the archive (zip) in which an `export.bin` was published.
    public static func read(_ bytes: [UInt8]) throws(StudyError) -> RiskConfiguration {
        if let json = try? JSON(parsing: bytes), json.object != nil {
            if json["vigilRisk"] != nil { return try reading { try RiskConfiguration(parsing: bytes) } }
            if json["dailySummariesConfig"] != nil {
                throw StudyError(
                    .invalidConfiguration,
                    "This is Google's configuration, which has no limit from where on a day is increased. Write its parts into a "
                        + "Vigil document, with increasedFrom (docs/risk-configuration.md).")
            }
            if json["exposureNotification"] != nil || json["riskScore"] != nil || json["v2RiskCalculation"] != nil {
                return try reading { try RiskConfiguration(nhsConfiguration: bytes, version: 1) }
            }
            throw StudyError(
                .invalidConfiguration,
                "This is JSON, but no risk configuration: Vigil's own begins with \"vigilRisk\": 1, the NHS's has riskScore. "
                    + "If it is a dataset, give it with --windows.")
        }
        // JSON with a mistake in it is no protobuf.
        if bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{") {
            return try reading { try RiskConfiguration(parsing: bytes) }
        }
        if bytes.starts(with: Array("PK".utf8)) {
            throw StudyError(
                .invalidConfiguration,
                "This is the archive in which the configuration was published. Unpack it and give its export.bin.")
        }
        if let second = try? RiskConfiguration(cwaConfiguration: bytes, version: 1) { return second }
        if let first = try? RiskConfiguration(cwaFirstConfiguration: bytes, version: 1) { return first }
        return try reading { try RiskConfiguration(cwaConfiguration: bytes, version: 1) }
    }

    private static func reading(_ read: () throws -> RiskConfiguration) throws(StudyError) -> RiskConfiguration {
        do { return try read() } catch let error as RiskConfigurationError where !error.problems.isEmpty {
            let problems = error.problems.map { "  \($0)" }.joined(separator: "\n")
            throw StudyError(.invalidConfiguration, "The risk configuration has faults; mend these:\n\(problems)")
        } catch {
            throw StudyError(.invalidConfiguration, "\(error)")
        }
    }
}

extension RiskConfiguration {
    /// Returns the models to judge by: all of them if `name` is `nil`, otherwise the one of that name. Throws
    /// `noSuchModel`, with the names of the models, if there is none of that name.
    public func studied(_ name: String?) throws(StudyError) -> [RiskModelParameters] {
        guard let name else { return models }
        let found = models.filter { $0.name.rawValue == name }
        guard found.isEmpty else { return found }
        let names = models.map(\.name.rawValue).joined(separator: ", ")
        throw StudyError(.noSuchModel, "The configuration has no model \(name); it has \(names). Choose one with --model.")
    }
}
