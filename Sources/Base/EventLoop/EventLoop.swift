// SPDX-License-Identifier: Apache-2.0

public import Glibc

/// The single event loop of a process: it serves descriptors and deadlines, one after the other, on one thread. No
/// part may block.
///
/// Each part of a process joins it and says when to call it and what to do then. The loop decides in which order
/// parts are served (docs/decisions/0039-one-loop.md):
///
/// - A part that is ready when a round begins gets one turn in it, in the order of ``Rank``, and within a rank in
///   the order of joining.
/// - Before each turn but the first, the loop looks again at all parts of a higher rank. If one is ready, it goes
///   first, once.
/// - A part is served only if it is ready at that moment. If it was ready when the round began and no longer is, it
///   is passed over. So a descriptor that was closed in between, and whose number belongs to another one now, does
///   no harm.
/// - Ranks can be held back (``holdBack(from:until:while:)``).
///
/// So a part of the highest rank waits for at most one turn of a part of a lower rank.
public final class EventLoop {
    /// The order in which ready parts are served; the first case is served first. The `rank` with which a part
    /// joins is its place in this order.
    public enum Rank: Int, CaseIterable, Comparable, Sendable {
        /// The radio: packets to send and packets from the controller.
        case radio
        /// Deadlines that have come.
        case due
        /// Signals, and messages between the supervisor and its processes.
        case control
        /// Calls and connections from other processes.
        case callers
        /// Work that can wait for everything else, such as files, databases and clean-up.
        case work

        /// Returns whether `left` is served earlier: the lowest raw value is the highest rank.
        public static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    /// The events for which a descriptor is watched. Empty: none, not even a hang-up.
    public struct Interest: OptionSet, Sendable, Hashable {
        /// One bit for each event: 1 for reading, 2 for writing.
        public let rawValue: UInt8

        /// Creates an interest from eight bits. Bits other than 1 and 2 have no effect.
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

    /// The time when the last round began to wait, and the latest time when it should have ended the wait because a
    /// descriptor was ready or a deadline had come. On the loop's clock; `nil` before the first round. For measuring how
    /// late the loop is.
    public internal(set) var lastWait: (began: Duration, expectedEnd: Duration)?

    /// What is done before a long wait, and not before `due`.
    var longWaitAction: (due: Duration, interval: Duration, action: () -> Void)?

    /// Creates a loop without parts. Everything in it runs on the thread that calls ``turn(until:)``. Cannot fail.
    public init(clock: any LoopClock = SystemLoopClock()) { self.clock = clock }

    /// The time on the loop's clock, counted from a fixed moment that the clock chooses. Never goes back.
    public var now: Duration { clock.now }

    // MARK: Joining

    /// Calls `action` one time, after `delay` on the loop's clock; a negative delay counts as zero. The timer is
    /// cancelled before the action runs. Cannot fail.
    @discardableResult
    public func after(_ delay: Duration, rank: Rank = .due, _ action: @escaping () -> Void) -> Timer {
        add(Timer(rank, due: now + max(.zero, delay), interval: nil, action: action))
    }

    /// Calls `action` at every `interval`, the first time after one interval. If several calls were missed because
    /// the machine was busy, one call makes up for all of them, and the next one follows an interval later. Cannot
    /// fail.
    ///
    /// - Parameter interval: The time between two calls, at least a millisecond; a shorter one counts as a
    ///   millisecond.
    @discardableResult
    public func every(_ interval: Duration, rank: Rank = .due, _ action: @escaping () -> Void) -> Timer {
        let interval = max(.milliseconds(1), interval)
        return add(Timer(rank, due: now + interval, interval: interval, action: action))
    }

    /// Calls `action` whenever the descriptor is ready for `interest` or was hung up, and passes the events that were
    /// found; a hang-up counts as reading and writing. One descriptor can be watched several times. The caller keeps the
    /// descriptor, and must cancel the watch before closing it.
    @discardableResult
    public func watch(
        _ descriptor: Int32, for interest: Interest, rank: Rank = .control, _ action: @escaping (Interest) -> Void
    ) -> Watch {
        let watch = number(Watch(rank, descriptor: descriptor, interest: interest, action: action))
        watch.loop = self
        watches[rank.rawValue].add(watch)
        return watch
    }

    /// Calls `action` whenever the current descriptor can be read or was hung up. The loop calls `descriptor`
    /// before each wait and whenever it looks at this part between two turns, so `descriptor` must be quick and
    /// have no effect; the code that opens and closes the descriptor need not tell the loop. `nil` or a negative
    /// number means that there is none at present.
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

    /// Calls `action` whenever a deadline has come. The loop calls `deadline` before each wait and whenever it
    /// looks at this part between two turns; it returns a time on the loop's clock, or `nil` for none at present.
    /// The action must move the deadline, or it is called again in the next round.
    @discardableResult
    public func whenDue(
        _ deadline: @escaping () -> Duration?, rank: Rank = .due, _ action: @escaping (_ now: Duration) -> Void
    ) -> Source {
        join(rank: rank, descriptors: { [] }, deadline: deadline, serve: { _, now in action(now) })
    }

    /// Calls `action` in every round, and no later than a deadline on the loop's clock (`nil` for none): for work that any
    /// event may have made necessary. Like any part, it comes after those of the same rank that joined before it, so with
    /// the default rank it is usually last. A part that is held back is owed one turn, and gets it as soon as the hold
    /// ends.
    @discardableResult
    public func inEveryRound(
        rank: Rank = .work, orAt deadline: @escaping () -> Duration? = { nil },
        _ action: @escaping (_ now: Duration) -> Void
    ) -> Source {
        join(
            rank: rank, descriptors: { [] }, deadline: deadline, inEveryRound: true, serve: { _, now in action(now) })
    }

    /// Calls `action` just before a wait that may last a second or longer, at most once in `interval`, and not before one has
    /// passed: for giving back what a process does not need while it waits, without a wake-up of its own. It is no part:
    /// nothing is served between the action and the wait. The loop has one such action; a later call replaces it.
    ///
    /// - Parameter interval: On the loop's clock, from the last action. Four seconds are shorter than the five or ten between the
    ///   looks and signs of life of Vigil's processes, so that each of those ends with the action.
    public func beforeLongWaits(every interval: Duration = .seconds(4), _ action: @escaping () -> Void) {
        longWaitAction = (now + interval, interval, action)
    }

    /// Adds a part with its own descriptors and deadline. The loop calls `descriptors` and `deadline` before each
    /// wait and whenever it looks at this part between two turns; both must be quick. It calls `serve` with those
    /// of the part's descriptors that are ready, or with none when the deadline (on the loop's clock; `nil` for
    /// none) has come.
    ///
    /// - Parameter inEveryRound: Whether `serve` is called in every round, even if none of the descriptors is ready
    ///   and the deadline has not come.
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

    /// Adds a part that serves many clients, with the descriptors and deadline of
    /// ``join(rank:descriptors:deadline:inEveryRound:serve:)``. `begin` notes which descriptors are ready. Then the
    /// loop calls `proceed` until it returns `false`; `begin` with the first call of `proceed` is one turn, as is
    /// each later call, and the loop looks at higher ranks between two turns. If the part's rank is held back in
    /// between, its remaining turns are dropped, and the next round calls `begin` again.
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

    /// Holds back all parts of this rank and lower ones while `isOn` returns true: the loop does not wait for them and
    /// gives them no turn. The loop calls `isOn` before each wait and each turn, and wakes up at `deadline` (on its clock;
    /// `nil` for none) at the latest to call it again. A hold cannot be removed.
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
