// SPDX-License-Identifier: Apache-2.0

/// The waits of one party after wrong secrets of its own: a known browser, a session, a source. Times are of one clock,
/// since any moment.
public struct PartyThrottle: Equatable, Sendable {
    /// Failures without a wait: as many typing errors as a person makes. Our own choice.
    public static let freeFailures = 5
    /// The longest wait, at which the doubling (1, 2, 4 … seconds) ends; see docs/decisions/0035.
    public static let longestWait = Duration.seconds(60)
    /// The time after the last failure at which all failures are forgotten: an hour. Our own choice.
    public static let memory = Duration.seconds(3_600)

    private var failures = 0
    private var last = Duration.zero

    /// A throttle that has seen no failures, so that the first tries are free. It is kept in memory only.
    public init() {}

    /// The time until the next try is looked at, more than zero and at most ``longestWait``; `nil` if it is now.
    public func wait(at now: Duration) -> Duration? {
        guard failures >= Self.freeFailures, now - last < Self.memory else { return nil }
        let doublings = min(failures - Self.freeFailures, 6)
        let wait = min(Duration.seconds(1 << doublings), Self.longestWait)
        // A clock that was set back keeps nobody waiting for longer.
        let left = min(last, now) + wait - now
        return left > .zero ? left : nil
    }

    /// Counts a wrong secret. `now` is of the same clock as in ``wait(at:)``. Cannot fail.
    public mutating func failed(at now: Duration) {
        if now - last >= Self.memory { failures = 0 }
        failures += 1
        last = now
    }

    /// Forgets all failures: the secret was right.
    public mutating func succeeded() { failures = 0 }
}

extension Duration {
    /// Whole seconds, rounded up for a positive span: what a person is told to wait.
    public var wholeSeconds: Int {
        let (seconds, rest) = components
        return Int(seconds) + (rest > 0 ? 1 : 0)
    }
}
