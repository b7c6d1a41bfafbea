// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk

/// A share of a count, with what it may be in truth.
public struct Share: Hashable, Sendable {
    public let count: Int
    public let of: Int
    public let value: Double
    /// Wilson's score interval, 95 %.
    public let low: Double
    public let high: Double

    /// `nil` of nothing.
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

/// Verdicts against what they should have been.
public struct Agreement: Hashable, Sendable {
    public private(set) var truePositives = 0
    public private(set) var falseNegatives = 0
    public private(set) var falsePositives = 0
    public private(set) var trueNegatives = 0

    public init() {}

    public mutating func add(isIncreased: Bool, expected: RiskLevel) {
        switch (isIncreased, expected) {
        case (true, .increased): truePositives += 1
        case (false, .increased): falseNegatives += 1
        case (true, .low): falsePositives += 1
        case (false, .low): trueNegatives += 1
        }
    }

    public var cases: Int { truePositives + falseNegatives + falsePositives + trueNegatives }
    /// Of those who should be warned, who is.
    public var sensitivity: Share? { Share(truePositives, of: truePositives + falseNegatives) }
    /// Of those who should not be warned, who is not.
    public var specificity: Share? { Share(trueNegatives, of: trueNegatives + falsePositives) }
}
