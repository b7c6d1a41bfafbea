// SPDX-License-Identifier: Apache-2.0

import VirtualAir

/// What a scan brings, by the true distance of who sends.
public struct AirTable: Sendable {
    /// What is measured. Raw values are names in reports.
    public enum Measure: String, Sendable, CaseIterable {
        /// The share of scans that heard nothing, 0 to 1.
        case nothing
        /// The mean number of receptions of all scans.
        case receptions
        /// The lower quartile of the signal strengths of all receptions, in dBm.
        case lowerQuartile
        /// The median of them, in dBm.
        case median
        /// The upper quartile of them, in dBm.
        case upperQuartile
        /// The mean standard deviation within a scan of three receptions or more, in dB.
        case deviation
        /// The mean distance from the mean to the strongest within such a scan, in dB.
        case peak
    }

    /// The scans with the sender within one range of distances.
    public struct Row: Sendable {
        /// The least distance in metres; it belongs to the range.
        public let from: Double
        /// The end of the range in metres, which does not belong to it; may be infinite.
        public let to: Double
        /// The number of scans.
        public let scans: Int
        /// What was measured, where anything was.
        public let values: [Measure: Estimate]
    }

    /// The ends of the ranges in metres.
    public static let edges = [0, 1, 1.5, 2, 3, 4, 6, Double.infinity]
    /// Fewer scans say nothing, and give no row.
    public static let leastScans = 25

    /// By distance, from near to far.
    public let rows: [Row]
    /// The root mean square of the change of the mean strength from one scan of a phone to its next, of the same sender, in
    /// dB, both with three receptions or more; `nil` if there is none.
    public let change: Estimate?
    /// The share of scans that heard nothing among those whose predecessor heard nothing, 0 to 1; `nil` if there is none.
    public let nothingAgain: Estimate?

    /// Measures `scans`, with intervals of so many `resamples` of unordered pairs of people, drawn by `seed`. Without resamples
    /// an interval has no width.
    public init(_ scans: [HeardScan], resamples: Int = 1_000, seed: UInt64 = 1) {
        let sums = AirSums(scans)
        let whole = sums.values([Int](repeating: 1, count: sums.groupCount))
        var generator = SplitMix64(seed: seed)
        var drawn = [[Double]](repeating: [], count: whole.count)
        for _ in 0..<resamples {
            var weights = [Int](repeating: 0, count: sums.groupCount)
            for _ in 0..<sums.groupCount { weights[Int.random(in: 0..<sums.groupCount, using: &generator)] += 1 }
            for (index, value) in sums.values(weights).enumerated() { if let value { drawn[index].append(value) } }
        }
        func estimate(_ index: Int) -> Estimate? { Estimate(whole[index], of: drawn[index]) }
        let measures = Measure.allCases
        rows = (0..<Self.edges.count - 1).compactMap { row in
            guard sums.scanCounts[row] >= Self.leastScans else { return nil }
            var values: [Measure: Estimate] = [:]
            for (index, measure) in measures.enumerated() { values[measure] = estimate(row * measures.count + index) }
            return Row(
                from: Self.edges[row], to: Self.edges[row + 1], scans: sums.scanCounts[row], values: values)
        }
        let rest = (Self.edges.count - 1) * measures.count
        (change, nothingAgain) = (estimate(rest), estimate(rest + 1))
    }
}

/// Sums by group of scans, from which the measures of any weighting of the groups follow.
struct AirSums {
    /// The sums of one group's scans within one range of distances.
    fileprivate struct Cell {
        var (scans, nothing, receptions) = (0, 0, 0)
        /// Of scans with three receptions or more.
        var (full, deviation, peak) = (0, 0.0, 0.0)
        var levels: [Int: Int] = [:]
    }

    /// The sums over pairs of a scan and its predecessor.
    fileprivate struct Steps {
        var (changes, squares) = (0, 0.0)
        var (nothing, again) = (0, 0)
    }

    private static let rowCount = AirTable.edges.count - 1
    /// Two scans of a phone are neighbours if so far apart at most, in microseconds.
    private static let longestStep: Int64 = 320_000_000

    private var cells: [[Cell]] = []
    private var steps: [Steps] = []
    /// The scans by range of distances.
    private(set) var scanCounts = [Int](repeating: 0, count: rowCount)
    var groupCount: Int { cells.count }

    init(_ scans: [HeardScan]) {
        var groups: [[Int]: Int] = [:]
        var previous: [[Int]: HeardScan] = [:]
        for scan in scans.sorted(by: { ($0.time, $0.receiver, $0.sender) < ($1.time, $1.receiver, $1.sender) }) {
            let pair = [scan.receiver, scan.sender].sorted()
            let group = groups[pair] ?? cells.count
            if group == cells.count {
                groups[pair] = group
                cells.append([Cell](repeating: Cell(), count: Self.rowCount))
                steps.append(Steps())
            }
            let row = (AirTable.edges.firstIndex { scan.metres < $0 } ?? 1) - 1
            scanCounts[row] += 1
            cells[group][row].add(scan)
            let last = previous.updateValue(scan, forKey: [scan.receiver, scan.sender])
            guard let last, last.scene == scan.scene, scan.time - last.time < Self.longestStep else { continue }
            steps[group].add(last, scan)
        }
    }

    /// The measures of each range, then the two of ``AirTable``, if every group counts so many times; `nil` where nothing is.
    func values(_ weights: [Int]) -> [Double?] {
        var values: [Double?] = []
        for row in 0..<Self.rowCount {
            var sum = Cell()
            var levels = [Int](repeating: 0, count: 256)
            for (group, weight) in weights.enumerated() where weight > 0 && cells[group][row].scans > 0 {
                let cell = cells[group][row]
                sum.scans += weight * cell.scans
                sum.nothing += weight * cell.nothing
                sum.receptions += weight * cell.receptions
                sum.full += weight * cell.full
                sum.deviation += Double(weight) * cell.deviation
                sum.peak += Double(weight) * cell.peak
                for (level, count) in cell.levels { levels[level + 128] += weight * count }
            }
            func mean(_ value: Double, of count: Int) -> Double? { count == 0 ? nil : value / Double(count) }
            values.append(mean(Double(sum.nothing), of: sum.scans))
            values.append(mean(Double(sum.receptions), of: sum.scans))
            for share in [0.25, 0.5, 0.75] { values.append(Self.quantile(share, levels, sum.receptions)) }
            values.append(mean(sum.deviation, of: sum.full))
            values.append(mean(sum.peak, of: sum.full))
        }
        var all = Steps()
        for (group, weight) in weights.enumerated() {
            all.changes += weight * steps[group].changes
            all.squares += Double(weight) * steps[group].squares
            all.nothing += weight * steps[group].nothing
            all.again += weight * steps[group].again
        }
        values.append(all.changes == 0 ? nil : (all.squares / Double(all.changes)).squareRoot())
        values.append(all.nothing == 0 ? nil : Double(all.again) / Double(all.nothing))
        return values
    }

    /// Of whole decibels, each taken for a range of one decibel around it: steps of a decibel would hide what is less.
    private static func quantile(_ share: Double, _ levels: [Int], _ count: Int) -> Double? {
        guard count > 0 else { return nil }
        var left = share * Double(count)
        for (index, here) in levels.enumerated() where here > 0 {
            if left <= Double(here) { return Double(index - 128) - 0.5 + left / Double(here) }
            left -= Double(here)
        }
        return nil
    }
}

extension AirSums.Cell {
    fileprivate mutating func add(_ scan: HeardScan) {
        scans += 1
        nothing += scan.levels.isEmpty ? 1 : 0
        receptions += scan.levels.count
        for level in scan.levels { levels[Int(level), default: 0] += 1 }
        guard let mean = scan.mean, let strongest = scan.levels.max() else { return }
        full += 1
        let squares = scan.levels.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
        deviation += (squares / Double(scan.levels.count - 1)).squareRoot()
        peak += Double(strongest) - mean
    }
}

extension AirSums.Steps {
    fileprivate mutating func add(_ last: HeardScan, _ next: HeardScan) {
        if last.levels.isEmpty {
            nothing += 1
            again += next.levels.isEmpty ? 1 : 0
        }
        guard let before = last.mean, let after = next.mean else { return }
        changes += 1
        squares += (after - before) * (after - before)
    }
}

extension HeardScan {
    /// The mean strength in dBm; `nil` with less than three receptions.
    fileprivate var mean: Double? {
        levels.count < 3 ? nil : levels.reduce(0.0) { $0 + Double($1) } / Double(levels.count)
    }
}
