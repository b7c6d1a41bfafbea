// SPDX-License-Identifier: Apache-2.0

/// Times of the specification, which counts them in odd units.
enum Units {
    /// 0.625 ms, the unit of advertising and scanning.
    static let slot = 625
    /// 10 ms, the unit of how long to advertise or scan.
    static let centisecond = 10_000
    /// 1.28 s, the unit of the period of scanning.
    static let scanPeriod = 1_280_000

    /// How many units of `microseconds` fit into `duration`, rounded down; refused outside `range`.
    static func count(
        _ duration: Duration, of microseconds: Int, in range: ClosedRange<Int>, _ name: String
    ) throws(HCIError) -> Int {
        // Compared before anything is multiplied: durations reach further than microseconds in an integer.
        let limits =
            Duration.microseconds(
                range.lowerBound * microseconds)..<Duration.microseconds((range.upperBound + 1) * microseconds)
        guard limits.contains(duration) else {
            throw HCIError(.parameterOutOfRange, "\(name) is not within \(limits.lowerBound) ... \(limits.upperBound)")
        }
        let (seconds, attoseconds) = duration.components
        return Int(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / microseconds
    }
}
