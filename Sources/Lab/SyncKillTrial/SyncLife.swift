// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON
import PluginTestKit
import ProcessLink
import Varlink
import VarlinkSocket

/// `vigil-plugins sync`, started as the supervisor starts it, and asked to run at once.
final class SyncLife {
    private let supervisor: SupervisorStandIn
    private let socket: String
    private let child: Child

    /// Starts it. Where it is followed, the wish for a run is there before it is: such a life needs nobody beside it.
    ///
    /// - Parameter boot: The identity of the board's boot; another one than that of the life before leaves no pause between
    ///   two runs.
    init(_ places: KillPlaces, boot: String, tracer: [String] = []) throws {
        supervisor = try SupervisorStandIn(plugin: "sync")
        socket = try supervisor.allow("lab", [Sync1.Method.syncNow.path, Sync1.Method.getFreshness.path])
        try supervisor.send("START")
        let wish = tracer.isEmpty ? nil : try VarlinkClient(path: socket, timeout: .seconds(20))
        try wish?.callOneway(Sync1.Method.syncNow.path)
        let control = supervisor.takeOther()
        defer { close(control) }
        var environment = supervisor.variables(control: 3)
        environment["VIGIL_RUN"] = places.plugin
        environment["VIGIL_STATE"] = places.state
        environment["VIGIL_SPOOL"] = places.spool
        environment["VIGIL_BOOT_ID"] = boot
        environment["TMPDIR"] = places.state
        environment["HOME"] = places.state
        let words = tracer + ["\(places.programs)/vigil-plugins", "sync"]
        child = try Child(
            words[0], Array(words.dropFirst()), environment: environment, control: control, log: "\(places.folder)/sync.log"
        )
    }

    /// Waits for its end; whether it came.
    func waits(seconds: Int) -> Bool { child.waits(seconds: seconds) }

    /// Has it run at once, waits until that is done, sees what it says, and stops it in order.
    func finish() throws -> Sync1.Freshness {
        let client = try VarlinkClient(path: socket, timeout: .seconds(20))
        _ = try client.call(Sync1.Method.syncNow.path)
        var freshness: Sync1.Freshness?
        let isDone = Child.waits(seconds: 60, pause: 10_000) {
            freshness = try? client.call(Sync1.Method.getFreshness.path, JSON.empty, as: Sync1.FreshnessReply.self)
                .freshness
            return child.ended != nil || freshness.map { !$0.running } ?? true
        }
        guard isDone, let freshness else { throw TrialFailure("the plugin does not come to the end of a run") }
        try stop()
        return freshness
    }

    /// Stops it in order.
    func stop() throws {
        try supervisor.send("STOP")
        guard child.waits(seconds: 10), child.ended == 0 else { throw TrialFailure("the plugin does not stop in order") }
    }

    /// Ends it as a crash would.
    func crash() { child.kill() }

    /// Has it run at once, or as soon as it may; returns when it has noted that.
    func wish() throws { _ = try VarlinkClient(path: socket, timeout: .seconds(20)).call(Sync1.Method.syncNow.path) }
}
