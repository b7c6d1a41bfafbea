// SPDX-License-Identifier: Apache-2.0

/// Paths in the words of a document for paths in the words of the parameters.
struct Places: Sendable {
    private let table: [String: String]
    private let ends: [String: String]

    /// `ends` are for what lies in lists, where beginnings differ.
    init(_ table: [String: String] = [:], ends: [String: String] = [:]) {
        self.table = table
        self.ends = ends
    }

    func place(_ path: String) -> String {
        let place = placeOfBeginning(path)
        guard let end = ends.first(where: { place.hasSuffix($0.key) }) else { return place }
        return place.dropLast(end.key.count) + end.value
    }

    /// The longest beginning that the table knows is replaced: `exposures.daysScores[2]` by way of `exposures.daysScores`.
    private func placeOfBeginning(_ path: String) -> String {
        var beginning = path[...]
        while !beginning.isEmpty {
            if let place = table[String(beginning)] { return place + path.dropFirst(beginning.count) }
            guard let end = beginning.lastIndex(where: { $0 == "." || $0 == "[" }) else { break }
            beginning = beginning[..<end]
        }
        return path
    }
}

extension Places {
    private static let scores = [
        "attenuationScores": "attenuationScores", "daysScores": "daysSinceLastExposureScores",
        "durationScores": "durationScores", "transmissionRiskScores": "transmissionRiskScores",
        "durationThresholds": "durationAtAttenuationThresholds", "minimumRiskScore": "minimumRiskScore",
    ]

    private static let summaries = [
        "attenuationThresholds": "attenuationBucketThresholdDb", "attenuationWeights": "attenuationBucketWeights",
    ]

    /// Vigil's own document.
    static func own(_ parameters: RiskModelParameters) -> Places {
        switch parameters {
        case .cwaFirst, .nhsFirst: Places(within("exposures", scores))
        case .dailySummaries: Places(within("summaries", summaries))
        case .cwaSecond, .swissCovid: Places()
        case .nhsSecond: Places(NHSForms.places)
        }
    }

    private static func within(_ name: String, _ table: [String: String]) -> [String: String] {
        Dictionary(table.map { ("\(name).\($0)", "\(name).\($1)") }, uniquingKeysWith: { $1 })
    }
}
