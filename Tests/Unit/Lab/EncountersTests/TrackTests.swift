// SPDX-License-Identifier: Apache-2.0

import Encounters
import RandomValues
import Testing
import VirtualAir

/// Truth is computed, so it has to be right: against counting, and by hand.
@Suite struct TrackTests {
    @Test func aPassingByHand() {
        let still = Track([.init(time: 0, x: 0, y: 0)])
        // Past it in 3 m at 1 m/s: within 5 m for 8 s.
        let walker = Track([.init(time: 100, x: -50, y: 3), .init(time: 200, x: 50, y: 3)])
        let near = still.near(walker, within: 5, from: 0, to: 1_000)
        #expect(near.pieces.count == 1)
        #expect(abs(near.total - 8) < 1e-9)
        #expect(abs((near.pieces.first?.start ?? 0) - 146) < 1e-9)
        #expect(still.near(walker, within: 2.9, from: 0, to: 1_000).total == 0)
        #expect(abs(still.near(walker, within: 5, from: 150, to: 1_000).total - 4) < 1e-9)
    }

    @Test func restCountsInFull() {
        let one = Track([.init(time: 10, x: 1, y: 0), .init(time: 20, x: 1, y: 0), .init(time: 30, x: 90, y: 0)])
        let other = Track([])
        #expect(one.near(other, within: 2, from: 0, to: 20).total == 20)
        #expect(one.near(other, within: 2, from: 0, to: 20).pieces.count == 1)
    }

    /// Random walks: the sum of short steps agrees.
    @Test(arguments: 1...20) func againstCounting(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        func walk() -> Track {
            Track(
                (0..<12).map { _ in
                    .init(
                        time: .random(in: 0...1_000, using: &generator), x: .random(in: -20...20, using: &generator),
                        y: .random(in: -20...20, using: &generator))
                })
        }
        let (one, other) = (walk(), walk())
        let step = 0.05
        let counted = stride(from: step / 2, to: 1_000, by: step).reduce(0.0) {
            $0 + (one.distance(to: other, at: $1) <= 8 ? step : 0)
        }
        let near = one.near(other, within: 8, from: 0, to: 1_000)
        #expect(abs(near.total - counted) < 2)
        #expect(near.total <= 1_000)
    }

    @Test func intersections() {
        var spans = Spans(0, 10)
        spans.append(20, 30)
        spans.append(30, 35)
        #expect(spans.pieces.count == 2)
        #expect(spans.total == 25)
        #expect(spans.longest == 15)
        var other = Spans(5, 22)
        other.append(34, 99)
        let both = spans.intersection(other)
        #expect(both.total == 5 + 2 + 1)
        #expect(both == other.intersection(spans))
        #expect(spans.intersection(Spans()).total == 0)
    }
}
