// SPDX-License-Identifier: Apache-2.0

public import HTTPService
import Synchronization
import Verification

/// Counts of the portal since its start, for an operator's monitoring; nothing of it says who. Shared between threads.
public final class PortalCounters: Sendable {
    struct Numbers: Sendable {
        var signIns: [String: Int] = [:]
        var teleTANs: [String: Int] = [:]
        var refused: [String: Int] = [:]
    }

    private let numbers = Mutex(Numbers())

    /// Counters of a portal that has done nothing yet: all counts are 0.
    public init() {}

    func count(_ change: (inout Numbers) -> Void) { numbers.withLock { change(&$0) } }

    /// The counts so far for ``MetricsText``: tries to sign in by outcome, teleTANs by kind, refused requests by code
    /// or status; a family is empty as long as nothing of it happened. From any thread; cannot fail.
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
