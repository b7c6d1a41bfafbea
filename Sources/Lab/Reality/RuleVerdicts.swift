// SPDX-License-Identifier: Apache-2.0

import VirtualAir

/// How well a rule tells pairs that were near for a quarter of an hour from others. Every figure comes with the middle
/// 95 % of a bootstrap (``Resampling``).
public struct RuleVerdicts: Sendable {
    /// What is drawn for each resample.
    public enum Resampling: Sendable {
        /// Unordered pairs of people, because two phones that heard each other are not two observations (spec reality, section 5).
        case pairs
        /// People, because one of them is in many pairs. A pair counts as often as the one person was drawn, times the other;
        /// intervals are wider.
        case people
    }

    /// The number of units.
    public let count: Int
    /// The units that were near for a quarter of an hour.
    public let positives: Int
    /// The units that the rule warns.
    public let alarms: Int
    /// Those of ``alarms`` that are positive.
    public let hits: Int
    /// The share of alarms that are right; `nil` without one.
    public let precision: Estimate?
    /// The share of positive units with an alarm; `nil` if none is positive.
    public let recall: Estimate?
    /// The mean of the recall and of the share of other units without an alarm; `nil` if all or none are positive.
    public let balance: Estimate?
    /// The chance that a positive unit scores above another one, half for equal scores; `nil` if no two can be compared.
    public let area: Estimate?
    /// The area in each resample; `nil` where no two units could be compared.
    private let drawnAreas: [Double?]

    /// Counts what a rule said of `pairs`, in their order. Positive is ``MetPair/isPositive(nearer:)``. With `withinScenes`
    /// the area compares units of the same scene only. `resamples` are drawn by `seed`: the same for all rules on the same pairs.
    public init(
        of judged: [(score: Double, isAlarm: Bool)], on pairs: [MetPair], isNearer: Bool = false,
        withinScenes: Bool = false, resampling: Resampling = .pairs, resamples: Int = 1_000, seed: UInt64 = 1
    ) {
        precondition(judged.count == pairs.count, "as many verdicts as units")
        let isPositive = pairs.map { $0.isPositive(nearer: isNearer) }
        let scenes = ScenePositions.Name.allCases
        let curve = AreaUnderCurve(
            scores: judged.map(\.score), isPositive: isPositive,
            strata: pairs.map { withinScenes ? scenes.firstIndex(of: $0.scene) ?? 0 : 0 })
        func counts(_ weights: [Int]) -> Counts {
            var counts = Counts()
            for index in judged.indices { counts.add(judged[index].isAlarm, isPositive[index], weights[index]) }
            return counts
        }
        let ones = [Int](repeating: 1, count: judged.count)
        let all = counts(ones)
        (count, positives, alarms, hits) = (judged.count, all.positives, all.alarms, all.hits)

        var generator = SplitMix64(seed: seed)
        let draw = resampling == .pairs ? Self.drawingPairs(of: pairs) : Self.drawingPeople(of: pairs)
        var drawn: (precision: [Double], recall: [Double], balance: [Double], area: [Double?]) = ([], [], [], [])
        for _ in 0..<(pairs.isEmpty ? 0 : resamples) {
            let weights = draw(&generator)
            let resample = counts(weights)
            if let value = resample.precision { drawn.precision.append(value) }
            if let value = resample.recall { drawn.recall.append(value) }
            if let value = resample.balance { drawn.balance.append(value) }
            drawn.area.append(curve.area(weights))
        }
        precision = Estimate(all.precision, of: drawn.precision)
        recall = Estimate(all.recall, of: drawn.recall)
        balance = Estimate(all.balance, of: drawn.balance)
        area = Estimate(curve.area(ones), of: drawn.area.compactMap { $0 })
        drawnAreas = drawn.area
    }

    /// By how much this rule's area lies above that of `other`, with the interval of the differences in the same resamples. Both
    /// must be of the same pairs, and drawn alike; `nil` if there is no area.
    public func areaDifference(from other: RuleVerdicts) -> Estimate? {
        guard let area, let otherArea = other.area, drawnAreas.count == other.drawnAreas.count else { return nil }
        let differences = zip(drawnAreas, other.drawnAreas).compactMap { left, right in
            left.flatMap { left in right.map { left - $0 } }
        }
        return Estimate(area.value - otherArea.value, of: differences)
    }

    /// Returns a function that draws how often each of `pairs` counts.
    private static func drawingPairs(of pairs: [MetPair]) -> (inout SplitMix64) -> [Int] {
        let groups = groups(of: pairs)
        return { generator in
            var weights = [Int](repeating: 0, count: pairs.count)
            for _ in groups {
                for index in groups[Int.random(in: groups.indices, using: &generator)] { weights[index] += 1 }
            }
            return weights
        }
    }

    private static func drawingPeople(of pairs: [MetPair]) -> (inout SplitMix64) -> [Int] {
        let people = Set(pairs.flatMap { [$0.receiver, $0.sender] }).sorted()
        return { generator in
            var counts: [Int: Int] = [:]
            for _ in people { counts[people[Int.random(in: people.indices, using: &generator)], default: 0] += 1 }
            return pairs.map { (counts[$0.receiver] ?? 0) * (counts[$0.sender] ?? 0) }
        }
    }

    /// The positions of units of the same two people, whoever of them listened, in whatever scene.
    static func groups(of pairs: [MetPair]) -> [[Int]] {
        Dictionary(grouping: pairs.indices) { [pairs[$0].receiver, pairs[$0].sender].sorted() }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    struct Counts {
        var (alarms, hits, positives, others) = (0, 0, 0, 0)

        mutating func add(_ isAlarm: Bool, _ isPositive: Bool, _ weight: Int = 1) {
            if isPositive { positives += weight } else { others += weight }
            if isAlarm { alarms += weight }
            if isAlarm && isPositive { hits += weight }
        }

        var precision: Double? { alarms == 0 ? nil : Double(hits) / Double(alarms) }
        var recall: Double? { positives == 0 ? nil : Double(hits) / Double(positives) }
        var balance: Double? {
            guard let recall, others > 0 else { return nil }
            return (recall + 1 - Double(alarms - hits) / Double(others)) / 2
        }
    }
}

/// The area under the receiver operating characteristic, by ranks (Mann and Whitney), of units of the same stratum.
struct AreaUnderCurve {
    private let isPositive: [Bool]
    /// By unit, the rank of its score among all different ones of its stratum, after those of the strata before.
    private let cells: [Int]
    /// Where each stratum's cells begin, and the end of the last.
    private let starts: [Int]

    init(scores: [Double], isPositive: [Bool], strata: [Int]) {
        self.isPositive = isPositive
        var (cells, starts) = ([Int](repeating: 0, count: scores.count), [0])
        for (_, units) in Dictionary(grouping: scores.indices, by: { strata[$0] }).sorted(by: { $0.key < $1.key }) {
            let distinct = Set(units.map { scores[$0] }).sorted()
            let rank = Dictionary(uniqueKeysWithValues: distinct.enumerated().map { ($1, $0) })
            for unit in units { cells[unit] = (starts.last ?? 0) + (rank[scores[unit]] ?? 0) }
            starts.append((starts.last ?? 0) + distinct.count)
        }
        (self.cells, self.starts) = (cells, starts)
    }

    /// The area if each unit is there so many times; `nil` if no two units can be compared.
    func area(_ weights: [Int]) -> Double? {
        var positive = [Int](repeating: 0, count: starts.last ?? 0)
        var negative = positive
        for unit in cells.indices {
            if isPositive[unit] { positive[cells[unit]] += weights[unit] } else { negative[cells[unit]] += weights[unit] }
        }
        var (wins, all) = (0.0, 0.0)
        for (start, end) in zip(starts, starts.dropFirst()) {
            var (below, positives) = (0, 0)
            for cell in start..<end {
                wins += Double(positive[cell]) * (Double(below) + Double(negative[cell]) / 2)
                below += negative[cell]
                positives += positive[cell]
            }
            all += Double(positives) * Double(below)
        }
        return all > 0 ? wins / all : nil
    }
}
