// SPDX-License-Identifier: Apache-2.0

import TimeTrust

/// 2026-11-21 00:00 UTC: the midnight the tests count from.
let midnight = UnixTime(seconds: 1_795_219_200)
/// 2026-11-01 00:00 UTC, when the firmware of the tests was built.
let buildTime = UnixTime(seconds: 1_793_491_200)
/// 2031-11-20 00:00 UTC: wrong, and not so far off that the horizon would stop it.
let in2031 = UnixTime(seconds: 1_952_899_200)
/// 2040-01-01 00:00 UTC: beyond the horizon.
let in2040 = UnixTime(seconds: 2_208_988_800)

let firstBoot = BootIdentity(high: 1, low: 1)
let secondBoot = BootIdentity(high: 2, low: 2)

extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
    static func hours(_ count: Int) -> Duration { .seconds(count * 3_600) }
    static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}

extension UnixTime {
    static func + (time: UnixTime, span: Duration) -> UnixTime { time.advanced(by: span) }
    static func - (time: UnixTime, span: Duration) -> UnixTime { time.advanced(by: .zero - span) }
}

/// A board under test: the machine, its boot clock, and what it last stored.
struct Bench {
    var machine: TrustedTime
    var uptime: Duration
    var stored: TrustedTime.Snapshot?
    /// What the latest event brought, without snapshots.
    var seen: [TrustedTime.Observation] = []

    private let build: UnixTime
    private let limits: TrustedTime.Limits

    init(
        limits: TrustedTime.Limits = .standard, build: UnixTime = buildTime, resuming snapshot: TrustedTime.Snapshot? = nil,
        boot: BootIdentity = firstBoot, uptime: Duration = .seconds(10)
    ) {
        machine = TrustedTime(
            limits: limits, build: build, bootIdentity: boot, at: BootInstant(sinceBoot: uptime), resuming: snapshot)
        self.build = build
        self.limits = limits
        self.uptime = uptime
        stored = snapshot
    }

    var now: TrustedTime.Now { machine.now(at: BootInstant(sinceBoot: uptime)) }

    @discardableResult
    mutating func handle(_ event: TrustedTime.Event) -> [TrustedTime.Observation] {
        seen = []
        for observation in machine.handle(event, at: BootInstant(sinceBoot: uptime)) {
            if case .persist(let snapshot) = observation { stored = snapshot } else { seen.append(observation) }
        }
        return seen
    }

    @discardableResult
    mutating func hear(
        _ source: TrustedTime.PlausibleSource, _ time: UnixTime, _ uncertainty: Duration = .zero
    ) -> [TrustedTime.Observation] {
        handle(.plausible(.init(source, time, uncertainty: uncertainty)))
    }

    /// An answer of the authority whose nonce was sent `trip` ago.
    @discardableResult
    mutating func hearSigned(
        _ time: UnixTime, _ uncertainty: Duration = .seconds(1), trip: Duration = .zero
    ) -> [TrustedTime.Observation] {
        handle(
            .signed(
                .init(
                    time: time, uncertainty: uncertainty, sent: BootInstant(sinceBoot: uptime - trip),
                    received: BootInstant(sinceBoot: uptime))))
    }

    /// Lets time pass without an event.
    mutating func pass(_ span: Duration) { uptime += span }

    /// Lets time pass with the events of a scanner.
    mutating func run(_ span: Duration) {
        let end = uptime + span
        while uptime < end {
            uptime = min(end, uptime + .minutes(5))
            handle(.tick)
        }
    }

    /// The program stops at once and starts again within the same boot.
    mutating func restartProgram(after pause: Duration = .seconds(1)) {
        self = Bench(
            limits: limits, build: build, resuming: stored, boot: machine.bootIdentity, uptime: uptime + pause)
        handle(.tick)
    }

    /// The board loses power at once and starts again.
    mutating func cutPower(uptimeAtStart: Duration = .seconds(10)) {
        let boot = BootIdentity(high: machine.bootIdentity.high + 1, low: 0)
        self = Bench(limits: limits, build: build, resuming: stored, boot: boot, uptime: uptimeAtStart)
        handle(.tick)
    }
}
