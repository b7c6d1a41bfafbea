// SPDX-License-Identifier: Apache-2.0

import ControlTool
import JSON
import PluginManifest

/// What a plugin asks for, gets and lacks, as a table.
enum PermissionView {
    static func text(_ decision: PluginDecision, _ screen: Screen) -> String {
        var text = ""
        if let manifest = decision.manifest {
            text += screen.paragraph("\(manifest.title) (\(manifest.id) \(manifest.version))", .strong)
            text += screen.paragraph(manifest.description)
            text += screen.list(facts(manifest, decision)) + "\n"
            text += tables(decision, screen)
        }
        for problem in decision.problems { text += screen.paragraph("✗ \(problem)", .bad) }
        for note in decision.notes { text += screen.paragraph("! \(note)", .attention) }
        let lacking = decision.permissions.lacking.count
        let end =
            switch decision.state {
            case .allowed where lacking == 0: "It may run, with everything it asks for."
            case .allowed: "It may run, without \(lacking) of the things it asks for."
            case .disabled: "Nothing is wrong with it. It does not run yet, because \(decision.reason)."
            case .refused: "It cannot run: \(decision.reason)."
            }
        return text
            + screen.paragraph(end, decision.state == .allowed ? .good : decision.state == .refused ? .bad : .attention)
    }

    /// What it asks for, before anything is granted or refused.
    static func wishes(_ decision: PluginDecision, _ screen: Screen) -> String {
        guard let manifest = decision.manifest else { return "" }
        var text = screen.paragraph("\(manifest.title) (\(manifest.id) \(manifest.version))", .strong)
        text += screen.paragraph(manifest.description) + screen.list(facts(manifest, decision)) + "\n"
        var table = TextTable("asks for", "why")
        for item in decision.permissions.items where item.kind != .quota {
            table.add(["\(word(item.kind)) \(item.name)", item.why])
        }
        if !table.isEmpty { text += table.text(screen) + "\n" }
        return text
    }

    private static func facts(_ manifest: Manifest, _ decision: PluginDecision) -> [(String, String)] {
        let run =
            switch manifest.run {
            case .program(let path): path
            case .role(let role): "vigil-plugins \(role)"
            }
        let start =
            switch (manifest.start, manifest.everySeconds) {
            case (.resident, _): "resident: always there"
            case (.onDemand, let seconds?): "on demand, and every \(seconds) s"
            case (.onDemand, nil): "on demand: when it is called"
            }
        var facts = [("runs", run), ("starts", start)]
        if !manifest.provides.isEmpty { facts.append(("provides", manifest.provides.joined(separator: ", "))) }
        let settings = manifest.settings.properties.map {
            $0.isRequired && $0.standard == nil ? "\($0.name) (must be set)" : $0.name
        }
        if !settings.isEmpty { facts.append(("settings", settings.joined(separator: ", "))) }
        return facts
    }

    private static func tables(_ decision: PluginDecision, _ screen: Screen) -> String {
        var text = ""
        let wishes = decision.permissions.items.filter { $0.kind != .quota }
        if !wishes.isEmpty {
            var table = TextTable("", "asks for", "gets", "why")
            var lastWhy = ""
            for item in wishes {
                // The same reason for several methods is read once.
                let why = item.why == lastWhy ? "″" : item.why
                lastWhy = item.why
                let remark = item.note.isEmpty ? item.gets : item.gets.isEmpty ? item.note : "\(item.gets) (\(item.note))"
                table.add(
                    [item.isHad ? "✓" : "–", "\(word(item.kind)) \(item.name)", remark, why], item.isHad ? nil : .quiet)
            }
            text += table.text(screen) + "\n"
        }
        let quotas = decision.permissions.items.filter { $0.kind == .quota }.map { "\($0.name) \($0.gets)" }
        return text + screen.paragraph("Limits: \(quotas.joined(separator: ", ")).") + "\n"
    }

    private static func word(_ kind: PermissionReport.Kind) -> String {
        switch kind {
        case .call: "call"
        case .endpoint: "reach"
        case .listen: "listen as"
        case .device: "open"
        case .line: "set"
        case .quota: ""
        }
    }
}

extension PluginDecision {
    /// For scripts; settings without secrets.
    var json: JSON {
        var json: JSON.Object = ["name": .string(name), "state": .string(state.rawValue), "reason": .string(reason)]
        if let manifest {
            json["version"] = .string(manifest.version)
            json["title"] = .string(manifest.title)
            json["start"] = .string(manifest.start.rawValue)
            json["provides"] = .array(manifest.provides.map(JSON.string))
        }
        json["items"] = .array(
            permissions.items.map { item in
                [
                    "kind": .string(item.kind.rawValue), "name": .string(item.name), "had": .bool(item.isHad),
                    "gets": .string(item.gets), "note": .string(item.note), "why": .string(item.why),
                ]
            })
        json["problems"] = .array(problems.map(\.json))
        json["notes"] = .array(notes.map(JSON.string))
        if let effectiveGrants, let manifest { json["settings"] = manifest.settings.shown(effectiveGrants.settings) }
        return .object(json)
    }
}
