// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Interfaces
package import JSON
import PluginKit
import PluginTestKit
import ProcessLink
package import SyncKillTrial
import VarlinkSocket

/// `vigil-plugins venue`, started as the supervisor starts it, with the console as its caller. Used on one thread; the process is killed together with
/// this object.
package final class VenueLife {
    /// How long anything may take, on a machine that is slow.
    private static let patience = 120
    private let supervisor: SupervisorStandIn
    private let socket: String
    private let child: Child

    /// Starts it on the folders of a ``VenueBoard``. Throws what a socket refuses, and ``TrialFailure`` if there can be no process.
    ///
    /// - Parameters:
    ///   - program: The path of `vigil-plugins`, if it is not among the programs of `places`.
    ///   - tracer: Words before the program's, if it is to be followed.
    package init(_ places: KillPlaces, program: String? = nil, tracer: [String] = []) throws {
        supervisor = try SupervisorStandIn(plugin: "venue")
        // The process alone holds it: if it dies, whoever waits for an answer is told by the kernel.
        let listener = try VarlinkListener(path: "\(supervisor.folder.path)/callers/new")
        socket = "\(supervisor.folder.path)/callers/\(ProofGate.console)"
        let grants = Checkin1.Method.allCases.map(\.path).joined(separator: ",")
        let edge = ControlMessage("EDGE", ["caller": ProofGate.console, "grants": grants])
        guard rename("\(supervisor.folder.path)/callers/new", socket) == 0,
            supervisor.control.send(edge, descriptor: listener.descriptor) == .sent
        else { throw TrialFailure("the plugin gets no socket for its caller") }
        try supervisor.send("START")
        let control = supervisor.takeOther()
        defer { close(control) }
        var environment = supervisor.variables(control: 3, heartbeat: Self.patience)
        environment["VIGIL_RUN"] = places.plugin
        environment["VIGIL_STATE"] = places.state
        environment["VIGIL_SPOOL"] = places.spool
        environment["TMPDIR"] = places.spool
        environment["HOME"] = places.spool
        let words = tracer + [program ?? "\(places.programs)/vigil-plugins", "venue"]
        child = try Child(
            words[0], Array(words.dropFirst()), environment: environment, control: control,
            log: "\(places.folder)/venue.log")
    }

    /// The number of the process, or of what follows it.
    package var process: Int32 { child.process }

    /// Whether it has ended.
    package var isOver: Bool { child.ended != nil }

    /// What the plugin refuses, in words.
    package struct Refusal: Error, CustomStringConvertible { package let description: String }

    /// Calls a method; `nil` if the process died of it or before. Throws ``Refusal`` for what the plugin refuses, and ``TrialFailure`` if it does not answer.
    package func call(_ method: Checkin1.Method, _ parameters: JSON = .empty) throws -> JSON? {
        for _ in 1...Self.patience {
            do throws(VarlinkSocketError) {
                return try VarlinkClient(path: socket, timeout: .seconds(Self.patience)).call(method.path, parameters)
            } catch {
                if let reply = error.reply {
                    // The plugin waits for ten seconds, which is little on a machine that is full; a wearer would try again, too.
                    if reply.parameters["reason"]?.string?.hasPrefix("The core of this device does not answer") == true {
                        continue
                    }
                    throw Refusal(description: "\(method.rawValue) is refused: \(error)")
                }
                guard child.waits(seconds: Self.patience) else { throw TrialFailure("\(method.rawValue): \(error)") }
                return nil
            }
        }
        throw TrialFailure("\(method.rawValue): the core does not answer")
    }

    /// Waits until `done`; whether it came while the process lived. Throws ``TrialFailure`` after two minutes.
    package func waits(until done: () throws -> Bool) throws -> Bool {
        var outcome: Result<Bool, any Error> = .success(false)
        let isInTime = Child.waits(seconds: Self.patience, pause: 20_000) {
            outcome = Result { try done() }
            if case .success(false) = outcome { return isOver }
            return true
        }
        guard isInTime else { throw TrialFailure("the plugin does not come to an end of what it does") }
        return try outcome.get()
    }

    /// Has it stop, and waits for its end, whatever brings it.
    package func stop() throws {
        try? supervisor.send("STOP")
        guard child.waits(seconds: Self.patience) else { throw TrialFailure("the plugin does not stop") }
    }
}
