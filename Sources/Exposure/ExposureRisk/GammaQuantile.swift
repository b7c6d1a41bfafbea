// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Quantiles of the gamma distribution of scale 1: the inverse of the regularised incomplete gamma function.
///
/// Newton's method on the logarithm of the tail, over the logarithm of the quantile. Both tails of the logarithm of a gamma variable are
/// log-concave, so the steps approach the root from one side wherever they start, and tiny shapes, whose quantiles are nearly zero, are
/// the easy ones (their logarithm is nearly a straight line).
package enum GammaQuantile {
    /// From here on the uniform asymptotic expansion is exact to the last digits (Temme 1979) and series become long.
    private static let largeShape = 10_000.0
    /// Six are enough where it was measured; the rest is room.
    private static let mostSteps = 100
    /// The longest series, just below ``largeShape``, has about 900 terms.
    private static let mostTerms = 5_000

    /// Returns the value that a gamma variable of `shape` and scale 1 stays below with `probability`. NaN unless the
    /// shape is positive and finite and the probability is in 0...1. The relative error is below 1e-12 for shapes
    /// from 0.003 to 1e5.
    package static func value(shape: Double, probability: Double) -> Double {
        guard shape > 0, shape.isFinite, (0...1).contains(probability) else { return .nan }
        if probability == 0 { return 0 }
        if probability == 1 { return .infinity }
        return exp(logarithm(shape: shape, probability: probability))
    }

    /// The logarithm of the quantile, which does not underflow.
    static func logarithm(shape: Double, probability: Double) -> Double {
        let isLower = probability <= 0.5
        let target = isLower ? log(probability) : log1p(-probability)
        var position = start(shape, probability, target)
        for _ in 0..<mostSteps {
            let tail = tail(shape, position, isLower: isLower)
            let step = (tail.logarithm - target) * tail.perDensity * (isLower ? 1 : -1)
            guard step.isFinite else { return position }
            position -= step
            if abs(step) <= 1e-14 * max(1, abs(position)) { break }
        }
        return position
    }

    private static func start(_ shape: Double, _ probability: Double, _ target: Double) -> Double {
        guard shape < 1 else {
            // Wilson and Hilferty, with the normal quantile of Abramowitz and Stegun 26.2.23.
            let t = sqrt(-2 * target)
            let tail =
                t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
            let normal = probability <= 0.5 ? -tail : tail
            let root = 1 - 1 / (9 * shape) + normal / (3 * sqrt(shape))
            // Far out on the left the root is negative; the bound below holds for every shape.
            if root > 0.1 { return log(shape) + 3 * log(root) }
            return (target + lgamma(shape + 1).0) / shape
        }
        // P(a, x) is at most x^a / Γ(a + 1): a start on the left.
        if probability <= 0.5 { return (target + lgamma(shape + 1).0) / shape }
        // Bound on the right for sub-gamma tails (Boucheron, Lugosi, Massart 2013, 2.4).
        return log(shape + sqrt(-2 * shape * target) - target)
    }

    /// A tail's logarithm, and the tail divided by the density of the logarithm.
    private static func tail(
        _ shape: Double, _ position: Double, isLower: Bool
    ) -> (logarithm: Double, perDensity: Double) {
        let x = exp(position)
        let density = logDensity(shape, position, x)
        if shape >= largeShape { return largeTail(shape, x, density, isLower: isLower) }
        if x <= shape + 1 {
            let lower = series(shape, x)
            if isLower { return (density + log(lower), lower) }
            let upper = -expm1(density + log(lower))
            return (log(upper), upper * exp(-density))
        }
        let upper = continuedFraction(shape, x)
        if !isLower { return (density + log(upper), upper) }
        let lower = -expm1(density + log(upper))
        return (log(lower), lower * exp(-density))
    }

    /// Logarithm of x^a e^-x / Γ(a).
    private static func logDensity(_ shape: Double, _ position: Double, _ x: Double) -> Double {
        guard shape >= 10 else { return shape * position - x - lgamma(shape).0 }
        // The large terms cancel by hand: what is left is near zero where it matters.
        let excess = (x - shape) / shape
        let inverse = 1 / (shape * shape)
        let stirling =
            (1.0 / 12 - inverse * (1.0 / 360 - inverse * (1.0 / 1_260 - inverse * (1.0 / 1_680 - inverse / 1_188))))
            / shape
        return shape * (log1p(excess) - excess) + 0.5 * log(shape / (2 * .pi)) - stirling
    }

    /// P(a, x) without its density: Σ xⁿ / (a (a + 1) … (a + n)).
    private static func series(_ shape: Double, _ x: Double) -> Double {
        var term = 1 / shape
        var sum = term
        for n in 1...mostTerms {
            term *= x / (shape + Double(n))
            sum += term
            if term <= sum * 1e-17 { break }
        }
        return sum
    }

    /// Q(a, x) without its density, by Lentz's method.
    private static func continuedFraction(_ shape: Double, _ x: Double) -> Double {
        let tiny = 1e-300
        var b = x + 1 - shape
        var c = 1 / tiny
        var d = 1 / b
        var value = d
        for n in 1...mostTerms {
            let a = -Double(n) * (Double(n) - shape)
            b += 2
            d = a * d + b
            if abs(d) < tiny { d = tiny }
            c = b + a / c
            if abs(c) < tiny { c = tiny }
            d = 1 / d
            value *= d * c
            if abs(d * c - 1) <= 1e-16 { break }
        }
        return value
    }

    /// Temme's uniform expansion, near the middle, where quantiles of large shapes are (DLMF 8.12).
    private static func largeTail(
        _ shape: Double, _ x: Double, _ density: Double, isLower: Bool
    ) -> (logarithm: Double, perDensity: Double) {
        let excess = (x - shape) / shape
        let square = max(0, 2 * (excess - log1p(excess)))
        let eta = excess < 0 ? -sqrt(square) : sqrt(square)
        let first = -1.0 / 3 + eta * (1.0 / 12 - eta * (2.0 / 135 - eta * (1.0 / 864 + eta / 2_835)))
        let second = -1.0 / 540 - eta * (1.0 / 288 - eta * 25 / 6_048)
        let rest = exp(-0.5 * shape * square) / sqrt(2 * .pi * shape) * (first + second / shape)
        let half = eta * sqrt(shape / 2)
        let value = isLower ? 0.5 * erfc(-half) - rest : 0.5 * erfc(half) + rest
        return (log(value), value * exp(-density))
    }
}
