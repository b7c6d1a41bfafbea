// SPDX-License-Identifier: Apache-2.0

import CLinux
import ControlTool
import Glibc
import JSON
import PluginManifest

extension PluginSession {
    /// Copies the plugin in the folder at `path` into the board's folder for plugins, and grants what the operator
    /// confirms. An installed plugin of this name is replaced at once; its grants stay as they are, unless it has
    /// none and was never enabled.
    ///
    /// If there is nobody to ask and no answer is given, nothing is written to `grants.json`, and a later `add`
    /// asks again.
    ///
    /// - Parameters:
    ///   - path: The path of the plugin's folder.
    ///   - grantsAll: Whether all calls, devices, lines and listeners that it asks for are granted; for scripts.
    ///   - endpoints: The destinations, `NAME=HOST:PORT` each, followed by `!` for an address in a private network.
    ///   - settings: The settings, `NAME=VALUE` each, the value as JSON or as plain text.
    /// - Throws: `PluginFailure`: `hasProblems` if the plugin cannot be added, `badUsage` if an answer is not valid
    ///   or another command is making changes, `badGrants`, `badFolder`, `notPermitted` or `system`; and the errors
    ///   of `output`.
    public func add(
        _ path: String, grantsAll: Bool = false, endpoints: [String] = [], settings: [String] = []
    ) throws {
        let source = try OpenFile.folder(path)
        let plugin = try PluginFolder.read(
            source, named: path.split(separator: "/").last.map(String.init) ?? path, mustMatch: false)
        guard let manifest = plugin.manifest, plugin.problems.isEmpty else {
            throw PluginFailure(.hasProblems, "The plugin in \(path) cannot be added:", problems: plugin.problems)
        }
        let lock = isDryRun ? nil : try lockChanges()
        var document = try GrantsDocument(path: places.grants)
        let others = try places.installed().map(\.plugin).filter { $0.name != plugin.name }
        var notes: [String] = []
        let before = document[plugin: manifest.id]
        let isOpen = before.map(Self.isUngranted) ?? true
        let isAnswered = grantsAll || !endpoints.isEmpty || !settings.isEmpty || person.isThere
        let isNew = isOpen && isAnswered
        if isOpen, !isJSON { try show(PermissionView.wishes(alone(plugin, others), screen)) }
        if isOpen, !isAnswered {
            notes.append(
                "nobody is at the terminal to be asked, so nothing is granted: `vigil plugin add \(path)` on a terminal asks, --grant-all grants everything it calls, listens as and opens"
            )
        }
        if isNew {
            let taken = Set(
                try document.file().entries.flatMap { entry in
                    entry.calls.flatMap { calls in calls.methods.map { "\(calls.interface).\($0)" } }
                }
            ).intersection(PluginSet.grantedOnce)
            var granting = Granting(
                manifest, .init(grantsAll: grantsAll, endpoints: endpoints, settings: settings), person, taken: taken)
            var entry = before ?? JSON.Object()
            for member in try granting.entry().members {
                // What an earlier `add` was told of places and settings stays, where this one says nothing else.
                var value = member.value
                if case .object(let old)? = entry[member.name], case .object(let new) = value {
                    var merged = old
                    for part in new.members { merged[part.name] = part.value }
                    value = .object(merged)
                }
                entry[member.name] = value
            }
            notes = granting.notes
            let mayAsk = grantsAll || person.isThere
            entry["enabled"] = .bool(grantsAll || mayAsk && person.confirms("May it run?"))
            document[plugin: manifest.id] = entry
        } else if !isOpen, grantsAll || !endpoints.isEmpty || !settings.isEmpty {
            notes.append("it was granted something before, and that stays as it is; change \(places.grants) by hand")
        }
        // Enabled only if it can run; it would be refused with every start otherwise.
        var decision = Self.judge(others + [plugin], try document.file()).decision(for: manifest.id)
        if isNew, let problems = decision?.problems, !problems.isEmpty {
            notes += problems.map { "not enabled yet: \($0)" }
            document[plugin: manifest.id]?["enabled"] = false
            decision = Self.judge(others + [plugin], try document.file()).decision(for: manifest.id)
        }
        var answer = SupervisorLink.Answer.nobody
        if let lock {
            try install(source, as: manifest.id, in: lock.folder)
            if isNew { try document.save() }
            answer = try supervisor.tell()
        }
        try conclude(manifest, decision, notes, answer)
    }

    /// Whether nothing was decided about it yet: it gets nothing of what needs a yes, and is not enabled.
    private static func isUngranted(_ entry: JSON.Object) -> Bool {
        entry["enabled"]?.bool != true && ["calls", "listens", "devices", "lines"].allSatisfy { entry[$0] == nil }
    }

    /// What it asks for, as if nothing were granted yet.
    private func alone(_ plugin: InstalledPlugin, _ others: [InstalledPlugin]) throws -> PluginDecision {
        let pluginSet = Self.judge(others + [plugin], .empty)
        guard let decision = pluginSet.decision(for: plugin.name) else {
            throw PluginFailure(.badFolder, "\(plugin.name) cannot be judged.")
        }
        return decision
    }

    private func conclude(
        _ manifest: Manifest, _ decision: PluginDecision?, _ notes: [String], _ answer: SupervisorLink.Answer
    ) throws {
        let isEnabled = decision?.state == .allowed
        let had = decision?.permissions.items.filter { $0.isHad && $0.kind != .quota } ?? []
        if !isJSON { for note in notes { try show(screen.paragraph("! \(note)", .attention)) } }
        let wording =
            isEnabled
            ? "It may run, with \(had.count) of the \(had.count + (decision?.permissions.lacking.count ?? 0)) things it asks for."
            : had.isEmpty && decision?.permissions.lacking.isEmpty == false
                ? "It does not run, because nothing is granted to it."
                : "It does not run: \(decision?.reason ?? "it is not enabled"). `vigil plugin start \(manifest.id)` enables it."
        try finish(
            "\(manifest.title) (\(manifest.id) \(manifest.version)) \(isDryRun ? "would be" : "is") installed. \(wording)",
            [
                "added": .string(manifest.id), "version": .string(manifest.version), "enabled": .bool(isEnabled),
                "granted": .array(had.map { .string($0.name) }), "notes": .array(notes.map(JSON.string)),
            ], answer)
    }

    /// The whole folder or nothing of it, whenever the power goes: the copy is complete and on the disk before it gets its name.
    private func install(_ source: OpenFile, as name: String, in folder: OpenFile) throws(PluginFailure) {
        let temporary = ".new-\(name)"
        try FolderTree.remove(temporary, in: folder)
        do throws(PluginFailure) {
            let target = try folder.newFolder(temporary, mode: 0o755)
            var tree = FolderTree()
            try tree.copy(source, to: target)
            // What was copied is what is judged, whatever happened to the source meanwhile.
            let copy = try PluginFolder.read(target, named: name, mustMatch: true)
            guard copy.problems.isEmpty else {
                throw PluginFailure(.hasProblems, "The folder changed while it was copied:", problems: copy.problems)
            }
            if try folder.folder(name) != nil {
                let result = vigil_exchange(folder.number, temporary, name)
                guard result == 0 else { throw .system("\(places.added)/\(name) cannot be replaced", -result) }
            } else if renameat(folder.number, temporary, folder.number, name) != 0 {
                throw .system("\(places.added)/\(name) cannot be made")
            }
            try folder.sync()
        } catch {
            try? FolderTree.remove(temporary, in: folder)
            throw error
        }
        try FolderTree.remove(temporary, in: folder)
    }

    /// Removes a plugin's grants, then its folder, then its data. Between the first two steps it waits up to 8
    /// seconds for the plugin to end. A plugin of the system, outside the folder for added ones, keeps its folder.
    ///
    /// - Parameters:
    ///   - name: The plugin's name.
    ///   - keepsData: Whether its own data stays, for a later installation.
    ///   - isAgreed: Whether its data may be removed without a question; otherwise the person at the terminal is
    ///     asked, if the plugin has any.
    /// - Throws: ``PluginFailure``: `notInstalled`; `badUsage` if `name` does not have the form of a name, the
    ///   plugin belongs to the system and has no grants, or another command is making changes; `badGrants`,
    ///   `badFolder`, `notPermitted` or `system`. Without agreement, `ControlFailure`: `declined`, or `badUsage` if
    ///   nobody can be asked. After an error in a later step the earlier ones are done.
    public func remove(_ name: String, keepsData: Bool = false, isAgreed: Bool = false) throws {
        try checkName(name)
        if !keepsData, !isDryRun, hasData(name) {
            try person.agree(
                to:
                    "\(name) has data of its own in \(places.state)/\(name), which cannot be brought back (--keep-data keeps it).",
                isAgreed: isAgreed)
        }
        let lock = isDryRun ? nil : try lockChanges()
        var document = try GrantsDocument(path: places.grants)
        let folder = try places.installed().first { $0.plugin.name == name }?.folder
        let isOurs = folder == "\(places.added)/\(name)"
        guard document[plugin: name] != nil || folder != nil else { throw notInstalled(name) }
        guard document[plugin: name] != nil || isOurs else {
            throw PluginFailure(
                .badUsage,
                "\(name) belongs to the system (\(folder ?? "")) and has no grants, so there is nothing to remove.")
        }
        var answer = SupervisorLink.Answer.nobody
        if let lock {
            document[plugin: name] = nil
            try document.save()
            // It must not run while its folders go.
            answer = try supervisor.tell()
            if answer != .nobody { waitUntilGone(name) }
            if isOurs {
                try FolderTree.remove(".old-\(name)", in: lock.folder)
                guard renameat(lock.folder.number, name, lock.folder.number, ".old-\(name)") == 0 else {
                    throw PluginFailure.system("\(places.added)/\(name) cannot be removed")
                }
                try lock.folder.sync()
                try FolderTree.remove(".old-\(name)", in: lock.folder)
                answer = try supervisor.tell()
            }
            if !keepsData {
                var status = stat()
                if stat(places.state, &status) == 0 { try FolderTree.remove(name, in: try OpenFile.folder(places.state)) }
            }
        }
        let what = isOurs ? "\(name) is removed" : "\(name) belongs to the system and stays there, without grants"
        try finish(
            "\(isDryRun ? "Would be done: " : "")\(what)\(keepsData ? "; its data is kept" : ", and its data").",
            ["removed": .string(name), "dataKept": .bool(keepsData)], answer)
    }

    /// Whether there is anything in its state folder; one that cannot be looked into is taken for full.
    private func hasData(_ name: String) -> Bool {
        guard let folder = opendir("\(places.state)/\(name)") else { return errno != ENOENT }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let first = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if first != [46], first != [46, 46] { return true }
        }
        return false
    }

    /// Until the supervisor says that it does not run any more: it has five seconds to stop and is killed then.
    private func waitUntilGone(_ name: String) {
        // A state that cannot be read says no more than that.
        _ = try? supervisor.waits(seconds: 8) { () throws(PluginFailure) in
            guard let state = try supervisor.state() else { return true }
            return state.processes.first { $0.name == name }?.process == nil
        }
    }

    /// Enables (`true`) or disables a plugin in `grants.json`, and tells the supervisor if one runs.
    /// - Throws: `PluginFailure`: `notInstalled` if there is neither such a plugin nor grants for one, `badUsage`
    ///   if `name` does not have the form of a name or another command is making changes, `hasProblems` if the
    ///   plugin is to be enabled and could not run, `badGrants`, `badFolder`, `notPermitted` or `system`. Nothing
    ///   is changed then, unless the last two mean that the supervisor could not be told.
    public func setEnabled(_ isEnabled: Bool, _ name: String) throws {
        try checkName(name)
        let lock = isDryRun ? nil : try lockChanges()
        defer { withExtendedLifetime(lock) {} }
        var document = try GrantsDocument(path: places.grants)
        let installed = try places.installed().map(\.plugin)
        guard installed.contains(where: { $0.name == name }) || document[plugin: name] != nil else {
            throw notInstalled(name)
        }
        var entry = document[plugin: name] ?? JSON.Object()
        entry["enabled"] = .bool(isEnabled)
        document[plugin: name] = entry
        let decision = Self.judge(installed, try document.file()).decision(for: name)
        if isEnabled, let decision, !decision.problems.isEmpty {
            throw PluginFailure(.hasProblems, "\(name) cannot run like this:", problems: decision.problems)
        }
        var answer = SupervisorLink.Answer.nobody
        if !isDryRun {
            try document.save()
            answer = try supervisor.tell()
        }
        try finish(
            "\(name) \(isDryRun ? "would be" : "is") \(isEnabled ? "enabled" : "disabled").",
            [(isEnabled ? "started" : "stopped"): .string(name)], answer)
    }

    /// Asks the supervisor to stop and start a plugin, core or egress again; also a plugin in quarantine. Does not
    /// wait for the start.
    /// - Throws: `PluginFailure`: `notInstalled`, `badUsage` if `name` does not have the form of a name,
    ///   `noSupervisor` if none runs, `badFolder`, `notPermitted` or `system`.
    public func restart(_ name: String) throws {
        try checkName(name)
        let isThere = try places.installed().contains { $0.plugin.name == name } || ["core", "egress"].contains(name)
        guard isThere else { throw notInstalled(name) }
        guard supervisor.process != nil else {
            throw PluginFailure(
                .noSupervisor, "No supervisor runs in \(places.run), so nothing runs. `vigil run` starts one.")
        }
        var answer = SupervisorLink.Answer.nobody
        if !isDryRun {
            try supervisor.wish("restart.\(name)")
            answer = try supervisor.tell()
        }
        try finish(
            "\(name) \(isDryRun ? "would be" : "is being") started again.", ["restarted": .string(name)], answer)
    }

    private func notInstalled(_ name: String) -> PluginFailure {
        PluginFailure(.notInstalled, "There is no plugin \(name). `vigil plugin list` shows what there is.")
    }

    /// Names become names of files.
    private func checkName(_ name: String) throws {
        let isName =
            (1...32).contains(name.utf8.count) && name.utf8.first.map { (97...122).contains($0) } == true
            && name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
        guard isName else {
            throw PluginFailure(.badUsage, "\(name) is no name of a plugin: small letters, digits and dashes.")
        }
    }
}
