// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The TEK that a device uses at each time, and the own keys of the last 14 days. Pure: time and randomness are handed in.
///
/// Rules (shared facts: gaen-core sections 1 and 2; DESIGN, rules of the domain; docs/decisions/0029):
/// - a TEK starts at UTC midnight and lasts until the next one;
/// - one that begins within a day (after a release, after a long step backwards) lasts until midnight;
/// - after a restart the same key goes on, and within its interval the same pair (TEK, interval) comes again, with the same address:
///   no restart costs a key, so no contact of a day full of restarts is lost to those that publish one key for it;
/// - while a process lives, and wherever the time since the last identifier is not known, no pair comes again: a clock that stepped back
///   a little goes on ahead of it, one that stepped back further rolls a fresh TEK;
/// - releasing keys cuts today's key off after the last interval that went on air and goes on with a fresh one that begins where it ends:
///   nothing is published of what was not sent yet, no interval of two keys overlaps, and none between them is left out.
public struct TEKSchedule: Sendable, Equatable {
    /// Days for which own keys are kept: 14, as Google's framework keeps them (`contactRecordDaysToKeep`).
    public static let retentionDays: UInt32 = 14
    /// Intervals that an identifier may be ahead of its own: 20 minutes, as long as it may be in use. With the 50 minutes
    /// that each of two clocks may be wrong by, it is what the two hours that receivers tolerate have room for (gaen-core
    /// section 5).
    public static let mostAhead: UInt32 = 2
    /// Bytes of ``addressSecret``: 128 bits, as a TEK has.
    public static let addressSecretByteCount = 16

    /// The key in use. `nil` at the very start, and from a release or its retirement until the next identifier is asked
    /// for.
    public private(set) var current: TemporaryExposureKey?
    /// The last interval handed out under ``current``; nothing before it is handed out again under that key. `nil` when
    /// none was, and without a current key.
    public private(set) var lastInterval: ENIN?
    /// The secret of 16 bytes that the addresses beside ``current``'s identifiers are derived from: drawn with the key
    /// and not from it, so that a published key tells no address, and gone with it. `nil` without a current key, and
    /// for one that an earlier release of the firmware stored, until its next turn.
    public private(set) var addressSecret: SecretBytes?
    /// Earlier own keys, oldest first; empty without any. Their periods cover only intervals that were really used or could
    /// have been.
    public private(set) var past: [TemporaryExposureKey]

    /// An empty schedule: the first identifier makes the first key.
    public init() {
        current = nil
        lastInterval = nil
        addressSecret = nil
        past = []
    }

    /// A schedule read back from storage, unchecked; `past` is oldest first. `lastInterval` must be the last one that
    /// may have gone on air, `nil` for none. `nil` as `current` for no key, `nil` as `addressSecret` for keys of an
    /// earlier release.
    public init(
        current: TemporaryExposureKey?, lastInterval: ENIN?, addressSecret: SecretBytes? = nil,
        past: some Collection<TemporaryExposureKey>
    ) {
        self.current = current
        self.lastInterval = lastInterval
        self.addressSecret = addressSecret
        self.past = Array(past)
    }

    /// The identity to put on air for up to 20 minutes.
    public struct Turn: Sendable, Equatable {
        /// The own key that the identifier is made from; secret.
        public let key: TemporaryExposureKey
        /// The present interval, or one at most ``TEKSchedule/mostAhead`` after it.
        public let interval: ENIN
        /// The secret of 16 bytes that the address is derived from, together with the interval.
        public let addressSecret: SecretBytes
        /// Whether the key was made for this turn. The schedule must be stored before the identifier goes on air,
        /// whether it was or not.
        public let isFreshKey: Bool
        /// Whether this pair may have been on air before: then it may stay there for what is left of its time only.
        public let isRepeated: Bool
    }

    /// Takes the next identifier for `now`. Store the schedule before using the result.
    ///
    /// - Parameter mayRepeat: Whether the pair handed out last may come again, within its interval. Only for the first identifier of a
    ///   process, and with a clock that knows how long the last one was on air: not while the time is carried over a power cut.
    /// - Returns: The pair to put on air. It may be ahead of `now` by up to ``mostAhead`` intervals.
    public mutating func next(
        at now: ENIN, mayRepeat: Bool, using generator: inout some RandomNumberGenerator
    ) -> Turn {
        if let current, let turn = goOn(current, at: now, mayRepeat: mayRepeat, using: &generator) { return turn }
        retireCurrent(at: now)
        let start = start(at: now)
        let secret = SecretBytes(count: TemporaryExposureKey.byteCount, from: &generator)
        guard
            let key = TemporaryExposureKey(
                secret: secret, rollingStart: start, rollingPeriod: start.intervalsToMidnight)
        else { preconditionFailure("a key of 16 bytes that ends at midnight is always valid") }
        let interval = max(start, now)
        let addressSecret = SecretBytes(count: Self.addressSecretByteCount, from: &generator)
        (current, lastInterval, self.addressSecret) = (key, interval, addressSecret)
        return Turn(
            key: key, interval: interval, addressSecret: addressSecret, isFreshKey: true, isRepeated: false)
    }

    /// Takes another identifier within a process: another pair than the last, otherwise as ``next(at:mayRepeat:using:)``.
    /// Cannot fail. (No default argument: Swift 6.3.1 crashes over one beside an opened `any`.)
    public mutating func next(at now: ENIN, using generator: inout some RandomNumberGenerator) -> Turn {
        next(at: now, mayRepeat: false, using: &generator)
    }

    /// The next turn of `key`, unless the time is not its own.
    private mutating func goOn(
        _ key: TemporaryExposureKey, at now: ENIN, mayRepeat: Bool, using generator: inout some RandomNumberGenerator
    ) -> Turn? {
        // A key may have been begun a little before its time: by a turn that was prepared, by one that went on ahead.
        guard now < key.end, now.number + Self.mostAhead >= key.rollingStart.number else { return nil }
        let interval: ENIN
        var isRepeated = false
        if let last = lastInterval, now <= last {
            if mayRepeat, addressSecret != nil, last.number - now.number <= Self.mostAhead {
                interval = last
                isRepeated = true
            } else {
                interval = ENIN(last.number + 1)
            }
        } else {
            interval = max(now, key.rollingStart)
        }
        guard key.contains(interval), interval.number - now.number <= Self.mostAhead else { return nil }
        let secret = addressSecret ?? SecretBytes(count: Self.addressSecretByteCount, from: &generator)
        (lastInterval, addressSecret) = (interval, secret)
        return Turn(
            key: key, interval: interval, addressSecret: secret, isFreshKey: false, isRepeated: isRepeated)
    }

    /// Where a fresh key begins.
    private func start(at now: ENIN) -> ENIN {
        // A key that begins on its first possible occasion of the day covers the whole day, as phones' keys do: the file
        // then shows nothing about when this device was switched on. Once this day has seen a key, the next starts now, or right after
        // that one where it has used the present interval.
        guard past.contains(where: { $0.rollingStart.day == now.day }) else { return now.startOfDay }
        return past.map(\.end).filter { $0 > now && $0.number - now.number <= Self.mostAhead }.max() ?? now
    }

    /// Hands out the own keys of the last 14 days for publication and makes today's harmless.
    ///
    /// The current key is cut off after the last interval that went on air: what was sent, everybody near could have replayed before it was
    /// published; of what was not sent, nothing is published. The next call of ``next(at:mayRepeat:using:)`` makes a fresh key that begins
    /// where this one ends.
    ///
    /// A key that begins after `now` is cut off, and stays: servers drop what lies ahead, and the same key in two submissions would say that
    /// they are of one person. It is of the next release, or of the rest of its day.
    ///
    /// - Parameter onAir: The interval whose identifier is on air now or was last, where that is known to be before ``lastInterval``:
    ///   a turn that was stored and not used is not published.
    /// - Returns: Keys that touch the last 14 days and begin at `now` at the latest, oldest first; empty when none does.
    public mutating func release(at now: ENIN, onAir: ENIN? = nil) -> [TemporaryExposureKey] {
        // Earlier keys may still be running after a long step backwards of the clock, and then are not published beyond the present. What
        // is kept must be what was published: receivers refuse a key whose period has changed, so one that a release has cut off a little
        // ahead of now stays as it is.
        past = past.compactMap { $0.end.number > now.number + Self.mostAhead + 1 ? $0.shortened(to: now) : $0 }
        if let current, let last = lastInterval,
            let cut = current.shortened(to: ENIN(min(onAir ?? last, last).number + 1))
        {
            past.append(cut)
        }
        (current, lastInterval, addressSecret) = (nil, nil, nil)
        return ownKeys(at: now).filter { $0.rollingStart <= now }
    }

    /// The own keys that touch the last 14 days before `now`, from midnight UTC on, the current one last: never matched
    /// against, and what a release publishes.
    public func ownKeys(at now: ENIN) -> [TemporaryExposureKey] {
        (past + (current.map { [$0] } ?? [])).filter { $0.end > Self.oldest(now) }
    }

    /// Forgets keys that ended more than 14 days before `now`, which must certainly be past
    /// (`TrustedTime.Now.certainlyPast(_:)`): a wrong clock must not erase keys that cannot be made again. Cannot fail.
    public mutating func forgetExpired(at now: ENIN) {
        past.removeAll { $0.end <= Self.oldest(now) }
    }

    /// Moves the current key to ``past`` if it ended at `now` or before: it is in use no more, even if the clock is set
    /// back, because it is going to be published. Cannot fail.
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
        (current, lastInterval, addressSecret) = (nil, nil, nil)
    }
}
