// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import PluginManifest
import Sandbox
import Supervision

/// `supervisor.json` in the run folder: what every process is and why, for `vigil plugin list` and whoever may read files. The board's
/// own words only; nothing of what a process says about itself.
struct SupervisorState {
    static let fileName = "supervisor.json"

    static func json(
        version: String, isSafeMode: Bool, radio: String, radioProblem: String?, problems: [String], readCount: Int,
        processes: [ManagedProcess], edges: EdgeTable, at now: Duration
    ) -> JSON {
        var state: JSON.Object = [
            "version": .string(version), "safeMode": .bool(isSafeMode), "radio": .string(radio),
            "problems": .array(problems.map { .string($0) }),
            // Whoever changed a plugin or a grant sees by it that the change holds.
            "reads": .int(Int64(readCount)),
            "processes": .array(processes.map { .object(process($0, edges, at: now)) }),
        ]
        if let radioProblem { state["radioProblem"] = .string(radioProblem) }
        return .object(state)
    }

    static func process(_ process: ManagedProcess, _ edges: EdgeTable, at now: Duration) -> JSON.Object {
        var object: JSON.Object = [
            "name": .string(process.name), "state": .string(process.stateWord.rawValue),
            "sinceSeconds": .int(Int64((now - process.since) / .seconds(1))),
            "restarts": .int(Int64(process.policy.restartCount)),
            "edges": .array(
                edges.called(by: process.name).map { edge in
                    [
                        "provider": .string(edge.name.provider),
                        "interfaces": .array(edge.interfaces.map { .string($0) }),
                        "grants": .array(edge.grants.map { .string($0) }),
                    ]
                }),
        ]
        if let version = process.manifest?.version { object["version"] = .string(version) }
        if let run = process.run { object["pid"] = .int(Int64(run.child.processNumber)) }
        if !process.reason.isEmpty { object["reason"] = .string(process.reason) }
        if let exit = process.lastExit { object["lastExit"] = .string(exit) }
        if let memory = process.run?.memory, memory > 0 { object["memory"] = .int(Int64(clamping: memory)) }
        if process.malformedCount > 0 { object["malformedMessages"] = .int(Int64(process.malformedCount)) }
        if let report = process.report {
            object["confinement"] = .array(
                report.confinements.map { part in
                    var entry: JSON.Object = [
                        "primitive": .string(part.primitive.rawValue), "state": .string(part.state.rawValue),
                        "detail": .string(part.reason),
                    ]
                    if let level = part.level { entry["level"] = .string(level) }
                    return .object(entry)
                })
        }
        return object
    }
}
