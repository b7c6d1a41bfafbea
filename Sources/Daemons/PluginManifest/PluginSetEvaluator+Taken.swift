// SPDX-License-Identifier: Apache-2.0

import IPNetwork

/// What only one plugin of a board can have: a name, an interface, a port, the wearer's keys.
extension PluginSetEvaluator {
    mutating func findTaken() {
        findTakenNames()
        findTakenInterfaces()
        findTakenAddresses()
        for method in PluginSet.grantedOnce.sorted() {
            let holders = grants.entries.filter { entry in
                entry.calls.contains { calls in calls.methods.contains { "\(calls.interface).\($0)" == method } }
            }
            guard holders.count > 1 else { continue }
            for (index, plugin) in plugins.enumerated() where holders.contains(where: { $0.name == plugin.name }) {
                report(
                    index, .taken, .grants, JSONPath("plugins").field(plugin.name).field("calls"),
                    "\(method) may be granted to one plugin only, not to \(ShapeCheck.choice(holders.map(\.name), "and"))")
            }
        }
    }

    private mutating func findTakenNames() {
        for (index, plugin) in plugins.enumerated() {
            if index >= Limits.plugins {
                report(index, .tooMany, .folder, JSONPath(), "there are more than \(Limits.plugins) plugins; remove some")
            }
            guard plugins[..<index].contains(where: { $0.name == plugin.name }) else { continue }
            report(index, .duplicate, .folder, JSONPath(), "another folder holds a plugin called \(plugin.name) already")
        }
    }

    private mutating func findTakenInterfaces() {
        for (index, plugin) in plugins.enumerated() {
            for (place, interface) in (plugin.manifest?.provides ?? []).enumerated() {
                let path = JSONPath("provides").index(place)
                if let owner = builtIn.first(where: { $0.interfaces.contains(interface) }) {
                    report(index, .taken, .manifest, path, "\(interface) is provided by \(owner.name)")
                }
                if texts[interface] == nil {
                    report(
                        index, .badInterface, .manifest, path,
                        "there is no text of \(interface): put it into interfaces/\(interface).varlink beside plugin.json")
                }
                let others = plugins.indices.filter {
                    $0 != index && isEnabled($0) && plugins[$0].manifest?.provides.contains(interface) ?? false
                }
                guard isEnabled(index), !others.isEmpty else { continue }
                report(
                    index, .taken, .manifest, path,
                    "\(interface) is provided by \(ShapeCheck.choice(others.map { plugins[$0].name }, "and")) too; disable all but one"
                )
            }
        }
    }

    private mutating func findTakenAddresses() {
        var holders: [UInt16: [(index: Int, listener: EffectiveGrants.Listener)]] = [:]
        for index in plugins.indices where isEnabled(index) {
            for listener in listeners(index) {
                let clash = holders[listener.port]?.first { holder in
                    let isAnywhere = [holder.listener.address, listener.address].contains {
                        $0.bytes.allSatisfy { $0 == 0 }
                    }
                    return isAnywhere || holder.listener.address == listener.address
                }
                if let clash {
                    report(
                        index, .taken, .grants,
                        JSONPath("plugins").field(plugins[index].name).field("listens").field(listener.name),
                        "port \(listener.port) of \(listener.address.host) is \(plugins[clash.index].name)'s already; give it another port"
                    )
                } else {
                    holders[listener.port, default: []].append((index, listener))
                }
            }
        }
    }

    func listeners(_ index: Int) -> [EffectiveGrants.Listener] {
        guard let manifest = plugins[index].manifest, let entry = entry(index) else { return [] }
        return manifest.listens.compactMap { listen in
            entry.listens.first { $0.name == listen.name }.map {
                EffectiveGrants.Listener(name: listen.name, address: $0.address, port: $0.port ?? listen.port)
            }
        }
    }
}
