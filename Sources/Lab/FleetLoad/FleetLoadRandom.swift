// SPDX-License-Identifier: Apache-2.0

/// A small, fast generator with a seed (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014), for
/// simulations that can be repeated and never for keys.
public struct FleetLoadRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator from any seed; the same seed gives the same numbers.
    public init(seed: UInt64) { state = seed }

    /// Returns the next 64 bits, evenly distributed (SplitMix64); not for secrets. Cannot fail.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
