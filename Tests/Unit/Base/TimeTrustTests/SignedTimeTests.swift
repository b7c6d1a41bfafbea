// SPDX-License-Identifier: Apache-2.0

import Testing
import TimeTrust

@Suite struct SignedTimeTests {
    private var bench = Bench(uptime: .hours(2))

    @Test mutating func theRoundTripIsPartOfTheUncertainty() throws {
        bench.hearSigned(midnight, .seconds(2), trip: .seconds(60))
        let now = bench.now
        let time = try #require(now.time)
        let uncertainty = try #require(now.uncertainty)
        // Read by the authority at any moment of the trip.
        #expect(time - uncertainty <= midnight - .seconds(2))
        #expect(time + uncertainty >= midnight + .seconds(62))
        #expect(uncertainty < .milliseconds(32_010))
        #expect(now.floor == midnight - .seconds(2))
    }

    @Test mutating func aSlowAnswerIsRefused() {
        bench.hearSigned(midnight, .zero, trip: .seconds(1_201))
        #expect(bench.machine.counters.refused[.tooUncertain] == 1)
        bench.hearSigned(midnight, .seconds(601))
        bench.hearSigned(midnight, .seconds(500), trip: .seconds(300))
        #expect(bench.machine.counters.refused[.tooUncertain] == 3)
        #expect(bench.now.state == .untrusted)
        #expect(bench.now.floor == buildTime)
        bench.hearSigned(midnight, .zero, trip: .seconds(1_199))
        #expect(bench.now.state == .authenticated)
    }

    @Test mutating func impossibleRoundTripsAreRefused() {
        func answer(_ sent: Int64, _ received: Int64) -> TrustedTime.Event {
            .signed(
                .init(
                    time: midnight, uncertainty: .zero, sent: BootInstant(nanoseconds: sent),
                    received: BootInstant(nanoseconds: received)))
        }
        let now = BootInstant(sinceBoot: bench.uptime).nanoseconds
        for (sent, received) in [(now, now - 1), (now, now + 1), (-1, now), (.min, .max), (.max, .min)] {
            bench.handle(answer(sent, received))
        }
        #expect(bench.machine.counters.refused == [.impossibleRoundTrip: 5])
        bench.handle(answer(now - 1, now - 1))
        #expect(bench.now.state == .authenticated)
    }

    @Test mutating func anAnswerThatWasHeldBackDoesNotMakeTheTimeVaguer() throws {
        bench.hearSigned(midnight, .seconds(2))
        bench.pass(.hours(1))
        let before = bench.now
        bench.hearSigned(midnight + .minutes(50), .seconds(2), trip: .minutes(18))
        #expect(try #require(bench.now.uncertainty) <= #require(before.uncertainty) + .milliseconds(1))
        #expect(try abs(#require(bench.now.time).since(#require(before.time)) / .seconds(1)) < 0.01)
        #expect(bench.now.floor == midnight + .minutes(50) - .seconds(2))
    }

    @Test mutating func twoAnswersTogetherAreMoreExact() throws {
        bench.hearSigned(midnight, .seconds(10))
        bench.hearSigned(midnight + .seconds(12), .seconds(10))
        #expect(try abs(#require(bench.now.time).since(midnight + .seconds(6)) / .seconds(1)) < 0.01)
        #expect(try #require(bench.now.uncertainty) < .seconds(4.01))
    }

    /// The floor narrows what is stated, and no statement is believed to be better than a second: that second must not make it agree with an
    /// older answer that it contradicts (found by VIGIL_SEED=1).
    @Test mutating func theTimeIsNeverOutsideWhatWasStatedLast() {
        bench.hearSigned(midnight + .milliseconds(2_400))
        bench.pass(.seconds(10))
        let truth = midnight + .seconds(10)
        bench.hearSigned(truth + .seconds(5), .seconds(5))
        bench.hearSigned(truth, .seconds(1))
        #expect(bench.now.state == .authenticated)
        #expect(bench.now.time == truth + .milliseconds(500))
    }

    @Test mutating func theNewerOfTwoContradictingAnswersCounts() {
        bench.hearSigned(midnight)
        bench.hearSigned(midnight + .days(40))
        #expect(bench.now.time == midnight + .days(40))
        // Earlier than proven: not even signed.
        bench.hearSigned(midnight)
        #expect(bench.machine.counters.refused[.belowFloor] == 1)
        #expect(bench.now.time == midnight + .days(40))
        #expect(bench.now.state == .authenticated)
    }

    @Test mutating func signedTimeBelowTheBuildIsRefused() {
        bench.hearSigned(buildTime - .minutes(1))
        #expect(bench.now.state == .untrusted)
        #expect(bench.machine.counters.refused[.belowFloor] == 1)
    }

    @Test mutating func signedTimeAcrossTheFloorCanOnlyBeLater() throws {
        bench.hearSigned(buildTime - .seconds(5), .seconds(15))
        let now = bench.now
        #expect(now.floor == buildTime)
        #expect(now.time == buildTime + .seconds(5))
        #expect(now.uncertainty == .seconds(5))
        bench.hearSigned(buildTime + .seconds(4), .seconds(1))
        #expect(bench.now.floor == buildTime + .seconds(3))
        #expect(try #require(bench.now.time) >= bench.now.floor)
    }

    /// 600 s less the first two, at 100 ppm, are 69 days; 3,000 s are 347.
    @Test mutating func signedTimeFadesWithDrift() throws {
        bench.hearSigned(midnight, .seconds(2))
        bench.pass(.seconds(5_979_000))
        #expect(bench.handle(.tick).isEmpty)
        #expect(bench.now.mayDelete)
        bench.pass(.seconds(2_000))
        // The question alone is enough, without an event.
        #expect(bench.now.state == .plausible)
        #expect(!bench.now.mayDelete)
        #expect(bench.handle(.tick) == [.degraded(.plausible, .signedLongAgo)])
        bench.pass(.seconds(24_000_000 - 20_000))
        #expect(bench.handle(.tick).isEmpty)
        #expect(bench.now.mayBroadcast)
        bench.pass(.seconds(20_000))
        #expect(bench.handle(.tick) == [.degraded(.untrusted, .drifted)])
        #expect(bench.now.time == nil)
        // Out of reach of the old answer, the network is believed again; how far off we were is told.
        bench.hear(.network, midnight + .days(2 * 365))
        #expect(bench.now.state == .plausible)
        guard case .stepped = try #require(bench.seen.first) else { return #expect(Bool(false)) }
    }

    @Test mutating func fadedSignedTimeIsMadeMoreExactButNotContradicted() {
        bench.hearSigned(midnight)
        bench.pass(.days(100))
        bench.handle(.tick)
        bench.hear(.network, midnight + .days(100) + .minutes(20))
        #expect(bench.machine.counters.refused[.contradictsSigned] == 1)
        bench.hear(.network, midnight + .days(100) + .minutes(10))
        #expect(bench.now.reason == .network)
        #expect(bench.now.uncertainty == .seconds(1))
        #expect(!bench.now.mayDelete)
        bench.hear(.operator, midnight + .days(101))
        #expect(bench.machine.counters.refused[.contradictsSigned] == 2)
        bench.hear(.operator, midnight + .days(100) + .minutes(9))
        #expect(bench.now.reason == .operator)
        // The answer still binds the network, more than the person does.
        bench.hear(.network, midnight + .days(100) + .minutes(20))
        #expect(bench.machine.counters.refused[.contradictsSigned] == 3)
    }

    @Test mutating func worseCrystalsFadeSooner() throws {
        bench = Bench(limits: try .init(driftPartsPerMillion: 1_000))
        bench.hearSigned(midnight)
        bench.pass(.days(7))
        #expect(bench.now.state == .plausible)
        bench.pass(.days(28))
        #expect(bench.now.state == .untrusted)
    }
}
