// SPDX-License-Identifier: Apache-2.0

/// A figure with the interval of a bootstrap.
public struct Estimate: Sendable, Hashable {
    /// The value of all units.
    public let value: Double
    /// The 2.5th percentile of the resamples.
    public let low: Double
    /// The 97.5th percentile of the resamples.
    public let high: Double

    /// The middle 95 % of `drawn`, the values of the resamples in any order; without them the interval has no width.
    /// `nil` without a value.
    init?(_ value: Double?, of drawn: [Double]) {
        guard let value else { return nil }
        let sorted = drawn.sorted()
        func percentile(_ share: Double) -> Double {
            sorted.isEmpty ? value : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
        }
        (self.value, low, high) = (value, percentile(0.025), percentile(0.975))
    }
}
