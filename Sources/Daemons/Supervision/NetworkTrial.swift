// SPDX-License-Identifier: Apache-2.0

/// A change of the network that holds on trial: it stays if somebody confirms it in time, over the network as it is then, and is taken
/// back by itself otherwise. What was unconfirmed when the power went, or when this program ended, is taken back at the next start.
/// Pure: the caller does what ``Act`` says, in that order, and tells how it went.
public struct NetworkTrial: Sendable, Equatable {
    /// One step that the caller carries out.
    public enum Act: Sendable, Equatable {
        /// Put the old file aside and the new one in its place.
        case store
        /// Put the files that were set aside for this interface into their place again.
        case takeBack(interface: String)
        /// Remove the files that were set aside for this interface: the change stays.
        case keep(interface: String)
        /// Let the system read its network files again.
        case reload
    }

    enum Phase: Sendable, Equatable {
        case settled
        case trying(interface: String, until: Duration)
        /// The old file is there again; the system has not read it yet.
        case takingBack(attempt: Int, retryAt: Duration?)
    }

    /// The number of seconds that somebody may have for confirming a change, both ends included; a choice of ours.
    public static let confirmationSeconds: ClosedRange<Int64> = 30...600
    /// How often the system is asked to read the old file again, and how long is waited in between.
    static let mostAttempts = 12
    static let retryPause = Duration.seconds(10)

    private(set) var phase = Phase.settled

    /// A trial that is settled: nothing has been changed.
    public init() {}

    /// Takes the interfaces whose change was unconfirmed at the start, and returns the steps that take it back; empty for no interfaces. From then on
    /// nothing is settled until ``didReload(well:at:)`` tells how it went.
    public mutating func begin(unconfirmed interfaces: [String]) -> [Act] {
        guard !interfaces.isEmpty else { return [] }
        phase = .takingBack(attempt: 1, retryAt: nil)
        return interfaces.map { .takeBack(interface: $0) } + [.reload]
    }

    /// Whether nothing is on trial or being taken back: only then something can be applied.
    public var isSettled: Bool { phase == .settled }

    /// Begins a trial of `seconds`, and returns the steps that apply the change. The time begins now, before anything is done: a system that hangs
    /// over it does not prolong the trial.
    ///
    /// - Precondition: ``isSettled``, and `seconds` is in ``confirmationSeconds``; the caller sees to both, nothing is checked.
    /// - Parameters:
    ///   - interface: The network interface whose file is changed.
    ///   - now: The time of a clock that never goes back, the same in all calls.
    public mutating func apply(_ interface: String, seconds: Int64, at now: Duration) -> [Act] {
        phase = .trying(interface: interface, until: now + .seconds(seconds))
        return [.store, .reload]
    }

    /// Notes that the new files could not be stored: the trial is settled, and everything is as it was. Cannot fail.
    public mutating func couldNotStore() { phase = .settled }

    /// Takes how the system's reading of its files ended, `true` if it read them, and returns what follows; empty if nothing does. A change it could
    /// not read is taken back. Reading the old files again is tried 12 times, 10 seconds apart; after that the trial is settled, read or not.
    public mutating func didReload(well isWell: Bool, at now: Duration) -> [Act] {
        switch phase {
        case .settled: return []
        case .trying: return isWell ? [] : takeBack()
        case .takingBack(let attempt, _):
            let isOver = isWell || attempt >= Self.mostAttempts
            phase = isOver ? .settled : .takingBack(attempt: attempt + 1, retryAt: now + Self.retryPause)
            return []
        }
    }

    /// Confirms the change at `now`, on the clock of the calls. Returns what follows; `nil` if there is nothing to confirm, or ``confirmBy`` is
    /// reached.
    public mutating func confirm(at now: Duration) -> [Act]? {
        guard case .trying(let interface, let until) = phase, now < until else { return nil }
        phase = .settled
        return [.keep(interface: interface)]
    }

    /// Takes the time, on a clock that never goes back, and returns what is due by it: taking back an unconfirmed change,
    /// or the next try to do so; empty if nothing is.
    public mutating func advance(to now: Duration) -> [Act] {
        switch phase {
        case .trying(_, let until) where now >= until: return takeBack()
        case .takingBack(let attempt, let retryAt?) where now >= retryAt:
            phase = .takingBack(attempt: attempt, retryAt: nil)
            return [.reload]
        default: return []
        }
    }

    private mutating func takeBack() -> [Act] {
        guard case .trying(let interface, _) = phase else { return [] }
        phase = .takingBack(attempt: 1, retryAt: nil)
        return [.takeBack(interface: interface), .reload]
    }

    /// The moment when ``advance(to:)`` has something to do, on the clock of the calls; `nil` if nothing is due by time.
    public var due: Duration? {
        switch phase {
        case .settled: nil
        case .trying(_, let until): until
        case .takingBack(_, let retryAt): retryAt
        }
    }

    /// The moment when the change is taken back unless it is confirmed, on the clock of the calls; `nil` if none waits.
    public var confirmBy: Duration? { if case .trying(_, let until) = phase { until } else { nil } }
}
