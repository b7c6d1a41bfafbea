// SPDX-License-Identifier: Apache-2.0

/// Decides when to connect to the broker: while a connection is wanted, and again after a failure, with growing waits and
/// never at the same moment as other boards.
public struct LinkSchedule: Sendable {
    /// The waits and limits of the schedule, all of them durations.
    public struct Limits: Hashable, Sendable {
        /// The time within which the first connection is made, at a random moment, so that a fleet whose power came
        /// back at one moment does not connect at once. Ten seconds, our choice. Not checked.
        public var start = Duration.seconds(10)
        /// The mean wait after the first failure, which doubles with each further one. Eight seconds, our choice. Not
        /// checked.
        public var backoff = Duration.seconds(8)
        /// The longest mean wait, reached after eight failures in a row. A quarter of an hour, our choice: a board is
        /// connected soon after its broker is back. Not checked.
        public var backoffLimit = Duration.seconds(900)
        /// The mean wait after a refusal that will not change by itself (password, certificate), which counts like many
        /// failures. Ten minutes, our choice. Not checked.
        public var refusedBackoff = Duration.seconds(600)
        /// The time after which a connection counts as good, so that earlier failures are forgotten. Two minutes,
        /// our choice. Not checked.
        public var good = Duration.seconds(120)
        /// The time after which a try to connect is given up as a failure. A minute, our choice. Not checked.
        public var connecting = Duration.seconds(60)

        /// Creates the default limits; each may be changed before use.
        public init() {}
    }

    /// The states of the connection. All times are on the clock of the calls' `now`.
    public enum State: Hashable, Sendable {
        /// No connection is wanted.
        case idle
        /// A connection is wanted, and will be tried at this time.
        case waiting(until: Duration)
        /// A connection is being made, since this time.
        case connecting(since: Duration)
        /// The broker has accepted the connection, at this time.
        case connected(since: Duration)
    }

    /// The step that the caller takes: make a connection, or end the current one.
    public enum Action: Hashable, Sendable { case connect, disconnect }

    /// The current state of the connection.
    public private(set) var state = State.idle
    /// The number of connections in a row that failed, or ended before they were good. The end of a good one counts as the
    /// first; a new wish for a connection begins with 0.
    public private(set) var failures = 0
    private let limits: Limits
    private var isWary: Bool

    /// Creates a schedule in ``State/idle``; ``want(_:at:using:)`` starts it. Cannot fail.
    /// - Parameters:
    ///   - limits: The waits and limits.
    ///   - isWary: Whether the processes before this one ended soon after they had connected. Then the first
    ///     connection waits as after a refusal (``Limits/refusedBackoff``), so that a broker that ends processes
    ///     does not use up the supervisor's patience.
    public init(limits: Limits = Limits(), isWary: Bool = false) {
        self.limits = limits
        self.isWary = isWary
    }

    /// The time at which ``tick(at:using:)`` has to be called next, on the clock of the calls; `nil` if nothing is due at a
    /// time.
    public var deadline: Duration? {
        switch state {
        case .waiting(let until): until
        case .connecting(let since): since + limits.connecting
        case .idle, .connected: nil
        }
    }

    /// Sets whether a connection is wanted; call it whenever that changes (further calls do no harm).
    /// - Parameter now: The time on a monotonic clock, the same one in all calls.
    /// - Returns: ``Action/disconnect`` if a connection, or a try, has to be ended; otherwise `nil`. ``tick(at:using:)``
    ///   makes connections.
    public mutating func want(
        _ isWanted: Bool, at now: Duration, using random: inout some RandomNumberGenerator
    ) -> Action? {
        switch (state, isWanted) {
        case (.idle, true):
            failures = 0
            let wait =
                isWary ? Self.around(limits.refusedBackoff, using: &random) : Self.uniform(limits.start, using: &random)
            state = .waiting(until: now + wait)
            return nil
        case (.connecting, false), (.connected, false):
            state = .idle
            return .disconnect
        case (.waiting, false):
            state = .idle
            return nil
        default: return nil
        }
    }

    /// Notes that the broker accepted the connection at `now`, on the clock of the calls; ignored unless a connection is
    /// being made.
    public mutating func opened(at now: Duration) {
        if case .connecting = state { state = .connected(since: now) }
    }

    /// Notes that the connection ended at `now`, or could not be made. The next try comes after half to one and a half
    /// times the mean wait. Ignored unless there is a connection or a try.
    /// - Parameter isRefusal: Whether the broker would refuse the next try, too; then the mean wait is at least
    ///   ``Limits/refusedBackoff``.
    public mutating func closed(
        isRefusal: Bool, at now: Duration, using random: inout some RandomNumberGenerator
    ) {
        switch state {
        case .idle, .waiting: return
        case .connected(let since) where now - since >= limits.good: failures = 0
        case .connecting, .connected: break
        }
        failures += 1
        var mean = min(limits.backoff * (1 << min(failures - 1, 16)), limits.backoffLimit)
        if isRefusal { mean = max(mean, limits.refusedBackoff) }
        state = .waiting(until: now + Self.around(mean, using: &random))
    }

    /// Does what is due at `now`: begins to connect, or gives up a try that took too long, which counts as a failure.
    /// Returns the action for the caller; `nil` if nothing was due.
    public mutating func tick(at now: Duration, using random: inout some RandomNumberGenerator) -> Action? {
        guard let deadline, deadline <= now else { return nil }
        switch state {
        case .waiting:
            isWary = false
            state = .connecting(since: now)
            return .connect
        case .connecting:
            closed(isRefusal: false, at: now, using: &random)
            return .disconnect
        case .idle, .connected: return nil
        }
    }

    /// Half to one and a half times the mean: those who failed together do not come back together.
    private static func around(_ mean: Duration, using random: inout some RandomNumberGenerator) -> Duration {
        mean / 2 + uniform(mean, using: &random)
    }

    private static func uniform(_ limit: Duration, using random: inout some RandomNumberGenerator) -> Duration {
        .milliseconds(Int64.random(in: 0...max(0, Int64(limit / .milliseconds(1))), using: &random))
    }
}
