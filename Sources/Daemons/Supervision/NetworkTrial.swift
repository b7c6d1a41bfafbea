// SPDX-License-Identifier: Apache-2.0

/// A change of the network on trial: it stays if a person confirms it in time, over the network as it is then; otherwise it
/// is taken back automatically. A change that was unconfirmed when the power failed, or when this program ended, is taken
/// back at the next start. Pure: the caller carries out each ``Act`` in order, and reports how it went.
public struct NetworkTrial: Sendable, Equatable {
    /// One step that the caller carries out.
    public enum Act: Sendable, Equatable {
        /// Keep a copy of the old file, and put the new one in its place.
        case store
        /// Restore the files of this interface of which copies were kept.
        case takeBack(interface: String)
        /// Remove the copies of this interface's old files: the change stays.
        case keep(interface: String)
        /// Make the system read its network files again.
        case reload
    }

    enum Phase: Sendable, Equatable {
        case settled
        case trying(interface: String, until: Duration)
        /// The old file is there again; the system has not read it yet.
        case takingBack(attempt: Int, retryAt: Duration?)
    }

    /// The permitted numbers of seconds for confirming a change, 30 to 600; our choice.
    public static let confirmationSeconds: ClosedRange<Int64> = 30...600
    /// How often the system is asked to read the old file again, and how long is waited in between.
    static let mostAttempts = 12
    static let retryPause = Duration.seconds(10)

    private(set) var phase = Phase.settled

    /// Creates a settled trial: nothing has been changed.
    public init() {}

    /// Returns the steps that take back the changes of `interfaces`, which were unconfirmed when the program started; empty
    /// if there are none. Afterwards ``isSettled`` is `false` until ``didReload(well:at:)`` reports how the reload went.
    public mutating func begin(unconfirmed interfaces: [String]) -> [Act] {
        guard !interfaces.isEmpty else { return [] }
        phase = .takingBack(attempt: 1, retryAt: nil)
        return interfaces.map { .takeBack(interface: $0) } + [.reload]
    }

    /// Whether no change is on trial or being taken back; only then may ``apply(_:seconds:at:)`` be called.
    public var isSettled: Bool { phase == .settled }

    /// Begins a trial of `seconds`, and returns the steps that apply the change. The time runs from `now`, before the first
    /// step: a system that hangs while it applies the change does not prolong the trial.
    ///
    /// - Precondition: ``isSettled`` is `true`, and `seconds` is in ``confirmationSeconds``; neither is checked here.
    /// - Parameters:
    ///   - interface: The network interface whose file is changed.
    ///   - seconds: The time for confirming the change.
    ///   - now: The time on a monotonic clock, the same one in all calls.
    public mutating func apply(_ interface: String, seconds: Int64, at now: Duration) -> [Act] {
        phase = .trying(interface: interface, until: now + .seconds(seconds))
        return [.store, .reload]
    }

    /// Notes that the new files could not be stored: the trial is settled, and everything is as it was. Cannot fail.
    public mutating func couldNotStore() { phase = .settled }

    /// Reports whether the system could read its files (`isWell`), and returns the steps that follow; often none. A change
    /// that the system could not read is taken back. To read the old files again is tried 12 times, 10 seconds apart; after
    /// that the trial is settled, even if they were never read.
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

    /// Confirms the change at `now`, on the clock of the other calls, and returns the steps that follow; `nil` if no change
    /// is on trial, or `now` is not before ``confirmBy``.
    public mutating func confirm(at now: Duration) -> [Act]? {
        guard case .trying(let interface, let until) = phase, now < until else { return nil }
        phase = .settled
        return [.keep(interface: interface)]
    }

    /// Returns the steps that are due at `now`, on a monotonic clock: to take back an unconfirmed change, or to try again
    /// to read the old files; empty if nothing is due.
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

    /// The time at which ``advance(to:)`` next has something to do, on the clock of the calls; `nil` if nothing is due at a
    /// time.
    public var due: Duration? {
        switch phase {
        case .settled: nil
        case .trying(_, let until): until
        case .takingBack(_, let retryAt): retryAt
        }
    }

    /// The time at which the change is taken back unless it is confirmed before, on the clock of the calls; `nil` if no
    /// change is on trial.
    public var confirmBy: Duration? { if case .trying(_, let until) = phase { until } else { nil } }
}
