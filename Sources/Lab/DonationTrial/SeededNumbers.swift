// SPDX-License-Identifier: Apache-2.0

/// The same numbers in every run (SplitMix64: Steele, Lea, Flood 2014), so that a seed describes a trial.
struct SeededNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Numbers for a part of a trial; other parts have others.
    init(_ seed: UInt64, part: UInt64) { state = Self.mixed(seed &+ Self.mixed(part &+ 0x9e37_79b9_7f4a_7c15)) }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return Self.mixed(state)
    }

    mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var word = value
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}
