// SPDX-License-Identifier: Apache-2.0

/// How long to wait after wrong secrets for one role. Times are of a clock that counts through suspend and is never set.
struct SignInThrottle: Equatable {
    /// As many typing errors as a person makes.
    static let freeFailures = 5
    static let longestWait = Duration.seconds(60)
    /// After so long without a failure all are forgotten.
    static let memory = Duration.seconds(3_600)

    private var failures = 0
    private var last = Duration.zero

    /// Seconds until the next try is looked at, rounded up; `nil` if it is now.
    func wait(at now: Duration) -> Int? {
        guard failures >= Self.freeFailures, now - last < Self.memory else { return nil }
        let doublings = min(failures - Self.freeFailures, 6)
        let wait = min(Duration.seconds(1 << doublings), Self.longestWait)
        let left = last + wait - now
        guard left > .zero else { return nil }
        let (seconds, rest) = left.components
        return Int(seconds) + (rest > 0 ? 1 : 0)
    }

    mutating func failed(at now: Duration) {
        if now - last >= Self.memory { failures = 0 }
        failures += 1
        last = now
    }

    mutating func succeeded() { failures = 0 }
}
