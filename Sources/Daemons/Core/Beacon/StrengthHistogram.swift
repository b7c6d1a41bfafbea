// SPDX-License-Identifier: Apache-2.0

/// A histogram of the signal strengths that the receiver heard, in steps of 5 dBm; it contains nothing about the senders.
public struct StrengthHistogram: Sendable, Equatable {
    /// The number of bins, our choice: 18 of 5 dBm each from -110 dBm to -20 dBm, one below and one above.
    public static let binCount = 20
    private static let step = 5
    /// Below this lies the first step.
    private static let lowest = -110
    /// "Not available" (Core Specification Vol 4 Part E 7.7.65.2).
    private static let noReading: Int8 = 127

    /// The counts, one for each bin: the first for strengths below -110 dBm, the last for -20 dBm and above.
    public private(set) var counts = [UInt64](repeating: 0, count: Self.binCount)

    /// Creates a histogram without counts: ``binCount`` zeros.
    public init() {}

    /// Counts one advertisement by its strength in dBm, as the controller reported it. 127, "not available" (Core
    /// Specification, Vol 4, Part E, 7.7.65.2), is ignored.
    public mutating func add(_ rssi: Int8) {
        guard rssi != Self.noReading else { return }
        counts[Self.bin(rssi)] += 1
    }

    /// Where a strength is counted.
    static func bin(_ rssi: Int8) -> Int {
        let above = Int(rssi) - lowest
        return above < 0 ? 0 : min(1 + above / step, binCount - 1)
    }
}
