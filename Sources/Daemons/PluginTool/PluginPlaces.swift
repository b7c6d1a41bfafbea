// SPDX-License-Identifier: Apache-2.0

import Glibc
import PluginManifest

/// The paths of the files and folders of plugins on a board.
public struct PluginPlaces: Sendable {
    /// The absolute paths of folders that contain a folder for each plugin; of two plugins with the same name the first
    /// counts.
    public var plugins: [String]
    /// The folder into which `vigil plugin add` copies plugins, one of ``plugins``.
    public var added: String
    /// The absolute path of `grants.json`, which need not exist.
    public var grants: String
    /// The supervisor's run folder, an absolute path.
    public var run: String
    /// The absolute path of the folder with the plugins' own data, one folder for each, by name.
    public var state: String

    /// The places on an installed board, the defaults of `vigil.json` (docs/supervisor.md).
    public static let standard = PluginPlaces(
        plugins: ["/usr/lib/vigil/plugins", "/var/lib/vigil/plugins"], added: "/var/lib/vigil/plugins",
        grants: "/etc/vigil/grants.json", run: "/run/vigil", state: "/var/lib/vigil/state")

    /// Creates places from these paths of the file system as this process sees it. A file or folder that does not exist
    /// counts as empty.
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
