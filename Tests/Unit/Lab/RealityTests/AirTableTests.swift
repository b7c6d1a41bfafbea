// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing

@testable import Reality

/// Measures of made-up scans, against numbers by hand.
@Suite struct AirTableTests {
    private func scan(_ receiver: Int, _ sender: Int, at seconds: Int64, _ metres: Double, _ levels: [Int8]) -> HeardScan {
        HeardScan(
            scene: .lunch, receiver: receiver, sender: sender, time: seconds * 1_000_000, metres: metres, levels: levels)
    }

    /// Thirty scans at 1.2 m: ten of nothing, twenty of three receptions; two at 9 m, too few for a row.
    @Test func measuresAreThoseOfTheSums() throws {
        var scans = (0..<10).map { scan($0, 40, at: Int64($0), 1.2, []) }
        scans += (10..<30).map { scan($0, 40, at: Int64($0), 1.2, [-80, -84, -82]) }
        scans += [scan(1, 2, at: 0, 9, [-90]), scan(1, 3, at: 0, 9, [-90])]
        let table = AirTable(scans, resamples: 200)
        #expect(table.rows.count == 1)
        let row = try #require(table.rows.first)
        #expect(row.from == 1 && row.to == 1.5 && row.scans == 30)
        func value(_ measure: AirTable.Measure) -> Double { row.values[measure]?.value ?? .nan }
        #expect(abs(value(.nothing) - 1.0 / 3) < 1e-12 && value(.receptions) == 2)
        // Twenty each of -84, -82, -80, each taken for a decibel's width.
        #expect(abs(value(.lowerQuartile) - -83.75) < 1e-9 && abs(value(.median) - -82) < 1e-9)
        #expect(abs(value(.upperQuartile) - -80.25) < 1e-9)
        #expect(abs(value(.deviation) - 2) < 1e-12 && abs(value(.peak) - 2) < 1e-12)
        // Thirty pairs of people: the share of ten in thirty, drawn anew, is within 0.16 to 0.54 nearly always.
        let nothing = try #require(row.values[.nothing])
        #expect((0.1...0.25).contains(nothing.low) && (0.42...0.57).contains(nothing.high))
        #expect(row.values[.deviation]?.low == row.values[.deviation]?.high)
    }

    /// Both directions of a pair are one group: where there is one pair only, no resample differs.
    @Test func pairsAreDrawnAsAWhole() throws {
        let scans = (0..<40).map { (index: Int) -> HeardScan in
            let receiver = index.isMultiple(of: 2) ? 1 : 2
            let levels: [Int8] = index.isMultiple(of: 3) ? [] : [-70]
            return scan(receiver, 3 - receiver, at: Int64(index), 2.5, levels)
        }
        let row = try #require(AirTable(scans, resamples: 50).rows.first)
        for value in row.values.values { #expect(value.low == value.value && value.high == value.value) }
        #expect(row.values[.deviation] == nil, "nothing has three receptions")
    }

    @Test func stepsAreFromOneScanToTheNext() {
        let scans = [
            scan(1, 2, at: 0, 1, [-80, -80, -80]), scan(1, 2, at: 250, 1, [-83, -83, -83]), scan(1, 2, at: 500, 1, []),
            scan(1, 2, at: 750, 1, []), scan(1, 2, at: 1_000, 1, [-90, -90, -90]),
            // Too long after, and another pair: no step.
            scan(1, 2, at: 1_400, 1, [-60, -60, -60]), scan(2, 1, at: 1_500, 1, [-70, -70, -70]),
        ]
        let table = AirTable(scans, resamples: 0)
        #expect(table.change?.value == 3)
        #expect(table.nothingAgain?.value == 0.5)
        #expect(AirTable([], resamples: 10).rows.isEmpty && AirTable([], resamples: 10).change == nil)
    }

    @Test func aMinimumIsFoundWithinItsRange() {
        func bowl(_ point: [Double]) -> Double {
            (point[0] - 3) * (point[0] - 3) + 10 * (point[1] + 1) * (point[1] + 1) + point[0] * point[1] * 0.5
        }
        let free = NelderMead.minimum(
            from: [0, 0], steps: [1, 1], in: [-10...10, -10...10], evaluations: 200, of: bowl)
        // By setting both derivatives to zero.
        #expect(abs(free.point[0] - 3.2704) < 0.01 && abs(free.point[1] - -1.0818) < 0.01)
        var outside = 0
        let bound = NelderMead.minimum(from: [0, 0], steps: [1, 1], in: [-1...2, -0.5...5], evaluations: 200) { point in
            if !(-1...2).contains(point[0]) || !(-0.5...5).contains(point[1]) { outside += 1 }
            return bowl(point)
        }
        #expect(outside == 0 && abs(bound.point[0] - 2) < 0.01 && abs(bound.point[1] - -0.5) < 0.01)
    }
}
