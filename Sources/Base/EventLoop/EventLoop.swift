// SPDX-License-Identifier: Apache-2.0

public import Glibc

/// The one loop of a process: descriptors and times, in turn, on one thread. Nothing in it may wait.
///
/// Each part of a process joins it and says when to call it and what to do then. The loop decides in which order parts are served
/// (docs/decisions/0039-one-loop.md):
///
/// - A part that is ready when a round begins gets one turn in it, in the order of ``Rank``, and within a rank in the order of joining.
/// - Before each turn but the first, the loop looks again at all parts of a higher rank. If one is ready, it goes first, once.
/// - A part is served only if it is ready at that moment. If it was ready when the round began and no longer is, it is passed over. So a
///   descriptor that was closed in between, and whose number belongs to another one now, does no harm.
/// - Ranks can be held back (``holdBack(from:until:while:)``).
///
/// So a part of the highest rank waits for at most one turn of another part.
public final class EventLoop {
    /// The order in which ready parts are served; the first case is served first.
    public enum Rank: Int, CaseIterable, Comparable, Sendable {
        /// The radio: packets to send, and the controller's packets.
        case radio
        /// Times that have come.
        case due
        /// Signals, and the supervisor or its processes.
        case control
        /// Calls and connections of other processes.
        case callers
        /// Work that can wait for everything else: files, databases, tidying up.
        case work

        /// Whether `left` is served earlier: the lowest value is the highest rank.
        public static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    /// The events for which a descriptor is watched; empty for none, not even a hang-up.
    public struct Interest: OptionSet, Sendable, Hashable {
        /// A bit for each event: 1 for reading, 2 for writing.
        public let rawValue: UInt8

        /// Takes the eight bits as they are; those that no member defines mean nothing.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Interest in reading: there are bytes to read, a connection to accept, or the other end has hung up.
        public static let reading = Interest(rawValue: 1)
        /// Interest in writing: there is room to write, or the other end has hung up.
        public static let writing = Interest(rawValue: 2)
    }

    struct Hold {
        let rank: Rank
        let until: () -> Duration?
        let isOn: () -> Bool
    }

    let clock: any LoopClock
    /// All but the watches. By rank, and within one in the order of joining.
    var sources: [[Source]] = Rank.allCases.map { _ in [] }
    /// By rank.
    var watches = Rank.allCases.map { _ in WatchTable() }
    private var joined: UInt64 = 0
    var holds: [Hold] = []
    /// Number of the last turn that any part had.
    var turnNumber: UInt64 = 0
    /// By rank: number of the last turn that a part of a lower rank had.
    var lowerTurns: [UInt64] = Rank.allCases.map { _ in 0 }
    var isInRound = false
    /// Kept from round to round, so that their memory is allocated once.
    var entries: [pollfd] = []
    var looked: [pollfd] = []
    var pending: [Source] = []

    /// The time when the last round began to wait, and when it should have gone on at the latest: a descriptor became ready
    /// then, or something was due. On the loop's clock; `nil` before the first round. For measuring how late the loop is.
    public internal(set) var lastWait: (began: Duration, expectedEnd: Duration)?

    /// A loop without parts. Everything in it runs on the thread that calls ``turn(until:)``. Cannot fail.
    public init(clock: any LoopClock = SystemLoopClock()) { self.clock = clock }

    /// The time on the loop's clock, counted from a moment that the clock chooses and that does not change; never goes
    /// back.
    public var now: Duration { clock.now }

    // MARK: Joining

    /// Calls `action` once, after `delay` on the loop's clock; a negative one counts as none. Cannot fail.
    @discardableResult
    public func after(_ delay: Duration, rank: Rank = .due, _ action: @escaping () -> Void) -> Timer {
        add(Timer(rank, due: now + max(.zero, delay), interval: nil, action: action))
    }

    /// Calls `action` every `interval`, for the first time after one. If several were missed because the machine was busy,
    /// it is called once for them. Cannot fail.
    ///
    /// - Parameter interval: At least a millisecond; a shorter one counts as a millisecond.
    @discardableResult
    public func every(_ interval: Duration, rank: Rank = .due, _ action: @escaping () -> Void) -> Timer {
        let interval = max(.milliseconds(1), interval)
        return add(Timer(rank, due: now + interval, interval: interval, action: action))
    }

    /// Calls `action` whenever the descriptor is ready as `interest` says, or was hung up, with the events that were found; a hang-up counts as both.
    /// The same descriptor can be watched several times. It stays the caller's; cancel the watch before you close it.
    @discardableResult
    public func watch(
        _ descriptor: Int32, for interest: Interest, rank: Rank = .control, _ action: @escaping (Interest) -> Void
    ) -> Watch {
        let watch = number(Watch(rank, descriptor: descriptor, interest: interest, action: action))
        watch.loop = self
        watches[rank.rawValue].add(watch)
        return watch
    }

    /// Calls `action` whenever the current descriptor, if there is one, can be read from or was hung up. `descriptor` is asked before each wait, so
    /// the code that opens and closes it need not tell the loop; `nil` or a negative number means none for now.
    @discardableResult
    public func watchCurrent(
        _ descriptor: @escaping () -> Int32?, rank: Rank = .control, _ action: @escaping (_ now: Duration) -> Void
    ) -> Source {
        add(
            Participant(
                rank,
                descriptors: {
                    guard let descriptor = descriptor(), descriptor >= 0 else { return [] }
                    return [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
                }, deadline: { nil }, begin: { _, now in action(now) }, proceed: nil, joinsEveryRound: false))
    }

    /// Calls `action` whenever a deadline has come. `deadline` is asked before each wait, on the loop's clock; `nil` means none for now. The action
    /// must move it, or is called again in the next round.
    @discardableResult
    public func whenDue(
        _ deadline: @escaping () -> Duration?, rank: Rank = .due, _ action: @escaping (_ now: Duration) -> Void
    ) -> Source {
        join(rank: rank, descriptors: { [] }, deadline: deadline, serve: { _, now in action(now) })
    }

    /// Calls `action` in every round, and no later than a deadline on the loop's clock (`nil` for none): for work that any
    /// event may have made necessary. As any part it comes after those of the same rank that joined before it, so usually
    /// last. While it is held back it is owed one turn, which it gets as soon as the hold ends.
    @discardableResult
    public func inEveryRound(
        rank: Rank = .work, orAt deadline: @escaping () -> Duration? = { nil },
        _ action: @escaping (_ now: Duration) -> Void
    ) -> Source {
        join(
            rank: rank, descriptors: { [] }, deadline: deadline, inEveryRound: true, serve: { _, now in action(now) })
    }

    /// Adds a part with its own descriptors and deadlines, both asked for before each wait: `serve` is called with those of
    /// its descriptors that are ready, or with none when its deadline (on the loop's clock; `nil` for none) has come.
    ///
    /// - Parameter inEveryRound: Whether it is called in every round, even when nothing of it is ready or due.
    @discardableResult
    public func join(
        rank: Rank = .callers, descriptors: @escaping () -> [pollfd], deadline: @escaping () -> Duration?,
        inEveryRound: Bool = false, serve: @escaping (_ ready: [pollfd], _ now: Duration) -> Void
    ) -> Source {
        add(
            Participant(
                rank, descriptors: descriptors, deadline: deadline, begin: serve, proceed: nil,
                joinsEveryRound: inEveryRound))
    }

    /// As ``join(rank:descriptors:deadline:inEveryRound:serve:)``, for a part that serves many: `begin` notes which descriptors are ready, and
    /// each call of `proceed` is one turn, until it returns false. Between two turns the loop looks at higher ranks. If the part's rank is held back
    /// in between, the rest of its turns is dropped: the next round begins anew.
    @discardableResult
    public func join(
        rank: Rank = .callers, descriptors: @escaping () -> [pollfd], deadline: @escaping () -> Duration?,
        begin: @escaping (_ ready: [pollfd], _ now: Duration) -> Void, proceed: @escaping (_ now: Duration) -> Bool
    ) -> Source {
        add(
            Participant(
                rank, descriptors: descriptors, deadline: deadline, begin: begin, proceed: proceed,
                joinsEveryRound: false))
    }

    /// Holds back all parts of this rank and of lower ones while `isOn` returns true: they are not waited for and get no turn. `isOn` is asked before
    /// each wait and each turn, and the loop wakes up at `deadline` (on its clock; `nil` for none) at the latest to ask again. There is no way to
    /// take it back.
    public func holdBack(
        from rank: Rank, until deadline: @escaping () -> Duration?, while isOn: @escaping () -> Bool
    ) { holds.append(Hold(rank: rank, until: deadline, isOn: isOn)) }

    private func add<Joined: Source>(_ source: Joined) -> Joined {
        sources[source.rank.rawValue].append(number(source))
        return source
    }

    private func number<Joined: Source>(_ source: Joined) -> Joined {
        joined += 1
        source.number = joined
        // It does not go before a part that is waiting already.
        source.lastTurn = turnNumber
        return source
    }

    func update(_ watch: Watch) { watches[watch.rank.rawValue].update(watch) }

    func remove(_ watch: Watch) { watches[watch.rank.rawValue].remove(watch) }
}
