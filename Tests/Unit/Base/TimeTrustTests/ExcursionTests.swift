// SPDX-License-Identifier: Apache-2.0

import Testing
import TimeTrust

/// A clock that goes far away and comes back: nothing is deleted, and the present is not locked out.
@Suite struct ExcursionTests {
    private var bench = Bench()

    /// Repeats a reading for longer than a leap must be repeated.
    private mutating func insist(_ source: TrustedTime.PlausibleSource, _ time: UnixTime) {
        let start = bench.uptime
        for _ in 0..<5 {
            bench.hear(source, time + (bench.uptime - start))
            #expect(!bench.now.mayDelete || bench.now.reason == .signed)
            bench.pass(.minutes(5))
        }
        bench.hear(source, time + (bench.uptime - start))
    }

    @Test(arguments: TrustedTime.PlausibleSource.allCases, [in2031, in2040])
    mutating func theFutureComesFromOneSourceAndThePresentFromAnother(
        _ liar: TrustedTime.PlausibleSource, _ future: UnixTime
    ) {
        for honest in TrustedTime.PlausibleSource.allCases {
            bench = Bench()
            bench.hear(.network, midnight)
            bench.run(.hours(30))
            insist(liar, future)
            #expect(bench.now.floor == buildTime)
            #expect(!bench.now.mayDelete)
            #expect(bench.stored?.signedFloor == nil)
            // Off and on again, as a person would.
            bench.cutPower()
            insist(honest, midnight + .days(2))
            #expect(bench.now.time.map { $0 < midnight + .days(3) } == true)
            #expect(bench.now.mayBroadcast)
        }
    }

    @Test(arguments: [in2031, in2040])
    mutating func theFutureAndThePresentComeFromTheSameNetwork(_ future: UnixTime) {
        bench.hear(.network, midnight)
        insist(.network, future)
        #expect((bench.now.time.map { $0 >= in2031 } == true) == (future == in2031))
        insist(.network, midnight + .hours(1))
        #expect(bench.now.time == midnight + .hours(1) + .minutes(25))
        #expect(bench.now.floor == buildTime)
    }

    @Test(arguments: TrustedTime.PlausibleSource.allCases, [in2031, in2040])
    mutating func signedTimeDoesNotMoveForTheFuture(_ liar: TrustedTime.PlausibleSource, _ future: UnixTime) {
        bench.hearSigned(midnight)
        insist(liar, future)
        #expect(bench.now.time == midnight + .minutes(25))
        #expect(bench.now.mayDelete)
        #expect(bench.now.earliest.map { $0 <= midnight + .minutes(25) } == true)
    }

    @Test mutating func signedTimeEndsAnExcursion() {
        bench.hear(.network, in2031)
        bench.run(.days(2))
        bench.hearSigned(midnight)
        #expect(bench.now.time == midnight)
        #expect(bench.now.state == .authenticated)
        #expect(bench.now.floor == midnight - .seconds(1))
    }

    @Test mutating func a1970ClockChipIsNoClock() {
        bench.hearSigned(midnight)
        bench.run(.hours(1))
        bench.cutPower()
        let carried = bench.now.time
        bench.hear(.clockChip, UnixTime(seconds: 37))
        #expect(bench.now.time == carried)
        #expect(bench.now.reason == .holdOver)
        #expect(bench.machine.counters.refused[.belowFloor] == 1)
        // Not even one that says yesterday: the authority was heard today.
        bench.hear(.clockChip, midnight - .days(1))
        #expect(bench.now.time == carried)
    }
}
