// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import JSON
import RiskConfiguration
import RiskStudy

/// Which numbers of a model may be fitted, and where they stand in a document whose first model it is.
enum RuleLevers {
    static func of(_ model: RiskModelParameters, in document: JSON) throws(StudyError) -> [FittedRule.Lever] {
        var levers: [FittedRule.Lever] = []
        func add(_ kind: FittedRule.Lever.Kind, _ paths: [String]) throws(StudyError) {
            var places: [DocumentPath] = []
            for path in paths { places.append(try DocumentPath("models[0].\(model.name.rawValue).\(path)")) }
            guard let first = places.first else { return }
            levers.append(.init(kind: kind, places: places, published: try first.number(in: document)))
        }
        switch model {
        case .swissCovid:
            try add(.decibels, ["lowerThreshold"])
            try add(.decibels, ["higherThreshold"])
            try add(.limit, ["triggerThreshold"])
        case .dailySummaries(let parameters):
            guard parameters.classes.isEmpty else {
                throw StudyError(.invalidConfiguration, "Classes of exposure cannot be fitted; give increasedFrom.")
            }
            for index in 0..<3 { try add(.decibels, ["summaries.attenuationBucketThresholdDb[\(index)]"]) }
            try add(.limit, ["increasedFrom"])
        case .cwaFirst(let parameters):
            for index in 0..<2 { try add(.decibels, ["exposures.durationAtAttenuationThresholds[\(index)]"]) }
            guard let high = parameters.classes.firstIndex(where: { $0.level == .increased }) else { break }
            try add(.limit, edge("classes", high, parameters.classes.map { ($0.min, $0.max) }, "min", "max"))
        case .nhsFirst:
            for index in 0..<2 { try add(.decibels, ["exposures.durationAtAttenuationThresholds[\(index)]"]) }
            try add(.limit, ["riskThreshold"])
        case .nhsSecond:
            try add(.logarithm, ["riskScore.rssiParameters.intercept"])
            try add(.limit, ["riskThreshold"])
        case .cwaSecond(let parameters):
            let ranges = parameters.minutesAtAttenuationWeights.map(\.attenuationRange)
            for index in ranges.indices {
                let list = "minutesAtAttenuationWeights"
                let isShared = index + 1 < ranges.count && ranges[index + 1].min == ranges[index].max
                try add(
                    .decibels,
                    ["\(list)[\(index)].attenuationRange.max"]
                        + (isShared ? ["\(list)[\(index + 1)].attenuationRange.min"] : []))
            }
            try add(
                .limit,
                edge("normalizedTimePerEWToRiskLevelMapping", parameters.normalizedTimePerEWToRiskLevelMapping)
                    + edge("normalizedTimePerDayToRiskLevelMapping", parameters.normalizedTimePerDayToRiskLevelMapping))
        }
        return levers
    }

    private static func edge(_ list: String, _ mapping: [CWASecondParameters.LevelMapping]) -> [String] {
        guard let high = mapping.firstIndex(where: { $0.riskLevel == .increased }) else { return [] }
        let ranges = mapping.map { ($0.normalizedTimeRange.min, $0.normalizedTimeRange.max) }
        return edge(list, high, ranges, "normalizedTimeRange.min", "normalizedTimeRange.max")
    }

    /// The lower end of a range, and the upper end of the one that it adjoins.
    private static func edge(
        _ list: String, _ index: Int, _ ranges: [(min: Double, max: Double)], _ min: String, _ max: String
    ) -> [String] {
        let below = ranges.indices.filter { $0 != index && ranges[$0].max == ranges[index].min }
        return ["\(list)[\(index)].\(min)"] + below.map { "\(list)[\($0)].\(max)" }
    }
}
