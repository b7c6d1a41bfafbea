// SPDX-License-Identifier: Apache-2.0

import RadioTestKit
import Testing
import VirtualAir

@Suite struct OrdealTests {
    /// Fuzz/ goes further; this runs with every test.
    @Test func whateverTheControllerDoes() {
        var generator = SplitMix64(seed: 1)
        for number in 0..<3_000 {
            let script = (0..<Int.random(in: 0...400, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            if let problem = RadioOrdeal.run(script) {
                Issue.record("script \(number): \(problem)")
                return
            }
        }
    }
}
