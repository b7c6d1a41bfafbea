// SPDX-License-Identifier: Apache-2.0

import ControlTool
import JSON
import PluginManifest

/// Plugins, their grants and their processes, side by side.
struct ListView {
    let pluginSet: PluginSet
    let folders: [String: String]
    /// `nil` while no supervisor runs.
    let processes: [SupervisorLink.Process]?
    let whole: JSON?
    /// Of `grants.json` as a whole.
    let problems: [Problem]

    private func process(_ name: String) -> SupervisorLink.Process? { processes?.first { $0.name == name } }

    func text(_ screen: Screen) -> String {
        var table = TextTable("name", "version", "state", "#process", "#memory", "#restarts", "grants", "remark")
        for process in processes ?? [] where pluginSet.decision(for: process.name) == nil {
            table.add(
                row(process.name, version: "", state: process.state, process, grants: "", remark: process.reason ?? ""))
        }
        for decision in pluginSet.decisions {
            let process = process(decision.name)
            let state = process?.state ?? decision.state.rawValue
            let remark = process?.reason ?? (decision.state == .allowed ? "" : decision.reason)
            table.add(
                row(
                    decision.name, version: decision.manifest?.version ?? "", state: state, process,
                    grants: Self.grants(decision), remark: remark), Self.tone(state))
        }
        var text = table.isEmpty ? screen.paragraph("No plugin is installed.") : table.text(screen)
        if whole?["safeMode"]?.bool == true {
            text += screen.paragraph("Safe mode: the last starts ended soon, so only the core and the page run.", .bad)
        }
        for problem in problems { text += screen.paragraph("✗ \(problem)", .bad) }
        for decision in pluginSet.decisions where !decision.problems.isEmpty {
            for problem in decision.problems { text += screen.paragraph("✗ \(decision.name): \(problem)", .bad) }
        }
        for name in pluginSet.unusedEntries {
            text += screen.paragraph("! grants.json has an entry for \(name), which is not installed.", .attention)
        }
        return text
    }

    private func row(
        _ name: String, version: String, state: String, _ process: SupervisorLink.Process?, grants: String, remark: String
    ) -> [String] {
        [
            name, version, state, process?.process.map { "\($0)" } ?? "", process?.memory.map(Self.size) ?? "",
            process.map { "\($0.restarts)" } ?? "", grants, remark,
        ]
    }

    /// `4 of 5`: what it gets of what it asks for.
    private static func grants(_ decision: PluginDecision) -> String {
        let items = decision.permissions.items.filter { $0.kind != .quota }
        return items.isEmpty ? "asks for nothing" : "\(items.filter(\.isHad).count) of \(items.count)"
    }

    private static func size(_ bytes: Int64) -> String { "\((bytes + 524_288) >> 20) MiB" }

    private static func tone(_ state: String) -> Screen.Tone? {
        switch state {
        case "running", "allowed", "waiting": nil
        case "refused", "quarantined": .bad
        case "disabled": .quiet
        default: .attention
        }
    }

    var json: JSON {
        var json: JSON.Object = [
            "plugins": .array(
                pluginSet.decisions.map { decision in
                    guard case .object(var plugin) = decision.json else { return .null }
                    if let folder = folders[decision.name] { plugin["folder"] = .string(folder) }
                    if let process = process(decision.name) { plugin["process"] = process.json }
                    return .object(plugin)
                }),
            "problems": .array(problems.map(\.json)), "unusedEntries": .array(pluginSet.unusedEntries.map(JSON.string)),
        ]
        if let whole { json["supervisor"] = whole }
        return .object(json)
    }
}
