// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import JSON
import Testing

extension BoardProcess {
    /// Installs a plugin of this tree with its texts, and returns what it wants to call, as `grants.json` has it, without the interfaces whose names end with one of `missing`.
    func installFromTree(_ name: String, _ folder: String, without missing: [String] = []) throws -> JSON.Object {
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Plugins/\(folder)")
        let manifest = String(decoding: try Data(contentsOf: source.appending(path: "plugin.json")), as: UTF8.self)
        var texts: [String: String] = [:]
        for file in (try? FileManager.default.contentsOfDirectory(atPath: source.path + "/texts")) ?? [] {
            texts["texts/\(file)"] = String(
                decoding: try Data(contentsOf: source.appending(path: "texts/\(file)")), as: UTF8.self)
        }
        try install(name, manifest: manifest, files: texts)
        var calls = JSON.Object()
        for want in try JSON(parsing: Array(manifest.utf8))["wants"]?.array ?? [] {
            guard let interface = want["interface"]?.string, !missing.contains(where: interface.hasSuffix) else { continue }
            calls[interface] = want["methods"]
        }
        return calls
    }
}
