// SPDX-License-Identifier: Apache-2.0

import Matching

extension CWAFirstParameters: RiskParameters {
    /// All problems: numbers out of range, gaps between classes, a level without a class, scores that are in no
    /// class. Empty if there are none.
    public var problems: [RiskProblem] {
        var list = ProblemList()
        list.require(weights, count: 3, in: 0...100, "weights", of: "for below, between and above the thresholds")
        list.require(offset, in: 0...10_000, "offset")
        list.require(positive: divisor, upTo: 1_000_000, "divisor")
        list.require(positive: capMinutes, upTo: 1_440, "capMinutes")
        for (index, riskClass) in classes.enumerated() {
            let path = "classes[\(index)]"
            list.require(riskClass.min, in: 0...1e9, "\(path).min")
            list.require(riskClass.max, in: 0...1e9, "\(path).max")
            list.require(
                !(riskClass.max <= riskClass.min), path,
                "ends at \(riskClass.max) and begins at \(riskClass.min); its max must be above its min")
        }
        for level in RiskLevel.allCases {
            list.require(
                classes.contains { $0.level == level }, "classes", "has no class \(level); one of each level is needed")
        }
        if list.all.isEmpty { requireEveryScore(&list) }
        return list.all
    }

    /// Every score that exposures can have must be in one class, or people with it are told nothing.
    private func requireEveryScore(_ list: inout ProblemList) {
        let sorted = classes.enumerated().sorted { $0.element.min < $1.element.min }
        guard let first = sorted.first, let last = sorted.last else { return }
        list.require(
            first.element.min == 0, "classes[\(first.offset)].min",
            "is \(first.element.min); the lowest class must begin at 0")
        for (lower, upper) in zip(sorted, sorted.dropFirst()) {
            list.require(
                lower.element.max == upper.element.min, "classes[\(upper.offset)].min",
                "is \(upper.element.min) where the class below ends at \(lower.element.max); classes must touch and not overlap"
            )
            list.require(
                lower.element.level < upper.element.level, "classes[\(upper.offset)].level",
                "is \(upper.element.level); a class of higher scores must be of a higher level")
        }
        let highest = CWAFirstModel(self).score(
            maximumRiskScore: exposures.highestRiskScore, minutes: [capMinutes, capMinutes, capMinutes])
        let reaches = last.element.level == .increased ? last.element.max >= highest : last.element.max > highest
        list.require(
            reaches, "classes[\(last.offset)].max", "is \(last.element.max), and scores up to \(highest) can be reached")
    }
}

extension ExposureConfigurationV1 {
    /// What no exposure's score is above. A level of 0 counts as score 1.
    fileprivate var highestRiskScore: Int {
        [attenuationScores, daysScores, durationScores].reduce(max(1, transmissionRiskScores.max() ?? 1)) {
            $0 * ($1.max() ?? 0)
        }
    }
}
