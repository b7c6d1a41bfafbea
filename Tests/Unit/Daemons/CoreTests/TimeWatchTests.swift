// SPDX-License-Identifier: Apache-2.0

import Testing
import TimeTrust

@testable import Core

@Suite struct TimeWatchTests {
    private static let boot = BootIdentity(high: 1, low: 2)
    private static let start = BootInstant(nanoseconds: 5_000_000_000)
    private static let today = UInt32(ExposureServiceBench.noon / 86_400)

    private var watch = TimeWatch(limits: .standard, bootIdentity: boot, resuming: nil, at: start)

    private static func after(_ span: Duration) -> BootInstant { start.advanced(by: span) }

    private mutating func hear(_ seconds: Int64, at now: BootInstant) {
        _ = watch.handle(
            .plausible(.init(.operator, UnixTime(seconds: seconds), uncertainty: .seconds(1))), at: now)
    }

    @Test mutating func clocksAreReadOftenUntilTheTimeIsKnown() {
        #expect(watch.due == Self.start.duration, "at once")
        watch.looked(at: Self.start)
        #expect(watch.due == Self.start.duration + TimeWatch.unknownInterval)
        hear(ExposureServiceBench.noon, at: Self.start)
        watch.looked(at: Self.start)
        #expect(watch.due == Self.start.duration + TimeWatch.interval)
        #expect(!watch.isNear(Self.after(.seconds(100))))
        #expect(watch.isNear(Self.after(.seconds(145))), "from half the interval on")
    }

    @Test mutating func nothingIsForgottenWhileNothingIsCertain() {
        watch.seeDay(at: Self.start)
        #expect(watch.forgettableDay(at: Self.start) == nil && watch.days.current == nil)
        hear(ExposureServiceBench.noon, at: Self.start)
        #expect(watch.forgettableDay(at: Self.start) == nil, "a clock alone is not certain")
        watch.newestFileEnd = UnixTime(seconds: ExposureServiceBench.noon - 3_600)
        #expect(watch.forgettableDay(at: Self.start) == Self.today - 14, "the earlier of clock and file")
    }

    @Test mutating func onlyDaysOfThisBootAreTakenUp() throws {
        hear(ExposureServiceBench.noon, at: Self.start)
        watch.seeDay(at: Self.start)
        let kept = watch.days
        var same = TimeWatch(limits: .standard, bootIdentity: Self.boot, resuming: nil, at: Self.after(.seconds(60)))
        same.takeUp((boot: Self.boot, days: kept))
        #expect(same.days.since == Self.start && same.days.uses == kept.uses && !kept.uses.isEmpty)
        var other = TimeWatch(limits: .standard, bootIdentity: Self.boot, resuming: nil, at: Self.after(.seconds(60)))
        other.takeUp((boot: BootIdentity(high: 3, low: 4), days: kept))
        #expect(other.days.since == Self.after(.seconds(60)) && other.days.uses.isEmpty)
    }
}
