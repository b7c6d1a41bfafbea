// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
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

    /// The area by ranks is the share of pairs of one stratum in which the positive one scores more, ties half.
    @Test func theAreaIsThatOfAllPairs() throws {
        var generator = SeededGenerator(seed: 3)
        for round in 0..<200 {
            let count = Int.random(in: 2...30, using: &generator)
            let scores = (0..<count).map { _ in Double(Int.random(in: 0...6, using: &generator)) }
            let positive = (0..<count).map { _ in Bool.random(using: &generator) }
            let strata = (0..<count).map { _ in round % 2 == 0 ? 0 : Int.random(in: 0...2, using: &generator) }
            let weights = (0..<count).map { _ in Int.random(in: 0...3, using: &generator) }
            let found = AreaUnderCurve(scores: scores, isPositive: positive, strata: strata).area(weights)
            var (wins, all) = (0.0, 0.0)
            for one in scores.indices where positive[one] {
                for other in scores.indices where !positive[other] && strata[one] == strata[other] {
                    let times = Double(weights[one] * weights[other])
                    all += times
                    wins += times * (scores[one] > scores[other] ? 1 : scores[one] == scores[other] ? 0.5 : 0)
                }
            }
            guard all > 0 else {
                #expect(found == nil)
                continue
            }
            #expect(abs(try #require(found) - wins / all) < 1e-12)
        }
    }

    /// By hand: of four units two are positive; two alarms, one of them right.
    @Test func figuresAreCountedAndLieInTheirIntervals() throws {
        let pairs = (0..<4).map { MadeUpPairs.pair(.lunch, $0, scans: [], isNear: $0 < 2) }
        let judged = [(9.0, true), (1.0, false), (5.0, true), (0.0, false)].map { (score: $0.0, isAlarm: $0.1) }
        let found = RuleVerdicts(of: judged, on: pairs)
        #expect(found.count == 4 && found.positives == 2 && found.alarms == 2 && found.hits == 1)
        #expect(found.precision?.value == 0.5 && found.recall?.value == 0.5 && found.balance?.value == 0.5)
        #expect(found.area?.value == 0.75)
        for estimate in [found.precision, found.recall, found.balance, found.area] {
            let estimate = try #require(estimate)
            #expect(estimate.low < estimate.value && estimate.value < estimate.high)
        }
        let silent = RuleVerdicts(of: judged.map { ($0.score, false) }, on: pairs)
        #expect(silent.precision == nil && silent.recall?.value == 0)
        let nobody = RuleVerdicts(of: [], on: [])
        #expect(nobody.count == 0 && nobody.area == nil && nobody.recall == nil)
    }

    /// The same rule is above itself by nothing in each resample; a rule that orders better is above one that orders worse, and as
    /// far below it the other way round.
    @Test(arguments: [RuleVerdicts.Resampling.pairs, .people])
    func rulesAreComparedInTheSameResamples(resampling: RuleVerdicts.Resampling) throws {
        let pairs = (0..<40).map { MadeUpPairs.pair(.lunch, $0, scans: [], isNear: $0 < 20) }
        func verdicts(_ score: (Int) -> Double) -> RuleVerdicts {
            RuleVerdicts(of: pairs.indices.map { (score($0), false) }, on: pairs, resampling: resampling, resamples: 200)
        }
        let (good, bad) = (verdicts { $0 < 20 ? 1 : 0 }, verdicts { Double($0 % 2) })
        let same = try #require(good.areaDifference(from: good))
        #expect(same.value == 0 && same.low == 0 && same.high == 0)
        let above = try #require(good.areaDifference(from: bad)), below = try #require(bad.areaDifference(from: good))
        #expect(above.value == 0.5 && above.low > 0.2 && above.high < 0.8)
        #expect(below.value == -above.value && below.high < 0)
        let silent = RuleVerdicts(of: [], on: [])
        #expect(good.areaDifference(from: silent) == nil && silent.areaDifference(from: silent) == nil)
    }

    /// Who is drawn twice is there with all pairs, twice: intervals by people are wider when all pairs share a person.
    @Test func peopleOfManyPairsMakeIntervalsWider() throws {
        let pairs = (0..<40).map { MadeUpPairs.pair(.lunch, $0, scans: [], isNear: $0 < 20) }
        func width(_ resampling: RuleVerdicts.Resampling) throws -> Double {
            let found = RuleVerdicts(of: Rule.everybody.judge(pairs), on: pairs, resampling: resampling)
            let precision = try #require(found.precision)
            return precision.high - precision.low
        }
        #expect(try width(.people) > width(.pairs))
    }

    /// Both directions of two people are one group, in whatever scene.
    @Test func peopleAreResampledTogether() {
        let both = [
            MadeUpPairs.pair(.lunch, 1, scans: [], isNear: true), MadeUpPairs.pair(.train, 1, scans: [], isNear: false),
            MadeUpPairs.pair(.lunch, 2, scans: [], isNear: true),
        ]
        #expect(RuleVerdicts.groups(of: both) == [[0, 1], [2]])
        let turned = MetPair(
            scene: .office, receiver: both[0].sender, sender: both[0].receiver, windows: [], secondsWithinOneAndAHalf: 0,
            secondsWithinTwo: 0, metresAtScans: [])
        #expect(RuleVerdicts.groups(of: both + [turned]) == [[0, 1, 3], [2]])
    }

    /// "Warn everybody" has the base rate as precision, all recall, and the area of a coin.
    @Test func everybodyIsTheBaseRate() {
        let pairs = (0..<10).map { MadeUpPairs.pair(.train, $0, scans: [(60, 300)], isNear: $0 < 3) }
        let found = RuleVerdicts(of: Rule.everybody.judge(pairs), on: pairs, resamples: 10)
        #expect(found.precision?.value == 0.3 && found.recall?.value == 1 && found.area?.value == 0.5)
    }

    /// By hand: 10 minutes at a mean of 55 dB, 20 at one of 63, by 59 ± 4.
    @Test func ourOwnRuleAveragesFirst() throws {
        let rule = try #require(AveragedRule(middle: 59, width: 4, trigger: 8))
        let pair = MadeUpPairs.pair(.train, 1, scans: [(50, 300), (60, 300)], isNear: true)
        let other = MadeUpPairs.pair(.train, 1, scans: [(63, 600), (63, 600), (1, 0)], isNear: true)
        let expected: Double = 10 / (1 + exp(-1)) + 20 / (1 + exp(1))
        let found = rule.judge(pair.windows + other.windows)
        #expect(abs(found.score - expected) < 1e-12 && found.isAlarm)
        #expect(rule.judge([]).score == 0 && !rule.judge([]).isAlarm)
        #expect(AveragedRule(width: 0) == nil && AveragedRule(trigger: -1) == nil && AveragedRule(middle: .nan) == nil)
    }
}
