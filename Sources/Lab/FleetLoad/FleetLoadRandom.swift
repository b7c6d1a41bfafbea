// SPDX-License-Identifier: Apache-2.0

/// A small, quick generator with a seed (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014). For
/// simulations that can be repeated, never for keys.
public struct FleetLoadRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins at `seed`; every value will do, and the same gives the same numbers.
    public init(seed: UInt64) { state = seed }

    /// The next 64 bits, evenly spread (SplitMix64); no source of secrets. Cannot fail.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
