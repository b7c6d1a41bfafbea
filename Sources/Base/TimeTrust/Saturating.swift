// SPDX-License-Identifier: Apache-2.0

// Times come from radios, networks, people and worn flash. A sum that leaves the range must give a value that is refused
// afterwards, not a trap that stops the beacon.

extension Int64 {
    func saturatingAdd(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    func saturatingSubtract(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    func saturatingMultiply(_ other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }

    /// Division that rounds towards minus infinity; `divisor` is positive.
    func flooredQuotient(_ divisor: Int64) -> Int64 {
        self / divisor - (self % divisor < 0 ? 1 : 0)
    }
}

extension Duration {
    /// The longest span told apart: about 35,000 years.
    private static let longest = Duration.seconds(1 << 40)

    /// Whole milliseconds, rounded towards zero, cut off at ±2^40 seconds.
    var clampedMilliseconds: Int64 {
        let (seconds, attoseconds) = min(max(self, .zero - .longest), .longest).components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
