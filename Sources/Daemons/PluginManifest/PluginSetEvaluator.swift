// SPDX-License-Identifier: Apache-2.0

import ForeignText
import JSON
import Varlink

/// Goes through a plugin set: first everybody on their own, then who reaches whom.
struct PluginSetEvaluator {
    let plugins: [InstalledPlugin]
    let grants: GrantsFile
    let builtIn: [PluginSet.BuiltIn]
    private(set) var texts: [String: InterfaceDescription] = [:]
    private var problems: [[Problem]]
    private var notes: [[String]]
    private var settings: [JSON?]

    init(
        plugins: [InstalledPlugin], grants: GrantsFile, known: [InterfaceDescription], builtIn: [PluginSet.BuiltIn]
    ) {
        self.plugins = plugins
        self.grants = grants
        self.builtIn = builtIn
        problems = plugins.map(\.problems)
        notes = plugins.map(\.advice)
        settings = plugins.map { _ in nil }
        for interface in known { texts[interface.name] = interface }
        for (index, plugin) in plugins.enumerated() {
            for interface in plugin.interfaces {
                if let other = texts[interface.name], other != interface {
                    problems[index].append(
                        Problem(
                            .badInterface, .interface("\(interface.name).varlink"), at: "",
                            "is not the text of \(interface.name) that is known here; what is incompatible needs the next number in its name"
                        ))
                } else {
                    texts[interface.name] = interface
                }
            }
        }
    }

    func entry(_ index: Int) -> GrantsFile.Entry? { grants.entry(named: plugins[index].name) }

    func isEnabled(_ index: Int) -> Bool { entry(index)?.isEnabled ?? false }

    mutating func report(
        _ index: Int, _ code: Problem.Code, _ source: Problem.Source, _ path: JSONPath, _ text: String
    ) {
        guard problems[index].count < Refusal.mostProblems else { return }
        problems[index].append(Problem(code, source, at: path.description, text))
    }

    // MARK: Everybody on their own

    mutating func examine(_ index: Int) {
        guard let manifest = plugins[index].manifest else { return }
        for (place, want) in manifest.wants.enumerated() {
            let path = JSONPath("wants").index(place)
            guard let interface = texts[want.interface] else {
                report(
                    index, .unknownInterface, .manifest, path.field("interface"),
                    "no interface \(want.interface) is known here: install the plugin that provides it first, or correct the name"
                )
                continue
            }
            for (number, method) in want.methods.enumerated() where interface.method(named: method) == nil {
                report(
                    index, .unknownMethod, .manifest, path.field("methods").index(number),
                    "\(want.interface) has no method \(method); it has \(ShapeCheck.choice(interface.methods.map(\.name), "and"))"
                )
            }
        }
        guard let entry = entry(index) else { return }
        problems[index] += entry.problems
        compare(manifest, entry, index)
        do throws(Refusal) {
            settings[index] = try manifest.settings.filled(
                entry.settings, at: JSONPath("plugins").field(entry.name).field("settings").description)
        } catch {
            // A plugin that is not enabled need not be set up.
            if entry.isEnabled { problems[index] += error.problems }
        }
    }

    /// What is granted beyond the manifest: mistakes of the operator that would silently do nothing.
    private mutating func compare(_ manifest: Manifest, _ entry: GrantsFile.Entry, _ index: Int) {
        let path = JSONPath("plugins").field(entry.name)
        for calls in entry.calls {
            let place = path.field("calls").field(calls.interface)
            guard let interface = texts[calls.interface] else {
                report(index, .unknownInterface, .grants, place, "no interface \(calls.interface) is known here")
                continue
            }
            let wanted = manifest.wants.first { $0.interface == calls.interface }?.methods ?? []
            for (number, method) in calls.methods.enumerated() {
                if interface.method(named: method) == nil {
                    report(
                        index, .unknownMethod, .grants, place.index(number), "\(calls.interface) has no method \(method)")
                } else if !wanted.contains(method) {
                    note(
                        index,
                        "\(calls.interface).\(method) is granted, but its manifest does not ask for it: it does not get it")
                }
            }
        }
        for endpoint in entry.endpoints where !manifest.endpoints.contains(where: { $0.name == endpoint.name }) {
            note(index, "the endpoint \(endpoint.name) is granted, but its manifest does not ask for it")
        }
        for listen in entry.listens where !manifest.listens.contains(where: { $0.name == listen.name }) {
            note(index, "listening as \(listen.name) is granted, but its manifest does not ask for it")
        }
        for device in entry.devices where !manifest.devices.contains(where: { $0.path == device }) {
            note(index, "\(device) is granted, but its manifest does not ask for it: it does not get it")
        }
        for line in entry.lines where !manifest.lines.contains(where: { $0.name == line }) {
            note(index, "the \(line) are granted, but its manifest does not ask for them: it does not get them")
        }
        let outlets = Self.outlets(manifest, entry).map(\.endpoint)
        let count = Set(outlets.map { "\($0.host):\($0.port)" }).count
        let byteCount = Self.byteCount(outlets.map(\.description))
        if count > Limits.destinations {
            report(
                index, .tooMany, .grants, path.field("endpoints"),
                "has \(count) destinations; one plugin may have \(Limits.destinations) in all. Take away those that it does not need"
            )
        } else if byteCount > Limits.listByteCount {
            report(
                index, .tooMany, .grants, path.field("endpoints"),
                "has destinations of \(byteCount) bytes, written as host:port; one plugin may have \(Limits.listByteCount) bytes in all. Take away those that it does not need"
            )
        }
        for part in Quotas.parts {
            guard let value = entry.quotas[part.name], value > manifest.quotas[keyPath: part.value] else { continue }
            report(
                index, .notAskedFor, .grants, path.field("quotas").field(part.name),
                "is more than the manifest's \(manifest.quotas[keyPath: part.value]); a grant can only be less")
        }
    }

    private mutating func note(_ index: Int, _ text: String) {
        if notes[index].count < Refusal.mostProblems { notes[index].append(ForeignText.line(text, limit: 400)) }
    }

    // MARK: Who reaches whom

    private func state(_ index: Int) -> PluginDecision.State {
        if !problems[index].isEmpty { return .refused }
        return isEnabled(index) ? .allowed : .disabled
    }

    /// Who answers for the interface, or why nobody does.
    private func provider(of interface: String) -> (name: String?, reason: String) {
        if let owner = builtIn.first(where: { $0.interfaces.contains(interface) }) { return (owner.name, "") }
        let candidates = plugins.indices.filter { plugins[$0].manifest?.provides.contains(interface) ?? false }
        if let index = candidates.first(where: { state($0) == .allowed }) { return (plugins[index].name, "") }
        guard let index = candidates.first else { return (nil, "no plugin that is installed provides it") }
        let word = isEnabled(index) ? "cannot run as it is" : "is not enabled"
        return (nil, "\(plugins[index].name), which provides it, \(word)")
    }

    mutating func decisions() -> [PluginDecision] {
        var edgeCount = 0
        var results: [PluginDecision] = []
        for index in plugins.indices {
            let edges = self.edges(index)
            if state(index) == .allowed {
                if edgeCount + edges.count > Limits.edges {
                    report(
                        index, .tooMany, .grants, JSONPath("plugins").field(plugins[index].name).field("calls"),
                        "there would be more than \(Limits.edges) connections between callers and providers on this board")
                } else {
                    edgeCount += edges.count
                }
                for (provider, calls) in Dictionary(grouping: edges, by: \.provider).sorted(by: { $0.key < $1.key }) {
                    let byteCount = Self.byteCount(calls.flatMap(\.grants))
                    guard byteCount > Limits.listByteCount else { continue }
                    report(
                        index, .tooMany, .grants, JSONPath("plugins").field(plugins[index].name).field("calls"),
                        "has methods of \(provider) whose full names have \(byteCount) bytes; \(Limits.listByteCount) are possible. Take away those that it does not need"
                    )
                }
            }
            results.append(decision(index, edges))
        }
        return results
    }

    private func edges(_ index: Int) -> [EffectiveGrants.Edge] {
        guard let manifest = plugins[index].manifest, let entry = entry(index) else { return [] }
        return manifest.wants.compactMap { want in
            guard let provider = provider(of: want.interface).name else { return nil }
            let granted = entry.calls.first { $0.interface == want.interface }?.methods ?? []
            let methods = want.methods.filter(granted.contains).sorted()
            return methods.isEmpty
                ? nil : EffectiveGrants.Edge(provider: provider, interface: want.interface, methods: methods)
        }.sorted { ($0.provider, $0.interface) < ($1.provider, $1.interface) }
    }

    private func decision(_ index: Int, _ edges: [EffectiveGrants.Edge]) -> PluginDecision {
        let plugin = plugins[index]
        let state = state(index)
        let reason =
            switch state {
            case .allowed: "it may run"
            case .disabled:
                entry(index) == nil ? "grants.json does not name it" : "grants.json does not enable it"
            case .refused:
                problems[index].count == 1 ? "there is a problem" : "there are \(problems[index].count) problems"
            }
        var effectiveGrants: EffectiveGrants?
        if state == .allowed, let manifest = plugin.manifest, let entry = entry(index), let settings = settings[index] {
            effectiveGrants = EffectiveGrants(
                edges: edges,
                outlets: Self.outlets(manifest, entry),
                listeners: listeners(index),
                devices: manifest.devices.map(\.path).filter(entry.devices.contains),
                lines: manifest.lines.map(\.name).filter(entry.lines.contains),
                quotas: entry.quotas(atMost: manifest.quotas), mayUseMetered: entry.mayUseMetered, settings: settings)
        }
        return PluginDecision(
            name: plugin.name, manifest: plugin.manifest, state: state, reason: reason, permissions: permissions(index),
            problems: problems[index], notes: notes[index], effectiveGrants: effectiveGrants)
    }

    private static func outlets(_ manifest: Manifest, _ entry: GrantsFile.Entry) -> [EffectiveGrants.Outlet] {
        manifest.endpoints.flatMap { wish in
            (entry.endpoints.first { $0.name == wish.name }?.addresses ?? []).map {
                EffectiveGrants.Outlet(name: wish.name, endpoint: $0)
            }
        }
    }

    /// Of a list with commas between.
    private static func byteCount(_ list: [String]) -> Int { list.reduce(max(0, list.count - 1)) { $0 + $1.utf8.count } }

    private func permissions(_ index: Int) -> PermissionReport {
        guard let manifest = plugins[index].manifest else { return PermissionReport(items: []) }
        return PermissionReport(
            manifest: manifest, entry: entry(index), listeners: listeners(index),
            provider: { provider(of: $0) })
    }
}

extension GrantsFile.Entry {
    func quotas(atMost most: Quotas) -> Quotas {
        var result = most
        for part in Quotas.parts {
            if let value = quotas[part.name] { result[keyPath: part.value] = min(value, most[keyPath: part.value]) }
        }
        return result
    }
}
