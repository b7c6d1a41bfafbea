// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The delay before the answer to a fake request, drawn around the times that recent real requests took (**ver**
/// `FakeDelayService`).
///
/// It is a Poisson number around a moving average of 10 samples that starts at 10 ms. Three deviations are our own: each
/// route has an average of its own (**ver** feeds all routes into one), the average keeps fractions (with whole numbers it
/// never moves by less than 10 ms), and no sample counts for more than ten seconds.
public struct FakeDelay: Sendable, Hashable {
    /// The moving average in milliseconds, with fractions; 0 to 10,000.
    public private(set) var averageMilliseconds: Double
    /// The number of real requests over which the average moves; at least 1.
    public let sampleCount: Int
    static let maximumMilliseconds = 10_000.0

    /// Creates an average that starts at `initialMilliseconds` (10 as in **ver**), limited to 0 to 10,000, and moves over
    /// `sampleCount` requests (10 as in **ver**), at least 1.
    public init(initialMilliseconds: Double = 10, sampleCount: Int = 10) {
        averageMilliseconds = min(max(0, initialMilliseconds), Self.maximumMilliseconds)
        self.sampleCount = max(1, sampleCount)
    }

    /// Notes the time that a real request took, limited to 0 to 10,000 milliseconds; a value that is not finite is ignored.
    public mutating func record(milliseconds: Double) {
        guard milliseconds.isFinite else { return }
        let sample = min(max(0, milliseconds), Self.maximumMilliseconds)
        averageMilliseconds += (sample - averageMilliseconds) / Double(sampleCount)
    }

    /// Draws the delay of the next fake request in whole milliseconds, 0 or more, from a Poisson distribution around the
    /// average; always 0 when the average is 0. Cannot fail.
    public func draw(using generator: inout some RandomNumberGenerator) -> Int {
        Self.poisson(averageMilliseconds, using: &generator)
    }

    /// Knuth's multiplication for parts small enough not to underflow; a sum of Poisson numbers is one.
    private static func poisson(_ mean: Double, using generator: inout some RandomNumberGenerator) -> Int {
        var rest = mean
        var result = 0
        while rest > 0 {
            let part = min(rest, 30)
            rest -= part
            let limit = exp(-part)
            var product = Double.random(in: 0..<1, using: &generator)
            while product > limit {
                result += 1
                product *= Double.random(in: 0..<1, using: &generator)
            }
        }
        return result
    }
}
