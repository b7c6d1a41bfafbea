// SPDX-License-Identifier: Apache-2.0

import CLinux
import GPIOLines
import Glibc
import IPNetwork
import Logging
import PluginManifest
import ProcessLink
import Sandbox
import Supervision

/// How a process comes to be: its plan, its descriptors, and the first things it is told.
extension Supervisor {
    func start(_ process: ManagedProcess) {
        let moment = now
        process.startAt = nil
        do {
            try giveSeal(to: process)
            try readyFolders(of: process)
            try launch(process, at: moment)
        } catch {
            log.error("it cannot be started: \(error)", metadata: ["process": "\(process.name)"])
            process.clear()
            process.lastExit = "\(error)"
            switch process.policy.didFail(at: moment) {
            case .restart(let delay): process.become(.backingOff(until: moment + delay), "\(error)", at: moment)
            case .rest, .quarantine:
                process.become(.quarantined, "\(error)", at: moment)
                tidySpool(of: process)
            }
        }
        noteChange()
    }

    private func launch(_ process: ManagedProcess, at moment: Duration) throws {
        try openListeners(of: process)
        let group = makeGroup(for: process)
        var isStarted = false
        defer { if !isStarted { group?.end() } }
        try limitDisk(of: process)
        let (control, theirs) = try ControlSocket.pair()
        defer { close(theirs) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Folders.Failure(process.name, "gets no pipe for its log") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let name = process.name
        let output = LogPipe(adopting: ends[0], at: moment) { [kept] line in
            kept.keep(line, of: name)
            // As it came: the process has its own levels, and nothing of it is understood here.
            let text = Array("\(name): \(line)\n".utf8)
            _ = write(STDERR_FILENO, text, text.count)
        }
        defer { close(ends[1]) }
        var plan = try plan(for: process)
        plan.controlGroups = group?.memberships ?? []
        let child = try SandboxedProcess.start(plan, jail: programs.jail, control: theirs, log: ends[1])
        let watch = Watch(
            heartbeat: .seconds(process.manifest?.heartbeatSeconds ?? 30),
            memoryLimit: process.effectiveGrants.map { UInt64(clamping: $0.quotas.memory) },
            startTimeout: process.policy.rules.startTimeout, startedAt: moment)
        process.begin(ProcessRun(child, control: control, log: output, group: group, watch: watch, at: moment))
        isStarted = true
        process.policy.didStart(at: moment)
        process.become(.starting, at: moment)
        prefer(process)
        if process.kind == .plugin { watchFolders(of: process) }
        for edge in edges.provided(by: process.name) { hand(edge, to: process) }
        for (name, listener) in process.listeners.sorted(by: { $0.key < $1.key }) {
            tell(process, ControlMessage("LISTEN", ["name": name]), listener.descriptor)
        }
        switch process.kind {
        case .core:
            radio.coreDidStart()
            giveRadio(to: process)
            giveButton(to: process)
            tellBattery(to: process)
        case .egress:
            if configuration.isMetered { tell(process, ControlMessage("METERED", ["value": "1"])) }
            if let proxy = configuration.proxy { tell(process, ControlMessage("PROXY", ["address": proxy])) }
            for plugin in plugins where plugin.run?.socks != nil { tellEgress(of: plugin) }
        case .plugin: giveLines(to: process)
        }
        tell(process, ControlMessage("START"))
    }

    /// The kernel's limits on a plugin; the board's own processes have none.
    private func makeGroup(for process: ManagedProcess) -> ControlGroup? {
        guard process.kind == .plugin, let quotas = process.effectiveGrants?.quotas else { return nil }
        return controlGroups.make(
            "vigil-\(boardMark)-\(process.name)", memoryByteCount: UInt64(clamping: quotas.memory),
            processCount: Int(quotas.processes), processorWeight: Self.pluginWeight)
    }

    /// A plugin's share of the processors where they are short; a process in no group has 100. All of them together, at their most, have
    /// one and a half times the share of the core alone.
    private static let pluginWeight = 5

    func giveRadio(to core: ManagedProcess) {
        guard let descriptor = radio.descriptor else { return }
        tell(core, ControlMessage("RADIO", ["address": radio.name]), descriptor)
    }

    /// The core alone: a press is a consent.
    func giveButton(to core: ManagedProcess) {
        guard let button = lines.button else { return }
        tell(core, ControlMessage("BUTTON"), button.descriptor)
    }

    /// Whether the battery is low, for the light that says so. A core that was not told takes it for full.
    func tellBattery(to core: ManagedProcess) {
        tell(core, ControlMessage("BATTERY-LOW", ["low": "\(power.isLow)"]))
    }

    /// What it was granted of what the board has.
    func giveLines(to process: ManagedProcess) {
        for name in process.effectiveGrants?.lines ?? [] {
            if let (descriptor, values) = lines.lines(name) { tell(process, ControlMessage("LINES", values), descriptor) }
        }
    }

    /// Lets egress serve the plugin's way out, which was made where only the plugin can reach it.
    func tellEgress(of process: ManagedProcess) {
        guard let egress = processes["egress"], egress.isAlive, let socks = process.run?.socks,
            let effectiveGrants = process.effectiveGrants
        else { return }
        let values = [
            "caller": process.name, "allow": effectiveGrants.outlets.map { "\($0.endpoint)" }.joined(separator: ","),
            "metered": effectiveGrants.mayUseMetered ? "1" : "0",
        ]
        tell(egress, ControlMessage("SOCKS", values), socks)
    }

    /// Egress serves the plugin no longer, and closes what goes on.
    func closeWayOut(of process: ManagedProcess) {
        guard let egress = processes["egress"], egress.isAlive else { return }
        tell(egress, ControlMessage("UNSOCKS", ["caller": process.name]))
    }

    /// The beacon first: the core is preferred where the kernel lets us, plugins stand back.
    func prefer(_ process: ManagedProcess) {
        guard let child = process.run?.child else { return }
        if process.kind == .core {
            // Where the kernel shares by sessions, niceness counts within one only, and each confined process has its own.
            _ = Folders.tell("/proc/\(child.processNumber)/autogroup", "-10")
        }
        let niceness: Int32 = process.kind == .core ? -5 : process.kind == .egress ? 5 : 10
        // The core wants little at a time, and soon: a turn of the beacon is five answers of the controller, and with the kernel's slice of
        // 3 ms each of them waited for one slice of a plugin.
        let slice: UInt64 = process.kind == .core ? 100_000 : 0
        _ = vigil_set_urgency(child.processNumber, niceness, slice)
    }

    func openListeners(of process: ManagedProcess) throws {
        let wanted = process.effectiveGrants?.listeners ?? []
        let places = Dictionary(
            wanted.map { ($0.name, NetworkListener.Place($0.address.host, $0.port)) },
            uniquingKeysWith: { first, _ in first })
        if process.listeners.mapValues(\.place) != places { process.listeners = [:] }
        for (name, place) in places where process.listeners[name] == nil {
            process.listeners[name] = try NetworkListener(at: place)
        }
    }
}

/// What each kind of process has.
extension Supervisor {
    func plan(for process: ManagedProcess) throws -> SandboxPlan {
        guard let program = program(of: process) else { throw SupervisorFailure("\(process.name) has no program") }
        var plan: SandboxPlan
        switch process.kind {
        case .core: plan = corePlan(program)
        case .egress: plan = egressPlan(program)
        case .plugin: plan = try pluginPlan(process, program)
        }
        plan.environment = environment(of: process)
        plan.binds += programs.libraries.map { SandboxPlan.Bind(.programs, $0) }
        if geteuid() == 0 {
            switch process.kind {
            case .core: plan.user = .init(user: users.core, group: users.core)
            case .egress: plan.user = .init(user: users.egress, group: users.egress)
            case .plugin:
                // The group is the core's at the spool only: by the folder, not by the process.
                plan.user = process.user.map { .init(user: $0, group: $0) }
            }
        }
        plan.required = configuration.confinement == .required ? Primitive.requiredOnBoards : Primitive.requiredAnywhere
        if configuration.confinement == .possible, geteuid() != 0 { plan.required = [] }
        // The board's network is egress's to use.
        if process.kind == .egress { plan.required.remove(.network) }
        return plan
    }

    private func environment(of process: ManagedProcess) -> [String: String] {
        var values = [
            ProcessEnvironment.Name.heartbeat: "\(process.manifest?.heartbeatSeconds ?? 30)", "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no", "MALLOC_ARENA_MAX": "2",
            // Large blocks go back to the system at once. Left alone, the C library keeps as much as the largest block it ever freed: after
            // matching, two megabytes in the core.
            "MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072",
        ]
        if process.kind == .plugin { values[ProcessEnvironment.Name.folder] = process.folder }
        if let boot = Folders.read("/proc/sys/kernel/random/boot_id", limit: 64) {
            // A confined process's own /proc shows processes only.
            values["VIGIL_BOOT_ID"] = String(String(decoding: boot, as: UTF8.self).filter { !$0.isNewline })
        }
        return values
    }

    private func corePlan(_ program: String) -> SandboxPlan {
        var arguments = [
            "vigil", "core", "--data", coreData, "--keys", keyFolder, "--run", coreRun, "--profile", configuration.profile,
            "--technician", technicianFolder,
        ]
        for key in configuration.exportKeys { arguments += ["--verify", key] }
        for key in configuration.timeKeys { arguments += ["--time-key", key] }
        for key in configuration.configKeys { arguments += ["--config-key", key] }
        for key in configuration.operatorKeys { arguments += ["--operator-key", key] }
        for file in configuration.authorities { arguments += ["--authority", file] }
        if configuration.anyKey { arguments.append("--any-key") }
        if configuration.isEnabledAtFirst { arguments.append("--enable") }
        if let language = configuration.language { arguments += ["--language", language] }
        arguments += ["--unzip", programs.zip]
        var plan = SandboxPlan(name: "core", program: program, arguments: arguments)
        plan.profile = .core
        plan.binds += [.init(.programs, program), .init(.programs, programs.zip)]
        plan.binds += [coreData, coreRun, "\(configuration.run)/ctl"].map { .init(.writable, $0) }
        plan.binds.append(.init(.spools, "\(configuration.run)/spool"))
        plan.binds.append(.init(.readable, technicianFolder))
        if !keyFolder.hasPrefix(coreData + "/") { plan.binds.append(.init(.writable, keyFolder)) }
        // Clock chips are found through links into the devices' folders.
        plan.binds += ["/sys/class/rtc", "/sys/devices"].map { .init(.readable, $0, isOptional: true) }
        let keys =
            configuration.exportKeys + configuration.timeKeys + configuration.configKeys + configuration.operatorKeys
        for file in keys.map(Self.keyFile) + configuration.authorities where file.hasPrefix("/") {
            if !plan.binds.contains(where: { $0.source == file }) {
                plan.binds.append(.init(.readable, file, isOptional: true))
            }
        }
        if configuration.profile.hasPrefix("/") {
            plan.binds.append(.init(.readable, configuration.profile, isOptional: true))
        }
        plan.limits.openFiles = 512
        return plan
    }

    /// The file of `ID-VERSION=FILE`.
    private static func keyFile(_ argument: String) -> String {
        String(argument.split(separator: "=", maxSplits: 1).last ?? "")
    }

    private func egressPlan(_ program: String) -> SandboxPlan {
        var plan = SandboxPlan(name: "egress", program: program, arguments: ["vigil", "egress"])
        plan.profile = .egress
        plan.network = .host
        plan.binds.append(.init(.programs, program))
        // What names are resolved by. A resolver may replace its file, so the folder of a link's target is needed, too.
        plan.binds += ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf", "/run/systemd/resolve"].map
        {
            .init(.readable, $0, isOptional: true)
        }
        plan.limits.openFiles = 2048
        plan.oomScore = 200
        return plan
    }

    private func pluginPlan(_ process: ManagedProcess, _ program: String) throws -> SandboxPlan {
        guard let manifest = process.manifest, let effectiveGrants = process.effectiveGrants else {
            throw SupervisorFailure("\(process.name) may not run")
        }
        var arguments: [String]
        switch manifest.run {
        case .role(let role): arguments = ["vigil-plugins", role]
        case .program(let path): arguments = [path]
        }
        if arguments[0].isEmpty { arguments = [process.name] }
        var plan = SandboxPlan(name: process.name, program: program, arguments: arguments)
        plan.binds.append(.init(.programs, program))
        // In-tree plugins look into signed documents with the program that may.
        if case .role = manifest.run {
            plan.binds.append(.init(.programs, programs.zip, isOptional: true))
            // Texts that lie beside the manifest.
            plan.binds.append(.init(.readable, process.folder, isOptional: true))
        }
        if case .program = manifest.run { plan.binds.append(.init(.programs, process.folder)) }
        plan.stateFolder = stateFolder(process.name)
        plan.spoolFolder = spoolFolder(process.name)
        plan.runFolder = runFolder(process.name)
        plan.devices = try devices(of: process, effectiveGrants)
        plan.network = effectiveGrants.outlets.isEmpty ? .none : .proxied(socksPort: 1080, outside: nil)
        plan.limits.openFiles = 256
        plan.limits.processes = UInt64(effectiveGrants.quotas.processes)
        plan.limits.fileBytes = UInt64(max(effectiveGrants.quotas.state, effectiveGrants.quotas.spool))
        // Private memory beyond the quota is refused at once; what is shared is watched.
        plan.limits.dataBytes = UInt64(effectiveGrants.quotas.memory) + (16 << 20)
        plan.oomScore = 700
        return plan
    }
}
