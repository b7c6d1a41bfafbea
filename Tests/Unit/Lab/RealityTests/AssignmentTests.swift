// SPDX-License-Identifier: Apache-2.0

import GAEN
import Matching
import RandomValues
import Testing

@testable import Reality

@Suite struct AssignmentTests {
    /// The smallest sum, by trying everything.
    private func smallest(_ costs: [[Double]]) -> Double {
        func search(_ row: Int, _ used: Set<Int>, _ left: Int) -> Double {
            guard left > 0 else { return 0 }
            guard row < costs.count else { return .infinity }
            var best = costs.count - row > left ? search(row + 1, used, left) : .infinity
            for column in costs[row].indices where !used.contains(column) {
                best = min(best, costs[row][column] + search(row + 1, used.union([column]), left - 1))
            }
            return best
        }
        return search(0, [], min(costs.count, costs.first?.count ?? 0))
    }

    @Test func noOtherAssignmentIsCheaper() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<400 {
            let (rows, columns) = (Int.random(in: 1...5, using: &generator), Int.random(in: 1...5, using: &generator))
            let costs = (0..<rows).map { _ in
                (0..<columns).map { _ in
                    Bool.random(using: &generator) ? 1_000.0 : Double(Int.random(in: 0...20, using: &generator)) / 4
                }
            }
            let found = Assignment.best(costs)
            #expect(found.count == min(rows, columns))
            #expect(Set(found.map(\.row)).count == found.count && Set(found.map(\.column)).count == found.count)
            #expect(abs(found.reduce(0) { $0 + costs[$1.row][$1.column] } - smallest(costs)) < 1e-9)
        }
        #expect(Assignment.best([]).isEmpty && Assignment.best([[], []]).isEmpty)
    }

    private func scan(_ minimum: Int, _ typical: Int, _ seconds: Int) -> ReportedWindow.Scan {
        ReportedWindow.Scan(minimum: minimum, typical: typical, seconds: seconds)
    }

    /// By hand: half of the minimum's and all of the mean's difference, each up to 10; 0.7 for each minute up to 3; a gap costs 4.
    @Test func anAlignmentCostsWhatTheSheetSays() {
        let window = [scan(61, 64, 240), scan(67, 69, 240), scan(45, 47, 300)]
        func cost(_ other: [ReportedWindow.Scan]) -> Double { WindowComparison.alignment(window, other).cost }
        #expect(cost(window) == 0)
        #expect(abs(cost([scan(62, 64, 240), scan(67, 70, 240), scan(47, 47, 240)]) - (0.5 + 1 + 1 + 0.7) / 3) < 1e-12)
        #expect(abs(cost([scan(61, 64, 240), scan(45, 47, 300)]) - 4.0 / 3) < 1e-12)
        #expect(abs(cost([scan(0, 64, 240), scan(67, 69, 240), scan(45, 47, 300)]) - 5.0 / 3) < 1e-12)
        #expect(abs(cost([scan(61, 64, 0), scan(67, 69, 240), scan(45, 47, 300)]) - 0.7 * 3 / 3) < 1e-12)
        #expect(cost(Array(repeating: scan(61, 64, 240), count: 7)) == 1_000)
        let pairs = WindowComparison.alignment(window, [window[0], window[2]]).scans
        #expect(pairs.map(\.0) == [0, 2] && pairs.map(\.1) == [0, 1])
    }

    @Test func eachWindowIsMatchedOnce() {
        let scans = [scan(61, 64, 240), scan(67, 69, 240)]
        let rebuilt = ExposureWindow(
            day: 0, firstSighting: 0, reportType: .confirmedTest, infectiousness: .standard, calibrationConfidence: .high,
            scanInstances: scans.map {
                ScanInstance(
                    typicalAttenuation: $0.typical, minimumAttenuation: $0.minimum, secondsSinceLastScan: $0.seconds)
            })
        let comparison = WindowComparison(
            reported: [ReportedWindow(scans: scans), ReportedWindow(scans: scans)], rebuilt: [rebuilt])
        #expect(comparison.matched.count == 1 && comparison.share == 0.5)
        let far = ReportedWindow(scans: [scan(30, 30, 240), scan(30, 30, 240)])
        #expect(WindowComparison(reported: [far], rebuilt: [rebuilt]).matched.isEmpty)
    }
}
