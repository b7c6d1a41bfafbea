// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON
import Logging
package import PluginManifest
import ProcessLink
import Supervision
import Varlink
import VarlinkSocket

/// What is installed and granted, made true: at start, and whenever the operator says that it has changed (SIGHUP).
extension Supervisor {
    /// The board's own processes that plugins may call, with the interfaces that they provide: core and egress.
    package static let builtIn = [
        PluginSet.BuiltIn(name: "core", interfaces: Set(InterfaceTexts.core.keys)),
        PluginSet.BuiltIn(name: "egress", interfaces: [Egress1.name]),
    ]

    func reload(isFirst: Bool) {
        let moment = now
        let pluginSet = readPluginSet()
        files.set = pluginSet
        var known: Set<String> = []
        for decision in pluginSet.decisions {
            known.insert(decision.name)
            forgetDevices(of: decision.name)
            let process = processes[decision.name] ?? add(decision.name, at: moment)
            apply(decision, to: process, isFirst: isFirst, at: moment)
        }
        for process in plugins where !known.contains(process.name) {
            if process.isAlive {
                closeWayOut(of: process)
                tellToStop(process, at: moment)
            } else {
                remove(process.name)
            }
            process.manifest = nil
            process.effectiveGrants = nil
            process.identity = ""
        }
        updateEdges()
        tidySpools()
        writePlugins()
        if !isFirst {
            obeyWishes(at: moment)
            for process in plugins where process.state == .waiting && process.isResident { start(process) }
            log.notice("plugins and grants were read again", metadata: ["plugins": "\(known.count)"])
        }
        noteChange()
    }

    private func readPluginSet() -> PluginSet {
        var grants = GrantsFile.empty
        var found: [String] = []
        if access(configuration.grants, F_OK) == 0 {
            if let bytes = Folders.read(configuration.grants, limit: Limits.grantsByteCount) {
                do throws(Refusal) { grants = try GrantsFile(parsing: bytes) } catch {
                    found.append("\(configuration.grants) is not used, so nothing is granted: \(error)")
                }
            } else {
                found.append("\(configuration.grants) cannot be read or is too long, so nothing is granted")
            }
        }
        var read = PluginFiles()
        read.readCount = files.readCount + 1
        for parent in configuration.pluginFolders {
            for name in Folders.names(parent) where read.folders[name] == nil && read.installed.count < Limits.plugins {
                guard let bytes = Folders.read("\(parent)/\(name)/plugin.json", limit: Limits.manifestByteCount) else {
                    continue
                }
                let texts = Folders.names("\(parent)/\(name)/interfaces").prefix(Limits.provided).compactMap { file in
                    Folders.read("\(parent)/\(name)/interfaces/\(file)", limit: Limits.interfaceByteCount).map {
                        InstalledPlugin.InterfaceFile(name: file, bytes: $0)
                    }
                }
                read.folders[name] = "\(parent)/\(name)"
                read.schemas[name] = (try? JSON(parsing: bytes))?["settings"].map { "\($0)" }
                read.installed.append(
                    InstalledPlugin(folder: name, mustMatch: true, manifest: bytes, interfaceFiles: texts))
            }
        }
        read.grants = grants
        files = read
        let pluginSet = judged(grants)
        found += pluginSet.problems.map { "\($0)" }
        found += pluginSet.unusedEntries.map { "grants.json has an entry for \($0), which is not installed" }
        for problem in found where !problems.contains(problem) { log.warning("\(problem)") }
        problems = found
        return pluginSet
    }

    /// What is installed, with these grants.
    func judged(_ grants: GrantsFile) -> PluginSet {
        let known = InterfaceTexts.all.values.compactMap { try? InterfaceDescription(parsing: $0) }
        return PluginSet(plugins: files.installed, grants: grants, known: known, builtIn: Self.builtIn)
    }

    private func apply(_ decision: PluginDecision, to process: ManagedProcess, isFirst: Bool, at moment: Duration) {
        let former = process.effectiveGrants
        process.manifest = decision.manifest
        process.folder = files.folders[decision.name] ?? ""
        guard let effectiveGrants = decision.effectiveGrants, decision.state == .allowed else {
            process.effectiveGrants = nil
            process.identity = ""
            if process.isAlive {
                closeWayOut(of: process)
                tellToStop(process, at: moment)
            }
            settle(process, at: moment)
            return
        }
        let identity = identity(of: process, effectiveGrants)
        let isNew = identity != process.identity
        process.effectiveGrants = effectiveGrants
        process.identity = identity
        if process.user == nil, geteuid() == 0 { process.user = users.user(for: process.name) }
        guard geteuid() != 0 || process.user != nil else {
            process.effectiveGrants = nil
            process.become(.refused, "there is no user number left for it (firstUser in vigil.json)", at: moment)
            return
        }
        do { try prepareFolders(of: process) } catch {
            process.effectiveGrants = nil
            process.become(.refused, "\(error)", at: moment)
            return
        }
        if isNew, process.isAlive, !isFirst {
            // Nothing of what it was granted before, while it ends.
            closeWayOut(of: process)
            process.startsAgain = true
            tellToStop(process, at: moment)
        } else if process.isAlive {
            if former?.settings != effectiveGrants.settings { process.run?.control?.send("SETTINGS") }
            if former?.mayUseMetered != effectiveGrants.mayUseMetered { tellEgress(of: process) }
        } else {
            switch process.state {
            // Waiting times and quarantine outlast a reload, unless the plugin is another one now.
            case .backingOff where !isNew, .quarantined where !isNew: break
            default: settle(process, at: moment)
            }
        }
    }

    /// What a process that does not run is: by what is installed and granted.
    func settle(_ process: ManagedProcess, at moment: Duration) {
        guard !process.isAlive else { return }
        if process.kind == .plugin, process.effectiveGrants == nil {
            process.listeners = [:]
            guard let decision = files.set?.decision(for: process.name) else {
                remove(process.name)
                removeSpool(process.name)
                return
            }
            tidySpool(of: process)
            process.become(decision.state == .disabled ? .disabled : .refused, decision.reason, at: moment)
            return
        }
        if starts.isSafeMode, process.kind != .core, !isWebPage(process) {
            process.become(
                .safeMode, "the last starts ended soon: safe mode. `vigil plugin restart \(process.name)` starts it.",
                at: moment)
            return
        }
        let again = process.startsAgain
        process.startsAgain = false
        process.become(.waiting, at: moment)
        // The first run of a schedule is soon, whether the plugin was there when the board started, came later, or was enabled later.
        if process.startAt == nil { process.startAt = firstRun(of: process, at: moment) }
        // Before anybody calls: the first connection is what starts it.
        do { try openListeners(of: process) } catch { log.error("\(error)", metadata: ["process": "\(process.name)"]) }
        if mayStart, again || process.isResident { start(process) }
    }

    /// When it has its first turn if it has a schedule.
    func firstRun(of process: ManagedProcess, at moment: Duration) -> Duration? {
        process.manifest?.everySeconds == nil ? nil : moment + Self.firstRunDelay
    }

    /// The page by which a person finds out what is wrong: the one that listens and is resident or can be called.
    private func isWebPage(_ process: ManagedProcess) -> Bool { process.manifest?.run == .role("webui") }

    /// Changes when the plugin must be started anew: another program, or other limits. Edges and settings change while it runs.
    private func identity(of process: ManagedProcess, _ effectiveGrants: EffectiveGrants) -> String {
        guard let manifest = process.manifest else { return "" }
        var status = stat()
        let program = program(of: process) ?? ""
        let file =
            stat(program, &status) == 0
            ? "\(status.st_ino).\(status.st_size).\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)" : "none"
        return
            "\(manifest.version) \(manifest.run) \(manifest.start) \(program) \(file) \(effectiveGrants.outlets) \(effectiveGrants.listeners) \(effectiveGrants.devices) \(effectiveGrants.lines) \(effectiveGrants.quotas)"
    }

    /// What is executed.
    func program(of process: ManagedProcess) -> String? {
        switch process.kind {
        case .core, .egress: programs.vigil
        case .plugin:
            switch process.manifest?.run {
            case .program(let path): "\(process.folder)/\(path)"
            case .role: programs.plugins
            case nil: nil
            }
        }
    }

    // MARK: Edges

    private func updateEdges() {
        var wishes: [EdgeTable.Wish] = []
        let isReleaseGranted = plugins.contains { process in
            process.effectiveGrants?.edges.contains { $0.interface == Release1.name } == true
        }
        let core = Self.builtIn[0].interfaces.sorted().filter { $0 != Release1.name || !isReleaseGranted }
        wishes.append(
            EdgeTable.Wish(
                name: .init(caller: "ctl", provider: "core"), grants: core.map { "\($0).*" }, interfaces: ["ctl.sock"],
                folder: configuration.run, user: nil))
        let providers =
            [("egress", [Egress1.name])]
            + plugins.filter { $0.effectiveGrants != nil }.map { ($0.name, $0.manifest?.provides ?? []) }
        for (provider, interfaces) in providers where !interfaces.isEmpty {
            wishes.append(
                EdgeTable.Wish(
                    name: .init(caller: "ctl", provider: provider), grants: interfaces.map { "\($0).*" },
                    interfaces: interfaces, folder: "\(configuration.run)/console", user: nil))
        }
        for process in plugins {
            let byProvider = Dictionary(grouping: process.effectiveGrants?.edges ?? [], by: \.provider)
            for (provider, list) in byProvider.sorted(by: { $0.key < $1.key }) {
                wishes.append(
                    EdgeTable.Wish(
                        name: .init(caller: process.name, provider: provider), grants: list.flatMap(\.grants),
                        interfaces: list.map(\.interface), folder: runFolder(process.name), user: process.user))
            }
        }
        let change = edges.update(wishes)
        for name in change.removed {
            if let provider = processes[name.provider] { tell(provider, ControlMessage("UNEDGE", ["caller": name.caller])) }
            // The core and egress close its connections. A plugin may keep them, so its caller's ends go with the caller.
            guard processes[name.provider]?.kind == .plugin, let caller = processes[name.caller], caller.isAlive,
                caller.effectiveGrants != nil
            else { continue }
            log.notice("it is started anew: what it may call has changed", metadata: ["process": "\(name.caller)"])
            caller.startsAgain = true
            tellToStop(caller, at: now)
        }
        for edge in change.added {
            if let provider = processes[edge.name.provider], provider.isAlive { hand(edge, to: provider) }
        }
        for problem in change.problems { log.error("\(problem)") }
        problems += change.problems
    }

    /// Gives a provider the socket of a relation. The provider is ended if it does not take it.
    func hand(_ edge: HeldEdge, to provider: ManagedProcess) {
        var values = ["caller": edge.name.caller, "grants": edge.grants.joined(separator: ",")]
        if provider.kind == .core {
            if edge.name.caller == "ctl" {
                values["spool"] = "\(configuration.run)/ctl"
                values["presence"] = "console"
                values["users"] = Set([0, geteuid()]).sorted().map { "\($0)" }.joined(separator: ",")
            } else {
                values["spool"] = spoolFolder(edge.name.caller)
                values["presence"] = "caller"
            }
        }
        tell(provider, ControlMessage("EDGE", values), edge.listener.descriptor)
    }

    /// Sends what must not be lost.
    func tell(_ process: ManagedProcess, _ message: ControlMessage, _ descriptor: Int32? = nil) {
        guard let control = process.run?.control else { return }
        switch control.send(message, descriptor: descriptor) {
        case .sent, .closed: break
        case .full: end(process, because: "it does not read what the supervisor tells it", at: now)
        case .refused(let error): log.error("\(message.verb) cannot be sent: \(String(cString: strerror(error)))")
        }
    }

    // MARK: Wishes

    /// What `vigil plugin` asks for by empty files; only their names are looked at.
    private func obeyWishes(at moment: Duration) {
        let folder = "\(configuration.run)/\(Self.wishesFolder)"
        for name in Folders.names(folder) {
            unlink("\(folder)/\(name)")
            guard name.hasPrefix("restart."), let process = processes[String(name.dropFirst("restart.".count))] else {
                continue
            }
            restartAsAsked(process, at: moment)
        }
    }

    /// Whatever state it is in: out of quarantine, too.
    func restartAsAsked(_ process: ManagedProcess, at moment: Duration) {
        process.policy.pardon()
        log.notice("it is started anew, as asked", metadata: ["process": "\(process.name)"])
        if process.isAlive {
            process.startsAgain = true
            tellToStop(process, at: moment)
        } else if process.kind != .plugin || process.effectiveGrants != nil {
            process.become(.waiting, at: moment)
            start(process)
        }
    }
}
