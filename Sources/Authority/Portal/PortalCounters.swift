// SPDX-License-Identifier: Apache-2.0

public import HTTPService
import Synchronization
import Verification

/// Counts of what the portal has done since its start, for monitoring; they identify nobody. May be shared between threads.
public final class PortalCounters: Sendable {
    struct Numbers: Sendable {
        var signIns: [String: Int] = [:]
        var teleTANs: [String: Int] = [:]
        var refused: [String: Int] = [:]
    }

    private let numbers = Mutex(Numbers())

    /// Creates counters of 0.
    public init() {}

    func count(_ change: (inout Numbers) -> Void) { numbers.withLock { change(&$0) } }

    /// The counts so far as metric families for ``MetricsText``: sign-in attempts by outcome, issued teleTANs by kind, and
    /// refused requests by code or status. A family has no samples until the first event of its kind. May be read on any
    /// thread; cannot fail.
    public var families: [MetricFamily] {
        let now = numbers.withLock { $0 }
        return [
            MetricFamily(
                "vigil_portal_sign_ins_total", .counter, "Tries to sign in, by what came of them.", by: "outcome",
                now.signIns),
            MetricFamily(
                "vigil_portal_teletans_total", .counter, "TeleTANs issued, by kind.", by: "kind", now.teleTANs),
            MetricFamily(
                "vigil_portal_refused_total", .counter, "Requests that were refused, by code.", by: "code", now.refused),
        ]
    }
}
