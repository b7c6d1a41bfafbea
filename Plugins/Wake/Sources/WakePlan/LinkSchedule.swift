// SPDX-License-Identifier: Apache-2.0

/// Decides when to connect to the broker: while it is wanted, again after a failure, later each time and never at the same moment as
/// everybody else.
public struct LinkSchedule: Sendable {
    /// The numbers behind it.
    public struct Limits: Hashable, Sendable {
        /// The first connection comes within this: a fleet may have got its power back at one moment.
        public var start = Duration.seconds(10)
        /// The mean wait after the first failure; doubled with each further one.
        public var backoff = Duration.seconds(8)
        public var backoffLimit = Duration.seconds(900)
        /// A refusal that will not change by itself (password, certificate) is as good as many failures.
        public var refusedBackoff = Duration.seconds(600)
        /// A connection that held so long was a good one: failures are forgotten.
        public var good = Duration.seconds(120)
        /// How long connecting may take.
        public var connecting = Duration.seconds(60)

        public init() {}
    }

    public enum State: Hashable, Sendable {
        /// Nobody wants a connection.
        case idle
        case waiting(until: Duration)
        case connecting(since: Duration)
        case connected(since: Duration)
    }

    public enum Action: Hashable, Sendable { case connect, disconnect }

    public private(set) var state = State.idle
    /// In a row.
    public private(set) var failures = 0
    private let limits: Limits

    public init(limits: Limits = Limits()) { self.limits = limits }

    /// When ``tick(at:using:)`` is to be called.
    public var deadline: Duration? {
        switch state {
        case .waiting(let until): until
        case .connecting(let since): since + limits.connecting
        case .idle, .connected: nil
        }
    }

    /// Whether there should be a connection.
    public mutating func want(
        _ isWanted: Bool, at now: Duration, using random: inout some RandomNumberGenerator
    ) -> Action? {
        switch (state, isWanted) {
        case (.idle, true):
            failures = 0
            state = .waiting(until: now + Self.uniform(limits.start, using: &random))
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

    /// The broker has let us in.
    public mutating func opened(at now: Duration) {
        if case .connecting = state { state = .connected(since: now) }
    }

    /// There is no connection any more, or there was none to be had.
    /// - Parameter isRefusal: It would be refused again.
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
        // Half to one and a half times the mean: those who failed together do not come back together.
        state = .waiting(until: now + mean / 2 + Self.uniform(mean, using: &random))
    }

    /// Does what is due.
    public mutating func tick(at now: Duration, using random: inout some RandomNumberGenerator) -> Action? {
        guard let deadline, deadline <= now else { return nil }
        switch state {
        case .waiting:
            state = .connecting(since: now)
            return .connect
        case .connecting:
            closed(isRefusal: false, at: now, using: &random)
            return .disconnect
        case .idle, .connected: return nil
        }
    }

    private static func uniform(_ limit: Duration, using random: inout some RandomNumberGenerator) -> Duration {
        .milliseconds(Int64.random(in: 0...max(0, Int64(limit / .milliseconds(1))), using: &random))
    }
}
