// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing
import TimeTrust

/// What holds whatever happens: thousands of random histories of readings, restarts, cuts and lies.
@Suite struct PropertyTests {
    /// One random event. `truth` is what an honest source would say; liars and absurd values are mixed in.
    private func event(
        _ truth: UnixTime, _ uptime: Duration, using generator: inout SeededGenerator
    ) -> TrustedTime.Event {
        func time() -> UnixTime {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: in2040
            case 1: in2031 + .seconds(Int64.random(in: 0...1_000_000, using: &generator))
            case 2: UnixTime(seconds: 0)
            case 3: UnixTime(milliseconds: Bool.random(using: &generator) ? .min : .max)
            case 4: UnixTime(milliseconds: Int64(bitPattern: generator.next()))
            case 5: truth - .days(.random(in: 0...60, using: &generator))
            case 6: truth + .days(.random(in: 0...60, using: &generator))
            default: truth + .milliseconds(Int64.random(in: -90_000...90_000, using: &generator))
            }
        }
        func uncertainty() -> Duration {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: .seconds(Int64.max)
            case 1: .seconds(Int64.min)
            case 2: .seconds(Int64.random(in: 0...4_000, using: &generator))
            default: .seconds(Int64.random(in: 0...30, using: &generator))
            }
        }
        func instant() -> BootInstant {
            Int.random(in: 0..<6, using: &generator) == 0
                ? BootInstant(nanoseconds: Int64(bitPattern: generator.next()))
                : BootInstant(sinceBoot: uptime - .seconds(Int64.random(in: 0...200, using: &generator)))
        }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...1: return .tick
        case 2: return .stopping
        case 3...4:
            return .signed(
                .init(
                    // The time key does not lie here; what happens when it does is not a property but a disaster.
                    time: Int.random(in: 0..<4, using: &generator) == 0 ? time() : truth, uncertainty: uncertainty(),
                    sent: instant(), received: instant()))
        default:
            let source = TrustedTime.PlausibleSource.allCases.randomElement(using: &generator) ?? .network
            return .plausible(.init(source, time(), uncertainty: uncertainty()))
        }
    }

    /// `#expect` for conditions that are asked a million times: it takes no part in those that hold.
    private func check(
        _ condition: Bool, _ rule: Comment? = nil, location: SourceLocation = #_sourceLocation
    ) {
        if !condition { Issue.record(rule, sourceLocation: location) }
    }

    @Test(arguments: 0..<40)
    func theRulesHoldInEveryHistory(_ seed: Int) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            var bench = Bench(uptime: .hours(1))
            var truth = midnight
            var floor = bench.now.floor
            var lastSigned = 0
            for index in 1...60 {
                let pause: Duration =
                    switch Int.random(in: 0..<10, using: &generator) {
                    case 0: .days(.random(in: 1...120, using: &generator))
                    case 1...3: .hours(.random(in: 1...30, using: &generator))
                    default: .milliseconds(Int64.random(in: 0...600_000, using: &generator))
                    }
                let before = bench.now
                bench.pass(pause)
                truth = truth + pause
                let after = bench.now
                // Without an event the time only passes, the uncertainty only grows, the state only falls.
                check(after.state <= before.state)
                if let from = before.time, let to = after.time { check(to == from + pause) }
                if let from = before.uncertainty, let to = after.uncertainty { check(to >= from) }

                switch Int.random(in: 0..<25, using: &generator) {
                case 0:
                    bench.restartProgram(after: .zero)
                    check(bench.now.state <= after.state || bench.machine.start == .resumed)
                case 1:
                    bench.cutPower()
                    check(!bench.now.mayDelete)
                    lastSigned = 0
                default:
                    let event = event(truth, bench.uptime, using: &generator)
                    let counters = bench.machine.counters
                    let seen = bench.handle(event)
                    let now = bench.now
                    let isAdopted = bench.machine.counters.adopted > counters.adopted
                    if case .signed = event, isAdopted { lastSigned = index }
                    // Every change of the time is told, and nothing else is.
                    var steps: [TrustedTime.Step] = []
                    for case .stepped(let step) in seen { steps.append(step) }
                    if let from = after.time, let to = now.time {
                        check(steps == (from == to ? [] : [.init(from: from, to: to)]))
                    }
                    if !isAdopted {
                        check(steps.isEmpty)
                        check(now.time == after.time && now.uncertainty == after.uncertainty)
                    }
                    let raises = seen.contains { if case .floorRaised = $0 { true } else { false } }
                    check(raises == (now.floor > floor))
                    if raises { check(lastSigned == index, "only signed time raises the floor") }
                    let rises = seen.contains { if case .becameTrusted = $0 { true } else { false } }
                    check(rises == (now.state > after.state) || after.state != before.state)
                }
                let now = bench.now
                check(now.floor >= floor)
                floor = now.floor
                check((now.time == nil) == (now.state == .untrusted))
                check(now.mayBroadcast == (now.state >= .plausible))
                if now.mayDelete { check(lastSigned > 0 && now.reason == .signed) }
                if let time = now.time, let earliest = now.earliest, let uncertainty = now.uncertainty {
                    check(time >= floor && earliest >= floor)
                    check(uncertainty >= .seconds(1) && uncertainty <= TrustedTime.Limits.tolerance)
                }
            }
            // Whatever was said: once the authority speaks the truth, it is heard, unless it has itself said otherwise.
            if floor <= truth {
                bench.hearSigned(truth)
                check(bench.now.state == .authenticated)
                check(abs(bench.now.time.map { $0.since(truth) / .seconds(1) } ?? 99) <= 1)
            }
        }
    }

    /// With liars everywhere but no false signature, the present is never locked out and only the past is given up.
    @Test(arguments: 0..<40)
    func liarsNeitherDeleteNorLockOut(_ seed: Int) {
        var generator = SeededGenerator(seed: seed + 1_000)
        for _ in 0..<50 {
            var bench = Bench(uptime: .hours(1))
            var truth = midnight
            for _ in 0..<60 {
                let pause = Duration.seconds(Int64.random(in: 0...20_000, using: &generator))
                bench.pass(pause)
                truth = truth + pause
                switch Int.random(in: 0..<12, using: &generator) {
                case 0: bench.hearSigned(truth, .seconds(2))
                case 1: bench.cutPower()
                case 2: bench.restartProgram(after: .zero)
                default:
                    let lie = [in2031, in2040, UnixTime(seconds: 0), truth - .days(9), truth + .days(9)]
                    bench.hear(
                        TrustedTime.PlausibleSource.allCases.randomElement(using: &generator) ?? .network,
                        lie.randomElement(using: &generator) ?? in2031)
                }
                check(bench.now.floor <= truth)
                // What deleting goes by has really passed.
                if bench.now.mayDelete, let earliest = bench.now.earliest { check(earliest <= truth) }
            }
            if bench.now.state < .authenticated {
                bench.hear(.operator, truth)
                check(bench.now.time == truth || bench.machine.counters.refused[.contradictsSigned] != nil)
            }
            bench.hearSigned(truth, .seconds(2))
            check(bench.now.mayDelete)
        }
    }

    /// An honest world: a crystal within its figure, sources within theirs, cuts within the assumptions. Then the truth is
    /// always within the uncertainty.
    @Test(arguments: 0..<40)
    func theTruthIsWithinTheUncertainty(_ seed: Int) {
        var generator = SeededGenerator(seed: seed + 2_000)
        var trusted = 0
        for _ in 0..<25 {
            // Milliseconds of truth that pass while the board counts a million.
            let rate = 1_000_000 + Int64.random(in: -99...99, using: &generator)
            var truth = midnight.milliseconds
            var off: Int64 = 0
            var bench = Bench()
            for _ in 0..<300 {
                let counted = Int64.random(in: 1...300_000, using: &generator)
                bench.pass(.milliseconds(counted))
                truth += counted * rate / 1_000_000
                func read(_ most: Int64) -> UnixTime {
                    UnixTime(milliseconds: truth + .random(in: -most...most, using: &generator))
                }
                let before = bench.machine.counters.adopted
                switch Int.random(in: 0..<150, using: &generator) {
                case 0...1: bench.hear(.network, read(400), .milliseconds(400))
                case 2: bench.hear(.operator, read(60_000))
                case 3: bench.hear(.clockChip, read(300_000))
                case 4...5:
                    let trip = Int64.random(in: 1...9_000, using: &generator)
                    let stamped = read(2_000).milliseconds - Int64.random(in: 0...trip * 99 / 100, using: &generator)
                    bench.hearSigned(UnixTime(milliseconds: stamped), .seconds(2), trip: .milliseconds(trip))
                case 6:
                    let left = 900_000 - off
                    guard left > 10_000 else { break }
                    let pause = Int64.random(in: 0...left - 10_000, using: &generator)
                    off += pause
                    truth += pause + 10_000
                    if Bool.random(using: &generator) { bench.handle(.stopping) }
                    bench.cutPower()
                case 7:
                    truth += 1_000
                    bench.restartProgram(after: .seconds(1))
                default: bench.handle(.tick)
                }
                if bench.machine.counters.adopted > before { off = 0 }
                if let time = bench.now.time, let uncertainty = bench.now.uncertainty {
                    trusted += 1
                    let error = UnixTime(milliseconds: truth).since(time)
                    check(error <= uncertainty + .milliseconds(2) && error >= .zero - uncertainty - .milliseconds(2))
                }
            }
        }
        #expect(trusted > 1_000)
    }

    @Test func extremesDoNotTrap() {
        let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, 599, .max - 1, .max]
        for uptime in extremes {
            for value in extremes {
                for other in extremes {
                    var machine = TrustedTime(
                        build: UnixTime(milliseconds: other), bootIdentity: firstBoot, at: BootInstant(nanoseconds: uptime))
                    for source in TrustedTime.PlausibleSource.allCases {
                        _ = machine.handle(
                            .plausible(.init(source, UnixTime(milliseconds: value), uncertainty: .seconds(other))),
                            at: BootInstant(nanoseconds: other))
                        _ = machine.handle(
                            .plausible(.init(source, midnight, uncertainty: .nanoseconds(other))),
                            at: BootInstant(nanoseconds: value))
                    }
                    _ = machine.handle(
                        .signed(
                            .init(
                                time: UnixTime(milliseconds: value), uncertainty: .seconds(other),
                                sent: BootInstant(nanoseconds: other), received: BootInstant(nanoseconds: value))),
                        at: BootInstant(nanoseconds: uptime))
                    _ = machine.handle(
                        .signed(
                            .init(
                                time: machine.floor, uncertainty: .zero, sent: BootInstant(nanoseconds: max(0, other)),
                                received: BootInstant(nanoseconds: max(0, other)))),
                        at: BootInstant(nanoseconds: uptime))
                    let now = machine.now(at: BootInstant(nanoseconds: .max))
                    #expect(now.floor <= machine.horizon)
                    #expect(!now.sentence.isEmpty)
                }
            }
        }
    }
}
