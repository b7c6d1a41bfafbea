// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Randomised response with several categories: a device tells the truth with a known probability, and another category otherwise.
/// No single answer says much, and many together can be corrected.
///
/// The same question answered anew each day adds up: after n answers the protection is that of n·ε. An answer is to be drawn once
/// and kept as long as the truth stays the same.
public struct RandomisedResponse: Sendable, Hashable {
    /// The number of categories, 2 or more.
    public let categories: Int
    /// The limit ε of what an answer tells, above 0 and at most 30: no answer is more than e^ε times as likely for one truth as for another.
    public let epsilon: Double

    /// Creates a rule; `nil` for fewer than two categories, and for an ε that is not above 0 or above 30, where
    /// the 53 random bits of a `Double` leave another answer no room.
    public init?(categories: Int, epsilon: Double) {
        guard categories >= 2, epsilon > 0, epsilon <= 30 else { return nil }
        self.categories = categories
        self.epsilon = epsilon
    }

    /// The probability of the truth: e^ε / (e^ε + k - 1).
    public var keepProbability: Double { 1 / (1 + Double(categories - 1) * exp(-epsilon)) }
    /// The probability of each other category: 1 / (e^ε + k - 1).
    public var otherProbability: Double { 1 / (exp(epsilon) + Double(categories - 1)) }

    /// An answer for the category `truth`, which is 0 to ``categories`` - 1, or the program stops. `random` must be
    /// cryptographically secure.
    public func answer(for truth: Int, using random: inout some RandomNumberGenerator) -> Int {
        precondition((0..<categories).contains(truth), "there is no such category")
        guard Double.random(in: 0..<1, using: &random) >= keepProbability else { return truth }
        let other = Int.random(in: 0..<categories - 1, using: &random)
        return other < truth ? other : other + 1
    }

    /// Makes an answer less certain that was drawn by the rule with two categories and another ε, `larger` than this one or the same: afterwards it is as likely to be the truth as one of this rule, and tells
    /// nothing more of it than before. `random` must be cryptographically secure. For other numbers of categories, or if `larger` is no ε above this one, the answer stays as it is.
    func blurred(_ answer: Int, from larger: Double, using random: inout some RandomNumberGenerator) -> Int {
        guard categories == 2, larger > epsilon,
            let before = RandomisedResponse(categories: 2, epsilon: larger)?.keepProbability
        else { return answer }
        // Turned over with this probability q, it is true with p(1 - q) + (1 - p)q.
        let turning = (before - keepProbability) / (2 * before - 1)
        return Double.random(in: 0..<1, using: &random) < turning ? 1 - answer : answer
    }

    /// The estimated number of devices in each category, by the number of answers. May be below 0. Cannot fail.
    public func estimate(_ observed: [Int]) -> [Double] {
        let reports = Double(observed.reduce(0, +))
        let gain = keepProbability - otherProbability
        return observed.map { (Double($0) - reports * otherProbability) / gain }
    }

    /// The standard error of an estimate where nobody is in the category, in devices.
    public func standardErrorOfRareCategory(reports: Int) -> Double {
        let spread = Double(reports) * otherProbability * (1 - otherProbability)
        return spread.squareRoot() / (keepProbability - otherProbability)
    }
}
