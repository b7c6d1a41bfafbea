// SPDX-License-Identifier: Apache-2.0

import GAEN
import RandomValues
import Testing
import TimeTrust
import VirtualAir

@testable import Core

@Suite struct RotationPlanTests {
    private static let now = Duration.seconds(1_000)
    /// 2026-11-21 23:55 UTC.
    private static let evening = UnixTime(seconds: ExposureServiceBench.noon / 86_400 * 86_400 + 86_100)

    @Test func withoutAPlanNothingIsDue() {
        let plan = RotationPlan()
        #expect(plan.due == nil && plan.preparationDue == nil && plan.worstLateness == .zero)
    }

    @Test func anIdentifierEndsWhenItsTimeIsOver() {
        var plan = RotationPlan()
        plan.plan(.seconds(700), from: Self.now)
        #expect(plan.due == Self.now + .seconds(700))
        plan.cancel()
        #expect(plan.due == nil)
    }

    @Test func midnightComesBefore() {
        var plan = RotationPlan()
        plan.plan(.seconds(700), from: Self.now)
        plan.planMidnight(nil, from: Self.evening, at: Self.now)
        #expect(plan.due == Self.now + .seconds(300))
        plan.plan(.seconds(100), from: Self.now)
        #expect(plan.due == Self.now + .seconds(100), "unless its own time is over first")
    }

    @Test func tomorrowsKeyHasTheMidnightAfterNext() {
        var generator = SeededGenerator(seed: 1)
        var schedule = TEKSchedule()
        let tomorrow = ENIN(UInt32((Self.evening.seconds + 300) / 600))
        _ = schedule.next(at: tomorrow, mayRepeat: false, using: &generator)
        var plan = RotationPlan()
        plan.plan(.seconds(200_000), from: Self.now)
        plan.planMidnight(schedule.current, from: Self.evening, at: Self.now)
        #expect(plan.due == Self.now + .seconds(300 + 86_400))
    }

    @Test func theNextTurnIsStoredOnceBeforeEachChange() {
        var plan = RotationPlan()
        plan.plan(.seconds(700), from: Self.now)
        #expect(plan.preparationDue == Self.now + .seconds(700) - RotationPlan.preparation)
        plan.prepared()
        #expect(plan.preparationDue == nil)
        plan.plan(.seconds(800), from: Self.now)
        #expect(plan.preparationDue != nil, "for another change")
    }

    @Test func theLongestDelayIsKept() {
        var plan = RotationPlan()
        plan.plan(.zero, from: Self.now)
        plan.arrived(at: Self.now + .milliseconds(7))
        plan.arrived(at: Self.now + .milliseconds(3))
        #expect(plan.worstLateness == .milliseconds(7))
    }
}
