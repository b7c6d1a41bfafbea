// SPDX-License-Identifier: Apache-2.0

import CLinux
import EventLoop
import Glibc
import Logging
import ProcessLink
import Sandbox
import Supervision
import VarlinkSocket

/// The supervisor's parts: each says in one place when it is called and what it does then.
extension Supervisor {
    /// Longer than any round of a machine that works.
    private static let standstill = Duration.seconds(5)

    /// Joins all parts but the processes, which join when they become known (``add(_:)``).
    func join() {
        loop.watch(signals, for: .reading) { [unowned self] _ in takeSignals() }
        if let alarm = upkeep.alarm {
            loop.watch(alarm.descriptor, for: .reading) { [unowned self] _ in
                alarm.take()
                upkeep.lookAt = upkeep.lookAt ?? now + Self.lookPause
            }
        }
        // Comes after all processes were heard, and before they are judged.
        loop.inEveryRound { [unowned self] in forgiveStandstill(at: $0) }
        loop.whenDue({ [unowned self] in systemd.watchdogAt }, rank: .work) { [unowned self] in systemd.tellAlive(at: $0) }
        // The code of the start is most of what is mapped, and not needed again.
        loop.beforeLongWaits { vigil_release_pages() }
        loop.whenDue({ [unowned self] in starts.isProved ? nil : started + StartRecord.soundAfter }, rank: .work) {
            [unowned self] _ in
            starts.prove()
            storeStarts()
        }
        loop.inEveryRound(orAt: { [unowned self] in stopBegan == nil ? radio.due : nil }) { [unowned self] in
            advanceRadio(at: $0)
        }
        loop.inEveryRound(orAt: { [unowned self] in stopBegan == nil ? lines.due : nil }) { [unowned self] in
            advanceLines(at: $0)
        }
        loop.inEveryRound(orAt: { [unowned self] in stopBegan == nil ? power.nextDue : nil }) { [unowned self] in
            advancePower(at: $0)
        }
        loop.inEveryRound(orAt: { [unowned self] in network?.due(at: now) }) { [unowned self] in
            if network?.advance(to: $0) == true { writeNetwork() }
        }
        loop.inEveryRound(orAt: { [unowned self] in stopBegan == nil ? configurationDue : nil }) { [unowned self] in
            if stopBegan == nil { advanceConfiguration(at: $0) }
        }
        let nextMeasure = { [unowned self] in
            processes.values.contains { $0.kind == .plugin && $0.isAlive } ? upkeep.measureAt : nil
        }
        loop.inEveryRound(orAt: nextMeasure) { [unowned self] now in
            guard now >= upkeep.measureAt else { return }
            measure(at: now)
            upkeep.measureAt = now + Self.measurePause
        }
        loop.whenDue({ [unowned self] in upkeep.lookAt }, rank: .work) { [unowned self] now in
            upkeep.lookAt = nil
            measureFolders(at: now)
        }
        let nextCheck = { [unowned self] in processes.values.compactMap { $0.due(isStopping: stopBegan != nil) }.min() }
        loop.inEveryRound(orAt: nextCheck) { [unowned self] now in
            for process in processes.values { check(process, at: now) }
        }
        // Last, because all parts before it may change the state.
        let nextState = { [unowned self] in state.due(after: Self.statePause) }
        loop.inEveryRound(orAt: nextState) { [unowned self] _ in writeStateIfDue() }
    }

    // MARK: Processes

    /// Takes a process in and hears it from now on. Its descriptors change with its state, so they are asked for before each wait.
    func add(_ process: ManagedProcess) {
        processes[process.name] = process
        let rests = { [unowned self] in
            [process.run?.control == nil ? nil : process.run?.pace.rests(at: now), process.run?.log?.rests(at: now)]
        }
        process.places = [
            loop.watchCurrent({ process.run?.child.processDescriptor }) { [unowned self] in takeExit(of: process, at: $0) },
            loop.watchCurrent({ [unowned self] in
                process.run?.pace.rests(at: now) == nil ? process.run?.control?.descriptor : nil
            }) { [unowned self] in takeMessages(of: process, at: $0) },
            // -1, which is not watched, once its report is complete.
            loop.watchCurrent({ process.run?.child.reportDescriptor }) { [unowned self] in takeReport(of: process, at: $0)
            },
            loop.watchCurrent({ [unowned self] in
                process.run?.log?.rests(at: now) == nil ? process.run?.log?.descriptor : nil
            }) {
                if process.run?.log?.read(at: $0) == false { process.run?.log = nil }
            },
            // Only to end the wait: then control socket or log are read again.
            loop.whenDue({ rests().compactMap { $0 }.min() }) { _ in },
            loop.join(
                rank: .control, descriptors: { [unowned self] in callerDescriptors(of: process) }, deadline: { nil },
                serve: { [unowned self] _, _ in if process.state == .waiting { start(process) } }),
        ]
    }

    func add(_ plugin: String, at now: Duration) -> ManagedProcess {
        let process = ManagedProcess(plugin, .plugin, rules: .plugin, at: now)
        add(process)
        return process
    }

    /// Takes a process out.
    func remove(_ name: String) {
        for place in processes[name]?.places ?? [] { place.cancel() }
        processes[name] = nil
    }

    /// Listeners of a process that is started when somebody calls.
    private func callerDescriptors(of process: ManagedProcess) -> [pollfd] {
        guard !process.isAlive, process.state == .waiting, stopBegan == nil else { return [] }
        return (edges.provided(by: process.name).map(\.listener.descriptor) + process.listeners.values.map(\.descriptor))
            .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }

    private func check(_ process: ManagedProcess, at now: Duration) {
        switch process.state {
        case .starting, .running:
            if let fault = process.run?.watch?.check(at: now) { end(process, because: "\(fault)", at: now) }
        case .stopping(let by) where now >= by:
            log.warning("it did not stop when told to and is killed", metadata: ["process": "\(process.name)"])
            process.run?.child.kill()
            process.state = .stopping(by: now + .seconds(5))
        case .backingOff(let until) where now >= until && stopBegan == nil: start(process)
        case .waiting where stopBegan == nil:
            if let startAt = process.startAt, now >= startAt { start(process) }
        default: break
        }
    }

    // MARK: The supervisor's own

    /// A round took long, or the machine stood still: signs of life of that time still wait in the processes' sockets, and silence counts against
    /// no process.
    private func forgiveStandstill(at now: Duration) {
        if let wait = loop.lastWait {
            // First the time from the end of the last round to this one's wait, then the time after the moment when the wait should have ended.
            if let listenedUntil { forgiveStandstill(from: listenedUntil, to: wait.began) }
            forgiveStandstill(from: wait.expectedEnd, to: now)
        }
        listenedUntil = self.now
    }

    private func forgiveStandstill(from expected: Duration, to end: Duration) {
        let time = end - expected
        guard time > Self.standstill else { return }
        log.warning("nobody was watched for \(time.components.seconds) s; the signs of life of that time count")
        for process in processes.values { process.run?.watch?.wasUnheard(for: time) }
    }
}
