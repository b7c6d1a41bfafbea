// SPDX-License-Identifier: Apache-2.0

/// The order in which tries for one secret are looked at, among those who have not shown that they were let in before
/// (docs/decisions/0035).
///
/// A source is what whoever asks comes from: an address, a network. Nobody here believes it: what is looked at in all is bounded by two budgets that know no
/// sources. The first is for sources that were hardly ever wrong; who has used up its own share of it uses the second, and there those come first
/// that were wrong least often. So whoever tries and tries from some sources is behind each new one, and a thousand new ones are no more than the budget.
///
/// Forgets with the process. Times are of one clock, since any moment.
public struct StrangerPace<Source: Hashable & Sendable>: Sendable {
    /// The two budgets, and the limits of the memory of sources.
    public struct Rules: Sendable {
        /// The first budget is for sources with fewer wrong tries than this within ``memory``: one mistyped secret is
        /// forgiven. Our own choice.
        public var freshTries = 2
        /// The first budget: tries at once, and seconds in which one more comes (docs/decisions/0035).
        public var fresh = (most: 120, seconds: 180)
        /// The second budget, for all others: tries at once, and seconds in which one more comes (docs/decisions/0035).
        public var rest = (most: 15, seconds: 120)
        /// The time for which the wrong tries of a source are remembered, from the last time it asked: a day. Our own
        /// choice. Not checked.
        public var memory = Duration.seconds(86_400)
        /// The time for which a source keeps its place in the second budget without asking again: 150 s. Our own choice.
        /// Not checked.
        public var timeout = Duration.seconds(150)
        /// Sources that are remembered; beyond it the one that asked least recently is forgotten. Bounds the memory. Our
        /// own bound. Not checked.
        public var mostSources = 512

        /// The rules of a board, and of one name at the portal (docs/decisions/0035): 50 tries an hour in the long run, 1,335 in a day (one a minute
        /// and the first eleven are 1,445).
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

    /// The rules that the pace was made with; they never change.
    public let rules: Rules
    private var records: [Source: Record] = [:]
    private var fresh: TokenBucket
    private var rest: TokenBucket

    /// A pace with both budgets full and no source known: nobody waits. The rules are taken as they are. Cannot fail.
    public init(_ rules: Rules = Rules()) {
        self.rules = rules
        fresh = TokenBucket(most: rules.fresh.most, span: .seconds(rules.fresh.seconds))
        rest = TokenBucket(most: rules.rest.most, span: .seconds(rules.rest.seconds))
    }

    /// The number of sources that are remembered; 0 to ``Rules/mostSources``.
    public var sourceCount: Int { records.count }

    /// The wait of a source before its next try, at least a second if a budget decides; `nil` when the try may be made now.
    /// Asking keeps its place. The caller that makes the try calls ``begin(_:at:)`` at the same moment.
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

    /// The wait of a source because of its own wrong tries alone, without regard to the budgets; `nil` when it need not
    /// wait.
    public func waitOfItsOwn(_ source: Source, at now: Duration) -> Duration? { records[source]?.throttle.wait(at: now) }

    /// Notes that a try is made at `now`: it counts as wrong until ``succeeded(_:)`` or ``withdrawn(_:)``. Cannot fail.
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

    /// Notes that the secret was wrong, at `now` on the clock of the calls. Ignored for an unknown source. Cannot fail.
    ///
    /// - Parameter isSlowed: Whether the source waits ever longer by itself; not where many people may come from one.
    public mutating func failed(_ source: Source, at now: Duration, isSlowed: Bool = true) {
        guard var record = records[source] else { return }
        if !record.underWay.isEmpty { record.underWay.removeFirst() }
        if isSlowed { record.throttle.failed(at: now) }
        records[source] = record
    }

    /// Notes that the secret was right: the source is forgotten and its try given back to the budget. Wrong tries of others
    /// stay counted. Cannot fail.
    public mutating func succeeded(_ source: Source) {
        giveBack(source)
        records[source] = nil
    }

    /// Notes that the try was never looked at: it is given back to the budget and does not count as wrong.
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
