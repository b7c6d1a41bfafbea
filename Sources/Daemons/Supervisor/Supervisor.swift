// SPDX-License-Identifier: Apache-2.0

import BoardClock
import BoardFile
import CLinux
import EventLoop
import GPIOLines
import Glibc
import HCITransport
import JSON
public import Logging
import PluginManifest
import Power
import ProcessLink
import Sandbox
import Supervision
import TimeTrust
import VarlinkSocket

/// Opens the radio, makes every socket, starts core, egress and plugins, each confined; watches them and starts them again
/// (docs/supervisor.md). One thread, one loop. It holds no secret, understands nothing that a process says but a few fixed words, and
/// never waits for anybody: what does not take a message in time is ended.
public final class Supervisor {
    /// How long a process may take to stop when told to. The contract says five seconds.
    static let stopTimeout = Duration.seconds(6)
    /// The core's radio has to be silenced in order.
    static let coreStopTimeout = Duration.seconds(4)
    /// How often memory, processor time and folders are looked at while a plugin runs.
    static let measurePause = Duration.seconds(5)
    /// How soon a plugin's folders are looked at after something was written there.
    static let lookPause = Duration.milliseconds(250)
    static let statePause = Duration.milliseconds(300)
    /// Turns of reading what a process said last: more than its pipe holds.
    static let lastLogTurns = 80
    /// A plugin with a schedule is started this long after the board: when the beacon is on air and things are quiet.
    static let firstRunDelay = Duration.seconds(2)
    static let wishesFolder = "wishes"

    let configuration: SupervisorConfiguration
    let programs: Programs
    let version: String
    let log: Logger
    /// Everybody's newest lines, for the technician's page.
    let kept: LogStore
    let radio: RadioHolder
    let lines: LineHolder
    let signals: Int32
    var systemd: SystemdNotifier
    var users: UserTable
    var edges = EdgeTable()
    var processes: [String: ManagedProcess] = [:]
    var files = PluginFiles()
    var problems: [String] = []
    /// `nil` where the network is not to be changed from the page.
    var network: NetworkConfigurator?
    /// What this board keeps of its fleet's configurations.
    var configurations: ConfigurationFolder
    var trial = ConfigurationTrial()
    /// What the board could do before the configuration on trial; `nil` without one.
    var before: Soundness?
    /// The lock on grants, while a configuration is put in force.
    var changing: GrantsStore.Lock?
    /// A trial that is over and whose grants are still there, because somebody else was changing them: why it is taken back, and when that is tried again.
    var leftTrial: (reason: String, again: Duration)?
    /// What becomes of the machine once everything has stopped; `nil`: nothing.
    var wantedOfMachine: MachineRestart.Action?
    /// The battery, where there is one.
    let power: BatteryMonitor
    /// Held while this supervisor is the one of its run folder.
    var lock: Int32 = -1
    /// What this machine gives for limits on groups of processes.
    let controlGroups: ControlGroups
    var said = Said()
    /// Not before the core has been started.
    var mayStart = false
    var starts: StartHistory
    /// What the system says became of its partitions.
    let partitions: [(name: String, words: String)]
    let started: Duration
    var upkeep: Upkeep
    /// The end of the last round in which processes were heard.
    var listenedUntil: Duration?
    var state = StateFreshness()
    var stopBegan: Duration?
    var hasTheCoreBeenReady = false
    /// The life of the core that was seen last.
    var lastLife: [UInt8]?

    let loop: EventLoop

    /// Since the board was switched on.
    var now: Duration { loop.now }

    /// Reads the files of the configuration, makes folders, and locks the run folder for this process; starts no
    /// process yet. Blocks while it uses the disk.
    /// - Parameters:
    ///   - programs: The executables that are started.
    ///   - version: The version of Vigil, for the technician's page.
    ///   - signals: The descriptor by which SIGTERM, SIGHUP and the like are read; the caller closes it.
    ///   - kept: The store of the log's newest lines.
    /// - Throws: `SupervisorFailure` if no transport is configured or another supervisor uses the run folder;
    ///   another error if a folder cannot be made. Faults in the board's file are reported, not thrown.
    public init(
        _ configuration: SupervisorConfiguration, programs: Programs, version: String, signals: Int32, log: Logger,
        kept: LogStore = LogStore()
    ) throws {
        guard let transport = configuration.transport else {
            throw SupervisorFailure(
                "no transport is configured: say where the controller is (transport in vigil.json, or --transport)")
        }
        self.configuration = configuration
        configurations = ConfigurationFolder(
            path: "\(configuration.data)/configuration", grants: configuration.grants)
        self.programs = programs
        self.version = version
        self.signals = signals
        self.log = log
        self.kept = kept
        systemd = SystemdNotifier()
        radio = RadioHolder(transport)
        var findings: [String] = []
        let board = Self.boardFile(configuration.board, &findings)
        lines = LineHolder(board?.lines)
        controlGroups = .own()
        loop = EventLoop()
        let begin = loop.now
        started = begin
        upkeep = Upkeep(measureAt: begin + Self.measurePause)
        systemd.begin(at: begin)
        try Folders.makePath(configuration.data, mode: 0o755)
        try Folders.makePath(configuration.run, mode: 0o755)
        users = UserTable(path: "\(configuration.data)/users", first: configuration.firstUser, findings: &findings)
        problems = findings
        let boot = BoardClock.bootIdentity().hexadecimal
        starts = StartHistory(data: configuration.data, boot: boot)
        partitions = configuration.partitions.map(PartitionReport.read) ?? []
        power = BatteryMonitor(
            folder: configuration.powerSupplies, rules: board?.power.battery, data: configuration.data, boot: boot,
            canSwitchOff: configuration.powerOff != nil, log: log, at: begin)
        storeStarts()
        try lockRunFolder()
        try makeFolders()
        for finding in findings { log.warning("\(finding)") }
        switch starts.lastEnd {
        case .killed: log.warning("Vigil did not stop in order before this start, and the board ran on")
        case .powerLost: log.notice("the power went before this start, or the board was started anew without a word")
        case .inOrder, nil: break
        }
        for partition in partitions where !partition.words.hasPrefix("good") {
            log.warning(
                "the partition was not in order",
                metadata: ["partition": "\(partition.name)", "state": "\(partition.words)"])
        }
        if starts.isSafeMode {
            log.error(
                "the last \(starts.count - 1) starts ended soon: safe mode, core and web page only. A start that lasts three minutes, or `vigil plugin start NAME`, ends it."
            )
        }
    }

    /// Runs the board on the calling thread; returns when all processes have stopped because the supervisor was
    /// told to stop, or a restart or switch-off of the machine is due. Returns `false` if that restart or
    /// switch-off failed: then this program has to be started again, because nothing runs.
    public func run() -> Bool {
        let begin = now
        // First of all: it says which change of the network is to be kept.
        recoverConfiguration()
        network?.begin(at: begin)
        writeNetwork()
        writeConfiguration()
        add(ManagedProcess("core", .core, rules: .core, at: begin))
        add(ManagedProcess("egress", .egress, rules: .egress, at: begin))
        reload(isFirst: true)
        join()
        // The beacon does not wait for anything that is not the beacon.
        if radio.advance(to: now) { noteChange() }
        // Before any plugin: who comes first has them.
        advanceLines(at: now)
        mayStart = true
        for name in starts.isSafeMode ? ["core"] : ["core", "egress"] {
            if let process = processes[name] { start(process) }
        }
        for process in plugins where process.state == .waiting && process.isResident { start(process) }
        writeStateIfDue()
        while !isOver { loop.turn() }
        radio.end()
        lines.end()
        removeSpools()
        writeState()
        unlink("\(configuration.run)/supervisor.pid")
        // It ended because somebody wanted it to: no boot loop.
        starts.finish()
        storeStarts()
        log.notice("stopped")
        switch wantedOfMachine {
        case .restart: return configuration.restart?.run(.restart, log) ?? true
        case .switchOff:
            // Before the power goes: what others have not written yet.
            sync()
            return configuration.powerOff?.run(.switchOff, log) ?? true
        case nil: return true
        }
    }

    var plugins: [ManagedProcess] { processes.values.filter { $0.kind == .plugin }.sorted { $0.name < $1.name } }

    func noteChange() { state.change() }

    private var isOver: Bool { stopBegan != nil && processes.values.allSatisfy { !$0.isAlive } }

    func advancePower(at moment: Duration) {
        guard stopBegan == nil else { return }
        switch power.advance(to: moment) {
        case .same: break
        case .changed:
            noteChange()
            if let core = processes["core"], core.isAlive { tellBattery(to: core) }
        case .stop:
            wantedOfMachine = .switchOff
            // Before it is told to stop, over the same socket: it is in the audit log when the core ends.
            if let core = processes["core"] { tell(core, ControlMessage("BATTERY", power.stopWords)) }
            stop()
        }
    }

    func advanceRadio(at moment: Duration) {
        guard stopBegan == nil else { return }
        if radio.advance(to: moment) {
            log.notice("the radio is open", metadata: ["transport": "\(radio.name)"])
            if let core = processes["core"], core.isAlive { giveRadio(to: core) }
            noteChange()
        }
        if radio.problem != said.radioProblem {
            if let problem = radio.problem { log.warning("\(problem)", metadata: ["transport": "\(radio.name)"]) }
            said.radioProblem = radio.problem
            noteChange()
        }
    }

    // MARK: Lights, buzzer and button

    /// What the board's file says; a file that cannot be used is said, and then there are none.
    private static func boardFile(_ path: String?, _ findings: inout [String]) -> BoardFile? {
        guard let path else { return nil }
        do throws(BoardFile.Refusal) {
            // A file that cannot be read, or is too long, is no JSON either.
            return try BoardFile(parsing: Folders.read(path, limit: BoardFile.maximumByteCount) ?? [])
        } catch {
            findings.append("the board's file \(path) is not used, so no lights, no button, no battery: \(error)")
            return nil
        }
    }

    func advanceLines(at moment: Duration) {
        guard stopBegan == nil else { return }
        if lines.advance(to: moment) {
            if let core = processes["core"], core.isAlive { giveButton(to: core) }
            for process in plugins where process.effectiveGrants?.lines.isEmpty == false {
                if process.isAlive { giveLines(to: process) } else if process.startAt != nil { process.startAt = moment }
            }
        }
        if lines.problem != said.lineProblem {
            if let problem = lines.problem {
                log.warning("\(problem)", metadata: ["while": "asking for lights and button"])
            }
            said.lineProblem = lines.problem
        }
    }

    // MARK: Files

    func storeStarts() {
        do { try starts.store() } catch { log.warning("\(error)", metadata: ["while": "counting starts"]) }
    }

    func writeStateIfDue() {
        if let due = state.due(after: Self.statePause), now >= due { writeState() }
    }

    private func writeState() {
        let order = ["core": 0, "egress": 1]
        let list = processes.values.sorted { (order[$0.name] ?? 2, $0.name) < (order[$1.name] ?? 2, $1.name) }
        writeProcesses(list, at: now)
        let json = SupervisorState.json(
            version: version, isSafeMode: starts.isSafeMode, radio: radio.name, radioProblem: radio.problem.map { "\($0)" },
            problems: problems, readCount: files.readCount, processes: list, edges: edges, at: now)
        do {
            try Folders.replace("\(configuration.run)/\(SupervisorState.fileName)", with: json.bytes + [10], mode: 0o644)
        } catch { log.warning("\(error)") }
        state.write(at: now)
    }
}

/// The reason why a board cannot be run at all.
public struct SupervisorFailure: Error, CustomStringConvertible {
    /// The reason and what to do, a sentence for the operator.
    public let description: String

    init(_ description: String) { self.description = description }
}
