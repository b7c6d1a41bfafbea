// SPDX-License-Identifier: Apache-2.0

import GAEN
import TimeTrust

/// What the beacon knows about the time: what clocks have said, which days there were in this boot, and when to look again.
struct TimeWatch {
    /// How often clocks are read while the time is not known.
    static let unknownInterval: Duration = .seconds(5)
    /// How often time is looked at otherwise. ``TrustedTime`` wants it every five minutes.
    static let interval: Duration = .seconds(290)
    private static let retention: Duration = .seconds(Int64(TEKSchedule.retentionDays) * 86_400)

    private var trusted: TrustedTime
    /// What is stored of it.
    var snapshot: TrustedTime.Snapshot?
    /// Up to when verified files of keys prove the time to have come; told by whoever keeps that.
    var newestFileEnd: UnixTime?
    /// Which days it was taken for in this boot.
    private(set) var days: BootDays
    /// When to look at the time again, on the boot clock.
    private(set) var due: Duration

    /// Goes on from `snapshot`, if there is one.
    init(
        limits: TrustedTime.Limits, bootIdentity: BootIdentity, resuming snapshot: TrustedTime.Snapshot?,
        at now: BootInstant
    ) {
        trusted = TrustedTime(
            limits: limits, build: Release.date, bootIdentity: bootIdentity, at: now, resuming: snapshot)
        self.snapshot = snapshot
        days = BootDays(since: now)
        due = now.duration
    }

    /// This boot's, as opposed to any other's.
    var bootIdentity: BootIdentity { trusted.bootIdentity }

    /// What is known about the time at `now`.
    func now(at now: BootInstant) -> TrustedTime.Now { trusted.now(at: now) }

    /// Hands an event to time trust; what follows from it is for the caller to do, in order.
    mutating func handle(_ event: TrustedTime.Event, at now: BootInstant) -> [TrustedTime.Observation] {
        trusted.handle(event, at: now)
    }

    /// The time was looked at, and has to be again after a while.
    mutating func looked(at now: BootInstant) {
        due = now.duration + (trusted.now(at: now).mayBroadcast ? Self.interval : Self.unknownInterval)
    }

    /// Whether it is worth looking now, since the board is awake anyway.
    func isNear(_ now: BootInstant) -> Bool { now.duration + Self.interval / 2 >= due }

    // MARK: Days

    /// Writes down which day it is taken for.
    mutating func seeDay(at now: BootInstant) {
        guard let civil = trusted.now(at: now).time else { return }
        days.see(UInt32(clamping: civil.day), at: now)
    }

    /// Goes on with what an earlier process of this boot has seen. What is of another boot, or from this one's future, is nothing.
    mutating func takeUp(_ kept: (boot: BootIdentity, days: BootDays)?) {
        guard let kept, kept.boot == bootIdentity, kept.days.since <= days.since,
            kept.days.uses.allSatisfy({ $0.last <= days.since })
        else { return }
        days = BootDays(since: kept.days.since, uses: kept.days.uses)
    }

    /// Before which UTC day everything is certainly older than 14 days; `nil` while nothing is certain.
    ///
    /// By the time that is certainly past: signed, or the earlier of the plausible time and the newest verified file of keys. Or by the boot
    /// clock alone: what was written so long ago in this boot, or before it, is as old whatever the time is.
    func forgettableDay(at now: BootInstant) -> UInt32? {
        var found: [UInt32] = []
        if let past = trusted.now(at: now).certainlyPast(newestFileEnd), past.day > Int64(TEKSchedule.retentionDays) {
            found.append(UInt32(clamping: past.day) - TEKSchedule.retentionDays)
        }
        if let day = days.firstRecent(within: Self.retention, at: now) { found.append(day) }
        return found.max()
    }
}
