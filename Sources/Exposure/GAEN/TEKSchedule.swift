// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The TEK that a device uses at each time, and its own keys of the last 14 days. It has no clock and no source of
/// randomness: the caller passes both.
///
/// Rules (shared facts: gaen-core sections 1 and 2; DESIGN, rules of the domain; docs/decisions/0029):
/// - A TEK starts at UTC midnight and lasts until the next midnight.
/// - A TEK that begins within a day (after a release, or after the clock stepped back far) lasts until midnight.
/// - After a restart the same key continues, and within its interval the same pair (TEK, interval) is used again,
///   with the same address. No restart costs a key, so a day full of restarts loses no contact to apps that publish
///   one key for it.
/// - While a process runs, and wherever the time since the last identifier is not known, no pair is used twice. If
///   the clock stepped back a little, the intervals go on ahead of it; if it stepped back further, a fresh TEK is
///   made.
/// - A release of keys ends today's key after the last interval that was sent and continues with a fresh one that
///   begins there. Nothing is published of intervals that were not sent yet, no interval belongs to two keys, and
///   there is no gap between them.
public struct TEKSchedule: Sendable, Equatable {
    /// The number of days for which own keys are kept: 14, as in Google's framework (`contactRecordDaysToKeep`).
    public static let retentionDays: UInt32 = 14
    /// The number of intervals that an identifier may be ahead of the present one: 20 minutes, which is as long as an
    /// identifier may be in use. Together with an error of 50 minutes of each of the two clocks it stays within the
    /// two hours that receivers tolerate (gaen-core section 5).
    public static let mostAhead: UInt32 = 2
    /// The length of ``addressSecret`` in bytes: 128 bits, as for a TEK. The number is this project's own.
    public static let addressSecretByteCount = 16

    /// The key in use. `nil` before the first identifier, and from a release or the key's retirement until the next
    /// call of ``next(at:mayRepeat:using:)``.
    public private(set) var current: TemporaryExposureKey?
    /// The last interval that was given out under ``current``; no earlier interval is given out under that key again.
    /// `nil` when there was none, and without a current key.
    public private(set) var lastInterval: ENIN?
    /// The secret of 16 bytes from which the addresses that go with ``current``'s identifiers are derived. It is
    /// drawn together with the key but not derived from it, so that a published key reveals no address, and is
    /// forgotten with the key. `nil` without a current key, and for a key that an earlier release of the firmware
    /// stored, until its next turn.
    public private(set) var addressSecret: SecretBytes?
    /// The most earlier own keys, inclusive. 14 days have 15; restarts and releases within a day add some. With the current one they fit into a message
    /// between processes. Our choice.
    public static let maximumPast = 150
    /// The earlier own keys, oldest first, at most ``maximumPast``; empty if there are none. Their periods cover only intervals that were used
    /// or could have been used.
    public private(set) var past: [TemporaryExposureKey]

    /// Creates an empty schedule; the first call of ``next(at:mayRepeat:using:)`` makes the first key.
    public init() {
        current = nil
        lastInterval = nil
        addressSecret = nil
        past = []
    }

    /// Creates a schedule from stored parts, which are not checked; `past` is oldest first, and of more than ``maximumPast`` the shortest are left
    /// out. `current` is `nil` when
    /// no key was in use, `lastInterval` must be the last interval that may have been sent, `nil` for none, and
    /// `addressSecret` is `nil` for a key that an earlier release of the firmware stored.
    public init(
        current: TemporaryExposureKey?, lastInterval: ENIN?, addressSecret: SecretBytes? = nil,
        past: some Collection<TemporaryExposureKey>
    ) {
        self.current = current
        self.lastInterval = lastInterval
        self.addressSecret = addressSecret
        self.past = Array(past)
        bound()
    }

    /// Keeps ``past`` within its limit: of all but the newest the shortest goes, of equal ones the oldest.
    ///
    /// Not the oldest of all: a clock that is set back again and again ends a key each time, and whoever has the network's time would have the keys of
    /// whole days given up for such pieces.
    private mutating func bound() {
        while past.count > Self.maximumPast {
            guard let shortest = past.indices.dropLast().min(by: { past[$0].rollingPeriod < past[$1].rollingPeriod })
            else { return }
            past.remove(at: shortest)
        }
    }

    /// The identity to send for up to 20 minutes.
    public struct Turn: Sendable, Equatable {
        /// The own key from which the identifier is derived; secret.
        public let key: TemporaryExposureKey
        /// The present interval, or one at most ``TEKSchedule/mostAhead`` after it.
        public let interval: ENIN
        /// The secret of 16 bytes from which, with the interval, the address is derived.
        public let addressSecret: SecretBytes
        /// Whether the key was made for this turn. In either case the schedule must be stored before the identifier
        /// is sent.
        public let isFreshKey: Bool
        /// Whether this pair of key and interval may have been sent before. If so, it may be sent only for the rest
        /// of its time.
        public let isRepeated: Bool
    }

    /// Makes the identity for `now`, with a fresh key when the current one cannot be used, and remembers it. The
    /// schedule must be stored before the result is used. `generator` must be cryptographically secure outside of
    /// tests.
    ///
    /// - Parameter mayRepeat: Whether the pair that was given out last may be used again in its interval, or at
    ///   most ``mostAhead`` intervals before it. Allowed only for the first identifier of a process, and with a
    ///   clock that knows how long the last one was sent: not while the time is estimated after a power cut.
    /// - Returns: The pair to send. It may be ahead of `now` by up to ``mostAhead`` intervals.
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

    /// Makes another identity within a process, always with a pair that differs from the last one; otherwise the same
    /// as ``next(at:mayRepeat:using:)``. Cannot fail. (No default argument: Swift 6.3.1 crashes over one beside an
    /// opened `any`.)
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

    /// Ends the current key and returns the own keys of the last 14 days for publication.
    ///
    /// The current key ends after the last interval that was sent. Everybody near could already have replayed what
    /// was sent; of what was not sent, nothing is published. The next call of ``next(at:mayRepeat:using:)`` makes a
    /// fresh key that begins where this one ends.
    ///
    /// A key that begins after `now` is ended but not returned, because servers drop keys that lie in the future,
    /// and the same key in two submissions would link them to one person. A release after its start returns it.
    /// Earlier keys that end more than ``mostAhead`` + 1 intervals after `now`, as after a long step back of the
    /// clock, are ended at `now`; those of them that begin at `now` or later are dropped for good.
    ///
    /// - Parameter onAir: The interval whose identifier is being sent or was sent last, if it is known to be before
    ///   ``lastInterval``. A turn that was stored but not used is then not published. `nil` stands for
    ///   ``lastInterval``.
    /// - Returns: The keys that cover some of the last 14 days and begin at `now` or earlier, oldest first; empty
    ///   when there are none.
    public mutating func release(at now: ENIN, onAir: ENIN? = nil) -> [TemporaryExposureKey] {
        // Earlier keys may still be running after a long step backwards of the clock, and then are not published beyond the present. What
        // is kept must be what was published: receivers refuse a key whose period has changed, so one that a release has cut off a little
        // ahead of now stays as it is.
        past = past.compactMap { $0.end.number > now.number + Self.mostAhead + 1 ? $0.shortened(to: now) : $0 }
        if let current, let last = lastInterval,
            let cut = current.shortened(to: ENIN(min(onAir ?? last, last).number + 1))
        {
            past.append(cut)
            bound()
        }
        (current, lastInterval, addressSecret) = (nil, nil, nil)
        return ownKeys(at: now).filter { $0.rollingStart <= now }
    }

    /// Returns the own keys that end after the UTC midnight with which the day 14 days before `now` began; the
    /// current key is last. Its period is not cut. They are never matched against, and a release publishes them.
    public func ownKeys(at now: ENIN) -> [TemporaryExposureKey] {
        (past + (current.map { [$0] } ?? [])).filter { $0.end > Self.oldest(now) }
    }

    /// Removes the ``past`` keys that ended at the UTC midnight with which the day 14 days before `now` began, or
    /// earlier. `now` must certainly be past (`TrustedTime.Now.certainlyPast(_:)`), because a wrong clock would
    /// erase keys that cannot be made again. Cannot fail.
    public mutating func forgetExpired(at now: ENIN) {
        past.removeAll { $0.end <= Self.oldest(now) }
    }

    /// Moves the current key to ``past`` if it ended at `now` or before, and was used. It is then no longer used,
    /// even if the clock is set back, because it is going to be published. Cannot fail.
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
        bound()
        (current, lastInterval, addressSecret) = (nil, nil, nil)
    }
}
