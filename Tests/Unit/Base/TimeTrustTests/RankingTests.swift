// SPDX-License-Identifier: Apache-2.0

import Testing
import TimeTrust

/// What each source does in each state.
@Suite struct RankingTests {
    private var bench = Bench()

    private func isRefused(_ cause: TrustedTime.Refusal.Cause) -> Bool {
        bench.seen.contains { if case .refused(let refusal) = $0 { refusal.cause == cause } else { false } }
    }

    @Test func nothingHeardMeansNoTime() {
        let now = bench.now
        #expect(now.state == .untrusted)
        #expect(now.reason == .noSource)
        #expect(now.time == nil)
        #expect(now.uncertainty == nil)
        #expect(now.earliest == nil)
        #expect(!now.mayBroadcast)
        #expect(!now.mayDelete)
        #expect(bench.machine.start == .first)
    }

    @Test mutating func nothingIsStoredBeforeAClockIsHeard() {
        bench.handle(.tick)
        bench.run(.hours(1))
        bench.handle(.stopping)
        #expect(bench.stored == nil)
        #expect(bench.seen.isEmpty)
    }

    @Test(arguments: [
        (TrustedTime.PlausibleSource.clockChip, TrustedTime.Reason.clockChip, 300),
        (.network, .network, 1), (.operator, .operator, 60),
    ])
    mutating func aFirstClockMakesTheTimePlausible(
        _ source: TrustedTime.PlausibleSource, _ reason: TrustedTime.Reason, _ least: Int
    ) {
        #expect(bench.hear(source, midnight) == [.becameTrusted(.plausible, reason)])
        let now = bench.now
        #expect(now.time == midnight)
        #expect(now.uncertainty == .seconds(least))
        #expect(now.mayBroadcast)
        #expect(!now.mayDelete)
        #expect(now.floor == buildTime)
        #expect(bench.stored?.signedFloor == nil)
        bench.pass(.seconds(1))
        #expect(bench.now.time == midnight + .seconds(1))
    }

    @Test(arguments: TrustedTime.PlausibleSource.allCases)
    mutating func signedTimeReplacesEverySource(_ source: TrustedTime.PlausibleSource) {
        bench.hear(source, midnight + .hours(5))
        #expect(
            bench.hearSigned(midnight, .seconds(2)) == [
                .stepped(.init(from: midnight + .hours(5), to: midnight)),
                .becameTrusted(.authenticated, .signed),
                .floorRaised(midnight - .seconds(2)),
            ])
        #expect(bench.now.mayDelete)
        #expect(bench.now.earliest.map { $0 >= midnight - .seconds(3) } == true)
    }

    @Test(arguments: TrustedTime.PlausibleSource.allCases)
    mutating func noSourceMovesSignedTime(_ source: TrustedTime.PlausibleSource) {
        bench.hearSigned(midnight)
        let before = bench.now
        #expect(bench.hear(source, midnight + .milliseconds(700)).isEmpty)
        #expect(bench.now == before)
        #expect(bench.machine.counters.agreed == 1)
        for offset in [Duration.hours(2), .zero - .hours(2), .days(400)] {
            bench.hear(source, midnight + offset)
            #expect(bench.now.time == before.time)
        }
        #expect(bench.machine.counters.refused == [.contradictsSigned: 2, .belowFloor: 1])
    }

    @Test mutating func theNetworkBeatsTheClockChipAtOnce() {
        bench.hear(.clockChip, midnight)
        bench.hear(.network, midnight + .days(3))
        #expect(bench.now.time == midnight + .days(3))
        #expect(bench.now.reason == .network)
    }

    @Test mutating func theClockChipNeverBeatsTheNetwork() {
        bench.hear(.network, midnight)
        bench.hear(.clockChip, midnight + .hours(1))
        #expect(isRefused(.contradictsBetter))
        bench.run(.days(3))
        bench.hear(.clockChip, midnight)
        #expect(bench.machine.counters.refused[.contradictsBetter] == 2)
        #expect(bench.now.reason == .network)
    }

    @Test mutating func aPersonBeatsTheNetworkAtOnce() {
        bench.hear(.network, midnight)
        bench.hear(.operator, midnight - .days(2))
        #expect(bench.seen == [.stepped(.init(from: midnight, to: midnight - .days(2)))])
        #expect(bench.now.reason == .operator)
    }

    @Test mutating func whatAPersonSetBindsTheNetworkForADay() {
        bench.hear(.operator, midnight)
        bench.pass(.hours(24))
        bench.hear(.network, midnight + .hours(30))
        #expect(isRefused(.contradictsOperator))
        bench.pass(.seconds(1))
        bench.hear(.network, midnight + .hours(30))
        #expect(isRefused(.unconfirmedLeap))
        bench.pass(.minutes(15))
        bench.hear(.network, midnight + .hours(30) + .minutes(15))
        #expect(bench.now.reason == .network)
    }

    @Test mutating func theNetworkMakesHandSetTimeMoreExactButStaysBound() {
        bench.hear(.operator, midnight)
        bench.hear(.network, midnight + .seconds(40))
        #expect(bench.now.reason == .network)
        #expect(bench.now.time == midnight + .seconds(40))
        #expect(bench.now.uncertainty == .seconds(1))
        bench.hear(.network, midnight + .minutes(5))
        #expect(isRefused(.contradictsOperator))
        // Also after the program was restarted.
        bench.restartProgram()
        bench.hear(.network, midnight + .minutes(5))
        #expect(isRefused(.contradictsOperator))
    }

    @Test mutating func aVaguerAgreeingSourceChangesNothing() {
        bench.hear(.network, midnight, .seconds(2))
        let before = bench.now
        bench.hear(.network, midnight + .seconds(3), .seconds(20))
        bench.hear(.clockChip, midnight + .seconds(200))
        #expect(bench.now == before)
        #expect(bench.machine.counters.agreed == 2)
    }

    @Test mutating func aSmallContradictionOfTheNetworkIsFollowedAtOnce() {
        bench.hear(.network, midnight)
        bench.hear(.network, midnight + .seconds(3_000))
        #expect(bench.now.time == midnight + .seconds(3_000))
    }

    @Test(arguments: [Duration.seconds(3_001), .seconds(-3_001), .days(1_500), .zero - .days(19)])
    mutating func aLeapOfTheNetworkMustBeRepeated(_ leap: Duration) {
        bench.hear(.network, midnight)
        bench.hear(.network, midnight + leap)
        #expect(isRefused(.unconfirmedLeap))
        bench.pass(.seconds(899))
        bench.hear(.network, midnight + leap + .seconds(899))
        #expect(bench.seen.isEmpty, "the same refusal is reported once")
        #expect(bench.machine.counters.refused[.unconfirmedLeap] == 2)
        bench.pass(.seconds(1))
        bench.hear(.network, midnight + leap + .seconds(900))
        #expect(bench.now.time == midnight + leap + .seconds(900))
    }

    /// Somebody on the way has to keep a lie up for half a day; the truth after it is believed as soon as ever.
    @Test(arguments: [Duration.days(1), .hours(-1), .days(400)])
    mutating func aLeapAwayFromASteadyTimeMustBeRepeatedForLonger(_ leap: Duration) {
        var passed = Duration.zero
        while passed <= .days(1) {
            bench.hear(.network, midnight + passed)
            bench.pass(.minutes(30))
            passed += .minutes(30)
        }
        let began = passed
        while passed - began < .hours(12) {
            bench.hear(.network, midnight + leap + passed)
            #expect(bench.now.time == midnight + passed)
            bench.pass(.minutes(30))
            passed += .minutes(30)
        }
        bench.hear(.network, midnight + leap + passed)
        #expect(bench.now.time == midnight + leap + passed)
        bench.hear(.network, midnight + passed)
        bench.pass(.minutes(15))
        passed += .minutes(15)
        bench.hear(.network, midnight + passed)
        #expect(bench.now.time == midnight + passed)
    }

    @Test mutating func aLeapThatIsTakenBackStartsAnew() {
        bench.hear(.network, midnight)
        bench.hear(.network, in2031)
        bench.pass(.minutes(10))
        bench.hear(.network, midnight + .minutes(10))
        bench.pass(.minutes(10))
        bench.hear(.network, in2031 + .minutes(20))
        #expect(isRefused(.unconfirmedLeap))
        // And so does one that leaps elsewhere, or waits for more than a day.
        bench.pass(.minutes(16))
        bench.hear(.network, in2031 + .days(1))
        bench.pass(.hours(25))
        bench.hear(.network, in2031 + .days(1) + .hours(25))
        #expect(bench.now.time.map { $0 < in2031 } == true)
    }

    @Test mutating func vagueReadingsAreRefused() {
        bench.hear(.network, midnight, .seconds(3_001))
        #expect(isRefused(.tooUncertain))
        bench.hear(.network, midnight, .seconds(Int64.max))
        #expect(bench.now.state == .untrusted)
        bench.hear(.network, midnight, .seconds(3_000))
        #expect(bench.now.state == .plausible)
        #expect(bench.now.uncertainty == .seconds(3_000))
    }

    @Test mutating func noSourceIsBelievedBelowTheFloor() {
        bench.hear(.network, buildTime - .seconds(2))
        #expect(isRefused(.belowFloor))
        bench.hear(.network, UnixTime(seconds: 0))
        #expect(bench.now.state == .untrusted)
        // Just within its uncertainty: then it can only be later.
        bench.hear(.clockChip, buildTime - .seconds(300))
        #expect(bench.now.time == buildTime)
        bench.hear(.operator, buildTime - .seconds(40))
        #expect(bench.now.time == buildTime + .seconds(10))
        #expect(bench.now.uncertainty == .seconds(60))
    }

    @Test mutating func noSourceIsBelievedBeyondTheHorizon() {
        let horizon = bench.machine.horizon
        for source in TrustedTime.PlausibleSource.allCases {
            bench.hear(source, horizon + .milliseconds(1))
            #expect(isRefused(.beyondHorizon))
        }
        bench.hearSigned(in2040)
        #expect(isRefused(.beyondHorizon))
        #expect(bench.now.floor == buildTime)
        bench.hear(.operator, horizon)
        #expect(bench.now.state == .plausible)
    }

    @Test mutating func stepsOverMidnightAreTold() throws {
        bench.hear(.network, midnight - .seconds(20))
        bench.hear(.network, midnight + .seconds(5))
        guard case .stepped(let forwards) = try #require(bench.seen.first) else { return #expect(Bool(false)) }
        #expect(forwards.crossesMidnight)
        #expect(!forwards.isBackwards)
        #expect(forwards.by == .seconds(25))
        bench.hear(.network, midnight + .seconds(2))
        guard case .stepped(let slight) = try #require(bench.seen.first) else { return #expect(Bool(false)) }
        #expect(!slight.crossesMidnight)
        #expect(slight.isBackwards)
        bench.hear(.operator, midnight - .days(1))
        guard case .stepped(let far) = try #require(bench.seen.first) else { return #expect(Bool(false)) }
        #expect(far.crossesMidnight && far.isBackwards)
    }
}
