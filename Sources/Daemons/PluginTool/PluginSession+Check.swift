// SPDX-License-Identifier: Apache-2.0

import ControlTool
import PluginManifest

extension PluginSession {
    /// Explains what the plugin in the folder at `path` asks for, and which permissions it gets and lacks under a grants
    /// file: `file`, or the board's if that is `nil`.
    ///
    /// - Throws: `PluginFailure`: `hasProblems` if the plugin or its grants have problems, after they were shown;
    ///   `badFolder` if the folder, or `badGrants` if the grants file cannot be used, `notPermitted` if this user may not
    ///   read them, `system` if the system refuses, all before anything is shown.
    public func check(_ path: String, grants file: String? = nil) throws {
        let folder = try OpenFile.folder(path)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let plugin = try PluginFolder.read(folder, named: name, mustMatch: false)
        let document = try GrantsDocument(path: file ?? places.grants)
        let others = try places.installed().map(\.plugin).filter { $0.name != plugin.name }
        let pluginSet = Self.judge(others + [plugin], try document.file())
        guard let decision = pluginSet.decision(for: plugin.name) else { return }
        if isJSON {
            try showJSON(decision.json)
        } else {
            try show(PermissionView.text(decision, screen))
            for problem in pluginSet.problems { try show(screen.paragraph("\(problem)", .attention)) }
        }
        guard decision.problems.isEmpty else {
            throw PluginFailure(.hasProblems, "\(decision.name) cannot run like this.")
        }
    }

    /// Shows all installed plugins, their grants, and what the supervisor reports about them.
    /// - Throws: `PluginFailure`: `noSupervisor` if none is running, after the rest was shown; `badFolder` if a folder, or
    ///   `badGrants` if the grants file cannot be used, `notPermitted` if this user may not read them, `system` if the
    ///   system refuses, all before anything is shown.
    public func list() throws {
        let installed = try places.installed()
        var problems: [Problem] = []
        var grants = GrantsFile.empty
        do throws(PluginFailure) { grants = try GrantsDocument(path: places.grants).file() } catch {
            problems = error.problems
            if problems.isEmpty { throw error }
        }
        let pluginSet = Self.judge(installed.map(\.plugin), grants)
        problems += pluginSet.problems
        let state = try supervisor.state()
        let view = ListView(
            pluginSet: pluginSet, folders: Dictionary(installed.map { ($0.plugin.name, $0.folder) }) { first, _ in first },
            processes: state?.processes, whole: state?.whole, problems: problems)
        if isJSON { try showJSON(view.json) } else { try show(view.text(screen)) }
        guard state != nil else {
            throw PluginFailure(.noSupervisor, "No supervisor runs in \(places.run), so none of them runs.")
        }
    }
}
