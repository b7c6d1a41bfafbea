// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk

/// A share of a number of cases, with the interval in which the true share probably lies.
public struct Share: Hashable, Sendable {
    /// The number of counted cases, 0 to ``of``.
    public let count: Int
    /// The number of all cases, above 0.
    public let of: Int
    /// The share: ``count`` divided by ``of``, 0 to 1.
    public let value: Double
    /// The lower end of Wilson's 95 % score interval, 0 to 1.
    public let low: Double
    /// The upper end of Wilson's 95 % score interval, 0 to 1.
    public let high: Double

    /// Computes the share of `count` in `total`; `nil` unless `total` is above 0 and `count` is 0 to `total`.
    public init?(_ count: Int, of total: Int) {
        guard total > 0, (0...total).contains(count) else { return nil }
        self.count = count
        of = total
        let (n, share) = (Double(total), Double(count) / Double(total))
        // The normal distribution's 97.5th percentile.
        let z = 1.959963984540054
        let middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        let half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
        value = share
        // Exact at the ends, where rounding would leave a trace.
        low = count == 0 ? 0 : max(0, middle - half)
        high = count == total ? 1 : min(1, middle + half)
    }
}

/// Counts of cases by a model's verdict and by the expected level. A verdict other than increased counts as low.
public struct Agreement: Hashable, Sendable {
    /// The number of cases that should be increased and are, 0 or more.
    public private(set) var truePositives = 0
    /// The number of cases that should be increased and are not, 0 or more.
    public private(set) var falseNegatives = 0
    /// The number of cases that should be low and are increased, 0 or more.
    public private(set) var falsePositives = 0
    /// The number of cases that should be low and are not increased, 0 or more.
    public private(set) var trueNegatives = 0

    /// Creates counts of 0.
    public init() {}

    /// Counts one case with a model's verdict, `isIncreased`, and the expected level. Cannot fail.
    public mutating func add(isIncreased: Bool, expected: RiskLevel) {
        switch (isIncreased, expected) {
        case (true, .increased): truePositives += 1
        case (false, .increased): falseNegatives += 1
        case (true, .low): falsePositives += 1
        case (false, .low): trueNegatives += 1
        }
    }

    /// The number of counted cases, which is the sum of the four counts; 0 or more.
    public var cases: Int { truePositives + falseNegatives + falsePositives + trueNegatives }
    /// The share of the cases expected to be increased that are increased; `nil` if there are none.
    public var sensitivity: Share? { Share(truePositives, of: truePositives + falseNegatives) }
    /// The share of the cases expected to be low that are not increased; `nil` if there are none.
    public var specificity: Share? { Share(trueNegatives, of: trueNegatives + falsePositives) }
}
