// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Logging
import PluginManifest
import ProcessLink
import Sandbox
import Supervision

/// How processes end, and what follows from it.
extension Supervisor {
    func takeExit(of process: ManagedProcess, at moment: Duration) {
        guard let run = process.run else { return }
        // What it said last, before what follows from its end.
        takeReport(of: process, at: moment)
        takeMessages(of: process, at: moment)
        // Whoever has left somebody behind who holds the pipe and writes on is not listened to for ever.
        var turns = 0
        while turns < Self.lastLogTurns, run.log?.read(at: moment) == true,
            run.log.map({ Self.isReadable($0.descriptor) }) == true
        { turns += 1 }
        guard let end = run.child.takeEnd() else { return }
        didEnd(process, run, end, at: moment)
    }

    private static func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    private func didEnd(_ process: ManagedProcess, _ run: ProcessRun, _ end: SandboxedProcess.End, at moment: Duration) {
        let wasTold = if case .stopping = process.state { true } else { false }
        let isOrderly = end == .status(0) && run.fault == nil
        // Somebody waits for what it has not taken.
        let pause = run.missedAFetch ? .zero : run.wishedPause
        let why = run.fault ?? Self.words(end, of: run)
        process.lastExit = isOrderly || (wasTold && run.fault == nil) ? nil : why
        process.clear()
        if process.kind == .plugin { trimFolders(of: process) }
        noteChange()
        if process.kind == .core { radio.coreDidEnd(at: moment) }
        if process.kind == .plugin {
            closeWayOut(of: process)
        }
        if !isOrderly, !wasTold { log.warning("it ended: \(why)", metadata: ["process": "\(process.name)"]) }
        guard stopBegan == nil else {
            process.become(.waiting, at: moment)
            stopTheRest(at: moment)
            return
        }
        // What is no longer there or permitted is not started again, however it ended.
        if wasTold && process.lastExit == nil || process.kind == .plugin && process.effectiveGrants == nil {
            settle(process, at: moment)
            return
        }
        let verdict =
            isOrderly
            ? process.policy.didFinish(isResident: process.isResident, at: moment) : process.policy.didFail(at: moment)
        switch verdict {
        case .rest:
            process.become(.waiting, at: moment)
            let every = process.manifest?.everySeconds.map { Duration.seconds($0) }
            process.startAt = (pause ?? every).map { moment + $0 }
        case .restart(let delay): process.become(.backingOff(until: moment + delay), "it ended: \(why)", at: moment)
        case .quarantine:
            process.become(
                .quarantined,
                "it failed \(process.policy.rules.budget ?? 0) times within \(process.policy.rules.budgetWindow.components.seconds / 60) minutes, last: \(why). `vigil plugin restart \(process.name)` starts it again.",
                at: moment)
            tidySpool(of: process)
            log.error("it failed too often and is left alone: \(why)", metadata: ["process": "\(process.name)"])
        }
    }

    /// How it ended, for people.
    private static func words(_ end: SandboxedProcess.End, of run: ProcessRun) -> String {
        switch end {
        case .status(let status): return "it ended with status \(status)"
        case .signal(SIGSYS):
            return "it made a call of the system that it may not make; docs/sandbox.md says how to find out which"
        case .signal(SIGKILL):
            if let count = run.controlGroup?.memoryKillCount, count > 0 {
                return "the kernel ended it because it used up its memory (quotas.memory)"
            }
            return "it was killed (signal 9)"
        case .signal(let signal): return "it crashed or was ended by signal \(signal)"
        }
    }

    // MARK: Stopping

    func takeSignals() {
        while case let signal = vigil_signal_take(signals), signal != 0 {
            guard signal == SIGHUP else {
                stop()
                continue
            }
            power.look(at: now)
            reload(isFirst: false)
        }
    }

    /// In the order in which nobody misses anybody: plugins, then egress, then the core.
    func stop() {
        guard stopBegan == nil else { return }
        let moment = now
        stopBegan = moment
        systemd.tell("STOPPING=1")
        log.notice("stopping")
        stopTheRest(at: moment)
    }

    private func stopTheRest(at moment: Duration) {
        for group in [ManagedProcess.Kind.plugin, .egress, .core] {
            let alive = processes.values.filter { $0.kind == group && $0.isAlive }
            for process in alive { tellToStop(process, at: moment) }
            if !alive.isEmpty { return }
        }
    }

    func tellToStop(_ process: ManagedProcess, at moment: Duration) {
        if case .stopping = process.state { return }
        let sent = process.run?.control?.send("STOP")
        // Who does not take the message gets no time.
        let timeout = sent == .sent ? (process.kind == .core ? Self.coreStopTimeout : Self.stopTimeout) : .zero
        process.become(.stopping(by: moment + timeout), at: moment)
        noteChange()
    }

    /// Ends a process that is not well.
    func end(_ process: ManagedProcess, because fault: String, at moment: Duration) {
        process.run?.fail(fault)
        log.warning("it is ended: \(fault)", metadata: ["process": "\(process.name)"])
        process.run?.child.kill()
        // The exit arrives by its descriptor; until then nothing else is expected of it.
        process.run?.watch = nil
        noteChange()
    }
}
