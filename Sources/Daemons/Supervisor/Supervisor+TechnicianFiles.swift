// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import Logging
import PluginManifest
import ProcessLink
import Sandbox
import Supervision

/// What the supervisor knows, as files in memory that the core's confinement shows it read-only: `RUN/technician`. Each is in the form in which
/// `org.vigil.technician1` gives it away, so that the core has nothing to work out; long lists are a line each, so that it reads a page and no
/// more.
extension Supervisor {
    var technicianFolder: String { "\(configuration.run)/technician" }

    func makeTechnicianFolders() throws {
        // Only root and the core: what plugins are set to is nobody else's.
        try Folders.make(technicianFolder, mode: 0o750, user: 0, group: users.core)
        try Folders.make("\(technicianFolder)/plugins", mode: 0o750, user: 0, group: users.core)
        Folders.tidy("\(technicianFolder)/plugins") { _ in false }
        do { try kept.keep(in: technicianFolder) } catch { log.warning("\(error)") }
        if let place = configuration.network { network = NetworkConfigurator(place, log: log) }
    }

    func writeTechnicianFile(_ name: String, _ bytes: [UInt8]) { write(name, bytes) }

    private func write(_ name: String, _ bytes: [UInt8]) {
        let isRoot = geteuid() == 0
        do {
            try Folders.replace(
                "\(technicianFolder)/\(name)", with: bytes, mode: isRoot ? 0o400 : 0o600, user: isRoot ? users.core : nil)
        } catch { log.warning("\(error)") }
    }

    /// One line for the board and one for each process.
    func writeProcesses(_ list: [ManagedProcess], at moment: Duration) {
        var found = problems
        for decision in files.set?.decisions ?? [] where decision.state == .refused {
            found += decision.problems.map { "\(decision.name): \($0)" }
        }
        var board: JSON.Object = [
            "version": .string(version), "safeMode": .bool(starts.isSafeMode),
            "problems": .array(found.prefix(64).map { .string(String($0.prefix(400))) }),
        ]
        if let formerLife { board["formerLife"] = .array(formerLife.prefix(64).map(JSON.string)) }
        if let battery = power.json { board["battery"] = battery }
        if let lastEnd = starts.lastEnd { board["lastEnd"] = .string(lastEnd.rawValue) }
        if !partitions.isEmpty {
            var words = JSON.Object()
            for partition in partitions { words[partition.name] = .string(partition.words) }
            board["partitions"] = .object(words)
        }
        let lines = [JSON.object(board)] + list.prefix(40).map { .object(Self.line(for: $0, at: moment)) }
        write("processes", lines.flatMap { $0.bytes + [10] })
    }

    private static func line(for process: ManagedProcess, at moment: Duration) -> JSON.Object {
        var object = SupervisorState.process(process, EdgeTable(), at: moment)
        for name in ["edges", "pid", "malformedMessages", "confinement"] { object[name] = nil }
        if process.manifest?.start == .onDemand { object["onDemand"] = true }
        if let title = process.manifest?.title { object["title"] = .string(title) }
        if let reason = process.reason.isEmpty ? nil : process.reason {
            object["reason"] = .string(String(reason.prefix(1_000)))
        }
        // Since when, on the boot clock: the file outlasts the moment.
        object["since"] = .int(Int64(process.since / .seconds(1)))
        object["sinceSeconds"] = nil
        if !process.certificates.spans.isEmpty {
            object["certificates"] = .array(
                process.certificates.spans.sorted { $0.key < $1.key }.map { name, span in
                    [
                        "name": .string(name), "notBefore": .int(span.lowerBound), "notAfter": .int(span.upperBound),
                    ]
                })
        }
        object["confinement"] = .array(
            (process.report?.confinements ?? []).prefix(24).map { part in
                [
                    "primitive": .string(part.primitive.rawValue), "state": .string(part.state.rawValue),
                    "detail": .string(String(part.reason.prefix(300))),
                ]
            })
        return object
    }

    /// A file for each plugin that is installed; whenever plugins or grants were read.
    func writePlugins() {
        guard let pluginSet = files.set else { return }
        Folders.tidy("\(technicianFolder)/plugins") { pluginSet.decision(for: $0) != nil }
        for decision in pluginSet.decisions
        where decision.name.utf8.count <= 64 && !decision.name.utf8.contains(UInt8(ascii: "/")) {
            let entry = files.grants.entry(named: decision.name)
            let shown = (decision.manifest?.settings ?? .none).open(entry?.settings ?? .empty)
            var object: JSON.Object = [
                "title": .string(decision.manifest?.title ?? decision.name),
                "description": .string(decision.manifest?.description ?? ""),
                "version": .string(decision.manifest?.version ?? ""), "enabled": .bool(entry?.isEnabled ?? false),
                "items": .array(decision.permissions.items.prefix(256).map(Self.item)),
                "settings": .string(shown.settings.description), "secretsSet": .array(shown.secretsSet.map { .string($0) }),
            ]
            if let schema = files.schemas[decision.name], decision.manifest != nil { object["schema"] = .string(schema) }
            write("plugins/\(decision.name)", JSON.object(object).bytes)
        }
    }

    private static func item(_ item: PermissionReport.Item) -> JSON {
        let verb =
            switch item.kind {
            case .call: "call"
            case .endpoint: "reach"
            case .listen: "listen as"
            case .device: "open"
            case .line: "set"
            case .quota: "use"
            }
        let parts = [item.gets, item.note].filter { !$0.isEmpty }
        return [
            "asks": .string("\(verb) \(item.name)"), "granted": .bool(item.isHad),
            "gets": .string(parts.joined(separator: "; ")), "why": .string(item.why),
        ]
    }

    func writeNetwork() {
        let json: JSON = network?.json ?? ["networks": [], "problem": .string(Self.noNetwork)]
        write("network", json.bytes)
    }
}
