// SPDX-License-Identifier: Apache-2.0

/// The waits of one party, such as a known browser, a session or a source, after wrong secrets. All times are on one clock,
/// whose start does not matter.
public struct PartyThrottle: Equatable, Sendable {
    /// The number of failures after which the waits begin: as many typing errors as a person makes. Our own choice.
    public static let freeFailures = 5
    /// The longest wait, up to which the waits double (1, 2, 4 … seconds); see docs/decisions/0035.
    public static let longestWait = Duration.seconds(60)
    /// The time without a failure after which all failures are forgotten: an hour. Our own choice.
    public static let memory = Duration.seconds(3_600)

    private var failures = 0
    private var last = Duration.zero

    /// Creates a throttle without failures. It is kept in memory only.
    public init() {}

    /// Returns the time until the next try is permitted, more than zero and at most ``longestWait``; `nil` if it is
    /// permitted now.
    public func wait(at now: Duration) -> Duration? {
        guard failures >= Self.freeFailures, now - last < Self.memory else { return nil }
        let doublings = min(failures - Self.freeFailures, 6)
        let wait = min(Duration.seconds(1 << doublings), Self.longestWait)
        // A clock that was set back keeps nobody waiting for longer.
        let left = min(last, now) + wait - now
        return left > .zero ? left : nil
    }

    /// Counts a wrong secret. `now` is on the clock of ``wait(at:)``. Cannot fail.
    public mutating func failed(at now: Duration) {
        if now - last >= Self.memory { failures = 0 }
        failures += 1
        last = now
    }

    /// Forgets all failures, because the secret was right.
    public mutating func succeeded() { failures = 0 }
}

extension Duration {
    /// The span in whole seconds, rounded up if it is positive: the number that people are told.
    public var wholeSeconds: Int {
        let (seconds, rest) = components
        return Int(seconds) + (rest > 0 ? 1 : 0)
    }
}
