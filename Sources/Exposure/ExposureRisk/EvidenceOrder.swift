// SPDX-License-Identifier: Apache-2.0

import GAEN
import Matching

extension ExposureWindow {
    /// An order over all that models look at. Sums of doubles depend on their order; sorting first makes them depend on the evidence only.
    /// The time of the first sighting takes no part: it must not show in an answer, not even by its order.
    static func precedes(_ left: Self, _ right: Self) -> Bool {
        if left.day != right.day { return left.day < right.day }
        if left.reportType != right.reportType { return left.reportType.rawValue < right.reportType.rawValue }
        if left.infectiousness != right.infectiousness {
            return left.infectiousness.rawValue < right.infectiousness.rawValue
        }
        if left.calibrationConfidence != right.calibrationConfidence {
            return left.calibrationConfidence.rawValue < right.calibrationConfidence.rawValue
        }
        return left.scanInstances.lexicographicallyPrecedes(right.scanInstances) { left, right in
            (left.minimumAttenuation, left.typicalAttenuation, left.secondsSinceLastScan)
                < (right.minimumAttenuation, right.typicalAttenuation, right.secondsSinceLastScan)
        }
    }
}

extension ExposureV1 {
    /// As ``Matching/ExposureWindow/precedes(_:_:)``.
    static func precedes(_ left: Self, _ right: Self) -> Bool {
        let first = (left.keyStart.number, left.riskScore, left.transmissionRiskLevel)
        let second = (right.keyStart.number, right.riskScore, right.transmissionRiskLevel)
        if first != second { return first < second }
        if left.attenuationDurations != right.attenuationDurations {
            return left.attenuationDurations.lexicographicallyPrecedes(right.attenuationDurations)
        }
        return (left.duration, left.attenuation) < (right.duration, right.attenuation)
    }

    /// The day of the key, UTC, days since 1970.
    var day: UInt32 { keyStart.day }
}

/// Contributions of days, sorted so that nothing depends on the order in which they came.
struct DayBook {
    /// Oldest day first; of each day the weightiest first.
    private(set) var days: [(day: UInt32, contributions: [RiskContribution])] = []

    /// `entries` must be in an order that depends on the evidence only, such as the one above.
    init(_ entries: [(day: UInt32, contribution: RiskContribution)]) {
        var byDay: [UInt32: [RiskContribution]] = [:]
        for entry in entries { byDay[entry.day, default: []].append(entry.contribution) }
        days = byDay.sorted { $0.key < $1.key }.map { day, contributions in
            let sorted = contributions.enumerated().sorted {
                $0.element.score != $1.element.score
                    ? $0.element.score > $1.element.score : $0.offset < $1.offset
            }
            return (day, sorted.map(\.element))
        }
    }
}

extension RiskVerdict {
    /// Increased from `limit` on. Numbers that are none have no level: parameters with problems must not calm anybody.
    init(score: Double, limit: Double) {
        let isNumber = score.isFinite && !limit.isNaN
        self.init(
            score: score.isFinite ? score : 0, increasedFrom: limit.isFinite ? limit : nil,
            level: !isNumber ? nil : score >= limit ? .increased : .low)
    }
}

extension Double {
    /// This number of seconds or minutes rounded to a billionth, which removes errors of addition and is finer than any
    /// authority's limit: 1.4 times 900 added scan by scan comes out below 1,260, and a warning must not hang on that. Numbers
    /// too large to have billionths, infinite numbers and NaN are unchanged.
    package var settled: Double {
        let parts = self * 1e9
        return parts.magnitude < 4e15 ? parts.rounded() / 1e9 : self
    }
}

extension UInt32 {
    /// Whether this day is more than `limit` days before `today`. Days to come are as today.
    func isOlder(than limit: Int, today: UInt32) -> Bool { Int(today) - Int(self) > limit }
}

extension ScanInstance {
    /// Seconds as models count them: a clock set back makes none, and no gap is longer than a day.
    var countedSeconds: Int { min(max(secondsSinceLastScan, 0), 86_400) }
}
