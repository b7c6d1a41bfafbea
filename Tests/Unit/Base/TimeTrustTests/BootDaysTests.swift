// SPDX-License-Identifier: Apache-2.0

import Testing
import TimeTrust

/// Age by the boot clock alone, whatever the clocks say.
@Suite struct BootDaysTests {
    private static let retention = Duration.days(14)

    private func at(_ days: Int, hours: Int = 0) -> BootInstant {
        BootInstant(sinceBoot: .days(days) + .hours(hours))
    }

    /// The day that is seen on each day of a boot, hour by hour; what may go on the last.
    private func end(of days: [UInt32], lastHour: Int = 12) -> UInt32? {
        var watch = BootDays(since: at(0))
        for (number, day) in days.enumerated() {
            for hour in 0..<24 where number + 1 < days.count || hour <= lastHour {
                watch.see(day, at: at(number, hours: hour))
            }
        }
        return watch.firstRecent(within: Self.retention, at: at(days.count - 1, hours: lastHour))
    }

    @Test func daysGoWhenTheyAreFourteenDaysPast() {
        #expect(end(of: (0..<14).map { 20_000 + $0 }) == nil)
        #expect(end(of: (0..<15).map { 20_000 + $0 }, lastHour: 0) == nil)
        // Day 0 ended 14 days and twelve hours ago.
        #expect(end(of: (0..<16).map { 20_000 + $0 }) == 20_001)
        #expect(end(of: (0..<30).map { 20_000 + $0 }) == 20_015)
        // Within the hour that is added, it stays.
        #expect(end(of: (0..<16).map { 20_000 + $0 }, lastHour: 0) == 20_000)
    }

    /// A clock that lies lies about names: nothing that was written within 14 days goes, under whatever name.
    @Test func lyingClocksHurryNothing() {
        let honest = (0..<20).map { 20_000 + UInt32($0) }
        // 2040 on the last day, on a day between, and for 13 days.
        #expect(end(of: honest.dropLast() + [25_600]) == 20_005)
        #expect(end(of: honest.enumerated().map { $0.offset == 15 ? 25_600 : $0.element }) == 20_005)
        #expect(
            (end(of: honest.enumerated().map { $0.offset > 6 ? 25_600 + UInt32($0.offset) : $0.element }) ?? 0) <= 20_006)
        // A day of long ago is named again: it stays as long as any other.
        #expect(end(of: honest.dropLast(3) + [20_001, 20_017, 20_018]) == 20_001)
    }

    @Test func whatCannotBeRememberedIsWaitedFor() {
        var watch = BootDays(since: at(0))
        for hour in 0..<20 * 24 { watch.see(20_000 + UInt32(hour / 24), at: at(0, hours: hour)) }
        #expect(watch.firstRecent(within: Self.retention, at: at(20)) != nil)
        // More names than are kept.
        for jump in 0..<UInt32(2 * BootDays.maximumDays) { watch.see(30_000 + jump * 3, at: at(20)) }
        #expect(watch.uses.count <= BootDays.maximumDays)
        #expect(watch.firstRecent(within: Self.retention, at: at(21)) == nil)
        // Kept and taken up again in the same boot.
        var kept = BootDays(since: at(0))
        for day in 0..<10 as Range<UInt32> { kept.see(20_000 + day, at: at(Int(day), hours: 23)) }
        var later = BootDays(since: kept.since, uses: kept.uses)
        for day in 10..<20 as Range<UInt32> { later.see(20_000 + day, at: at(Int(day), hours: 23)) }
        #expect(later.firstRecent(within: Self.retention, at: at(19, hours: 23)) == 20_004)
    }
}

/// The earlier of two times that could each lie.
@Suite struct CertainlyPastTests {
    private let file = midnight - .hours(6)

    @Test func neitherAloneIsEnough() {
        var bench = Bench()
        #expect(bench.now.certainlyPast(file) == nil)
        bench.hear(.network, midnight)
        #expect(bench.now.certainlyPast(nil) == nil)
        #expect(bench.now.certainlyPast(file) == file)
        // A file of 2040 proves nothing that the clock does not say.
        #expect(bench.now.certainlyPast(in2040) == bench.now.earliest)
    }

    @Test func aClockOf2031ProvesNothingThatNoFileSays() {
        var bench = Bench()
        bench.hear(.network, in2031)
        #expect(bench.now.state == .plausible)
        #expect(bench.now.certainlyPast(file) == file)
        #expect(bench.now.certainlyPast(nil) == nil)
    }

    @Test func signedTimeNeedsNoFile() {
        var bench = Bench()
        bench.hearSigned(midnight)
        #expect(bench.now.mayDelete)
        #expect(bench.now.certainlyPast(nil) == bench.now.earliest)
        #expect(bench.now.certainlyPast(file) == bench.now.earliest)
    }
}
