// SPDX-License-Identifier: Apache-2.0

import Interfaces
import RandomValues
import Testing

@testable import ControlTool

/// The arithmetic of a calibration, over rooms and antennas that are drawn.
@Suite struct CalibrationEstimateTests {
    private static let power = -24

    /// A board with a correction to be found, turned in twelve steps.
    private struct Trial {
        let correction: Double
        let medians: [Int]

        /// - Parameters:
        ///   - pattern: Deviation of the two slow waves of an antenna over the angle, dB.
        ///   - room: Deviation of what reflections add in each orientation, dB.
        init(pattern: Double, room: Double, using generator: inout SeededGenerator) {
            correction = .random(in: -12...12, using: &generator)
            let waves = (1...2).map { number in
                (Double(number), pattern * Self.gaussian(&generator), Double.random(in: 0..<1, using: &generator))
            }
            // None to two directions in which the antenna is deaf by 10 to 15 dB, some 30 degrees wide.
            let nulls = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                (Double.random(in: 0..<12, using: &generator), Double.random(in: 10...15, using: &generator))
            }
            var medians: [Int] = []
            for index in 0..<CalibrationEstimate.orientationCount {
                var gain = room * Self.gaussian(&generator)
                for (number, size, phase) in waves {
                    gain += size * Self.wave(number * Double(index) / 12 + phase)
                }
                for (place, depth) in nulls {
                    let apart = abs(Double(index) - place), distance = min(apart, 12 - apart)
                    gain -= distance < 1 ? depth * (1 - distance) : 0
                }
                let mean = Double(CalibrationEstimateTests.power) - CalibrationEstimate.attenuation - correction + gain
                // Fading as within a scan of real phones, and one reading in twenty that is anything.
                let readings = (0..<60).map { _ in
                    let stray = Int.random(in: 0..<20, using: &generator) == 0
                    return Int(
                        (mean + 3.4 * Self.gaussian(&generator)
                            + (stray ? .random(in: -25...15, using: &generator) : 0)).rounded())
                }
                medians.append(readings.sorted()[readings.count / 2])
            }
            self.medians = medians
        }

        private static func gaussian(_ generator: inout SeededGenerator) -> Double {
            (0..<12).reduce(-6) { sum, _ in sum + .random(in: 0..<1, using: &generator) }
        }

        /// A wave of one turn with the deviation 1: near a sine, and without one.
        private static func wave(_ turns: Double) -> Double {
            let place = turns - turns.rounded(.down), half = place < 0.5 ? place * 4 - 1 : 3 - place * 4
            return half * 1.73
        }
    }

    private struct Figures {
        var accepted = 0, refused = 0
        /// Within 2 dB, of those accepted: by the estimate, by the median of twelve, by their mean.
        var good = 0, goodByMedian = 0, goodByMean = 0
        var share: Double { Double(good) / Double(max(accepted, 1)) }
    }

    private func figures(_ pattern: ClosedRange<Double>, _ room: ClosedRange<Double>, seed: Int) -> Figures {
        var generator = SeededGenerator(seed: seed)
        var figures = Figures()
        for _ in 0..<1_000 {
            let trial = Trial(
                pattern: .random(in: pattern, using: &generator), room: .random(in: room, using: &generator),
                using: &generator)
            func isGood(_ level: Double) -> Bool {
                abs(Double(Self.power) - CalibrationEstimate.attenuation - level - trial.correction) <= 2
            }
            do throws(CalibrationEstimate.Problem) {
                let estimate = try CalibrationEstimate(trial.medians)
                let sorted = trial.medians.sorted()
                figures.accepted += 1
                if isGood(estimate.level) { figures.good += 1 }
                if isGood(Double(sorted[5] + sorted[6]) / 2) { figures.goodByMedian += 1 }
                if isGood(Double(sorted.reduce(0, +)) / 12) { figures.goodByMean += 1 }
            } catch {
                guard case .tooWide = error else {
                    Issue.record("\(error)")
                    continue
                }
                figures.refused += 1
            }
        }
        return figures
    }

    /// A quiet room as the page asks for: 95 of 100 that are accepted are right within 2 dB, few are refused, and a plain mean is worse.
    @Test(arguments: 1...3) func whatIsAcceptedIsRight(seed: Int) {
        let found = figures(0.5...1.5, 0.5...2, seed: seed)
        #expect(found.share >= 0.95, "\(found)")
        #expect(found.refused <= 150, "\(found)")
        #expect(found.good >= found.goodByMedian - 5 && found.goodByMean < found.good - 50, "\(found)")
    }

    /// A room that reflects: much is refused, and what is accepted is mostly right all the same.
    @Test func aRoomThatReflectsIsMostlyRefused() {
        let found = figures(2.5...3.5, 3...4, seed: 4)
        #expect(found.refused >= 600 && found.share >= 0.75, "\(found)")
    }

    @Test func theMiddleCountsAndBothSidesMayBeOff() throws {
        let plain = try CalibrationEstimate([Int](repeating: -60, count: 12))
        #expect(plain.level == -60 && plain.spread == 0)
        #expect(try plain.correction(power: -12) == -0.5)
        #expect(try plain.transmitPower(correction: 4) == -7.5)
        let nulls = [-60, -60, -60, -60, -60, -60, -60, -60, -60, -60, -75, -74]
        #expect(try CalibrationEstimate(nulls).level == -60)
        #expect(CalibrationEstimate.farOff(nulls) == [10, 11])
        // A third of that kind is too much.
        #expect(throws: CalibrationEstimate.Problem.tooWide(6.5)) {
            try CalibrationEstimate([Int](repeating: -60, count: 9) + [-75, -74, -73])
        }
        #expect(throws: CalibrationEstimate.Problem.incomplete) { try CalibrationEstimate([-60, -61]) }
        #expect(throws: CalibrationEstimate.Problem.incomplete) { try CalibrationEstimate([]) }
        #expect(throws: CalibrationEstimate.Problem.tooWide(10)) {
            try CalibrationEstimate((0..<12).map { $0 % 2 == 0 ? -60 : -70 })
        }
        #expect(throws: CalibrationEstimate.Problem.unbelievable(20.5)) { try plain.correction(power: 9) }
        #expect(try plain.correction(power: 8) == 19.5)
        #expect(throws: CalibrationEstimate.Problem.unbelievable(-51.5)) { try plain.transmitPower(correction: -40) }
    }

    /// Never better than chamber, room and phone together, and worse with every decibel of spread.
    @Test func theUncertaintyGrowsWithTheSpread() throws {
        var last = 0.0
        for spread in 0...6 {
            let medians = (0..<12).map { $0 < 6 ? -60 : -60 - spread }
            let estimate = try CalibrationEstimate(medians)
            #expect(estimate.spread == Double(spread) && estimate.uncertainty > last)
            last = estimate.uncertainty
        }
        #expect((4.3...5).contains(last))
    }

    // MARK: One orientation

    private func heard(
        count: Int = 100, median: Int? = -60, lower: Int = -63, upper: Int = -57, other: Int? = nil, scans: Int = 7,
        changed: Bool = false
    ) -> Device1.Neighbours {
        Device1.Neighbours(
            running: false, secondsLeft: 0, scanCount: scans, count: count, median: median, lowerQuartile: lower,
            upperQuartile: upper, deviation: 3, otherCount: other == nil ? 0 : 9, otherMedian: other, changed: changed)
    }

    private func problem(_ heard: Device1.Neighbours) -> OrientationReading.Problem? {
        do throws(OrientationReading.Failure) { _ = try OrientationReading(heard) } catch { return error.problem }
        return nil
    }

    @Test func eachFaultHasItsName() {
        #expect(problem(heard()) == nil)
        #expect(problem(heard(count: 0, median: nil, scans: 0)) == .deaf)
        #expect(problem(heard(count: 0, median: nil)) == .nobody)
        #expect(problem(heard(count: 20)) == nil && problem(heard(count: 19)) == .tooFew(19))
        #expect(problem(heard(count: 19, changed: true)) == .changedIdentifier)
        // It changed, and enough came before.
        #expect(problem(heard(changed: true)) == nil)
        #expect(problem(heard(other: -66)) == nil && problem(heard(other: -65)) == .anotherOne(5))
        #expect(problem(heard(other: -50)) == .anotherOne(-10))
        #expect(problem(heard(lower: -66, upper: -54)) == nil && problem(heard(lower: -67, upper: -54)) == .unsteady(13))
        // What a core could not say stops nothing.
        #expect(problem(heard(median: Int(Int16.min), lower: 0, upper: 0)) == nil)
    }
}
