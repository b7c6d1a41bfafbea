// SPDX-License-Identifier: Apache-2.0

import Testing
import TimeTrust

/// Restarts of the program, which lose nothing, and of the board, which lose an unknown time.
@Suite struct RestartTests {
    private var bench = Bench()

    private func saved(_ uncertainty: Duration, source: TrustedTime.Source = .network) -> TrustedTime.Snapshot {
        .init(
            bootIdentity: firstBoot, boot: BootInstant(sinceBoot: .hours(1)), signedFloor: nil,
            current: .init(
                source: source.rawValue, time: midnight,
                uncertaintyMilliseconds: Int64(uncertainty / .milliseconds(1)), ageMilliseconds: 0),
            reference: nil, isOrderlyStop: false)
    }

    @Test mutating func aRestartOfTheProgramLosesNothing() {
        bench.hearSigned(midnight, .seconds(3))
        bench.run(.hours(7))
        let before = bench
        bench.restartProgram(after: .seconds(30))
        #expect(bench.machine.start == .resumed)
        #expect(bench.seen == [.becameTrusted(.authenticated, .signed)])
        #expect(bench.now.time == before.now.time.map { $0 + .seconds(30) })
        #expect(bench.now.mayDelete)
        #expect(bench.now.floor == before.now.floor)
        bench.hear(.network, midnight)
        #expect(bench.machine.counters.refused[.contradictsSigned] == 1)
    }

    @Test mutating func aThousandRestartsOfTheProgramDoNotWearTheTimeOut() throws {
        bench.hearSigned(midnight, .seconds(3))
        for _ in 0..<1_000 { bench.restartProgram() }
        #expect(try #require(bench.now.uncertainty) <= .seconds(5))
        #expect(bench.now.time == midnight + .seconds(1_000))
    }

    @Test mutating func fadedTimeStaysFadedAcrossARestartOfTheProgram() {
        bench.hear(.network, midnight)
        bench.pass(.days(400))
        bench.handle(.tick)
        bench.restartProgram()
        #expect(bench.machine.start == .resumed)
        #expect(bench.now.reason == .drifted)
        bench.hear(.network, midnight + .days(300))
        guard case .stepped(let step)? = bench.seen.first else { return #expect(Bool(false)) }
        #expect(step.isBackwards)
    }

    @Test mutating func aSwappedBatteryCarriesTheTimeOver() {
        bench.hearSigned(midnight, .seconds(3))
        bench.run(.hours(5))
        let stored = bench.stored
        bench.cutPower()
        #expect(bench.machine.start == .heldOver)
        #expect(bench.seen == [.becameTrusted(.plausible, .holdOver)])
        #expect(bench.now.time == stored.map { $0.current.time + .seconds(10) })
        #expect(bench.now.mayBroadcast)
        #expect(!bench.now.mayDelete)
        #expect(bench.now.floor == midnight - .seconds(3))
        // Stored at once: the next cut must know of this one.
        #expect(bench.stored?.bootIdentity == bench.machine.bootIdentity)
        #expect(bench.stored?.current.source == TrustedTime.Source.holdOver.rawValue)
    }

    @Test mutating func carriedTimeIsCorrectedByAnySource() {
        for source in TrustedTime.PlausibleSource.allCases {
            for offset in [Duration.days(3), .zero - .days(3)] {
                bench = Bench()
                bench.hear(.network, midnight)
                bench.cutPower()
                bench.hear(source, midnight + offset)
                #expect(bench.now.time == midnight + offset)
                guard case .stepped = bench.seen.first else { return #expect(Bool(false)) }
            }
        }
    }

    @Test mutating func twoCutsInARowPassAndAThirdDoesNot() {
        bench.hear(.network, midnight)
        bench.cutPower()
        bench.run(.hours(1))
        #expect(bench.now.mayBroadcast)
        bench.cutPower()
        bench.run(.hours(1))
        #expect(bench.now.mayBroadcast)
        bench.cutPower()
        #expect(bench.now.state == .untrusted)
        #expect(bench.now.reason == .powerLost)
        #expect(bench.machine.start == .powerLost)
        bench.cutPower()
        #expect(bench.now.state == .untrusted)
    }

    @Test mutating func cutsBeforeTheFirstEventAreOneCut() {
        bench.hear(.network, midnight)
        let stored = bench.stored
        for number: UInt64 in 2..<6 {
            bench = Bench(resuming: stored, boot: BootIdentity(high: number, low: 0))
            #expect(bench.machine.start == .heldOver)
        }
    }

    @Test mutating func anOrderlyStopCostsOnlyTheTimeWithoutPower() throws {
        bench.hear(.network, midnight)
        bench.run(.minutes(7))
        bench.handle(.stopping)
        bench.cutPower()
        #expect(bench.now.time == midnight + .minutes(7) + .seconds(10))
        #expect(try #require(bench.now.uncertainty) < .minutes(15) + .seconds(2))
        // It is the cut that follows that must not profit from it.
        #expect(bench.stored?.isOrderlyStop == false)
    }

    @Test(arguments: [
        (Duration.seconds(1_199), true), (.milliseconds(1_199_999), true), (.milliseconds(1_200_001), false),
    ])
    func theToleranceIsTheBorderOfHoldOver(_ uncertainty: Duration, _ isCarried: Bool) {
        // 15 minutes without power and 15 of the snapshot leave 20 of 50; no time since the boot, so no drift.
        let bench = Bench(resuming: saved(uncertainty), boot: secondBoot, uptime: .zero)
        #expect((bench.machine.start == .heldOver) == isCarried)
        #expect(bench.now.mayBroadcast == isCarried)
    }

    @Test func driftSinceTheBootCountsToo() {
        let snapshot = saved(.seconds(1_195))
        #expect(Bench(resuming: snapshot, boot: secondBoot, uptime: .hours(13)).machine.start == .heldOver)
        #expect(Bench(resuming: snapshot, boot: secondBoot, uptime: .hours(14)).machine.start == .powerLost)
    }

    @Test mutating func carriedTimeExpiresAfterThreeDays() {
        bench.hear(.network, midnight)
        bench.cutPower()
        bench.run(.hours(72) - .seconds(10))
        #expect(bench.now.mayBroadcast)
        bench.pass(.milliseconds(1))
        #expect(!bench.now.mayBroadcast)
        #expect(bench.handle(.tick) == [.degraded(.untrusted, .holdOverExpired)])
        // Neither a restart of the program nor another cut gives it new life.
        bench.restartProgram()
        #expect(bench.now.reason == .holdOverExpired)
        bench.cutPower()
        #expect(bench.now.reason == .holdOverExpired)
        #expect(!bench.now.mayBroadcast)
    }

    @Test mutating func carriedTimeAgesAcrossCuts() {
        bench.hear(.network, midnight)
        bench.cutPower()
        bench.run(.hours(71))
        bench.cutPower()
        #expect(bench.now.mayBroadcast)
        bench.run(.hours(2))
        #expect(bench.now.reason == .holdOverExpired)
    }

    @Test func aBoardWithoutHoldOverWaits() throws {
        let limits = try TrustedTime.Limits(holdOver: nil)
        let bench = Bench(limits: limits, resuming: saved(.seconds(1)), boot: secondBoot)
        #expect(bench.now.reason == .powerLost)
        // Carried by an earlier firmware that allowed it, within the same boot.
        let carried = Bench(limits: limits, resuming: saved(.seconds(1), source: .holdOver), uptime: .hours(2))
        #expect(carried.machine.start == .resumed)
        #expect(carried.now.reason == .holdOverExpired)
    }

    @Test mutating func aStepBackwardsOverALongCutIsTold() {
        bench = Bench(resuming: saved(.minutes(40)), boot: secondBoot)
        #expect(bench.now.state == .untrusted)
        bench.hear(.network, midnight - .hours(3))
        #expect(
            bench.seen == [
                .stepped(.init(from: midnight, to: midnight - .hours(3))), .becameTrusted(.plausible, .network),
            ])
        bench = Bench(resuming: saved(.minutes(40)), boot: secondBoot)
        bench.hear(.network, midnight + .hours(3))
        #expect(bench.seen == [.becameTrusted(.plausible, .network)])
    }

    @Test mutating func aNewerFirmwareEndsATimeBeforeItsBuild() {
        bench.hear(.network, midnight)
        let later = midnight + .days(1)
        bench = Bench(build: later, resuming: bench.stored, uptime: .hours(1))
        #expect(bench.now.reason == .powerLost)
        #expect(bench.now.floor == later)
        bench.hear(.network, midnight)
        #expect(bench.machine.counters.refused[.belowFloor] == 1)
    }

    @Test mutating func aNewerFirmwareAlsoEndsWhatLesserSourcesWereBoundBy() {
        bench.hearSigned(midnight)
        bench = Bench(build: midnight + .days(1), resuming: bench.stored, uptime: .hours(1))
        bench.hear(.network, midnight + .days(2))
        #expect(bench.now.time == midnight + .days(2))
    }

    @Test mutating func aWronglyDatedFirmwareDoesNotBindTheNext() {
        bench = Bench(build: in2031)
        bench.hear(.network, in2031 + .days(1))
        bench = Bench(resuming: bench.stored, boot: secondBoot)
        #expect(bench.now.floor == buildTime)
        bench.hear(.network, midnight)
        #expect(bench.now.time == midnight)
    }

    @Test(arguments: [Int64.min, 0, .max])
    func anAbsurdBuildTimeIsBroughtIntoRange(_ seconds: Int64) {
        let bench = Bench(build: UnixTime(seconds: seconds))
        #expect(bench.machine.build >= TrustedTime.Limits.earliest)
        #expect(bench.machine.build <= UnixTime(seconds: 4_102_444_800))
    }

    @Test mutating func savingIsRegularAndNotForEveryReading() {
        bench.hear(.network, midnight)
        var writes = 0
        var last = bench.stored
        for minute in 1...(24 * 60) {
            bench.pass(.minutes(1))
            bench.hear(.network, midnight + .minutes(minute) + .milliseconds(minute % 2 * 30))
            if bench.stored != last { writes += 1 }
            last = bench.stored
        }
        #expect(writes == 144)
    }

    @Test mutating func aStepOfASecondIsSavedAtOnce() {
        bench.hear(.network, midnight)
        bench.hear(.network, midnight + .milliseconds(999))
        #expect(bench.stored?.current.time == midnight)
        bench.hear(.network, midnight + .milliseconds(1_001))
        #expect(bench.stored?.current.time == midnight + .milliseconds(1_001))
    }
}
