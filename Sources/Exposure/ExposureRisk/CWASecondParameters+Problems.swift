// SPDX-License-Identifier: Apache-2.0

extension CWASecondParameters: RiskParameters {
    /// A day: what the mappings must reach at least.
    private static let leastHighestTime = 1_440.0
    /// The levels that can be published (spec cwa-protocols 7.2).
    private static let levels = 1...8

    /// All problems: numbers out of range, ranges that overlap or leave a gap, encodings that make one level of two
    /// publications. Empty if there are none.
    public var problems: [RiskProblem] {
        var list = ProblemList()
        for (index, filter) in minutesAtAttenuationFilters.enumerated() {
            let path = "minutesAtAttenuationFilters[\(index)]"
            list.require(filter.attenuationRange, "\(path).attenuationRange")
            list.require(filter.dropIfMinutesInRange, "\(path).dropIfMinutesInRange")
        }
        for (index, range) in trlFilters.enumerated() { list.require(range, "trlFilters[\(index)].dropIfTrlInRange") }
        for (index, weight) in minutesAtAttenuationWeights.enumerated() {
            let path = "minutesAtAttenuationWeights[\(index)]"
            list.require(weight.attenuationRange, "\(path).attenuationRange")
            list.require(weight.weight, in: 0...100, "\(path).weight")
        }
        list.require(
            !minutesAtAttenuationWeights.isEmpty, "minutesAtAttenuationWeights",
            "is empty; without weights no minute counts")
        list.requireOrder(
            minutesAtAttenuationWeights.map(\.attenuationRange), "minutesAtAttenuationWeights", "attenuationRange",
            mayHaveGaps: true)
        requireMappings(&list)
        requireLevels(&list)
        list.require(maxEncounterAgeInDays, in: 0...365, "maxEncounterAgeInDays")
        return list.all
    }

    private func requireMappings(_ list: inout ProblemList) {
        let mappings = [
            ("normalizedTimePerEWToRiskLevelMapping", normalizedTimePerEWToRiskLevelMapping),
            ("normalizedTimePerDayToRiskLevelMapping", normalizedTimePerDayToRiskLevelMapping),
        ]
        for (path, mapping) in mappings {
            for (index, entry) in mapping.enumerated() {
                list.require(entry.normalizedTimeRange, "\(path)[\(index)].normalizedTimeRange")
            }
            list.require(
                mapping.contains { $0.riskLevel == .increased }, path,
                "has no range of the increased level; without one nobody would ever be warned")
            list.requireOrder(mapping.map(\.normalizedTimeRange), path, "normalizedTimeRange", mayHaveGaps: false)
            let byTime = mapping.sorted { $0.normalizedTimeRange.min < $1.normalizedTimeRange.min }
            list.require(
                zip(byTime, byTime.dropFirst()).allSatisfy {
                    ($0.riskLevel?.rawValue ?? 0) <= ($1.riskLevel?.rawValue ?? 0)
                },
                path, "gives a lower level to more minutes; levels must rise with the time")
            list.require(
                (mapping.map(\.normalizedTimeRange.max).max() ?? 0) >= Self.leastHighestTime, path,
                "ends below \(ProblemList.text(Self.leastHighestTime)) minutes; more would have no level at all")
        }
    }

    private func requireLevels(_ list: inout ProblemList) {
        let infectiousness = [
            ("infectiousnessOffsetStandard", trlEncoding.infectiousnessOffsetStandard),
            ("infectiousnessOffsetHigh", trlEncoding.infectiousnessOffsetHigh),
        ]
        let reportTypes = [
            ("reportTypeOffsetRecursive", trlEncoding.reportTypeOffsetRecursive),
            ("reportTypeOffsetSelfReport", trlEncoding.reportTypeOffsetSelfReport),
            ("reportTypeOffsetConfirmedClinicalDiagnosis", trlEncoding.reportTypeOffsetConfirmedClinicalDiagnosis),
            ("reportTypeOffsetConfirmedTest", trlEncoding.reportTypeOffsetConfirmedTest),
        ]
        for (name, offset) in infectiousness + reportTypes { list.require(offset, in: 0...8, "trlEncoding.\(name)") }
        let sums = infectiousness.flatMap { first in reportTypes.map { ($0.0, first.0, $0.1 &+ first.1) } }
        for (type, degree, level) in sums where !Self.levels.contains(level) {
            list.require(false, "trlEncoding", "\(degree) and \(type) make level \(level); levels are 1 to 8")
        }
        list.require(
            Set(sums.map(\.2)).count == sums.count, "trlEncoding",
            "makes the same level out of different publications; all eight must differ")
        for (level, value) in transmissionRiskValueMapping.sorted(by: { $0.key < $1.key }) {
            let path = "transmissionRiskValueMapping[\(level)]"
            list.require(level, in: Self.levels, "\(path).transmissionRiskLevel")
            list.require(value, in: 0...100, "\(path).transmissionRiskValue")
        }
        if transmissionRiskValueMapping.isEmpty {
            list.require(positive: transmissionRiskLevelMultiplier, upTo: 100, "transmissionRiskLevelMultiplier")
        } else {
            list.require(transmissionRiskLevelMultiplier, in: 0...100, "transmissionRiskLevelMultiplier")
            list.require(
                transmissionRiskValueMapping.values.contains { $0 > 0 }, "transmissionRiskValueMapping",
                "gives every level the value 0; without a value no minute counts")
        }
    }
}

extension ProblemList {
    /// Attenuations, minutes and levels are never negative.
    fileprivate mutating func require(_ range: CWASecondParameters.Range, _ path: String) {
        require(range.min, in: 0...1e9, "\(path).min")
        require(range.max, in: 0...1e9, "\(path).max")
        let isEmpty = range.min > range.max || range.min == range.max && (range.minExclusive || range.maxExclusive)
        require(
            !isEmpty, path,
            "holds nothing: from \(range.min) to \(range.max); a maximum left out is 0, and must be above the minimum")
    }

    /// The first range that fits counts, so that of two that overlap one is not what somebody meant.
    fileprivate mutating func requireOrder(
        _ ranges: [CWASecondParameters.Range], _ path: String, _ member: String, mayHaveGaps: Bool
    ) {
        let sorted = ranges.enumerated().sorted { $0.element.min < $1.element.min }
        for (lower, upper) in zip(sorted, sorted.dropFirst()) {
            let place = "\(path)[\(upper.offset)].\(member)"
            let (end, begin) = (lower.element, upper.element)
            require(
                !(end.max > begin.min || end.max == begin.min && !end.maxExclusive && !begin.minExclusive), place,
                "overlaps entry \(lower.offset), which ends at \(end.max); one number must be in one range")
            require(
                mayHaveGaps
                    || !(end.max < begin.min || end.max == begin.min && end.maxExclusive && begin.minExclusive), place,
                "begins at \(begin.min) and leaves a gap after entry \(lower.offset), which ends at \(end.max)")
        }
    }
}
