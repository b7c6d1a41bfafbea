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

    /// Installs the venue plugin with these settings and the page at `port`, starts the board, and waits until both would serve.
    func startWithVenue(_ settings: JSON, page port: UInt16) throws {
        let parts: [(name: String, folder: String, rest: JSON.Object)] = [
            ("venue", "Venue", ["settings": settings]),
            ("webui", "WebUI", ["listens": ["web": ["port": .int(Int64(port))]]]),
        ]
        var plugins = JSON.Object()
        for part in parts {
            var plugin = part.rest
            plugin["enabled"] = true
            plugin["calls"] = .object(
                try installFromTree(part.name, part.folder, without: ["sync1", "diagnosis1", "wake1"]))
            plugins[part.name] = .object(plugin)
        }
        try grant("\(JSON.object(["plugins": .object(plugins)]))")
        try start()
        let isThere = waits {
            self.state("core") == "running" && self.state("venue") == "waiting" && self.state("webui") == "waiting"
        }
        try #require(isThere, "\(log)")
    }
}
