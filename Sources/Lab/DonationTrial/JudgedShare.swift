// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A share of right guesses, its interval, and what chance alone would give.
package struct JudgedShare: Sendable, Hashable {
    /// The normal distribution's bound of 95 %, two-sided.
    private static let z = 1.959963984540054

    /// The guesses that count, and the right ones among them.
    package let count: Int, right: Int
    /// The share that whoever guesses one of those in question is right with, on average: the mean of 1/n.
    package let chance: Double
    /// The interval of 95 % of the share of right guesses of such a guesser, from the variance of this sum of independent guesses.
    package let chanceInterval: ClosedRange<Double>

    /// Takes the number of right guesses, and for each guess that counts the probability of a right one by chance, 0 to 1.
    init(right: Int, chances: [Double]) {
        count = chances.count
        self.right = right
        let number = Double(max(1, chances.count))
        let mean = chances.reduce(0, +) / number
        let deviation = sqrt(chances.reduce(0) { $0 + $1 * (1 - $1) }) / number
        chance = mean
        chanceInterval = max(0, mean - Self.z * deviation)...min(1, mean + Self.z * deviation)
    }

    /// The share of right guesses; 0 if none counts.
    package var share: Double { count == 0 ? 0 : Double(right) / Double(count) }

    /// The interval of 95 % of the share, by Wilson; all of 0 to 1 if no guess counts.
    package var interval: ClosedRange<Double> {
        guard count > 0 else { return 0...1 }
        let (n, p, z) = (Double(count), share, Self.z)
        let centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        let half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return (right == 0 ? 0 : max(0, centre - half))...(right == count ? 1 : min(1, centre + half))
    }

    /// The share above that of chance, with its interval: Wilson's bounds less the mean of chance, which is known and has no error.
    package var difference: (value: Double, interval: ClosedRange<Double>) {
        (share - chance, interval.lowerBound - chance...interval.upperBound - chance)
    }

    /// Whether the whole interval lies above chance.
    package var isBetterThanChance: Bool { count > 0 && difference.interval.lowerBound > 0 }
}
