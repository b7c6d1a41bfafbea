// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import RandomValues
import Testing

@testable import Reality

@Suite struct VerdictTests {
    @Test func timesAreReadAsPublished() {
        #expect(PositionScanner.time("2020-07-30 14:49:15.856667") == 1_596_120_555_856_667)
        #expect(PositionScanner.time("1970-01-01 00:00:00") == 0)
        for wrong in [
            "", "2020-07-30", "2020-07-30 14:49", "2020-07-30T14:49:15", "2020-07-32 14:49:15", "2020-07-30 24:00:00",
            "2020-07-30 14:60:00", "2020-07-30 14:49:15.85", "2020-07-30 14:49:15.85666x", "2020-07-30 14:49:60",
            "2020-07-30 -1:49:15",
        ] {
            #expect(PositionScanner.time(wrong) == nil, "\(wrong)")
        }
    }

    @Test func theNearestFrameIsFound() {
        let scene = ScenePositions(
            times: [0, 40, 90],
            places: [1: [SIMD2(0, 0), SIMD2(0, 0), SIMD2(0, 0)], 2: [SIMD2(3, 4), SIMD2(.nan, .nan), SIMD2(0, 1)]])
        #expect([-1, 0, 19, 21, 40, 64, 66, 90, 91].map { scene.frame(at: $0) } == [nil, 0, 0, 1, 1, 1, 2, 2, nil])
        #expect(
            scene.distance(1, 2, frame: 0) == 5 && scene.distance(1, 2, frame: 1) == nil
                && scene.distance(1, 3, frame: 0) == nil)
        let seconds = scene.seconds(1, 2, within: [1.5, 5])
        #expect(seconds.seen == 2.0 / 24 && seconds.near == [1.0 / 24, 2.0 / 24])
    }

    /// The area by ranks is the share of pairs in which the positive one scores more, ties half.
    @Test func theAreaIsThatOfAllPairs() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<100 {
            let count = Int.random(in: 2...30, using: &generator)
            let scores = (0..<count).map { _ in Double(Int.random(in: 0...6, using: &generator)) }
            let positive = (0..<count).map { _ in Bool.random(using: &generator) }
            let found = AreaUnderCurve.estimate(
                scores: scores, isPositive: positive, groups: scores.indices.map { [$0] }, resamples: 50, seed: 1)
            var (wins, all) = (0.0, 0.0)
            for one in scores.indices where positive[one] {
                for other in scores.indices where !positive[other] {
                    all += 1
                    wins += scores[one] > scores[other] ? 1 : scores[one] == scores[other] ? 0.5 : 0
                }
            }
            guard all > 0 else {
                #expect(found == nil)
                continue
            }
            let area = try #require(found)
            #expect(abs(area.value - wins / all) < 1e-12 && area.low <= area.high && (0...1).contains(area.low))
        }
    }
}
