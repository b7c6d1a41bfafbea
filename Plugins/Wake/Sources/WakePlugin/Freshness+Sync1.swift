// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import WakePlan

/// What of a sync's freshness matters here.
extension WakeEngine.Freshness {
    /// A time further in the future than so many seconds is no time.
    private static let tolerance: Int64 = 300

    /// - Parameter unix: Seconds by the board's clock, right or wrong; the sync's times are of the same.
    init(_ freshness: Sync1.Freshness, unix: Int64) {
        let times = freshness.sources.map(\.lastSuccess)
        var age: Duration?
        if times.isEmpty {
            // Nothing to be fetched is never old.
            age = .zero
        } else if let oldest = times.compactMap({ $0 }).min(),
            // One that was never fetched, or in the future by our clock: nothing is known about how old it is.
            !times.contains(where: { $0.map { $0 > unix + Self.tolerance } ?? true })
        {
            age = .seconds(max(0, unix - oldest))
        }
        self.init(age: age, window: freshness.wakeWindow.map { .seconds($0) })
    }
}

extension Wake {
    static func unix() -> Int64 { Int64(Glibc.time(nil)) }
}
