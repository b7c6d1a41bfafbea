// SPDX-License-Identifier: Apache-2.0

import Glibc
import PluginManifest

/// The paths of everything about plugins on a board.
public struct PluginPlaces: Sendable {
    /// Absolute paths of folders with a folder for each plugin; of two plugins of one name the first counts.
    public var plugins: [String]
    /// The folder that `vigil plugin add` puts plugins into, one of ``plugins``.
    public var added: String
    /// Absolute path of `grants.json`, which need not be there.
    public var grants: String
    /// The supervisor's run folder, an absolute path.
    public var run: String
    /// The absolute path of the folder of the plugins' own data, one folder each, by name.
    public var state: String

    /// The places on an installed board, as `vigil.json` has them if it says nothing else (docs/supervisor.md).
    public static let standard = PluginPlaces(
        plugins: ["/usr/lib/vigil/plugins", "/var/lib/vigil/plugins"], added: "/var/lib/vigil/plugins",
        grants: "/etc/vigil/grants.json", run: "/run/vigil", state: "/var/lib/vigil/state")

    /// All are paths of the file system as this process sees it; what is not there holds nothing.
    public init(plugins: [String], added: String, grants: String, run: String, state: String) {
        self.plugins = plugins
        self.added = added
        self.grants = grants
        self.run = run
        self.state = state
    }

    /// Everything that is installed, with the folder it lies in; folders that are not there hold nothing.
    func installed() throws(PluginFailure) -> [(plugin: InstalledPlugin, folder: String)] {
        var found: [(InstalledPlugin, String)] = []
        for place in plugins {
            var status = stat()
            if stat(place, &status) != 0, errno == ENOENT { continue }
            let folder = try OpenFile.folder(place)
            let (entries, _) = try folder.entries(most: 4 * Limits.plugins)
            for entry in entries where entry.kind == .folder && !entry.name.hasPrefix(".") {
                guard !found.contains(where: { $0.0.name == entry.name }), let inner = try folder.folder(entry.name) else {
                    continue
                }
                let plugin: InstalledPlugin
                do throws(PluginFailure) {
                    plugin = try PluginFolder.read(inner, named: entry.name, mustMatch: true)
                } catch {
                    plugin = InstalledPlugin(
                        folder: entry.name, mustMatch: true, manifest: [], interfaceFiles: [],
                        problems: [Problem(.badForm, .folder, at: "", "\(error)")])
                }
                found.append((plugin, "\(place)/\(entry.name)"))
            }
        }
        return found
    }
}
