// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The random numbers of tests: each place that draws has a seed of its own, so a test that fails fails again.
///
/// The environment variable `VIGIL_SEED`, a whole number from 0 to 2⁶⁴ − 1, changes all of them together: the same tests then try other inputs.
/// Without it, or with 0, the seeds are as they are written. The first generator prints the variable when it is set.
///
/// SplitMix64 (Steele, Lea, Flood 2014). Not for secrets. A value of one thread: copies go on with the same numbers.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    /// What `VIGIL_SEED` says; 0 without it. Ends the process when it is no number, because the run would not be the one that was asked for.
    public static let runSeed: UInt64 = {
        guard let text = getenv("VIGIL_SEED").map({ String(cString: $0) }) else { return 0 }
        guard let seed = UInt64(text) else {
            fatalError("VIGIL_SEED is '\(text)'; it must be a whole number from 0 to 2^64 - 1")
        }
        print("VIGIL_SEED=\(seed)")
        return seed
    }()

    private var state: UInt64

    /// Starts with `seed`, changed by ``runSeed``.
    public init(seed: some BinaryInteger) { self.init(seed: seed, runSeed: Self.runSeed) }

    init(seed: some BinaryInteger, runSeed: UInt64) { state = UInt64(truncatingIfNeeded: seed) ^ Self.mixed(runSeed) }

    /// The next number; all values are equally likely.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return Self.mixed(state)
    }

    /// The next `count` bytes, one number each.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }

    /// Different for different values, and 0 for 0.
    private static func mixed(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
