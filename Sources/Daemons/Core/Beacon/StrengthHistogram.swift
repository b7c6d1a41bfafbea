// SPDX-License-Identifier: Apache-2.0

/// A histogram of the strengths that the receiver heard: counts in steps of 5 dBm, and nothing of whose advertisements they
/// were.
public struct StrengthHistogram: Sendable, Equatable {
    /// The number of steps, a choice of ours: 18 of 5 dBm each from -110 dBm to -20 dBm, one below and one above.
    public static let binCount = 20
    private static let step = 5
    /// Below this lies the first step.
    private static let lowest = -110
    /// "Not available" (Core Specification Vol 4 Part E 7.7.65.2).
    private static let noReading: Int8 = 127

    /// The first counts what is weaker than -110 dBm, the last what is -20 or stronger.
    public private(set) var counts = [UInt64](repeating: 0, count: Self.binCount)

    /// A histogram without counts: ``binCount`` zeros.
    public init() {}

    /// Counts one advertisement by its strength as the controller told it, in dBm. 127, "not available", is passed over.
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
