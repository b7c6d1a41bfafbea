// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import ExposureRisk
import GAEN
import Glibc
import Matching
import RandomValues
import RiskConfiguration
import RiskStudy
import Testing

@testable import Reality

@Suite struct FitTests {
    private func configuration(_ model: RiskModelParameters) -> RiskConfiguration {
        RiskConfiguration(version: 1, models: [model], mapping: .standard)
    }

    private var swiss: RiskConfiguration { configuration(.swissCovid(SwissCovidParameters())) }

    /// From anywhere within three steps a smooth hill is climbed to within a quarter of a step.
    @Test func theSearchFindsTheTop() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            let top = (0..<3).map { _ in Double.random(in: -3...3, using: &generator) }
            let found = RuleFit.maximum(3) { point in -zip(point, top).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) } }
            #expect(zip(found, top).allSatisfy { abs($0 - $1) <= 0.1251 }, "\(found) for \(top)")
        }
    }

    @Test func whatIsRefusedIsNeverTaken() {
        let found = RuleFit.maximum(2) { $0[0] > 1 ? nil : $0[0] + $0[1] - $0[1] * $0[1] }
        #expect(found == [1, 0.5])
        #expect(RuleFit.maximum(2) { _ in nil } == [0, 0])
        #expect(RuleFit.maximum(0) { _ in 1 }.isEmpty)
    }

    /// Nothing gets better for ever: the search ends where the value only rises.
    @Test func theSearchEnds() { #expect(RuleFit.maximum(1) { $0[0] }[0] == 200) }

    /// The edge between near and far is found again, from 12 dB away, by SwissCovid's rule and by ours.
    @Test(arguments: [47, 51, 55, 59, 63, 67, 71]) func aKnownEdgeIsFoundAgain(_ edge: Int) throws {
        let pairs = MadeUpPairs.scene(.train, edge: edge)
        for rule in [try FittedRule(swiss, model: .swissCovid), FittedRule(try #require(AveragedRule()))] {
            let moved = try #require(rule.moved(RuleFit.steps(of: rule, on: pairs)))
            let alarms = moved.judge(pairs).map(\.isAlarm)
            let wrong = zip(alarms, pairs).count { $0 != $1.isPositive() }
            // A quarter of a step is 1 dB, and that is one pair on each side.
            #expect(wrong <= 2, "\(wrong) wrong with the edge at \(edge)")
        }
    }

    /// Where every number is as good as any other, the published ones stay.
    @Test func withoutEvidenceNumbersStayAsPublished() throws {
        let silent = (0..<20).map { MadeUpPairs.pair(.train, $0, scans: [], isNear: $0 % 2 == 0) }
        let rule = try FittedRule(swiss, model: .swissCovid)
        #expect(RuleFit.steps(of: rule, on: silent) == [0, 0, 0])
    }

    /// Each scene is scored by numbers that come from the others alone: what the scene itself says does not change them, and
    /// they are worse for it. A fit that saw the scene it is scored on fails here.
    @Test func noSceneIsScoredByItsOwnFit() throws {
        let rule = try FittedRule(swiss, model: .swissCovid)
        let (lunch, train) = (MadeUpPairs.scene(.lunch, edge: 47), MadeUpPairs.scene(.train, edge: 71))
        let fit = LeftOutScenes(rule, lunch + train, resamples: 20)
        #expect(fit.folds.map(\.scene) == [.lunch, .train])
        #expect(fit.folds.map(\.fittedOn) == [[.train], [.lunch]])
        #expect(fit.folds[0].steps == RuleFit.steps(of: rule, on: train))
        #expect(fit.folds[1].steps == RuleFit.steps(of: rule, on: lunch))
        #expect(fit.folds[0].steps != fit.folds[1].steps)
        // By its own numbers each scene is all but perfect; by the other's, a third of the far ones (or near ones) is wrong.
        for (pairs, fold) in [(lunch, fit.folds[0]), (train, fit.folds[1])] {
            let own = try #require(rule.moved(RuleFit.steps(of: rule, on: pairs)))
            let seen = RuleVerdicts(of: own.judge(pairs), on: pairs, resamples: 0)
            #expect((seen.balance?.value ?? 0) > 0.93 && (fold.verdicts.balance?.value ?? 1) < 0.85)
        }
        // The labels of the scene that is left out do not matter to its fit.
        let other = LeftOutScenes(rule, MadeUpPairs.scene(.lunch, edge: 80) + train, resamples: 20)
        #expect(other.folds[0].steps == fit.folds[0].steps && other.folds[1].steps != fit.folds[1].steps)
        #expect(fit.together.count == lunch.count + train.count)
    }

    @Test func aFitNeedsOtherScenes() throws {
        let rule = try FittedRule(swiss, model: .swissCovid)
        let alone = LeftOutScenes(rule, MadeUpPairs.scene(.lunch, edge: 55), resamples: 2)
        #expect(alone.folds.isEmpty && alone.together.count == 0 && alone.together.area == nil)
        // Scenes without a positive unit teach nothing, and are scored by the others.
        let movement = MadeUpPairs.scene(.movement, edge: 0)
        let fit = LeftOutScenes(rule, MadeUpPairs.scene(.lunch, edge: 55) + movement, resamples: 2)
        #expect(fit.folds.map(\.scene) == [.movement] && fit.folds[0].verdicts.recall == nil)
    }

    /// The published examples of all models: what may move, that moving by nothing changes nothing, and that what is written can
    /// be read again.
    @Test(arguments: [
        ("germany-from-1.15", RiskModelName.cwaSecond, 4), ("germany-before-1.15", .cwaSecond, 4),
        ("germany-2020-06", .cwaFirst, 3), ("germany-2020-09", .cwaFirst, 3), ("england-wales-2021-01", .nhsSecond, 2),
        ("england-wales-2021-01", .nhsFirst, 3), ("england-wales-2020-09", .nhsFirst, 3),
        ("netherlands", .dailySummaries, 4),
        ("finland", .dailySummaries, 4), ("pathcheck", .dailySummaries, 4), ("switzerland", .swissCovid, 3),
    ]) func publishedRulesCanBeFitted(_ name: String, _ model: RiskModelName, _ count: Int) throws {
        let published = try StudyConfiguration.read(
            Files.read("\(RealityTests.root)/docs/examples/authorities/\(name).json", limit: 1 << 20))
        let rule = try FittedRule(published, model: model)
        #expect(rule.leverCount == count)
        let same = try #require(rule.configuration([Double](repeating: 0, count: count)))
        #expect(same.models == published.models.filter { $0.name == model })
        for lever in 0..<count {
            var steps = [Double](repeating: 0, count: count)
            steps[lever] = 0.5
            let moved = try #require(rule.configuration(steps), "\(lever)")
            #expect(moved.models != same.models && moved.problems.isEmpty)
            #expect(try RiskConfiguration(parsing: moved.document).models == moved.models)
        }
        // Thresholds that cross, and limits beyond every range, are refused.
        #expect(rule.configuration([Double](repeating: 0, count: count - 1) + [-1e6]) == nil)
        #expect(rule.configuration([-1e6] + [Double](repeating: 0, count: count - 1)) == nil)
    }

    @Test func whatIsNotThereIsRefused() {
        #expect(throws: StudyError.self) { try FittedRule(swiss, model: .cwaSecond) }
    }

    /// A line through points on it is that line.
    @Test func theLineIsFoundAgain() throws {
        let points = (30...90).map { (Double($0), pow(10, -0.9 + 0.017 * Double($0))) }
        let line = try #require(DistanceErrors.line(points))
        #expect(abs(line.intercept + 0.9) < 1e-9 && abs(line.slope - 0.017) < 1e-9)
        #expect(DistanceErrors.line([]) == nil && DistanceErrors.line([(60, 1), (60, 2)]) == nil)
    }

    /// A scene's constant and line come from the others alone.
    @Test func distancesAreEstimatedByOtherScenes() throws {
        func pairs(_ scene: ScenePositions.Name, metres: Double) -> [MetPair] {
            (0..<10).map { number in
                let pair = MadeUpPairs.pair(scene, number, scans: (0..<4).map { _ in (50 + number, 300) }, isNear: true)
                return MetPair(
                    scene: scene, receiver: 100, sender: number, windows: pair.windows, secondsWithinOneAndAHalf: 0,
                    secondsWithinTwo: 0, metresAtScans: [Double](repeating: metres, count: 4))
            }
        }
        let errors = DistanceErrors(pairs(.lunch, metres: 1) + pairs(.train, metres: 3), by: NHSSecondParameters())
        #expect(errors.scenes.map(\.name) == [.lunch, .train] && errors.leftOut == 0)
        for scene in errors.scenes {
            let constant = try #require(scene.constant), line = try #require(scene.line)
            #expect(abs(constant.metres - 2) < 1e-9 && abs(line.metres - 2) < 1e-9 && scene.model?.count == 10)
            #expect(abs(constant.logarithm - log10(3)) < 1e-9)
        }
        // Without another scene there is neither; without certain distances the unit is left out, and told.
        let alone = DistanceErrors(pairs(.lunch, metres: 1), by: NHSSecondParameters())
        #expect(alone.scenes[0].constant == nil && alone.scenes[0].line == nil && alone.scenes[0].model != nil)
        let uncertain = DistanceErrors(MadeUpPairs.scene(.train, edge: 50), by: NHSSecondParameters())
        #expect(uncertain.scenes.isEmpty && uncertain.leftOut == 49)
    }
}
