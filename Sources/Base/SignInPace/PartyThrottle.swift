// SPDX-License-Identifier: Apache-2.0

/// How long one party waits after wrong secrets of its own: a known browser, a session, a source. Times are of one clock, since any moment.
public struct PartyThrottle: Equatable, Sendable {
    /// As many typing errors as a person makes.
    public static let freeFailures = 5
    public static let longestWait = Duration.seconds(60)
    /// After so long without a failure all are forgotten.
    public static let memory = Duration.seconds(3_600)

    private var failures = 0
    private var last = Duration.zero

    /// Nothing happened yet.
    public init() {}

    /// How long until the next try is looked at; `nil` if it is now.
    public func wait(at now: Duration) -> Duration? {
        guard failures >= Self.freeFailures, now - last < Self.memory else { return nil }
        let doublings = min(failures - Self.freeFailures, 6)
        let wait = min(Duration.seconds(1 << doublings), Self.longestWait)
        // A clock that was set back keeps nobody waiting for longer.
        let left = min(last, now) + wait - now
        return left > .zero ? left : nil
    }

    public mutating func failed(at now: Duration) {
        if now - last >= Self.memory { failures = 0 }
        failures += 1
        last = now
    }

    public mutating func succeeded() { failures = 0 }
}

extension Duration {
    /// Whole seconds, rounded up.
    public var wholeSeconds: Int {
        let (seconds, rest) = components
        return Int(seconds) + (rest > 0 ? 1 : 0)
    }
}
