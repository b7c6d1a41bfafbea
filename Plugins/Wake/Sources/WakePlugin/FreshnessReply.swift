// SPDX-License-Identifier: Apache-2.0

import Glibc
import WakePlan

/// What of `org.vigil.sync1.GetFreshness` matters here.
struct FreshnessReply: Decodable {
    struct Source: Decodable {
        /// Unix seconds.
        var lastSuccess: Int64?
    }

    var sources: [Source]
    /// Seconds.
    var wakeWindow: Int64?

    /// A time further in the future than this is no time.
    private static let tolerance: Int64 = 300

    func freshness(unix: Int64) -> WakeEngine.Freshness {
        let times = sources.map(\.lastSuccess)
        var age: Duration?
        // One source that was never fetched, or in the future by our clock: nothing is known about how old it is.
        if let oldest = times.compactMap({ $0 }).min(),
            !times.contains(where: { $0.map { $0 > unix + Self.tolerance } ?? true })
        {
            age = .seconds(max(0, unix - oldest))
        }
        return WakeEngine.Freshness(age: age, window: wakeWindow.map { .seconds($0) })
    }
}

extension Wake {
    /// By the board's clock, right or wrong; the sync's times are of the same.
    static func unix() -> Int64 { Int64(Glibc.time(nil)) }
}
