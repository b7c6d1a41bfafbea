// SPDX-License-Identifier: Apache-2.0

import BoardClock
import CLinux
import EventLoop
import GPIOLines
import Glibc
public import HCITransport
import Interfaces
public import Logging
import ProcessLink
import Radio
public import TimeTrust
public import VarlinkSocket

/// Runs a ``Beacon`` on a real transport and real clocks until it is told to stop, and serves its callers, in one thread
/// and one loop that wakes only when something is due. The loop serves the radio first (``EventLoop``): a caller, or the
/// matching of files, never takes more than a few milliseconds before the radio's next turn.
public final class CoreService {
    /// A controller that does not answer is not waited for longer than this when stopping: a little over a command's time-out.
    private static let stopTimeout: Duration = .milliseconds(2_500)

    /// After a reset or a change of role, answers on their way are waited for no longer than this: a caller who does not read must not keep alive
    /// what is in memory. Longer than an edge rests after a turn of half a second.
    private static let lingering: Duration = .seconds(4)

    /// Shortest time between two versions of the state file.
    private static let statePause: Duration = .milliseconds(500)

    private let beacon: Beacon
    private let service: ExposureService
    private let server: VarlinkServer
    private let interfaces: CoreInterfaces
    private var address: TransportAddress?
    private let link: SupervisorLink?
    private let runFolder: String
    private let log: Logger
    private let stateFile: StateFile
    private let started: BootInstant
    private let bootIdentity: BootIdentity
    private let signals: Int32
    private let loop = EventLoop()

    private var transport: Transport?
    private var transportProblem: TransportFailure?
    private var openAt: BootInstant?
    private var stopBy: BootInstant?
    /// When answers are waited for no more; `nil` before a reset or a change of role.
    private var lingersUntil: BootInstant?
    private var finalFailure: TransportFailure?
    /// Whether an inherited descriptor is gone: there will be no other in this life.
    private var isLostForGood = false
    private var unreadableClocks: Set<ClockFailure> = []
    private var stateProblem: String?
    /// The board's button, if it has one.
    private var button: LineSet?
    private var stateWritten: BootInstant?
    private var writtenChanges: UInt64 = 0
    private var writtenProblem: TransportFailure?
    private var writtenCallers: CoreStatus.Callers?
    private var priority = RadioPriority()

    /// Creates a service that joins the core to its radio, its callers and its supervisor. Nothing is opened before
    /// ``run()``; the server's handlers are set at once.
    ///
    /// Without an `address`, the supervisor at the other end of `link` hands over the radio and the callers, now or later.
    ///
    /// `signals` is a descriptor that becomes readable with a signal (`vigil_signal_descriptor`): SIGHUP makes the core
    /// read the clocks, any other signal stops it. `server` has the sockets of the `callers`. `runFolder` is the folder of
    /// the state file. `technicianFolder` is the folder of the supervisor's files; with `nil` the technician cannot reach
    /// the supervisor.
    public init(
        _ service: ExposureService, serving callers: [Caller], on server: VarlinkServer, bootIdentity: BootIdentity,
        transport address: TransportAddress?, supervisedBy link: SupervisorLink? = nil, runFolder: String,
        technicianFolder: String? = nil, signals: Int32, log: Logger
    ) {
        beacon = service.beacon
        self.service = service
        self.server = server
        interfaces = CoreInterfaces(service, callers: callers, clock: BoardClock.boot)
        self.address = address
        self.link = link
        self.bootIdentity = bootIdentity
        self.runFolder = runFolder
        self.signals = signals
        self.log = log
        stateFile = StateFile(folder: runFolder)
        started = BoardClock.boot()
        openAt = address == nil ? nil : started
        service.note(TransportNote(name: name))
        let interfaces = interfaces
        if let link, let technicianFolder {
            interfaces.supervisor = SupervisorClient(folder: technicianFolder, runFolder: runFolder) { link.send($0) }
        }
        if let link {
            service.announcer.listen { news in if news == .doorCode { _ = link.send(ControlMessage("FETCH")) } }
        }
        interfaces.serve(on: server)
        server.shouldPause = { [unowned loop] in loop.isCalled(above: .callers) }
        server.clock = { BoardClock.boot().duration }
    }

    /// Runs until the service has stopped in order, because it was told to, everything was erased, or the device got
    /// another role. Blocks the calling thread until then.
    ///
    /// - Throws: `TransportFailure`, after stopping in order, if an inherited descriptor is not a transport. One that is
    ///   lost later stays lost, because only the process that started this one can hand over another; the state then says
    ///   so, and stored data are still served. Every other transport is opened again and again.
    public func run() throws(TransportFailure) {
        beacon.advance(to: BoardClock.boot())
        // Once: a chip that disagreed with what was heard since would only be a worse clock.
        hearClockChip()
        service.signIn.takeFirstSecrets(at: BoardClock.boot())
        if let link { obey(link.takeOrders()) }
        obey()
        openIfDue()
        // Once before the first wait: when the core says that it is ready, the state file is there.
        work()
        report()
        join()
        while !isOver { loop.turn() }
        service.endRecording(at: BoardClock.boot())
        service.stop(at: BoardClock.boot())
        writeState()
        log.notice("stopped")
        if let finalFailure { throw finalFailure }
    }

    private var isOver: Bool {
        // What is in memory is of before the reset, or of another role; the answer is on its way.
        if lifeHasEnded, !server.hasUnsent || lingersUntil.map({ BoardClock.boot() >= $0 }) == true { return true }
        if beacon.isStopped { return true }
        guard let stopBy else { return false }
        return BoardClock.boot() >= stopBy
    }

    private var lifeHasEnded: Bool { service.wasReset || service.roleHasChanged }

    /// Where the controller is, for people.
    private var name: String { link?.radioName ?? address.map { "\($0)" } ?? "none" }

    // MARK: The supervisor

    private func obey(_ orders: [SupervisorLink.Order]) {
        for order in orders {
            switch order {
            case .serve(let caller, let edge):
                server.removeEdge(named: edge.name)
                server.add(edge)
                interfaces.add(caller)
                // After a start of the core alone: what a place broadcasts was only in its memory.
                if caller.takesDoorCodes, service.role == .place { _ = link?.send(ControlMessage("FETCH")) }
            case .turnAway(let name):
                server.removeEdge(named: name)
                interfaces.removeCaller(named: name)
            case .useRadio(let descriptor):
                closeTransport()
                address = .inherited(descriptor: descriptor)
                isLostForGood = false
                noteTransport()
                openAt = BoardClock.boot()
            case .useButton(let descriptor): take(LineSet(adopting: descriptor))
            case .showBattery(let isLow): service.noteBattery(isLow: isLow)
            case .noteBattery(let words):
                service.auditWriter.note(
                    .batteryStop, Caller(name: "supervisor", reading: .nothing, spool: nil, presence: "board"),
                    at: BoardClock.boot(), words)
            case .answered(let answer): interfaces.supervisor?.take(answer)
            case .refused(let problem): log.error("\(problem)", metadata: ["from": "supervisor"])
            case .stop: stop()
            }
        }
    }

    private func report() {
        guard let link else { return }
        let now = BoardClock.boot()
        link.report(
            secondsOnAir: service.radio(at: now).secondsToRotation, isWanted: service.beacon.isEnabled, at: now.duration)
    }

    // MARK: The loop

    /// Joins each part of the core: when it is called, and what it does then.
    private func join() {
        // On boards of 512 MB, the four megabytes of code that only a start or a file of keys needs are better spent elsewhere.
        loop.beforeLongWaits { vigil_release_pages() }
        // Packets to send, the controller's packets, and the moment when an identifier is due.
        loop.join(
            rank: .radio, descriptors: { [unowned self] in transport.map { [Self.entry($0)] } ?? [] },
            deadline: { [unowned self] in beacon.hasActions ? .zero : beacon.deadline.duration },
            serve: { [unowned self] ready, _ in
                if !ready.isEmpty { serveTransport() }
                beacon.advance(to: BoardClock.boot())
                obey()
            })
        // No callers, files or databases while the radio is given commands, above all at midnight.
        loop.holdBack(
            from: .callers, until: { [unowned self] in priority.due(rotationDue: beacon.rotationDue)?.duration },
            while: { [unowned self] in
                priority.look(
                    rotationDue: beacon.rotationDue, isUnderWay: transport != nil && !beacon.radio.isSettled,
                    at: BoardClock.boot())
                return priority.isFirst
            })

        loop.whenDue({ [unowned self] in stopBy == nil ? openAt?.duration : nil }) { [unowned self] _ in openIfDue() }
        // Only to end the wait: `run()` looks at it after each round.
        loop.whenDue({ [unowned self] in [stopBy, lingersUntil].compactMap { $0?.duration }.min() }) { _ in }

        loop.watch(signals, for: .reading) { [unowned self] _ in takeSignals() }
        loop.watchCurrent({ [unowned self] in stopBy == nil ? button?.descriptor : nil }) { [unowned self] _ in
            hearButton()
        }
        if let link {
            loop.watchCurrent({ link.descriptor }) { [unowned self] _ in obey(link.takeOrders()) }
            loop.inEveryRound(rank: .control, orAt: { link.due }) { [unowned self] _ in report() }
        }

        loop.join(
            rank: .callers, descriptors: { [unowned self] in stopBy == nil ? server.descriptors() : [] },
            deadline: { [unowned self] in stopBy == nil ? server.deadline : nil },
            begin: { [unowned self] in server.begin($0, at: $1) }, proceed: { [unowned self] in server.proceed(at: $0) })
        loop.whenDue({ [unowned self] in interfaces.supervisor?.due }, rank: .callers) { [unowned self] in
            interfaces.supervisor?.expire(at: $0)
        }
        joinWork()
    }

    private static func entry(_ transport: Transport) -> pollfd {
        pollfd(
            fd: transport.descriptor, events: Int16(transport.hasUnsent ? POLLIN | POLLOUT : POLLIN), revents: 0)
    }

    private func joinWork() {
        loop.join(
            rank: .work,
            descriptors: { [unowned self] in
                guard stopBy == nil, let descriptor = service.jobDescriptor else { return [] }
                return [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
            }, deadline: { [unowned self] in stopBy == nil ? service.jobDeadline(at: BoardClock.boot())?.duration : nil },
            serve: { [unowned self] _, _ in service.advanceJob(at: BoardClock.boot()) })
        loop.whenDue({ [unowned self] in service.recordingDeadline?.duration }, rank: .work) { [unowned self] _ in
            service.advanceRecording(to: BoardClock.boot())
        }
        let accessDue = { [unowned self] in
            stopBy == nil ? service.signIn.deadline(at: BoardClock.boot(), in: beacon.workWindow)?.duration : nil
        }
        loop.whenDue(accessDue, rank: .work) { [unowned self] _ in
            service.signIn.advance(at: BoardClock.boot(), in: beacon.workWindow)
        }
        loop.inEveryRound(orAt: { [unowned self] in workDue?.duration }) { [unowned self] _ in work() }
    }

    /// When ``work()`` has something to do.
    private var workDue: BootInstant? {
        [
            stateDue, service.stateDeadline(at: BoardClock.boot()), stopBy == nil ? service.buttonDeadline : nil,
            stopBy == nil ? service.reminderDeadline(at: BoardClock.boot()) : nil, interfaces.watchersDue,
        ].compactMap { $0 }.min()
    }

    /// Files and databases, and news for callers.
    private func work() {
        if lifeHasEnded, lingersUntil == nil { lingersUntil = BoardClock.boot().advanced(by: Self.lingering) }
        guard !isOver else { return }
        writeStateIfDue()
        noteTransport()
        service.advance(to: BoardClock.boot())
        if stopBy == nil { service.advanceButton(to: BoardClock.boot()) }
        interfaces.tellScene(at: BoardClock.boot())
        if let due = interfaces.watchersDue, due <= BoardClock.boot() { interfaces.endWatchers() }
    }

    private func takeSignals() {
        while case let signal = vigil_signal_take(signals), signal != 0 {
            guard signal == SIGHUP else {
                stop()
                continue
            }
            log.debug("asked to look at the clocks")
            hearClocks()
        }
    }

    private func stop() {
        guard stopBy == nil else { return }
        let now = BoardClock.boot()
        service.cancelJobs()
        beacon.stop(at: now)
        stopBy = now.advanced(by: Self.stopTimeout)
    }

    // MARK: The button

    private func take(_ lines: LineSet) {
        // What was pressed while nobody listened is nobody's wish; how it is now counts.
        _ = try? lines.takeEdges()
        button = lines
        service.connectButton(isPressed: lines.isActive ?? false, at: BoardClock.boot())
        log.notice("the button is there")
    }

    private func hearButton() {
        guard let button else { return }
        do throws(LineFailure) {
            let edges = try button.takeEdges()
            let now = BoardClock.boot()
            for edge in edges { service.moveButton(isPressed: edge.isActive, before: edge.age, at: now) }
        } catch {
            log.error("\(error)")
            self.button = nil
            service.disconnectButton()
        }
    }

    // MARK: The transport

    private func serveTransport() {
        guard let transport else { return }
        do throws(TransportFailure) {
            try transport.flush()
            let packets = try transport.receive()
            let now = BoardClock.boot()
            for packet in packets {
                service.recorder?.take(packet, at: now)
                beacon.receive(packet, at: now)
            }
            // Kept back until what came before it was taken; poll may not wake again for it.
            if let failure = transport.failure { throw failure }
        } catch {
            lose(error)
        }
    }

    private func obey() {
        while true {
            let actions = beacon.takeActions()
            if actions.isEmpty { return }
            for action in actions { obey(action) }
        }
    }

    private func obey(_ action: Beacon.Action) {
        switch action {
        case .send(let bytes):
            service.noteForRecording(bytes, at: BoardClock.boot())
            do throws(TransportFailure) { try transport?.send(bytes) } catch { lose(error) }
        case .reopenTransport(let delay):
            // An inherited descriptor cannot be had again: it is kept, and the controller set up anew.
            if address?.isInherited != true { closeTransport() }
            if !isLostForGood { openAt = BoardClock.boot().advanced(by: delay) }
        case .askForPowerCycle: break  // Said by the beacon; who can cut power reads it in the state.
        case .readClocks: hearClocks()
        }
    }

    private func openIfDue() {
        guard let due = openAt, BoardClock.boot() >= due, stopBy == nil else { return }
        openAt = nil
        guard let address else { return }
        do throws(TransportFailure) {
            if transport == nil { transport = try Transport.open(address) }
            if transportProblem != nil { log.notice("the transport is open again") }
            transportProblem = nil
            beacon.opened(at: BoardClock.boot())
        } catch {
            say(error)
            beacon.openFailed(at: BoardClock.boot())
            guard address.isInherited else { return }
            if let link { return link.askForRadio() }
            // Whoever started this has made a mistake that waiting does not mend.
            finalFailure = error
            stop()
        }
    }

    private func lose(_ failure: TransportFailure) {
        guard transport != nil else { return }
        closeTransport()
        isLostForGood = address?.isInherited == true
        say(failure)
        beacon.lost(at: BoardClock.boot())
        link?.askForRadio()
    }

    private func closeTransport() {
        transport?.close()
        transport = nil
    }

    private func noteTransport() {
        service.note(TransportNote(name: name, problem: transportProblem.map { "\($0)" }))
    }

    /// Once per kind of failure: a controller that is away for a day is one line.
    private func say(_ failure: TransportFailure) {
        if transportProblem != failure { log.warning("\(failure)", metadata: ["transport": "\(name)"]) }
        transportProblem = failure
    }

    // MARK: Clocks and state

    private func hearClockChip() { hear { () throws(ClockFailure) in try ClockChip.read() } }

    private func hearClocks() {
        hear { () throws(ClockFailure) in
            try OperatorTime.take(from: runFolder, at: BoardClock.boot(), of: bootIdentity)
        }
        hear { () throws(ClockFailure) in try KernelClock.read() }
    }

    private func hear(_ read: () throws(ClockFailure) -> TrustedTime.PlausibleReading?) {
        do throws(ClockFailure) {
            if let reading = try read() { beacon.heard(reading, at: BoardClock.boot()) }
        } catch {
            // A clock that cannot be read now cannot be read in five minutes either: once is enough.
            if unreadableClocks.insert(error).inserted { log.warning("\(error)") }
        }
    }

    /// When the state file has to be written; `nil` when it says what there is to say.
    private var stateDue: BootInstant? {
        guard beacon.changes != writtenChanges || transportProblem != writtenProblem || writtenCallers != callers else {
            return nil
        }
        return stateWritten?.advanced(by: Self.statePause) ?? started
    }

    private var callers: CoreStatus.Callers {
        let counters = server.counters
        return CoreStatus.Callers(
            deniedCalls: counters.deniedCalls, refusedUsers: counters.refusedUsers,
            refusedConnections: counters.refusedConnections, protocolErrors: counters.protocolErrors,
            slowReaders: counters.slowReaders, unfinishedMessages: counters.unfinishedMessages)
    }

    private func writeStateIfDue() {
        if let stateDue, BoardClock.boot() >= stateDue { writeState() }
    }

    private func writeState() {
        let now = BoardClock.boot()
        var status = beacon.status(
            at: now, since: started, transport: name, transportProblem: transportProblem.map { "\($0)" })
        let callers = callers
        status.callers = callers
        let problem = stateFile.write(status)
        if let problem, problem != stateProblem {
            log.warning("the state file cannot be written: \(problem)", metadata: ["folder": "\(runFolder)"])
        }
        stateProblem = problem
        stateWritten = now
        writtenChanges = beacon.changes
        writtenProblem = transportProblem
        writtenCallers = callers
    }
}

extension TransportAddress {
    fileprivate var isInherited: Bool { if case .inherited = self { true } else { false } }
}
