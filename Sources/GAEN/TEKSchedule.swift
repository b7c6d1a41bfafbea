// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// Which TEK a device uses when, and the own keys of the last 14 days. Pure: time and randomness are handed in.
///
/// Rules (shared facts: gaen-core sections 1 and 2; DESIGN, rules of the domain):
/// - a TEK starts at UTC midnight and lasts until the next one;
/// - one that begins within a day (first start, after a release, after a step backwards) starts at that interval and lasts
///   until midnight;
/// - no pair (TEK, interval) is ever handed out twice: asking again for the same interval, or for an earlier one after the
///   clock stepped back, rolls a fresh TEK;
/// - releasing keys cuts today's key off before the current interval and goes on with a fresh one, so that what is published
///   can no longer be used to impersonate this device later in the day.
public struct TEKSchedule: Sendable, Equatable {
    /// How long own keys are kept, in days (`contactRecordDaysToKeep`).
    public static let retentionDays: UInt32 = 14

    /// The key in use, if any. After a release or at the very start there is none until the next identifier is asked for.
    public private(set) var current: TemporaryExposureKey?
    /// The last interval handed out under ``current``; nothing at or before it is handed out again under that key.
    public private(set) var lastInterval: ENIN?
    /// Earlier own keys, oldest first. Their periods cover only intervals that were really used or could have been.
    public private(set) var past: [TemporaryExposureKey]

    /// An empty schedule: the first identifier makes the first key.
    public init() {
        current = nil
        lastInterval = nil
        past = []
    }

    /// A schedule read back from storage. `lastInterval` must be the last one that may have gone on air.
    public init(current: TemporaryExposureKey?, lastInterval: ENIN?, past: some Collection<TemporaryExposureKey>) {
        self.current = current
        self.lastInterval = lastInterval
        self.past = Array(past)
    }

    /// What to put on air.
    public struct Turn: Sendable, Equatable {
        public let key: TemporaryExposureKey
        public let interval: ENIN
        /// Whether the key was made for this turn: it must be stored before the identifier goes on air.
        public let isFreshKey: Bool
    }

    /// Takes the next identifier for `now`. Store the schedule before using the result: a pair that was stored as used and
    /// never sent is harmless, one that was sent and not stored would be sent again after a power cut.
    public mutating func next(at now: ENIN, using generator: inout some RandomNumberGenerator) -> Turn {
        if let current, current.contains(now), lastInterval.map({ $0 < now }) ?? true {
            lastInterval = now
            return Turn(key: current, interval: now, isFreshKey: false)
        }
        retireCurrent(at: now)
        // A key that begins on its first possible occasion of the day covers the whole day, as phones' keys do: the file
        // then shows nothing about when this device was switched on. Once this day has seen a key, the next starts now.
        let dayHasKey = past.contains { $0.rollingStart.day == now.day }
        let start = dayHasKey ? now : now.startOfDay
        let secret = SecretBytes(count: TemporaryExposureKey.byteCount, from: &generator)
        guard
            let key = TemporaryExposureKey(
                secret: secret, rollingStart: start, rollingPeriod: start.intervalsToMidnight)
        else { preconditionFailure("a key of 16 bytes that ends at midnight is always valid") }
        current = key
        lastInterval = now
        return Turn(key: key, interval: now, isFreshKey: true)
    }

    /// Hands out the own keys of the last 14 days for publication and makes today's harmless.
    ///
    /// The current key is cut off before `now`: its part of the current interval is given up (at most ten minutes of
    /// warnings), because a published identifier that is still valid could be replayed by anyone. A key that would cover
    /// nothing is left out. The next call of ``next(at:using:)`` makes a fresh key.
    public mutating func release(at now: ENIN) -> [TemporaryExposureKey] {
        if let current { past.append(current) }
        current = nil
        lastInterval = nil
        // After a step backwards of the clock, earlier keys may still be running too. What is kept must be what was
        // published: receivers refuse a key whose period has changed.
        past = past.compactMap { $0.end > now ? $0.shortened(to: now) : $0 }
        return ownKeys(at: now)
    }

    /// The own keys that touch the last 14 days before `now`, the current one last: never matched against, and what a
    /// release publishes.
    public func ownKeys(at now: ENIN) -> [TemporaryExposureKey] {
        (past + (current.map { [$0] } ?? [])).filter { $0.end > Self.oldest(now) }
    }

    /// Forgets keys that ended more than 14 days before `now`. Call it with authenticated time only: a wrong clock must
    /// not erase what cannot be made again.
    public mutating func forgetExpired(at now: ENIN) {
        past.removeAll { $0.end <= Self.oldest(now) }
    }

    /// A key whose time is over is in use no more, even if the clock is set back: it is going to be published.
    public mutating func retire(endedBy now: ENIN) {
        guard let current, current.end <= now else { return }
        retireCurrent(at: now)
    }

    private static func oldest(_ now: ENIN) -> ENIN {
        let span = retentionDays * ENIN.perDay
        let start = now.startOfDay.number
        return ENIN(start > span ? start - span : 0)
    }

    private mutating func retireCurrent(at now: ENIN) {
        guard let key = current, let last = lastInterval else { return }
        // A key whose time is over keeps its length, as on phones. One that is given up early ends with the last interval
        // it was used in.
        if let kept = now >= key.end ? key : key.shortened(to: ENIN(last.number + 1)) { past.append(kept) }
        current = nil
        lastInterval = nil
    }
}
