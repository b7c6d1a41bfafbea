// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import Glibc
import Testing

@Suite struct GammaTests {
    /// SciPy 1.17, `gammaincinv(shape, 0.5)`.
    private static let medians: [(Double, Double)] = [
        (0.003, 2.553_033_712_096_545e-101), (0.01, 4.465_535_018_910_562e-31), (0.1, 5.933_911_044_602_284e-4),
        (1, 0.693_147_180_559_945_3), (1.5, 1.182_986_942_187_668_9), (7, 6.669_637_074_549_77),
        (25, 24.667_468_366_988_416), (1_000, 999.666_686_426_965_2), (100_000, 99_999.666_666_864_2),
    ]

    @Test(arguments: medians)
    func mediansAreThoseOfSciPy(_ shape: Double, _ expected: Double) {
        #expect(abs(GammaQuantile.value(shape: shape, probability: 0.5) / expected - 1) < 1e-11)
        #expect(abs(GammaMedian.shared.value(shape: shape) / expected - 1) < 1e-11)
    }

    @Test func theTableAgreesWithTheSolverEverywhere() {
        var worst = 0.0
        var shape = 0.002
        while shape < 5_000 {
            let solved = GammaQuantile.value(shape: shape, probability: 0.5)
            worst = max(worst, abs(GammaMedian.shared.value(shape: shape) / solved - 1))
            shape *= 1.003
        }
        #expect(worst < 1e-11)
    }

    @Test func theTableHasNoStepsBetweenPieces() {
        for octave in -6...5 {
            for quarter in 0..<4 where octave < 5 || quarter == 0 {
                let edge = scalbn(1 + Double(quarter) / 4, octave)
                let below = GammaMedian.shared.value(shape: edge.nextDown)
                let above = GammaMedian.shared.value(shape: edge)
                #expect(abs(above / below - 1) < 1e-11, "\(edge)")
            }
        }
    }

    @Test func mediansRiseWithTheShape() {
        var last = 0.0
        var shape = 0.001
        while shape < 1e6 {
            let median = GammaMedian.shared.value(shape: shape)
            #expect(median >= last)
            last = median
            shape *= 1.07
        }
    }

    /// Shapes 1 and 1/2 have quantiles in closed form, or nearly.
    @Test(arguments: [1e-300, 1e-12, 1e-3, 0.1, 0.5, 0.500001, 0.9, 0.999999, 1 - 1e-12])
    func exponentialQuantilesAreExact(_ probability: Double) {
        let expected = -log1p(-probability)
        #expect(abs(GammaQuantile.value(shape: 1, probability: probability) / expected - 1) < 1e-12)
    }

    @Test(arguments: [0.003, 0.02, 0.4, 3, 70, 9_999, 10_000, 1e5, 1e8], [1e-9, 0.05, 0.5, 0.95, 1 - 1e-9])
    func quantilesRiseWithTheProbability(_ shape: Double, _ probability: Double) {
        let value = GammaQuantile.value(shape: shape, probability: probability)
        #expect(value.isFinite && value >= 0)
        #expect(GammaQuantile.value(shape: shape, probability: probability * 0.99) <= value)
    }

    /// The series ends and the uniform expansion begins.
    @Test(arguments: [1e-12, 0.01, 0.5, 0.99])
    func largeShapesJoin(_ probability: Double) {
        let below = GammaQuantile.value(shape: 10_000.0.nextDown, probability: probability)
        let above = GammaQuantile.value(shape: 10_000, probability: probability)
        #expect(abs(above / below - 1) < 1e-11)
    }

    @Test func whatHasNoQuantileSaysSo() {
        for shape in [Double.nan, 0, -1, .infinity, -.infinity] {
            #expect(GammaQuantile.value(shape: shape, probability: 0.5).isNaN)
        }
        for probability in [Double.nan, -0.1, 1.1, .infinity] {
            #expect(GammaQuantile.value(shape: 1, probability: probability).isNaN)
        }
        #expect(GammaQuantile.value(shape: 2, probability: 0) == 0)
        #expect(GammaQuantile.value(shape: 2, probability: 1) == .infinity)
        #expect(GammaMedian.shared.value(shape: .nan).isNaN)
        #expect(GammaMedian.shared.value(shape: -1).isNaN)
        #expect(GammaMedian.shared.value(shape: 0) == 0)
        #expect(GammaMedian.shared.value(shape: .infinity) == .infinity)
        #expect(GammaMedian.shared.value(shape: .leastNonzeroMagnitude) == 0)
    }

    @Test func extremesEnd() {
        for shape in [Double.leastNonzeroMagnitude, 1e-300, 1e-10, 1e12, 1e100, .greatestFiniteMagnitude] {
            for probability in [1e-300, 0.5, 1 - 1e-16] {
                _ = GammaQuantile.value(shape: shape, probability: probability)
            }
        }
    }
}
