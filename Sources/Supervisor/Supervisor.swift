// SPDX-License-Identifier: Apache-2.0

import BoardClock
import CLinux
import Glibc
import HCITransport
public import Logging
import PluginManifest
import ProcessLink
import Sandbox
import Supervision
import TimeTrust
import Varlink
import VarlinkSocket

/// Opens the radio, makes every socket, starts core, egress and plugins, each confined; watches them and starts them again
/// (docs/supervisor.md). One thread, one `poll`. It holds no secret, understands nothing that a process says but a few fixed words, and
/// never waits for anybody: what does not take a message in time is ended.
public final class Supervisor {
    /// How long a process may take to stop when told to. The contract says five seconds.
    static let stopPatience = Duration.seconds(6)
    /// The core's radio has to be silenced in order.
    static let coreStopPatience = Duration.seconds(4)
    /// How often memory, processor time and folders are looked at while a plugin runs.
    static let measurePause = Duration.seconds(5)
    private static let statePause = Duration.milliseconds(300)
    /// A plugin with a schedule is started this long after the board: when the beacon is on air and things are quiet.
    static let firstRunDelay = Duration.seconds(2)
    static let wishesFolder = "wishes"

    let configuration: SupervisorConfiguration
    let programs: Programs
    let version: String
    let log: Logger
    let radio: RadioKeeper
    let signals: Int32
    let systemd: SystemdNotifier
    var users: UserTable
    var edges = EdgeTable()
    var processes: [String: ManagedProcess] = [:]
    var household: Household?
    var problems: [String] = []
    /// Where each plugin lies.
    var folders: [String: String] = [:]
    /// Held while this supervisor is the one of its run folder.
    var lock: Int32 = -1
    /// What this machine gives for limits on groups of processes.
    let controlGroups: ControlGroups
    private var saidMissing: Set<Primitive> = []
    /// Not before the core has been started.
    var mayStart = false
    let isSafeMode: Bool
    private var startRecord: StartRecord
    private let startRecordPath: String
    private var isStartProved = false
    private let started: Duration
    private var measureAt: Duration
    private var watchdogAt: Duration?
    private var stateChanged = true
    private var stateWritten: Duration?
    private var stopBegan: Duration?
    private var hasTheCoreBeenReady = false
    private var saidRadioProblem: TransportFailure?

    var now: Duration { Self.now }
    /// Since the board was switched on.
    private static var now: Duration { .nanoseconds(BoardClock.boot().nanoseconds) }

    /// Reads what it has to, makes folders; starts nothing yet.
    public init(
        _ configuration: SupervisorConfiguration, programs: Programs, version: String, signals: Int32, log: Logger
    ) throws {
        guard let transport = configuration.transport else {
            throw SupervisorFailure(
                "no transport is configured: say where the controller is (transport in vigil.json, or --transport)")
        }
        self.configuration = configuration
        self.programs = programs
        self.version = version
        self.signals = signals
        self.log = log
        systemd = SystemdNotifier()
        radio = RadioKeeper(transport)
        controlGroups = .own()
        let begin = Self.now
        started = begin
        measureAt = begin + Self.measurePause
        watchdogAt = systemd.watchdogInterval.map { begin + $0 }
        try Folders.makePath(configuration.data, mode: 0o755)
        try Folders.makePath(configuration.run, mode: 0o755)
        var findings: [String] = []
        users = UserTable(path: "\(configuration.data)/users", first: configuration.firstUser, findings: &findings)
        problems = findings
        startRecordPath = "\(configuration.data)/starts"
        startRecord = StartRecord(parsing: Folders.read(startRecordPath, limit: StartRecord.maximumByteCount) ?? [])
        isSafeMode = startRecord.begin()
        storeStartRecord()
        try lockRunFolder()
        try makeFolders()
        for finding in findings { log.warning("\(finding)") }
        if isSafeMode {
            log.error(
                "the last \(startRecord.count - 1) starts ended soon: safe mode, core and web page only. A start that lasts three minutes, or `vigil plugin start NAME`, ends it."
            )
        }
    }

    /// Returns when everything has stopped in good order because it was told to.
    public func run() {
        let begin = now
        processes["core"] = ManagedProcess("core", .core, rules: .core, at: begin)
        processes["egress"] = ManagedProcess("egress", .egress, rules: .egress, at: begin)
        reload(isFirst: true)
        // The beacon does not wait for anything that is not the beacon.
        if radio.advance(to: now) { stateChanged = true }
        mayStart = true
        for name in isSafeMode ? ["core"] : ["core", "egress"] {
            if let process = processes[name] { start(process) }
        }
        for process in plugins where process.state == .waiting {
            if process.isResident {
                start(process)
            } else if process.manifest?.everySeconds != nil {
                process.startAt = begin + Self.firstRunDelay
            }
        }
        while !isOver {
            writeStateIfDue()
            wait()
            advance()
        }
        writeState()
        unlink("\(configuration.run)/supervisor.pid")
        // It ended because somebody wanted it to: no boot loop.
        startRecord.prove()
        storeStartRecord()
        log.notice("stopped")
    }

    var plugins: [ManagedProcess] { processes.values.filter { $0.kind == .plugin }.sorted { $0.name < $1.name } }

    func noteChange() { stateChanged = true }

    private var isOver: Bool { stopBegan != nil && processes.values.allSatisfy { !$0.isAlive } }

    // MARK: Waiting

    private enum Source {
        case signals, child(ManagedProcess), control(ManagedProcess), log(ManagedProcess), report(ManagedProcess), edge(
            ManagedProcess)
    }

    private func wait() {
        var descriptors = [pollfd(fd: signals, events: Int16(POLLIN), revents: 0)]
        var sources = [Source.signals]
        func add(_ descriptor: Int32, _ source: Source) {
            descriptors.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
            sources.append(source)
        }
        for process in processes.values {
            if let child = process.child {
                add(child.processDescriptor, .child(process))
                if let control = process.control { add(control.descriptor, .control(process)) }
                // Passed over by poll once there is no more news.
                add(child.reportDescriptor, .report(process))
            } else if process.state == .waiting, stopBegan == nil {
                // Somebody calls: a connection waits in the listener.
                for edge in edges.provided(by: process.name) { add(edge.listener.descriptor, .edge(process)) }
            }
            if let log = process.log { add(log.descriptor, .log(process)) }
        }
        let left = (due - now) / .milliseconds(1)
        let count = poll(
            &descriptors, nfds_t(descriptors.count), Int32(clamping: Int64(max(0, min(left, 1e9)).rounded(.up))))
        guard count > 0 else { return }
        let moment = now
        for (index, entry) in descriptors.enumerated() where entry.revents != 0 {
            switch sources[index] {
            case .signals: takeSignals()
            case .report(let process): takeReport(of: process, at: moment)
            case .control(let process): takeMessages(of: process, at: moment)
            case .log(let process): if process.log?.read(at: moment) == false { process.log = nil }
            case .edge(let process): if process.state == .waiting { start(process) }
            case .child(let process): takeExit(of: process, at: moment)
            }
        }
    }

    private var due: Duration {
        var dues: [Duration?] = [radio.due, watchdogAt]
        if !isStartProved { dues.append(started + StartRecord.soundAfter) }
        if stateChanged { dues.append((stateWritten ?? .zero) + Self.statePause) }
        if processes.values.contains(where: { $0.kind == .plugin && $0.isAlive }) { dues.append(measureAt) }
        for process in processes.values {
            switch process.state {
            case .starting, .running: dues.append(process.watch?.due)
            case .stopping(let by): dues.append(by)
            case .backingOff(let until): dues.append(until)
            default: break
            }
            if !process.isAlive, stopBegan == nil { dues.append(process.startAt) }
        }
        return dues.compactMap { $0 }.min() ?? now + .seconds(60)
    }

    private func advance() {
        let moment = now
        if let watchdog = watchdogAt, moment >= watchdog {
            systemd.tell("WATCHDOG=1")
            watchdogAt = moment + (systemd.watchdogInterval ?? .seconds(10))
        }
        if !isStartProved, moment - started >= StartRecord.soundAfter {
            isStartProved = true
            startRecord.prove()
            storeStartRecord()
        }
        advanceRadio(at: moment)
        if moment >= measureAt {
            measure(at: moment)
            measureAt = moment + Self.measurePause
        }
        for process in processes.values {
            switch process.state {
            case .starting, .running:
                if let fault = process.watch?.check(at: moment) { end(process, because: "\(fault)", at: moment) }
            case .stopping(let by) where moment >= by:
                log.warning("it did not stop when told to and is killed", metadata: ["process": "\(process.name)"])
                process.child?.kill()
                process.state = .stopping(by: moment + .seconds(5))
            case .backingOff(let until) where moment >= until && stopBegan == nil: start(process)
            case .waiting where stopBegan == nil:
                if let startAt = process.startAt, moment >= startAt { start(process) }
            default: break
            }
        }
    }

    private func advanceRadio(at moment: Duration) {
        guard stopBegan == nil else { return }
        if radio.advance(to: moment) {
            log.notice("the radio is open", metadata: ["transport": "\(radio.name)"])
            if let core = processes["core"], core.isAlive { giveRadio(to: core) }
            noteChange()
        }
        if radio.problem != saidRadioProblem {
            if let problem = radio.problem { log.warning("\(problem)", metadata: ["transport": "\(radio.name)"]) }
            saidRadioProblem = radio.problem
            noteChange()
        }
    }

    // MARK: What processes say

    private func takeMessages(of process: ManagedProcess, at moment: Duration) {
        // A bounded number in one turn: whoever floods waits for the next one.
        for _ in 0..<16 {
            guard let control = process.control else { return }
            switch control.receive() {
            case .nothing: return
            case .closed:
                // What the end of the process means is known when it is known how it ended.
                process.control = nil
                return
            case .malformed: process.malformedCount += 1
            case .message(let message, let descriptor):
                if let descriptor { close(descriptor) }
                take(message, from: process, at: moment)
            }
        }
    }

    private func take(_ message: ControlMessage, from process: ManagedProcess, at moment: Duration) {
        switch message.verb {
        case "READY":
            guard process.state == .starting else { return }
            process.watch?.didBecomeReady(at: moment)
            process.become(.running, at: moment)
            noteChange()
            if process.kind == .core, !hasTheCoreBeenReady {
                hasTheCoreBeenReady = true
                systemd.tell("READY=1")
            }
        case "ALIVE": process.watch?.didGiveSign(at: moment)
        case "IDLE":
            process.watch?.didGiveSign(at: moment)
            // The plugin's own schedule; what it may not say is bounded, not refused: it is a plugin's wish, no more.
            process.wishedPause = message.values["after"].flatMap { Int64($0) }.map {
                .seconds(min(max($0, 1), 31 * 86_400))
            }
        case "ON-AIR" where process.kind == .core:
            radio.coreDidReport(secondsOnAir: message.values["seconds"].flatMap { Int($0) } ?? 0, at: moment)
        case "RADIO-LOST" where process.kind == .core: radio.wasLost(at: moment)
        default: process.malformedCount += 1
        }
    }

    private func takeReport(of process: ManagedProcess, at moment: Duration) {
        guard let child = process.child else { return }
        while let news = child.takeNews() {
            switch news {
            case .confined(let report):
                process.report = report
                if let socks = child.takeSocksListener() {
                    if let old = process.socks { close(old) }
                    process.socks = socks
                    tellEgress(of: process)
                }
                for part in report.missing where saidMissing.insert(part.primitive).inserted {
                    log.notice(
                        "not to be had here: \(part.reason)", metadata: ["confinement": "\(part.primitive.rawValue)"])
                }
            case .running: break
            case .refused(let report):
                process.report = report
                process.fault = report.refusal ?? "it could not be confined"
            case .notExecutable(let reason): process.fault = "its program cannot be started: \(reason)"
            case .broken(let reason): process.fault = reason
            }
            noteChange()
        }
    }

    private func takeExit(of process: ManagedProcess, at moment: Duration) {
        guard let child = process.child else { return }
        // What it said last, before what follows from its end.
        takeReport(of: process, at: moment)
        takeMessages(of: process, at: moment)
        while process.log?.read(at: moment) == true, process.log.map({ Self.isReadable($0.descriptor) }) == true {}
        guard let end = child.takeEnd() else { return }
        didEnd(process, end, at: moment)
    }

    private static func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    private func didEnd(_ process: ManagedProcess, _ end: SandboxedProcess.End, at moment: Duration) {
        let wasTold = if case .stopping = process.state { true } else { false }
        let isOrderly = end == .status(0) && process.fault == nil
        let pause = process.wishedPause
        let why = process.fault ?? Self.words(end, in: process)
        process.lastExit = isOrderly || (wasTold && process.fault == nil) ? nil : why
        process.clear()
        process.fault = nil
        noteChange()
        if process.kind == .core { radio.coreDidEnd(at: moment) }
        if process.kind == .plugin {
            processes["egress"]?.control?.send(ControlMessage("UNSOCKS", ["caller": process.name]))
        }
        if !isOrderly, !wasTold { log.warning("it ended: \(why)", metadata: ["process": "\(process.name)"]) }
        guard stopBegan == nil else {
            process.become(.waiting, at: moment)
            stopTheRest(at: moment)
            return
        }
        // What is no longer there or permitted is not started again, however it ended.
        if wasTold && process.lastExit == nil || process.kind == .plugin && process.allowance == nil {
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
            log.error("it failed too often and is left alone: \(why)", metadata: ["process": "\(process.name)"])
        }
    }

    /// How it ended, for people.
    private static func words(_ end: SandboxedProcess.End, in process: ManagedProcess) -> String {
        switch end {
        case .status(let status): return "it ended with status \(status)"
        case .signal(SIGSYS):
            return "it made a call of the system that it may not make; docs/sandbox.md says how to find out which"
        case .signal(SIGKILL):
            if let count = process.controlGroup?.memoryKillCount, count > 0 {
                return "the kernel ended it because it used up its memory (quotas.memory)"
            }
            return "it was killed (signal 9)"
        case .signal(let signal): return "it crashed or was ended by signal \(signal)"
        }
    }

    // MARK: Stopping

    private func takeSignals() {
        while case let signal = vigil_signal_take(signals), signal != 0 {
            if signal == SIGHUP { reload(isFirst: false) } else { stop() }
        }
    }

    /// In the order in which nobody misses anybody: plugins, then egress, then the core.
    private func stop() {
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
        let sent = process.control?.send("STOP")
        // Who does not take the message gets no time.
        let patience = sent == .sent ? (process.kind == .core ? Self.coreStopPatience : Self.stopPatience) : .zero
        process.become(.stopping(by: moment + patience), at: moment)
        noteChange()
    }

    /// Ends a process that is not well.
    func end(_ process: ManagedProcess, because fault: String, at moment: Duration) {
        process.fault = fault
        log.warning("it is ended: \(fault)", metadata: ["process": "\(process.name)"])
        process.child?.kill()
        // The exit arrives by its descriptor; until then nothing else is expected of it.
        process.watch = nil
        noteChange()
    }

    // MARK: Measuring

    private func measure(at moment: Duration) {
        for process in processes.values {
            guard let child = process.child else { continue }
            if let (memory, processor) = ProcessMeter.measure(child.processNumber) {
                // A tenth is worth telling.
                if max(memory, process.memory) - min(memory, process.memory) > process.memory / 10 { noteChange() }
                process.memory = memory
                if let fault = process.watch?.measure(memory: memory, processor: processor, at: moment) {
                    end(process, because: "\(fault)", at: moment)
                    continue
                }
            }
            guard process.kind == .plugin, let allowance = process.allowance, process.fault == nil else { continue }
            for (folder, limit) in [
                (stateFolder(process.name), allowance.quotas.state), (spoolFolder(process.name), allowance.quotas.spool),
            ] {
                let quota = FolderQuota(byteCount: UInt64(clamping: limit))
                if let usage = quota.measure(folder), quota.isExceeded(by: usage) {
                    end(
                        process, because: "\(Watch.Fault.folderTooLarge(usage.byteCount, limit: quota.byteCount))",
                        at: moment)
                    break
                }
            }
        }
    }

    // MARK: Files

    private func storeStartRecord() {
        do { try Folders.replace(startRecordPath, with: startRecord.bytes, mode: 0o644) } catch {
            log.warning("\(error)", metadata: ["while": "counting starts"])
        }
    }

    private func writeStateIfDue() {
        if stateChanged, stateWritten.map({ now - $0 >= Self.statePause }) ?? true { writeState() }
    }

    private func writeState() {
        let order = ["core": 0, "egress": 1]
        let list = processes.values.sorted { (order[$0.name] ?? 2, $0.name) < (order[$1.name] ?? 2, $1.name) }
        let json = SupervisorState.json(
            version: version, isSafeMode: isSafeMode, radio: radio.name, radioProblem: radio.problem.map { "\($0)" },
            problems: problems, processes: list, edges: edges, at: now)
        do {
            try Folders.replace("\(configuration.run)/\(SupervisorState.fileName)", with: json.bytes + [10], mode: 0o644)
        } catch { log.warning("\(error)") }
        stateChanged = false
        stateWritten = now
    }
}

/// Why a board cannot be run at all.
public struct SupervisorFailure: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
