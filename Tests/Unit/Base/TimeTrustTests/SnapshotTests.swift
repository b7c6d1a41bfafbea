// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing
import TimeTrust

/// Snapshots nobody of us has written.
@Suite struct SnapshotTests {
    private static let good = TrustedTime.Snapshot(
        bootIdentity: firstBoot, boot: BootInstant(sinceBoot: .hours(1)), signedFloor: midnight - .seconds(1),
        current: point(.signed, midnight), reference: point(.signed, midnight), isOrderlyStop: false)

    private static func point(_ source: TrustedTime.Source, _ time: UnixTime) -> TrustedTime.Snapshot.Point {
        .init(source: source.rawValue, time: time, uncertaintyMilliseconds: 1_000, ageMilliseconds: 0)
    }

    private func expectDamage(
        _ damage: TrustedTime.Damage, location: SourceLocation = #_sourceLocation,
        _ change: (inout TrustedTime.Snapshot) -> Void
    ) {
        var snapshot = Self.good
        change(&snapshot)
        var bench = Bench(resuming: snapshot, uptime: .hours(2))
        #expect(bench.machine.start == .damaged(damage), sourceLocation: location)
        #expect(bench.now.state == .untrusted, sourceLocation: location)
        #expect(bench.now.floor == buildTime, sourceLocation: location)
        bench.hear(.network, midnight)
        #expect(bench.now.time == midnight, sourceLocation: location)
    }

    @Test func aGoodOneIsTaken() {
        #expect(Bench(resuming: Self.good, uptime: .hours(2)).machine.start == .resumed)
        #expect(Bench(resuming: Self.good, boot: secondBoot).machine.start == .heldOver)
    }

    @Test func absurdFloorsAreForgotten() {
        for floor in [UnixTime(milliseconds: .min), UnixTime(seconds: 0), in2040, UnixTime(milliseconds: .max)] {
            expectDamage(.floor) { $0.signedFloor = floor }
        }
    }

    @Test func absurdTimesAreForgotten() {
        for time in [UnixTime(milliseconds: .min), UnixTime(seconds: 0), in2040, UnixTime(milliseconds: .max)] {
            expectDamage(.point) { $0.current.time = time }
            expectDamage(.point) { $0.reference?.time = time }
        }
        for value in [Int64.min, -1, .max] {
            expectDamage(.point) { $0.current.uncertaintyMilliseconds = value }
            expectDamage(.point) { $0.current.ageMilliseconds = value }
            expectDamage(.point) { $0.reference?.uncertaintyMilliseconds = value }
            expectDamage(.point) { $0.boot = BootInstant(nanoseconds: value == .max ? -2 : value) }
        }
        for source: UInt8 in [0, 6, 255] {
            expectDamage(.point) { $0.current.source = source }
            expectDamage(.point) { $0.reference?.source = source }
        }
        expectDamage(.point) { $0.reference?.source = TrustedTime.Source.network.rawValue }
    }

    @Test func contradictionsAreForgotten() {
        expectDamage(.contradiction) { $0.current.time = midnight - .minutes(1) }
        expectDamage(.bootClock) { $0.boot = BootInstant(sinceBoot: .hours(3)) }
    }

    @Test func aSnapshotClaimsNoMoreThanItsSource() {
        var snapshot = Self.good
        snapshot.current = Self.point(.clockChip, midnight)
        snapshot.current.uncertaintyMilliseconds = 0
        let bench = Bench(resuming: snapshot, uptime: .hours(1))
        #expect(bench.now.uncertainty == .seconds(300))
    }

    @Test func signedTimeBindsAlsoWithoutItsReference() {
        var snapshot = Self.good
        snapshot.reference = nil
        var bench = Bench(resuming: snapshot, uptime: .hours(1))
        bench.hear(.network, midnight + .days(1))
        #expect(bench.machine.counters.refused[.contradictsSigned] == 1)
    }

    /// Any bits at all: nothing traps, what is refused leaves nothing behind, and what is taken obeys the rules.
    @Test(arguments: 0..<20)
    func noiseIsSafe(_ seed: Int) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            func value(_ likely: Int64) -> Int64 {
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: Int64(bitPattern: generator.next())
                case 1: [Int64.min, -1, 0, 1, .max].randomElement(using: &generator) ?? 0
                default: likely
                }
            }
            func point() -> TrustedTime.Snapshot.Point {
                .init(
                    source: UInt8(truncatingIfNeeded: value(.random(in: 0...6, using: &generator))),
                    time: UnixTime(milliseconds: value(midnight.milliseconds)), uncertaintyMilliseconds: value(2_000),
                    ageMilliseconds: value(5_000))
            }
            let snapshot = TrustedTime.Snapshot(
                bootIdentity: Bool.random(using: &generator) ? firstBoot : secondBoot,
                boot: BootInstant(nanoseconds: value(3_600_000_000_000)),
                signedFloor: Bool.random(using: &generator)
                    ? UnixTime(milliseconds: value(midnight.milliseconds)) : nil,
                current: point(), reference: Bool.random(using: &generator) ? point() : nil,
                isOrderlyStop: Bool.random(using: &generator))
            let uptime = BootInstant(nanoseconds: value(7_200_000_000_000))
            var machine = TrustedTime(build: buildTime, bootIdentity: firstBoot, at: uptime, resuming: snapshot)
            let now = machine.now(at: uptime)
            #expect(now.floor >= buildTime && now.floor <= machine.horizon)
            if case .damaged = machine.start {
                #expect(now.state == .untrusted)
                #expect(now.floor == buildTime)
            }
            if let time = now.time { #expect(time >= now.floor) }
            if now.mayDelete { #expect(snapshot.current.source == TrustedTime.Source.signed.rawValue) }
            if snapshot.bootIdentity != firstBoot { #expect(!now.mayDelete) }
            for observation in machine.handle(.tick, at: uptime) {
                // After a hundred years in one boot even our own snapshot would be refused.
                guard uptime.nanoseconds <= 7_200_000_000_000, case .persist(let again) = observation else { continue }
                let resumed = TrustedTime(build: buildTime, bootIdentity: firstBoot, at: uptime, resuming: again)
                #expect(resumed.start == .resumed)
                #expect(resumed.now(at: uptime).state == machine.now(at: uptime).state)
            }
        }
    }
}
