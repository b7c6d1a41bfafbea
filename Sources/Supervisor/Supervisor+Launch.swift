// SPDX-License-Identifier: Apache-2.0

import Glibc
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
            try launch(process, at: moment)
        } catch {
            log.error("it cannot be started: \(error)", metadata: ["process": "\(process.name)"])
            process.clear()
            process.lastExit = "\(error)"
            switch process.policy.didFail(at: moment) {
            case .restart(let delay): process.become(.backingOff(until: moment + delay), "\(error)", at: moment)
            case .rest, .quarantine: process.become(.quarantined, "\(error)", at: moment)
            }
        }
        noteChange()
    }

    private func launch(_ process: ManagedProcess, at moment: Duration) throws {
        try openListeners(of: process)
        let (control, theirs) = try ControlSocket.pair()
        defer { close(theirs) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Folders.Failure(process.name, "gets no pipe for its log") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let name = process.name
        let output = LogPipe(adopting: ends[0], at: moment) { line in
            // As it came: the process has its own levels, and nothing of it is understood here.
            let text = Array("\(name): \(line)\n".utf8)
            _ = write(STDERR_FILENO, text, text.count)
        }
        defer { close(ends[1]) }
        process.child = try SandboxedProcess.start(
            try plan(for: process), jail: programs.jail, control: theirs, standardError: ends[1])
        process.control = control
        process.log = output
        process.confinement = []
        process.isConfinementKnown = false
        process.policy.didStart(at: moment)
        process.watch = Watch(
            heartbeat: .seconds(process.manifest?.heartbeatSeconds ?? 30),
            memoryLimit: process.allowance.map { UInt64(clamping: $0.quotas.memory) },
            startPatience: process.policy.rules.startPatience, startedAt: moment)
        process.become(.starting, at: moment)
        prefer(process)
        for edge in edges.provided(by: process.name) { hand(edge, to: process) }
        for (name, listener) in process.listeners.sorted(by: { $0.key < $1.key }) {
            tell(process, ControlMessage("LISTEN", ["name": name]), listener.descriptor)
        }
        switch process.kind {
        case .core:
            radio.coreDidStart()
            giveRadio(to: process)
        case .egress:
            if configuration.isMetered { tell(process, ControlMessage("METERED", ["value": "1"])) }
            if let proxy = configuration.proxy { tell(process, ControlMessage("PROXY", ["address": proxy])) }
            for plugin in plugins where plugin.socks != nil { tellEgress(of: plugin) }
        case .plugin: break
        }
        tell(process, ControlMessage("START"))
    }

    func giveRadio(to core: ManagedProcess) {
        guard let descriptor = radio.descriptor else { return }
        tell(core, ControlMessage("RADIO", ["address": radio.name]), descriptor)
    }

    /// Lets egress serve the plugin's way out, which was made where only the plugin can reach it.
    func tellEgress(of process: ManagedProcess) {
        guard let egress = processes["egress"], egress.isAlive, let socks = process.socks, let allowance = process.allowance
        else { return }
        var values = [
            "caller": process.name, "allow": allowance.outlets.map { "\($0.endpoint)" }.joined(separator: ","),
            "metered": allowance.mayUseMetered ? "1" : "0",
        ]
        if let secret = process.child?.socksCredentials { values["auth"] = secret }
        tell(egress, ControlMessage("SOCKS", values), socks)
    }

    /// The beacon first: the core is preferred where the kernel lets us, plugins stand back.
    private func prefer(_ process: ManagedProcess) {
        guard let child = process.child else { return }
        let niceness: Int32 = process.kind == .core ? -5 : process.kind == .egress ? 5 : 10
        setpriority(PRIO_PROCESS, id_t(child.process), niceness)
    }

    private func openListeners(of process: ManagedProcess) throws {
        let wanted = process.allowance?.listeners ?? []
        let names = Set(wanted.map { "\($0.name) \($0.address) \($0.port)" })
        // A socket is kept over a restart of its plugin: who connects meanwhile waits.
        if Set(process.listenerPlaces.values) != names {
            process.listeners = [:]
            process.listenerPlaces = [:]
        }
        for listener in wanted where process.listeners[listener.name] == nil {
            process.listeners[listener.name] = try NetworkListener(address: "\(listener.address)", port: listener.port)
            process.listenerPlaces[listener.name] = "\(listener.name) \(listener.address) \(listener.port)"
        }
    }
}
