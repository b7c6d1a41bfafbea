// SPDX-License-Identifier: Apache-2.0

import BoardClock
import CLinux
import GPIOLines
import Glibc
public import HCITransport
import Interfaces
public import Logging
import Radio
public import TimeTrust
public import VarlinkSocket

/// Runs an ``Appliance`` on a real transport and real clocks until it is told to stop, and serves its callers: one thread, one `poll`,
/// awake only when something is due. The radio comes first in every turn; a caller, or files being matched, never get more than a
/// few milliseconds before it comes again.
public final class CoreService {
    /// A controller that does not answer is not waited for longer than this when stopping: a little over a command's time-out.
    private static let stopPatience: Duration = .milliseconds(2_500)

    /// Shortest time between two versions of the state file.
    private static let statePause: Duration = .milliseconds(500)

    private let appliance: Appliance
    private let box: BlackBox
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

    private var transport: Transport?
    private var transportProblem: TransportFailure?
    private var openAt: BootInstant?
    private var stopBy: BootInstant?
    private var finalFailure: TransportFailure?
    /// Whether an inherited descriptor is gone: there will be no other in this life.
    private var isLostForGood = false
    private var unreadableClocks: Set<ClockFailure> = []
    /// When the code that only the start or a file of keys needed is given back; `nil` when it was.
    private var pagesDue: BootInstant?
    private var stateProblem: String?
    /// The board's button, if it has one.
    private var button: LineSet?
    private var stateWritten: BootInstant?
    private var writtenChanges: UInt64 = 0
    private var writtenProblem: TransportFailure?
    private var writtenCallers: CoreStatus.Callers?
    private var priority = RadioPriority()

    /// Without an `address` the radio is handed over by the supervisor at the other end of `link`, now or later, and callers with it.
    ///
    /// `signals` is a descriptor that becomes readable when the process is to stop (`vigil_signal_descriptor`); `server` has the
    /// sockets of the `callers`.
    public init(
        _ box: BlackBox, serving callers: [Caller], on server: VarlinkServer, bootIdentity: BootIdentity,
        transport address: TransportAddress?, supervisedBy link: SupervisorLink? = nil, runFolder: String,
        keeperFolder: String? = nil, signals: Int32, log: Logger
    ) {
        appliance = box.appliance
        self.box = box
        self.server = server
        interfaces = CoreInterfaces(box, callers: callers, clock: BoardClock.boot)
        self.address = address
        self.link = link
        self.bootIdentity = bootIdentity
        self.runFolder = runFolder
        self.signals = signals
        self.log = log
        stateFile = StateFile(folder: runFolder)
        started = BoardClock.boot()
        pagesDue = started.advanced(by: Self.pagesKept)
        openAt = address == nil ? nil : started
        box.transport.name = name
        let interfaces = interfaces
        if let link, let keeperFolder {
            interfaces.keeper = KeeperRoom(folder: keeperFolder, runFolder: runFolder) { link.send($0) }
        }
        interfaces.serve(on: server)
        server.shouldPause = { [unowned self] in isRadioCalling }
        server.clock = { BoardClock.boot().duration }
    }

    /// Whether the radio has something to do or to say: callers wait for it, however many there are.
    private var isRadioCalling: Bool {
        if BoardClock.boot() >= appliance.deadline { return true }
        guard let transport else { return false }
        var entry = pollfd(fd: transport.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Returns when it has stopped in good order because it was told to.
    ///
    /// Throws, after stopping in good order, when an inherited descriptor is no transport at all. One that is lost later stays lost:
    /// only who started this process can hand over another, and its number may be something else's by then. The state says so, and
    /// what was kept is still served. Every other transport is opened again and again.
    public func run() throws(TransportFailure) {
        appliance.advance(to: BoardClock.boot())
        // Once: a chip that disagreed with what was heard since would only be a worse clock.
        hearClockChip()
        box.takeFirstSecrets(at: BoardClock.boot())
        if let link { obey(link.takeOrders()) }
        while !isOver {
            obey()
            openIfDue()
            obey()
            // Files and databases, at midnight above all: not while the identifier changes.
            if !priority.isFirst {
                writeStateIfDue()
                box.transport.problem = transportProblem.map { "\($0)" }
                box.advance(to: BoardClock.boot())
                if stopBy == nil { box.advanceButton(to: BoardClock.boot()) }
                interfaces.tellScene(at: BoardClock.boot())
                if let due = interfaces.watchersDue, due <= BoardClock.boot() { interfaces.endWatchers() }
            }
            guard !isOver else { break }
            wait()
        }
        box.stop(at: BoardClock.boot())
        writeState()
        log.notice("stopped")
        if let finalFailure { throw finalFailure }
    }

    private var isOver: Bool {
        // What is in memory is of before the reset; the answer is on its way.
        if box.wasReset, !server.hasUnsent { return true }
        if appliance.isStopped { return true }
        guard let stopBy else { return false }
        return BoardClock.boot() >= stopBy
    }

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
            case .turnAway(let name):
                server.removeEdge(named: name)
                interfaces.removeCaller(named: name)
            case .useRadio(let descriptor):
                closeTransport()
                address = .inherited(descriptor: descriptor)
                isLostForGood = false
                box.transport.name = name
                openAt = BoardClock.boot()
            case .useButton(let descriptor): take(LineSet(adopting: descriptor))
            case .showBattery(let isLow): box.isBatteryLow = isLow
            case .noteBattery(let words):
                box.note(
                    .batteryStop, by: Caller(name: "supervisor", reading: .nothing, spool: nil, presence: "board"), words,
                    at: BoardClock.boot())
            case .answered(let answer): interfaces.keeper?.take(answer)
            case .refused(let problem): log.error("\(problem)", metadata: ["from": "supervisor"])
            case .stop: stop()
            }
        }
    }

    private func report() {
        guard let link else { return }
        let now = BoardClock.boot()
        link.report(secondsOnAir: box.radio(at: now).secondsToRotation, at: now.duration)
    }

    // MARK: Waiting

    private func wait() {
        report()
        var descriptors = [
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            // Negative numbers are passed over.
            pollfd(fd: link?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stopBy == nil ? button?.descriptor ?? -1 : -1, events: Int16(POLLIN), revents: 0),
        ]
        // Signals first: stopping must not wait behind a controller that never stops talking.
        if let transport {
            let events = transport.hasUnsent ? POLLIN | POLLOUT : POLLIN
            descriptors.append(pollfd(fd: transport.descriptor, events: Int16(events), revents: 0))
        }
        let start = BoardClock.boot()
        priority.look(
            rotationDue: appliance.rotationDue, isUnderWay: transport != nil && !appliance.radio.isSettled, at: start)
        let servesCallers = stopBy == nil && !priority.isFirst
        let job = descriptors.count
        if servesCallers, let descriptor = box.jobDescriptor {
            descriptors.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        }
        let sockets = descriptors.count
        if servesCallers { descriptors += server.descriptors() }
        var dues = [
            appliance.deadline, priority.due(rotationDue: appliance.rotationDue), openAt, stopBy,
            link.map { BootInstant($0.due) },
        ]
        if !priority.isFirst {
            dues += [
                stateDue, box.jobDeadline(at: start), box.stateDeadline(at: start),
                stopBy == nil ? box.accessDeadline(at: start) : nil, stopBy == nil ? box.buttonDeadline : nil,
                server.deadline.map { BootInstant($0) }, interfaces.watchersDue,
                interfaces.keeper?.due.map { BootInstant($0) },
            ]
        }
        let due = dues.compactMap { $0 }.min() ?? appliance.deadline
        // Rounded up: woken a little early, it would turn round and wait again.
        let left = (due.nanoseconds - start.nanoseconds + 999_999) / 1_000_000
        let count = poll(&descriptors, nfds_t(descriptors.count), Int32(clamping: max(left, 0)))
        if count > 0 {
            if descriptors[0].revents != 0 { takeSignals() }
            if job > 3, descriptors[3].revents != 0 { serveTransport() }
            if descriptors[2].revents != 0 { hearButton() }
            if let link, descriptors[1].revents != 0 { obey(link.takeOrders()) }
            if sockets < descriptors.count {
                server.serve(Array(descriptors[sockets...]), at: BoardClock.boot().duration)
            }
        }
        if !priority.isFirst {
            server.expire(at: BoardClock.boot().duration)
            interfaces.keeper?.expire(at: BoardClock.boot().duration)
        }
        if servesCallers {
            advanceJob(isCalled: job < sockets && descriptors[job].revents != 0)
            box.advanceAccess(at: BoardClock.boot())
        }
        appliance.advance(to: BoardClock.boot())
        if !priority.isFirst { releasePages() }
    }

    private func advanceJob(isCalled: Bool) {
        let now = BoardClock.boot()
        guard isCalled || box.jobDeadline(at: now).map({ $0 <= now }) ?? false else { return }
        box.advanceJob(at: now)
        pagesDue = BoardClock.boot().advanced(by: Self.pagesKept)
    }

    private static let pagesKept = Duration.seconds(5)
    private static let pagesPause = Duration.seconds(60)

    /// When the start, or the work for a caller's files, is over, and now and then: on boards of 512 MB, the four megabytes of code that
    /// only these needed are better spent elsewhere. Waits for a wake-up that comes anyway.
    private func releasePages() {
        guard let due = pagesDue, BoardClock.boot() >= due else { return }
        pagesDue = BoardClock.boot().advanced(by: Self.pagesPause)
        vigil_release_pages()
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
        box.cancelJobs()
        appliance.stop(at: now)
        stopBy = now.advanced(by: Self.stopPatience)
    }

    // MARK: The button

    private func take(_ lines: LineSet) {
        // What was pressed while nobody listened is nobody's wish; how it is now counts.
        _ = try? lines.takeEdges()
        button = lines
        box.connectButton(isPressed: lines.isActive ?? false, at: BoardClock.boot())
        log.notice("the button is there")
    }

    private func hearButton() {
        guard let button else { return }
        do throws(LineFailure) {
            let edges = try button.takeEdges()
            let now = BoardClock.boot()
            for edge in edges { box.moveButton(isPressed: edge.isActive, before: edge.age, at: now) }
        } catch {
            log.error("\(error)")
            self.button = nil
            box.disconnectButton()
        }
    }

    // MARK: The transport

    private func serveTransport() {
        guard let transport else { return }
        do throws(TransportFailure) {
            try transport.flush()
            let packets = try transport.receive()
            let now = BoardClock.boot()
            for packet in packets { appliance.receive(packet, at: now) }
            // Kept back until what came before it was taken; poll may not wake again for it.
            if let failure = transport.failure { throw failure }
        } catch {
            lose(error)
        }
    }

    private func obey() {
        while true {
            let actions = appliance.takeActions()
            if actions.isEmpty { return }
            for action in actions { obey(action) }
        }
    }

    private func obey(_ action: Appliance.Action) {
        switch action {
        case .send(let bytes):
            do throws(TransportFailure) { try transport?.send(bytes) } catch { lose(error) }
        case .reopenTransport(let delay):
            // An inherited descriptor cannot be had again: it is kept, and the controller set up anew.
            if address?.isInherited != true { closeTransport() }
            if !isLostForGood { openAt = BoardClock.boot().advanced(by: delay) }
        case .askForPowerCycle: break  // Said by the appliance; who can cut power reads it in the state.
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
            appliance.opened(at: BoardClock.boot())
        } catch {
            say(error)
            appliance.openFailed(at: BoardClock.boot())
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
        appliance.lost(at: BoardClock.boot())
        link?.askForRadio()
    }

    private func closeTransport() {
        transport?.close()
        transport = nil
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
            if let reading = try read() { appliance.heard(reading, at: BoardClock.boot()) }
        } catch {
            // A clock that cannot be read now cannot be read in five minutes either: once is enough.
            if unreadableClocks.insert(error).inserted { log.warning("\(error)") }
        }
    }

    /// When the state file has to be written; `nil` when it says what there is to say.
    private var stateDue: BootInstant? {
        guard appliance.changes != writtenChanges || transportProblem != writtenProblem || writtenCallers != callers else {
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
        var status = appliance.status(
            at: now, since: started, transport: name, transportProblem: transportProblem.map { "\($0)" })
        let callers = callers
        status.callers = callers
        let problem = stateFile.write(status)
        if let problem, problem != stateProblem {
            log.warning("the state file cannot be written: \(problem)", metadata: ["folder": "\(runFolder)"])
        }
        stateProblem = problem
        stateWritten = now
        writtenChanges = appliance.changes
        writtenProblem = transportProblem
        writtenCallers = callers
    }
}

extension TransportAddress {
    fileprivate var isInherited: Bool { if case .inherited = self { true } else { false } }
}
