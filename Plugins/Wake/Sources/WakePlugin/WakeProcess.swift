// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
public import Logging
public import ProcessLink
import Varlink
import VarlinkSocket
public import WakePlan

/// The wake plugin as a process: one loop on `poll` over the supervisor, the broker and those who ask what it does. What is decided is
/// decided in `WakePlan`; this only carries it out.
public final class WakeProcess {
    /// How the process ended.
    public enum End: Sendable, Equatable {
        /// The supervisor said so.
        case stopped
        /// The supervisor is gone.
        case abandoned
    }

    /// Why it cannot start, with what to do.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// How often the broker's connection is looked after although nothing comes: often enough for its keep-alive.
    private static let care = Duration.seconds(5)
    /// Until facts that could not be had are asked for again.
    private static let factsAgain = Duration.seconds(60)

    private let environment: ProcessEnvironment
    private let control: ControlSocket
    private let sender: any RegistrationSender
    private let log: Logger
    private let providers: Providers
    private let stateFolder: String
    private let store: RegistrationStore
    private let server = VarlinkServer()
    private let description: ServiceDescription
    private var random = SystemRandomNumberGenerator()

    private(set) var settings: WakeSettings
    private var engine: WakeEngine
    private var schedule: LinkSchedule
    private var registration: RegistrationPlan
    private var link: MosquittoLink?
    private var problem: LinkFailure?
    private var isWanted = false
    private var nextFacts: Duration?
    private var nextAlive = Duration.zero
    private var isReady = false
    private var end: End?

    /// - Parameters:
    ///   - sender: What brings registrations to their server.
    ///   - schedule: When to connect; a test is in more of a hurry than a fleet.
    public init(
        _ environment: ProcessEnvironment, control: ControlSocket, sender: any RegistrationSender, version: String,
        schedule: LinkSchedule.Limits = LinkSchedule.Limits(), log: Logger
    ) throws {
        guard let run = environment.run, let state = environment.state else {
            throw Failure(description: "VIGIL_RUN or VIGIL_STATE is not set: this program is started by `vigil run`")
        }
        self.environment = environment
        self.control = control
        self.sender = sender
        self.log = log
        providers = Providers(runFolder: run)
        stateFolder = state
        store = RegistrationStore(folder: state)
        settings = try Self.readSettings(run)
        engine = WakeEngine(limits: settings.limits)
        self.schedule = LinkSchedule(limits: schedule)
        registration = RegistrationPlan(store.load())
        description = try ServiceDescription(
            vendor: "Vigil", product: "Vigil wake", version: version, url: "https://varlink.org",
            interfaces: [InterfaceDescription(parsing: InterfaceTexts.all[Wake1.name] ?? "")])
        server.handler = { [weak self] call in self?.answer(call) }
    }

    /// Works until the supervisor has it stop, or is gone.
    public func run() -> End {
        while true {
            let now = Self.time()
            if now >= nextAlive {
                if isReady { control.send("ALIVE") }
                nextAlive = now + .seconds(environment.heartbeat) / 2
            }
            if isReady { work(at: now) }
            if let end {
                link?.leave()
                return end
            }
            wait()
        }
    }

    private func wait() {
        var entries = [pollfd(fd: control.descriptor, events: Int16(POLLIN), revents: 0)]
        let polled = link
        if let polled, let broker = polled.descriptor {
            let events = POLLIN | (polled.wantsToWrite ? POLLOUT : 0)
            entries.append(pollfd(fd: broker, events: Int16(events), revents: 0))
        }
        let own = entries.count
        entries += server.descriptors()
        var moments = [nextAlive, server.deadline]
        if isReady {
            moments += [engine.deadline, schedule.deadline, registration.deadline, nextFacts]
            if link != nil { moments.append(Self.time() + Self.care) }
        }
        let now = Self.time()
        let until = moments.compactMap { $0 }.min() ?? now
        let milliseconds = max(0, ((until - now) / .milliseconds(1)).rounded(.up))
        let count = poll(&entries, nfds_t(entries.count), Int32(min(milliseconds, 60_000)))
        let after = Self.time()
        server.serve(count > 0 ? Array(entries[own...]) : [], at: after)
        if entries[0].revents != 0, count > 0 { hear() }
        // Not one that was made meanwhile: the descriptor could have the same number.
        guard let link, link === polled else { return }
        serve(link, count > 0 && own > 1 ? Int32(entries[1].revents) : 0, at: after)
    }

    // MARK: What is due

    private func work(at now: Duration) {
        if nextFacts.map({ now >= $0 }) ?? false { observe(at: now) }
        register(at: now)
        if let deadline = engine.deadline, deadline <= now { tell(.time, at: now) }
        switch schedule.tick(at: now, using: &random) {
        case .connect: connect(at: now)
        case .disconnect: drop(LinkFailure(.unreachable))
        case nil: break
        }
    }

    private func tell(_ event: WakeEngine.Event, at now: Duration) {
        var actions = engine.handle(event, at: now, using: &random)[...]
        while let action = actions.popFirst() {
            switch action {
            case .askFreshness:
                let freshness = providers.freshness(unix: Self.unix())
                actions += engine.handle(.freshness(freshness), at: Self.time(), using: &random)
            case .syncNow:
                let isNoted = providers.syncNow()
                log.info(isNoted ? "sync asked for" : "the sync does not answer; it is asked again")
                actions += engine.handle(.syncAnswered(isNoted), at: Self.time(), using: &random)
            }
        }
    }

    private func observe(at now: Duration) {
        guard settings.profile == .checkIns else { return nextFacts = nil }
        guard let facts = providers.facts() else {
            nextFacts = now + min(Self.factsAgain, .seconds(settings.factsSeconds))
            return
        }
        nextFacts = now + .seconds(settings.factsSeconds)
        want(facts.isWanted, at: now)
        guard !settings.registrationURL.isEmpty else { return }
        let before = registration.record
        registration.observe(facts, at: now, unix: Self.unix())
        if registration.record != before { keepRegistration() }
    }

    private func want(_ isWanted: Bool, at now: Duration) {
        if isWanted != self.isWanted { log.notice(isWanted ? "wakes are wanted" : "wakes are of no use now") }
        self.isWanted = isWanted
        if isWanted { _ = schedule.want(true, at: now, using: &random) } else { disconnect(at: now) }
    }

    private func disconnect(at now: Duration) {
        _ = schedule.want(false, at: now, using: &random)
        link?.leave()
        link = nil
    }

    private func register(at now: Duration) {
        let before = registration.record
        guard let message = registration.due(at: now, using: &random) else { return }
        // On the disk before it is sent, or nobody could take it back.
        if registration.record != before, !keepRegistration() {
            registration.answered(false, at: now, unix: Self.unix())
            return
        }
        let isAccepted = sender.send(message, to: settings.registrationURL)
        let word = message.pushToken.isEmpty ? "deregistration" : "registration"
        log.info("\(word) \(isAccepted ? "accepted" : "failed; it is tried again")")
        registration.answered(isAccepted, at: Self.time(), unix: Self.unix())
        keepRegistration()
    }

    @discardableResult
    private func keepRegistration() -> Bool {
        let isKept = store.save(registration.record)
        if !isKept { log.error("the registration cannot be stored: see the plugin's state folder and its quota") }
        return isKept
    }

    // MARK: The broker

    private func connect(at now: Duration) {
        do throws(LinkFailure) {
            guard let socks = environment.socks.flatMap(SocksAddress.init) else { throw LinkFailure(.notGranted) }
            link = try MosquittoLink(settings, files: KeyFiles(settings, in: stateFolder), through: socks)
        } catch {
            lose(error, at: now)
        }
    }

    private func serve(_ link: MosquittoLink, _ events: Int32, at now: Duration) {
        do throws(LinkFailure) {
            let ends = POLLHUP | POLLERR
            for event in try link.serve(readable: events & (POLLIN | ends) != 0, writable: events & POLLOUT != 0) {
                switch event {
                case .open:
                    schedule.opened(at: now)
                    problem = nil
                    log.notice("the broker has let us in")
                    tell(.connected, at: now)
                case .message(let message): tell(.message(message), at: now)
                }
            }
        } catch {
            lose(error, at: now)
        }
    }

    private func lose(_ failure: LinkFailure, at now: Duration) {
        drop(failure)
        schedule.closed(isRefusal: failure.isRefusal, at: now, using: &random)
    }

    /// Written down when it is another trouble than before.
    private func drop(_ failure: LinkFailure) {
        link = nil
        if problem != failure { log.warning("\(failure)") }
        problem = failure
    }

    // MARK: The supervisor

    private func hear() {
        while end == nil {
            switch control.receive() {
            case .nothing: return
            case .closed: end = .abandoned
            case .malformed: log.warning("the supervisor said something that is not understood here")
            case .message(let message, let descriptor): obey(message, descriptor)
            }
        }
    }

    private func obey(_ message: ControlMessage, _ descriptor: Int32?) {
        switch message.verb {
        case "EDGE":
            guard let descriptor else { return }
            addEdge(message, descriptor)
            return
        case "UNEDGE": server.removeEdge(named: message.values["caller"] ?? "")
        case "START":
            guard !isReady else { break }
            isReady = true
            control.send("READY")
            begin()
        case "SETTINGS": takeSettings()
        case "STOP": end = .stopped
        default: break
        }
        if let descriptor { close(descriptor) }
    }

    private func begin() {
        let now = Self.time()
        if settings.profile == .always { want(true, at: now) } else { nextFacts = now }
    }

    private func takeSettings() {
        do {
            settings = try Self.readSettings(providers.runFolder)
        } catch {
            log.error("the settings stay as they were: \(error)")
            return
        }
        engine.limits = settings.limits
        // Everything may be another now: broker, login, region.
        disconnect(at: Self.time())
        isWanted = false
        problem = nil
        nextFacts = nil
        if isReady { begin() }
    }

    private func addEdge(_ message: ControlMessage, _ descriptor: Int32) {
        let name = message.values["caller"] ?? ""
        do {
            let listener = try VarlinkListener(adopting: descriptor)
            let grants = try Grants((message.values["grants"] ?? "").split(separator: ",").map(String.init))
            server.removeEdge(named: name)
            server.add(Edge(name: name, listener: listener, grants: grants, description: description))
        } catch {
            if error is VarlinkSocketError { close(descriptor) }
            log.error("a caller cannot be served: \(error)", metadata: ["caller": "\(name)"])
        }
    }

    private func answer(_ call: IncomingCall) {
        guard call.method == "\(Wake1.name).GetState" else { return }
        let counters = engine.counters
        call.reply(
            Wake1.StateReply(
                wanted: isWanted, connected: link?.isOpen ?? false, problem: problem.map { "\($0)" },
                secondsToSync: engine.deadline.map { max(0, ($0 - Self.time()).components.seconds) },
                registered: registration.record?.registered != nil,
                counters: Wake1.Counters(
                    connectionCount: counters.connections, messageCount: counters.messages,
                    nonEmptyCount: counters.payloads, retainedCount: counters.retained, mergedCount: counters.merged,
                    overLimitCount: counters.overBudget, freshCount: counters.fresh, syncCount: counters.syncs,
                    failureCount: counters.failures, registrationCount: registration.sentCount)))
    }

    private static func readSettings(_ folder: String) throws -> WakeSettings {
        let path = "\(folder)/settings.json"
        guard let bytes = PrivateFile.read(path) else {
            throw Failure(description: "\(path) cannot be read: give the plugin its settings in the grants file")
        }
        let settings: WakeSettings
        do throws(VarlinkError) {
            settings = try JSON(parsing: bytes).decode(WakeSettings.self)
        } catch {
            throw Failure(description: "the settings cannot be read: \(error)")
        }
        guard settings.problems.isEmpty else {
            throw Failure(description: "the settings do not fit: " + settings.problems.joined(separator: "; "))
        }
        return settings
    }

    /// Since the board was switched on, its sleep included: a window that was slept through is over.
    private static func time() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private static func unix() -> Int64 { Int64(Glibc.time(nil)) }
}
