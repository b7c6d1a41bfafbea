// SPDX-License-Identifier: Apache-2.0

import IPNetwork

extension PermissionReport {
    /// - Parameter provider: The provider of an interface, or the reason why there is none.
    init(
        manifest: Manifest, entry: GrantsFile.Entry?, listeners: [EffectiveGrants.Listener],
        provider: (String) -> (name: String?, reason: String)
    ) {
        var items: [Item] = []
        for want in manifest.wants {
            let granted = entry?.calls.first { $0.interface == want.interface }?.methods ?? []
            let (owner, absence) = provider(want.interface)
            for method in want.methods {
                let isGranted = granted.contains(method)
                let note = isGranted ? (owner == nil ? "granted, but \(absence)" : "") : "not granted"
                items.append(
                    Item(
                        kind: .call, name: "\(want.interface).\(method)", why: want.why,
                        isHad: isGranted && owner != nil, gets: isGranted ? owner.map { "from \($0)" } ?? "" : "",
                        note: note))
            }
        }
        for wish in manifest.endpoints {
            let addresses = entry?.endpoints.first { $0.name == wish.name }?.addresses ?? []
            let isOwnNetwork = addresses.contains(where: \.isPrivate)
            items.append(
                Item(
                    kind: .endpoint, name: wish.name, why: wish.why, isHad: !addresses.isEmpty,
                    gets: addresses.map { "\($0.host):\($0.port)" }.joined(separator: ", "),
                    note: addresses.isEmpty ? "no address is granted" : isOwnNetwork ? "may be in the own network" : ""))
        }
        for wish in manifest.listens {
            let listener = listeners.first { $0.name == wish.name }
            items.append(
                Item(
                    kind: .listen, name: wish.name, why: wish.why, isHad: listener != nil,
                    gets: listener.map { "\($0.address.host):\($0.port)" } ?? "",
                    note: listener.map { $0.address.isLoopback ? "" : "can be reached from the network" } ?? "not granted"))
        }
        for wish in manifest.devices {
            let isGranted = entry?.devices.contains(wish.path) ?? false
            items.append(
                Item(
                    kind: .device, name: wish.path, why: wish.why, isHad: isGranted, gets: isGranted ? wish.path : "",
                    note: isGranted ? "" : "not granted"))
        }
        for wish in manifest.lines {
            let isGranted = entry?.lines.contains(wish.name) ?? false
            items.append(
                Item(
                    kind: .line, name: wish.name, why: wish.why, isHad: isGranted,
                    gets: isGranted ? "where the board has them" : "",
                    note: isGranted ? "" : "not granted"))
        }
        let quotas = entry?.quotas(atMost: manifest.quotas) ?? manifest.quotas
        for part in Quotas.parts {
            let (asked, given) = (manifest.quotas[keyPath: part.value], quotas[keyPath: part.value])
            let words = Quotas.words(part.name, given)
            items.append(
                Item(
                    kind: .quota, name: part.name, why: "", isHad: true,
                    gets: given < asked ? "\(words) of \(Quotas.words(part.name, asked))" : words, note: ""))
        }
        self.init(items: items)
    }
}
