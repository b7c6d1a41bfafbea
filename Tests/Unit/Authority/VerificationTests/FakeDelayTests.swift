// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing
import Verification

@Suite struct FakeDelayTests {
    @Test func theAverageFollowsTheLastTen() {
        var delay = FakeDelay()
        #expect(delay.averageMilliseconds == 10)
        delay.record(milliseconds: 20)
        #expect(delay.averageMilliseconds == 11)
        for _ in 0..<100 { delay.record(milliseconds: 3) }
        #expect(abs(delay.averageMilliseconds - 3) < 0.001)
        delay.record(milliseconds: .infinity)
        delay.record(milliseconds: -1)
        #expect(delay.averageMilliseconds > 2 && delay.averageMilliseconds < 3)
        delay.record(milliseconds: 1e9)
        #expect(delay.averageMilliseconds < 1_010)
    }

    /// Mean and variance of Poisson numbers are the same.
    @Test(arguments: [0, 0.3, 10, 45, 1_000])
    func drawsAreDistributedAsTheyShouldBe(mean: Double) {
        var generator = SeededGenerator(seed: 3)
        let delay = FakeDelay(initialMilliseconds: mean)
        let draws = (0..<4_000).map { _ in Double(delay.draw(using: &generator)) }
        let found = draws.reduce(0, +) / 4_000
        let variance = draws.reduce(0) { $0 + ($1 - found) * ($1 - found) } / 3_999
        #expect(abs(found - mean) <= 5 * (mean / 4_000).squareRoot())
        #expect(abs(variance - mean) <= 0.15 * mean + 0.05)
    }
}
