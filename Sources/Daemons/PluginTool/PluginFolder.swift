// SPDX-License-Identifier: Apache-2.0

import Glibc
import PluginManifest

/// A plugin's folder, read: `plugin.json`, `interfaces/`, and whether the program is there.
enum PluginFolder {
    /// - Parameter mustMatch: Whether it must be called as the plugin in it.
    static func read(_ folder: OpenFile, named name: String, mustMatch: Bool) throws(PluginFailure) -> InstalledPlugin {
        var problems: [Problem] = []
        guard let file = try folder.file("plugin.json") else {
            throw PluginFailure(
                .badFolder, "\(name) holds no plugin.json, so it is no plugin. docs/manifest.md says what to write there.")
        }
        // One byte more than may be: the manifest's own reader says so.
        let manifest =
            try file.readAll(most: Limits.manifestByteCount + 65_536)
            ?? [UInt8](repeating: 0x20, count: Limits.manifestByteCount + 1)
        var texts: [InstalledPlugin.InterfaceFile] = []
        if let interfaces = try folder.folder("interfaces") {
            let (entries, hasMore) = try interfaces.entries(most: 64)
            if hasMore { problems.append(Problem(.tooMany, .folder, at: "", "interfaces/ has more than 64 files")) }
            for entry in entries where entry.name.hasSuffix(".varlink") && !entry.name.hasPrefix(".") {
                guard let text = try interfaces.file(entry.name) else { continue }
                let bytes = try text.readAll(most: Limits.interfaceByteCount)
                texts.append(
                    .init(name: entry.name, bytes: bytes ?? [UInt8](repeating: 0x20, count: Limits.interfaceByteCount + 1)))
            }
        }
        if case .program(let path)? = (try? Manifest(parsing: manifest))?.run,
            let problem = try problem(of: path, in: folder)
        {
            problems.append(problem)
        }
        return InstalledPlugin(
            folder: name, mustMatch: mustMatch, manifest: manifest, interfaceFiles: texts, problems: problems)
    }

    private static func problem(of program: String, in folder: OpenFile) throws(PluginFailure) -> Problem? {
        var folder = folder
        let parts = program.split(separator: "/").map(String.init)
        for part in parts.dropLast() {
            guard let inner = try folder.folder(part) else { return missing(program) }
            folder = inner
        }
        guard let name = parts.last, let file = try folder.file(name), let status = file.status else {
            return missing(program)
        }
        guard status.st_mode & 0o100 != 0 else {
            return Problem(.badForm, .folder, at: program, "cannot be executed; chmod +x makes it so")
        }
        return nil
    }

    private static func missing(_ program: String) -> Problem {
        Problem(.missing, .folder, at: program, "is what plugin.json starts, and is not there; build it first")
    }
}
