// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing
import WakePlan

@Suite struct LinkScheduleTests {
    private var random = SeededGenerator(seed: 1)

    @Test mutating func connectsWhileItIsWanted() {
        var link = LinkSchedule()
        #expect(link.want(false, at: .zero, using: &random) == nil)
        #expect(link.deadline == nil)
        #expect(link.want(true, at: .zero, using: &random) == nil)
        let deadline = link.deadline ?? .seconds(99)
        #expect(deadline <= .seconds(10))
        #expect(link.tick(at: deadline - .milliseconds(1), using: &random) == nil)
        #expect(link.tick(at: deadline, using: &random) == .connect)
        link.opened(at: .seconds(11))
        #expect(link.state == .connected(since: .seconds(11)))
        #expect(link.deadline == nil)
        #expect(link.want(true, at: .seconds(12), using: &random) == nil)
        #expect(link.want(false, at: .seconds(13), using: &random) == .disconnect)
        #expect(link.state == .idle)
        link.closed(isRefusal: false, at: .seconds(13), using: &random)
        #expect(link.state == .idle)
    }

    /// Waits after `count` failures in a row, many times over.
    private mutating func waits(_ count: Int, isRefusal: Bool = false) -> [Duration] {
        (0..<300).map { _ in
            var link = LinkSchedule()
            _ = link.want(true, at: .zero, using: &random)
            var now = Duration.zero
            var wait = Duration.zero
            for _ in 0..<count {
                now = link.deadline ?? now
                _ = link.tick(at: now, using: &random)
                link.closed(isRefusal: isRefusal, at: now, using: &random)
                wait = (link.deadline ?? now) - now
            }
            return wait
        }
    }

    @Test mutating func waitsLongerEachTimeAndNeverTheSame() {
        for (count, mean) in [(1, 8), (2, 16), (5, 128), (9, 900), (40, 900)] {
            let waits = waits(count)
            #expect(waits.allSatisfy { $0 >= .seconds(mean) / 2 && $0 <= .seconds(mean) * 3 / 2 })
            #expect(Set(waits).count > 100)
            let average = waits.reduce(.zero, +) / 300
            #expect(average > .seconds(mean) * 9 / 10 && average < .seconds(mean) * 11 / 10)
        }
        #expect(self.waits(1, isRefusal: true).allSatisfy { $0 >= .seconds(300) })
    }

    /// Processes before this one ended soon after they had connected.
    @Test mutating func whoIsWaryTakesTimeForTheFirstConnection() {
        var link = LinkSchedule(isWary: true)
        _ = link.want(true, at: .zero, using: &random)
        let wait = link.deadline ?? .zero
        #expect(wait >= .seconds(300) && wait <= .seconds(900))
        // Changed settings shorten nothing.
        _ = link.want(false, at: .seconds(1), using: &random)
        _ = link.want(true, at: .seconds(1), using: &random)
        #expect((link.deadline ?? .zero) >= .seconds(301))
        #expect(link.tick(at: link.deadline ?? .zero, using: &random) == .connect)
        _ = link.want(false, at: .seconds(1_000), using: &random)
        _ = link.want(true, at: .seconds(1_000), using: &random)
        #expect((link.deadline ?? .zero) <= .seconds(1_010))
    }

    @Test mutating func aGoodConnectionForgetsFailures() {
        for (held, failures) in [(Duration.seconds(1), 4), (.seconds(120), 1)] {
            var link = LinkSchedule()
            _ = link.want(true, at: .zero, using: &random)
            for _ in 0..<3 {
                _ = link.tick(at: link.deadline ?? .zero, using: &random)
                link.closed(isRefusal: false, at: .zero, using: &random)
            }
            let now = link.deadline ?? .zero
            _ = link.tick(at: now, using: &random)
            link.opened(at: now)
            link.closed(isRefusal: false, at: now + held, using: &random)
            #expect(link.failures == failures)
        }
    }

    @Test mutating func connectingHasAnEnd() {
        var link = LinkSchedule()
        _ = link.want(true, at: .zero, using: &random)
        let now = link.deadline ?? .zero
        _ = link.tick(at: now, using: &random)
        #expect(link.tick(at: now + .seconds(59), using: &random) == nil)
        #expect(link.tick(at: now + .seconds(60), using: &random) == .disconnect)
        #expect(link.failures == 1)
    }
}
