// SPDX-License-Identifier: Apache-2.0

/// Decides when to connect to the broker: while it is wanted, again after a failure, later each time and never at the same moment as
/// everybody else.
public struct LinkSchedule: Sendable {
    /// The waits and limits of the schedule; all are lengths of time.
    public struct Limits: Hashable, Sendable {
        /// The first connection comes at a random moment within this, so that a fleet whose power came back at one moment
        /// does not connect at one. Ten seconds, a choice of ours.
        public var start = Duration.seconds(10)
        /// The mean wait after the first failure; doubled with each further one. Eight seconds, a choice of ours. Not
        /// checked.
        public var backoff = Duration.seconds(8)
        /// The longest mean wait, reached after eight failures in a row; a quarter of an hour, a choice of ours: a board is
        /// back soon after its broker. Not checked.
        public var backoffLimit = Duration.seconds(900)
        /// The mean wait after a refusal that will not change by itself (password, certificate), which is as good as many
        /// failures. Ten minutes, a choice of ours. Not checked.
        public var refusedBackoff = Duration.seconds(600)
        /// A connection that held at least this long was a good one: failures are forgotten. Two minutes, a choice of ours.
        public var good = Duration.seconds(120)
        /// The time that connecting may take before it is given up as a failure. A minute, a choice of ours. Not checked.
        public var connecting = Duration.seconds(60)

        /// The default numbers; each may be changed before use.
        public init() {}
    }

    /// The states of the connection. All moments are of the clock that the calls' `now` is of.
    public enum State: Hashable, Sendable {
        /// No connection is wanted.
        case idle
        /// A connection is wanted, and is tried at that moment.
        case waiting(until: Duration)
        /// A connection is being made since that moment.
        case connecting(since: Duration)
        /// The broker has let us in at that moment.
        case connected(since: Duration)
    }

    /// The step that the caller takes: make a connection, or end the one that there is.
    public enum Action: Hashable, Sendable { case connect, disconnect }

    /// The present state of the connection.
    public private(set) var state = State.idle
    /// The number of connections in a row that failed, or ended before they were good; the end of a good one counts as the first, and a new wish
    /// for a connection begins with 0.
    public private(set) var failures = 0
    private let limits: Limits
    private var isWary: Bool

    /// A schedule in ``State/idle``: ``want(_:at:using:)`` starts it.
    /// - Parameter isWary: The processes before this one ended soon after they had connected: the first connection waits as after a refusal
    ///   (``Limits/refusedBackoff``), so that a broker that ends processes does not use up the supervisor's patience.
    public init(limits: Limits = Limits(), isWary: Bool = false) {
        self.limits = limits
        self.isWary = isWary
    }

    /// The moment when ``tick(at:using:)`` is to be called next, on the clock of the calls; `nil` if nothing is due by
    /// time.
    public var deadline: Duration? {
        switch state {
        case .waiting(let until): until
        case .connecting(let since): since + limits.connecting
        case .idle, .connected: nil
        }
    }

    /// Takes whether there should be a connection; to be called whenever that changes, and harmless in between.
    /// - Parameter now: The time of a clock that never goes back, the same in all calls.
    /// - Returns: ``Action/disconnect`` if there is a connection, or a try, to end; otherwise `nil`. Connecting comes by ``tick(at:using:)``.
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

    /// Notes that the broker accepted us at `now`, on the clock of the calls; ignored unless a connection is being made.
    public mutating func opened(at now: Duration) {
        if case .connecting = state { state = .connected(since: now) }
    }

    /// Notes that the connection has ended at `now`, or could not be made. Waits half to one and a half times the mean wait
    /// before the next try. Ignored unless there is a connection, or a try.
    /// - Parameter isRefusal: It would be refused again, so the mean wait is at least ``Limits/refusedBackoff``.
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

    /// Does what is due at `now`: begins to connect, or gives up a try that took too long, which counts as a failure. Returns what the caller is to
    /// do; `nil` if nothing was due.
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
