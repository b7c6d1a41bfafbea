// SPDX-License-Identifier: Apache-2.0

/// Counts events of the last `seconds`, at most `limit` of them. Forgets with the process.
struct RateWindow {
    let limit: Int
    let seconds: Int64
    private var times: [Int64] = []

    init(limit: Int, seconds: Int64) {
        self.limit = limit
        self.seconds = seconds
    }

    /// Whether there may be another one at `now`.
    mutating func hasRoom(now: Int64) -> Bool {
        // A clock that was set back must not lock everybody out for long.
        times.removeAll { $0 <= now - seconds || $0 > now }
        return times.count < limit
    }

    mutating func count(now: Int64) { times.append(now) }
}
