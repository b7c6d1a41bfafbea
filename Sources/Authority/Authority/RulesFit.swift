// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import KeyLevels
package import RiskConfiguration

/// Whether rules read keys as they are published: decode(encode(level)) is the level, for every level that is public (specification
/// rules-and-nhs 6.5).
extension RiskConfiguration {
    /// A sentence for each thing that would be misread; `name` is what the operator calls these rules.
    func misreadings(of keys: PublishingRules, name: String) -> [String] {
        guard case .running = service, models.contains(where: \.looksAtWindows) else { return [] }
        return keys.encodesLevels ? misreadCodes(keys, name) : misreadOnsets(keys, name)
    }

    private func misreadCodes(_ keys: PublishingRules, _ name: String) -> [String] {
        let levels = LevelEncoding.levels.filter(keys.isPublished)
        let faults = levels.compactMap { level -> String? in
            guard let code = keys.levelEncoding.code(level: level),
                let published = ReportType(rawValue: UInt8(clamping: code.reportType))
            else { return nil }
            let said = "level \(level) is published as report type \(code.reportType) and onset \(code.daysSinceOnset)"
            let type = mapping.reportType(published)
            switch type {
            case .unknown, .recursive, .revoked: return "\(said), and nobody looks at keys of that type"
            case .confirmedTest, .clinicalDiagnosis, .selfReport: break
            }
            let infectiousness = mapping.infectiousness(daysSinceOnset: code.daysSinceOnset)
            guard infectiousness != .none else {
                return "\(said), and \(name) says that somebody with that onset is not infectious"
            }
            for case .cwaSecond(let parameters) in models {
                let read = parameters.trlEncoding.level(type, infectiousness)
                if read != Int(level) {
                    return "\(said), and \(name) reads level \(read.map { "\($0)" } ?? "none") out of it"
                }
            }
            return nil
        }
        guard let first = faults.first else { return [] }
        let more = faults.count > 1 ? " (so it is with \(faults.count) of \(levels.count) levels)" : ""
        return [
            "\(name) does not read keys as they are published: \(first)\(more). Keep the mapping {\"1\": 1, \"2\": 2} for encoded levels, or set publishing.encodeLevels in settings.json to false if these rules are for real days since onset."
        ]
    }

    private func misreadOnsets(_ keys: PublishingRules, _ name: String) -> [String] {
        let unnamed = DiagnosisKeyMapping.days.filter {
            keys.isPublished(level: Int32(LevelDerivation.level(daysSinceOnset: $0))) && !mapping.reads(daysSinceOnset: $0)
        }
        var sentences: [String] = []
        if !unnamed.isEmpty {
            sentences.append(
                "\(name) does not read keys as they are published: they have real days since onset, and its mapping does not say what \(unnamed.map { "\($0)" }.joined(separator: ", ")) mean. Name these days, or set publishing.encodeLevels in settings.json to true if these rules are for encoded levels."
            )
        }
        if !mapping.reads(daysSinceOnset: nil), models.allSatisfy(\.looksAtWindows) {
            sentences.append(
                "\(name) does not read all keys: who gives no day of symptoms has keys without an onset, which its mapping calls not infectious, and no model looks at their level. Set infectiousnessWhenDaysSinceOnsetMissing to 1 or 2, or add a model for levels (cwaFirst, nhsFirst)."
            )
        }
        return sentences
    }
}

extension RiskConfiguration {
    /// Returns a sentence for each way in which the rules in `risk.json` would misread keys that boards get; empty if there
    /// is none, and if the rules' service does not run.
    package func misreadings(of keys: PublishingRules) -> [String] {
        misreadings(of: keys, name: "risk.json") + misreadTypes(keys)
    }

    /// Whether boards take report types for what they are. The same for every model: a warning that is taken back is looked at by none.
    /// Phones' rules have no such word.
    private func misreadTypes(_ keys: PublishingRules) -> [String] {
        switch (service, keys.encodesLevels, reportTypes) {
        case (.running, true, .stated):
            [
                "risk.json takes report types as they are stated, and they are codes for levels: boards would tell people a kind of test that nobody made, and would not believe that a warning of report type 1 is taken back. Set \"reportTypes\": \"codes\", or set publishing.encodeLevels in settings.json to false if keys are to have their senders' report types."
            ]
        case (.running, false, .codes):
            [
                "risk.json takes report types for codes, and they are as their senders stated them: boards would not tell people how an infection was established, and would believe what phones do not, that a confirmed test is taken back. Set \"reportTypes\": \"stated\", or set publishing.encodeLevels in settings.json to true if keys are to have codes for levels."
            ]
        default: []
        }
    }
}

extension PublicConfiguration {
    /// Returns a sentence for each way in which phones of the Corona-Warn-App would misread keys; empty if there is none.
    /// Rules that the configuration lacks, or that those phones could not read, are not checked.
    package func misreadings(of keys: PublishingRules) -> [String] {
        let rules = try? RiskConfiguration(cwaConfiguration: appConfigBytes(revoked: [], number: nil), version: 1)
        return rules?.misreadings(of: keys, name: "configuration.json (appConfig)") ?? []
    }
}
