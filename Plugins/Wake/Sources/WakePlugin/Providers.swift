// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Varlink
import VarlinkSocket
import WakePlan

/// What this plugin asks of others: each call over a connection of its own, so that a provider that is started on demand may go again.
struct Providers {
    /// How long a provider has, its start included.
    static let timeout = Duration.seconds(10)

    let runFolder: String

    /// `nil` when the sync does not answer.
    func freshness(unix: Int64) -> WakeEngine.Freshness? {
        guard let reply = call("org.vigil.sync1", "GetFreshness") else { return nil }
        let times = (reply["sources"]?.array ?? []).map { $0["lastSuccess"]?.int }
        var age: Duration?
        // One source that was never fetched, or in the future by our clock: nothing is known about how old it is.
        if !times.isEmpty, !times.contains(where: { $0.map { $0 > unix + 300 } ?? true }) {
            age = .seconds(max(0, unix - (times.compactMap { $0 }.min() ?? 0)))
        }
        return WakeEngine.Freshness(age: age, window: reply["wakeWindow"]?.int.map { .seconds($0) })
    }

    /// Whether the wish was noted.
    func syncNow() -> Bool { call("org.vigil.sync1", "SyncNow") != nil }

    /// `nil` when one of the two does not answer.
    func facts() -> RegistrationPlan.Facts? {
        guard let status = call(Exposure1.name, "GetStatus")?["status"]?["enabled"]?.bool,
            let reply = call(CheckIn1.name, "GetRegistrationFacts"),
            let facts = try? reply.decode(CheckIn1.RegistrationFactsReply.self)
        else { return nil }
        return RegistrationPlan.Facts(
            enActive: status, hasCheckIns: facts.hasCheckIns, inIsolation: facts.inIsolation)
    }

    private func call(_ interface: String, _ method: String) -> JSON? {
        try? VarlinkClient(path: "\(runFolder)/\(interface)", timeout: Self.timeout).call("\(interface).\(method)")
    }
}
