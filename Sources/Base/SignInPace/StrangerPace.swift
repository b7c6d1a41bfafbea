// SPDX-License-Identifier: Apache-2.0

/// Decides which tries for one secret are examined, and when, among clients that have not been let in before
/// (docs/decisions/0035).
///
/// A source is where a client comes from: an address or a network. Sources can be forged in any number, so two budgets that
/// ignore sources limit how many tries are examined in total. The first budget serves sources with hardly any wrong tries.
/// All other tries, and those that come when the first budget is used up, share the second one, in which the sources with
/// the fewest wrong tries come first. So a source that keeps guessing comes after every new one, and a thousand new sources
/// together get no more than the budgets.
///
/// Everything is lost when the process ends. All times are on one clock, whose start does not matter.
public struct StrangerPace<Source: Hashable & Sendable>: Sendable {
    /// The two budgets, and the limits of what is remembered.
    public struct Rules: Sendable {
        /// The number of wrong tries within ``memory`` from which a source no longer uses the first budget: with 2, one
        /// mistyped secret is forgiven. Our own choice.
        public var freshTries = 2
        /// The first budget: the number of tries when it is full, and the seconds after which one more is added
        /// (docs/decisions/0035).
        public var fresh = (most: 120, seconds: 180)
        /// The second budget: the number of tries when it is full, and the seconds after which one more is added
        /// (docs/decisions/0035).
        public var rest = (most: 15, seconds: 120)
        /// The time for which the wrong tries of a source are remembered after it last asked: a day. Our own choice. Not
        /// checked.
        public var memory = Duration.seconds(86_400)
        /// The time for which a source that does not ask again keeps its place in the second budget: 150 s. Our own choice.
        /// Not checked.
        public var timeout = Duration.seconds(150)
        /// The number of sources that are remembered, which limits the memory. When there are more, the one that has not
        /// asked for longest is forgotten. Our own bound. Not checked.
        public var mostSources = 512

        /// Creates the rules for a board, or for one name at the portal (docs/decisions/0035): 50 tries an hour in the long
        /// run, and 1,335 in the first day.
        public init() {}
    }

    private struct Record {
        var throttle = PartyThrottle()
        var failures = 0
        var asked: Duration
        /// Since when it waits for the second budget; `nil` when it does not.
        var waiting: Duration?
        /// Of tries that are under way: whether they were the first budget's.
        var underWay: [Bool] = []
    }

    /// The rules of this pace, which never change.
    public let rules: Rules
    private var records: [Source: Record] = [:]
    private var fresh: TokenBucket
    private var rest: TokenBucket

    /// Creates a pace with full budgets and no known source, so nobody has to wait. The rules are not checked. Cannot fail.
    public init(_ rules: Rules = Rules()) {
        self.rules = rules
        fresh = TokenBucket(most: rules.fresh.most, span: .seconds(rules.fresh.seconds))
        rest = TokenBucket(most: rules.rest.most, span: .seconds(rules.rest.seconds))
    }

    /// The number of sources that are remembered; 0 to ``Rules/mostSources``.
    public var sourceCount: Int { records.count }

    /// Returns the wait of a source before its next try, at least a second if a budget is the reason; `nil` if the try may
    /// be made now. A source that asks keeps its place. A caller that makes the try must call ``begin(_:at:)`` with the
    /// same `now`.
    public mutating func wait(_ source: Source, at now: Duration) -> Duration? {
        var record = known(source, at: now)
        record.asked = now
        defer {
            records[source] = record
            forget(at: now)
        }
        if let own = record.throttle.wait(at: now) { return own }
        if isFresh(record), fresh.count(at: now) > 0 { return nil }
        record.waiting = record.waiting.map { min($0, now) } ?? now
        let left = rest.count(at: now)
        guard left > 0 else { return max(.seconds(1), rest.next(at: now)) }
        let before = records.count { other, rival in
            other != source && rival.waiting != nil && now - rival.asked < rules.timeout && comes(rival, before: record)
        }
        guard before >= left else { return nil }
        return max(.seconds(1), rest.next(at: now))
    }

    /// Returns the wait that a source has because of its own wrong tries, regardless of the budgets: more than
    /// zero, at most ``PartyThrottle/longestWait``; `nil` if there is none. Changes nothing, and does not keep the
    /// place of the source as ``wait(_:at:)`` does.
    public func waitOfItsOwn(_ source: Source, at now: Duration) -> Duration? { records[source]?.throttle.wait(at: now) }

    /// Records that a try of `source` begins, and takes it from a budget. Does not check whether ``wait(_:at:)``
    /// permits the try. It counts as wrong until ``succeeded(_:)`` or ``withdrawn(_:)`` is called. Cannot fail.
    public mutating func begin(_ source: Source, at now: Duration) {
        var record = known(source, at: now)
        let isFirst = isFresh(record) && fresh.count(at: now) > 0
        if isFirst { fresh.take(at: now) } else { rest.take(at: now) }
        record.underWay.append(isFirst)
        record.waiting = nil
        record.asked = now
        record.failures += 1
        records[source] = record
        forget(at: now)
    }

    /// Records that the secret of a try was wrong. Ignored for an unknown source. Cannot fail.
    ///
    /// - Parameter isSlowed: Whether the source has to wait longer and longer (``PartyThrottle``); `false` where many
    /// people may share a source.
    public mutating func failed(_ source: Source, at now: Duration, isSlowed: Bool = true) {
        guard var record = records[source] else { return }
        if !record.underWay.isEmpty { record.underWay.removeFirst() }
        if isSlowed { record.throttle.failed(at: now) }
        records[source] = record
    }

    /// Records that the secret was right: the source is forgotten, and its oldest try in progress is returned to
    /// the budget. Wrong tries of other sources still count, and an unknown source is ignored. Cannot fail.
    public mutating func succeeded(_ source: Source) {
        giveBack(source)
        records[source] = nil
    }

    /// Records that a try was not examined: it is returned to the budget and does not count as wrong. Call it only after
    /// ``begin(_:at:)``.
    public mutating func withdrawn(_ source: Source) {
        giveBack(source)
        records[source]?.failures -= 1
    }

    private mutating func giveBack(_ source: Source) {
        guard let isFirst = records[source]?.underWay.first else { return }
        records[source]?.underWay.removeFirst()
        if isFirst { fresh.giveBack() } else { rest.giveBack() }
    }

    private func isFresh(_ record: Record) -> Bool { record.failures < rules.freshTries }

    private func known(_ source: Source, at now: Duration) -> Record {
        guard let record = records[source], now - record.asked < rules.memory else { return Record(asked: now) }
        return record
    }

    private func comes(_ one: Record, before other: Record) -> Bool {
        guard one.failures == other.failures else { return one.failures < other.failures }
        guard let first = one.waiting, let second = other.waiting else { return false }
        return first < second
    }

    private mutating func forget(at now: Duration) {
        guard records.count > rules.mostSources else { return }
        records = records.filter { now - $0.value.asked < rules.memory }
        while records.count > rules.mostSources, let oldest = records.min(by: { $0.value.asked < $1.value.asked })?.key {
            records[oldest] = nil
        }
    }
}
