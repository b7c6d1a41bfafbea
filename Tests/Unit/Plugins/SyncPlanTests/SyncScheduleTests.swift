// SPDX-License-Identifier: Apache-2.0

import RandomValues
import SyncPlan
import Testing

@Suite struct SyncScheduleTests {
    private let timing = SyncTiming.hourly

    private func moment(_ wall: Int64, _ steady: Int64, boot: UInt64 = 1) -> SyncMoment {
        SyncMoment(wall: wall, steady: steady, boot: boot)
    }

    /// spec 7.4: seconds until the next interval begins, and a random part of an hour.
    @Test func regularRunsAreTheSeedFormula() {
        var random = SeededGenerator(seed: 1)
        for wall in [Int64(0), 1, 3_599, 3_600, 1_600_000_123, -1] {
            let left = 3_600 - ((wall % 3_600) + 3_600) % 3_600
            #expect(timing.secondsToNextInterval(wall: wall) == left)
            var least = Int64.max
            var most = Int64.min
            for _ in 0..<20_000 {
                let delay = timing.regularDelay(wall: wall, using: &random) - left
                least = min(least, delay)
                most = max(most, delay)
            }
            #expect(least >= 0 && least < 10)
            #expect(most < 3_600 && most > 3_589)
        }
    }

    @Test func aMillionClientsComeEvenlyOverTheHour() {
        var random = SeededGenerator(seed: 2)
        var perMinute = [Int](repeating: 0, count: 60)
        // A blackout: everybody starts at the same second.
        for client in 0..<60_000 {
            let now = moment(1_700_000_000, 5, boot: UInt64(client))
            let schedule = SyncSchedule(at: now, timing: timing, using: &random)
            perMinute[Int((schedule.secondsUntilRun(at: now, timing: timing) ?? -1) / 60)] += 1
        }
        // 1,000 expected in each; six standard deviations.
        #expect(perMinute.allSatisfy { abs($0 - 1_000) < 190 })
    }

    @Test func failuresWaitLongerAndStayWithinTheCap() {
        var random = SeededGenerator(seed: 3)
        for failures in 1...40 {
            let mean = min(480 << Int64(min(failures - 1, 10)), 3_600)
            for _ in 0..<500 {
                let delay = timing.backoffDelay(failures: failures, using: &random)
                #expect(delay >= mean / 2 && delay <= mean / 2 + mean)
            }
        }
    }

    /// Something is to be seen again soon: however often the source failed, and never against its server's wish.
    @Test func aRunCanBeBroughtForward() throws {
        var random = SeededGenerator(seed: 24)
        for failures in [0, 1, 12] {
            for asked in [nil, 0, 7_200] as [Int64?] {
                var schedule = SyncSchedule(at: moment(0, 0), timing: timing, using: &random)
                for _ in 0..<failures { schedule.failed(at: moment(10, 10), timing: timing, using: &random) }
                if failures == 0 {
                    schedule.succeeded(at: moment(10, 10), timing: timing, using: &random)
                } else {
                    schedule.failed(at: moment(10, 10), retryAfter: asked, timing: timing, using: &random)
                }
                let (before, count) = (schedule.due, schedule.failures)
                schedule.hasten(at: moment(10, 10), timing: timing, using: &random)
                let wait = try #require(schedule.secondsUntilRun(at: moment(10, 10), timing: timing))
                #expect(schedule.due <= before && schedule.failures == count)
                #expect(failures > 0 && asked == 7_200 ? wait >= 7_200 : wait < timing.backoff, "\(failures) \(wait)")
            }
        }
    }

    @Test func aServersWishIsHonouredAlsoByWhoAsks() throws {
        var random = SeededGenerator(seed: 4)
        for asked in [Int64(-5), 0, 1, 120, 86_400, 1_000_000, .max] {
            var schedule = SyncSchedule(at: moment(0, 0), timing: timing, using: &random)
            schedule.begin(at: moment(10, 10))
            schedule.failed(at: moment(20, 20), retryAfter: asked, timing: timing, using: &random)
            schedule.wish()
            let wait = try #require(schedule.secondsUntilRun(at: moment(20, 20), timing: timing))
            let bounded = min(max(asked, 0), 86_400)
            #expect(wait >= bounded)
            #expect(wait <= max(bounded + 3_600, 30))
        }
    }

    @Test func aWishBringsTheRunForwardAndIsNotLost() {
        var random = SeededGenerator(seed: 5)
        var schedule = SyncSchedule(at: moment(0, 0), timing: timing, using: &random)
        schedule.wish()
        #expect(schedule.secondsUntilRun(at: moment(0, 0), timing: timing) == 0)
        schedule.begin(at: moment(0, 0))
        #expect(schedule.secondsUntilRun(at: moment(1, 1), timing: timing) == nil)
        schedule.wish()
        schedule.succeeded(at: moment(5, 5), timing: timing, using: &random)
        // After the run under way, and not sooner than the gap.
        #expect(schedule.secondsUntilRun(at: moment(5, 5), timing: timing) == 25)
        schedule.begin(at: moment(30, 30))
        schedule.succeeded(at: moment(35, 35), timing: timing, using: &random)
        #expect((schedule.secondsUntilRun(at: moment(35, 35), timing: timing) ?? 0) > 3_500)
    }

    @Test func jumpsOfTheSystemClockChangeNothingWhileTheBoardRuns() {
        var random = SeededGenerator(seed: 6)
        var schedule = SyncSchedule(at: moment(0, 0), timing: timing, using: &random)
        schedule.begin(at: moment(100, 100))
        schedule.succeeded(at: moment(110, 110), timing: timing, using: &random)
        let due = schedule.due
        for wall in [Int64(-1_000_000), 0, 4_000_000_000] {
            let stored = schedule.stored(at: moment(wall, 200))
            let restored = SyncSchedule(stored, at: moment(-wall, 300), timing: timing, using: &random)
            #expect(restored.due == due)
            #expect(restored.secondsUntilRun(at: moment(wall, 300), timing: timing) == due - 300)
        }
    }

    @Test func afterARestartOfTheBoardAFutureIsDiscarded() throws {
        var random = SeededGenerator(seed: 7)
        for (stored, now) in [
            (Int64(4_000_000_000), Int64(1_700_000_000)),  // the clock had jumped ahead
            (1_700_000_000, 10),  // no battery clock: 1970
            (1_700_000_000, 1_700_100_000),  // off for a day
            (.max, .min), (.min, .max - 10),
        ] {
            var schedule = SyncSchedule(at: moment(stored, 50), timing: timing, using: &random)
            schedule.begin(at: moment(stored, 60))
            schedule.succeeded(at: moment(stored, 70), timing: timing, using: &random)
            // Every neighbour of ours, too: the hour is used.
            var seen = Set<Int64>()
            for _ in 0..<200 {
                let after = SyncSchedule(
                    schedule.stored(at: moment(stored, 70)), at: moment(now, 3, boot: 2), timing: timing, using: &random)
                let wait = try #require(after.secondsUntilRun(at: moment(now, 3, boot: 2), timing: timing))
                #expect(wait >= 0 && wait < 3_600)
                seen.insert(wait / 360)
            }
            #expect(seen.count == 10)
        }
    }

    @Test func afterAShortRestartThePlanHolds() {
        var random = SeededGenerator(seed: 8)
        var schedule = SyncSchedule(at: moment(1_000_000, 50), timing: timing, using: &random)
        schedule.begin(at: moment(1_000_000, 60))
        schedule.failed(at: moment(1_000_000, 60), retryAfter: 7_200, timing: timing, using: &random)
        let left = schedule.due - 60
        let restored = SyncSchedule(
            schedule.stored(at: moment(1_000_000, 60)), at: moment(1_000_100, 4, boot: 9), timing: timing, using: &random)
        #expect(restored.secondsUntilRun(at: moment(1_000_100, 4, boot: 9), timing: timing) == left - 100)
        #expect(restored.failures == 1)
    }

    @Test func aRunThatNeverEndedHasFailed() throws {
        var random = SeededGenerator(seed: 9)
        var schedule = SyncSchedule(at: moment(0, 0), timing: timing, using: &random)
        schedule.begin(at: moment(0, 0))
        for crash in 1...5 {
            let now = moment(Int64(crash) * 10_000, Int64(crash) * 10_000)
            schedule = SyncSchedule(schedule.stored(at: now), at: now, timing: timing, using: &random)
            #expect(schedule.failures == UInt8(crash))
            #expect(try #require(schedule.secondsUntilRun(at: now, timing: timing)) >= 240)
            schedule.begin(at: now)
        }
    }

    @Test func parametersThatMakeNoSenseAreBroughtIntoRange() {
        let odd = SyncTiming(
            interval: 0, spread: -1, backoff: 0, backoffLimit: -5, retryAfterLimit: -1, onDemandGap: .max)
        #expect(odd.interval == 60 && odd.spread == 0 && odd.backoff == 1 && odd.backoffLimit == 1)
        #expect(odd.retryAfterLimit == 0 && odd.onDemandGap == 3_600)
        #expect(MemoryLayout<SyncSchedule>.size <= 32)
    }
}
