// SPDX-License-Identifier: Apache-2.0

import CLinux
import EventLoop
import Glibc
import Interfaces
public import Logging
public import ProcessLink
import Socks
import SystemCalls
import Varlink
import VarlinkSocket

/// The only process that opens connections to the outside: one loop that serves the callers' listeners, their connections,
/// the supervisor, and calls about the traffic (docs/egress.md).
public final class EgressService {
    /// The reason why the service ended; both are ends in order.
    public enum End: Sendable, Equatable {
        /// The supervisor ordered it to stop.
        case stopped
        /// The supervisor's connection was closed: no process watches this one any more.
        case abandoned
    }

    enum Proxy {
        case none
        case through(UpstreamProxy)
        /// The operator wants one, and it cannot be read: nothing may go around it.
        case unusable
    }

    /// Callers at a time.
    static let callerLimit = 32
    private static let acceptsInARow = 16
    private static let acceptPause = Duration.milliseconds(500)
    /// Descriptors beside the connections: standard ones, control, resolver, listeners, callers of the interface.
    private static let otherDescriptors = 64

    let limits: EgressLimits
    let resolver: Resolver
    let buffer: UnsafeMutableRawBufferPointer
    let loop = EventLoop()
    var isMetered = false
    var proxy = Proxy.none

    let control: ControlSocket
    private let heartbeat: Duration
    let log: Logger
    let server = VarlinkServer()
    let description: ServiceDescription
    var callers: [String: Caller] = [:]
    var sessions: [ObjectIdentifier: Session] = [:]
    /// At the latest, all deadlines are looked at again then.
    private var nextSweep: Duration?
    private var nextAlive: Duration
    var stopsAt: Duration?
    var isReady = false
    var end: End?
    var strangeMessages = 0

    /// Creates a service without callers; the supervisor names them, once it runs. Raises this process's soft limit
    /// on descriptors, up to 4096 or the hard limit.
    ///
    /// - Parameters:
    ///   - control: This end of the connection to the supervisor.
    ///   - heartbeat: The longest time between two signs of life that the supervisor permits; once the service
    ///     serves, it sends them twice as often.
    ///   - version: The version that `org.varlink.service.GetInfo` returns.
    ///   - limits: The limits. ``EgressLimits/connections`` is lowered to a third of the descriptors that the
    ///     system permits beyond 64, but not below 8.
    ///   - lookup: The function that looks names up, on other threads; the default is the system's resolver.
    ///   - log: The log for refusals and faults.
    /// - Throws: `ControlFailure` if the system gives no pipe for the resolver.
    public init(
        control: ControlSocket, heartbeat: Duration, version: String, limits: EgressLimits = EgressLimits(),
        lookup: @escaping NameLookup = SystemResolver.lookup, log: Logger
    ) throws(ControlFailure) {
        guard let resolver = Resolver(lookup) else { throw ControlFailure(.system(errno)) }
        self.resolver = resolver
        self.control = control
        self.heartbeat = heartbeat
        self.log = log
        var limits = limits
        limits.connections = min(limits.connections, Self.connectionsForDescriptors())
        self.limits = limits
        description = Self.description(version)
        buffer = .allocate(byteCount: Flow.readSize, alignment: 64)
        nextAlive = loop.now
        server.handler = { [weak self] call in try self?.answer(call) }
        join()
    }

    deinit { buffer.deallocate() }

    /// Runs the service on the calling thread until the supervisor stops it or is gone, and returns which. After an
    /// order to stop, open connections have ``EgressLimits/stop`` to end by themselves; the others are closed.
    /// Names are resolved on other threads.
    public func run() -> End {
        while true {
            // After each round, whatever happened in it. Not a part of the loop: that would look at a thousand connections once more.
            updateListeners(at: loop.now)
            if let stopsAt, loop.now >= stopsAt || sessions.isEmpty { end = end ?? .stopped }
            if let end {
                for session in Array(sessions.values) { session.cut(nil, at: loop.now) }
                return end
            }
            loop.turn()
        }
    }

    /// What is there from the start; listeners and connections join when they come.
    private func join() {
        // The code of the start is most of what is mapped, and not needed again.
        loop.beforeLongWaits { vigil_release_pages() }
        loop.whenDue({ [unowned self] in nextAlive }) { [unowned self] in beat(at: $0) }
        loop.watch(control.descriptor, for: .reading) { [unowned self] _ in hear(at: loop.now) }
        loop.watch(resolver.descriptor, for: .reading) { [unowned self] _ in
            for (result, requesters) in resolver.takeAnswers() {
                for session in requesters { session.resolved(result, at: loop.now) }
            }
        }
        loop.join(
            descriptors: { [unowned self] in server.descriptors() }, deadline: { [unowned self] in server.deadline },
            begin: { [unowned self] in server.begin($0, at: $1) }, proceed: { [unowned self] in server.proceed(at: $0) })
        // After what is ready: whoever has said something in time is heard before it is too late.
        loop.whenDue({ [unowned self] in nextSweep }, rank: .work) { [unowned self] in sweep(at: $0) }
        let next = { [unowned self] in
            (callers.values.filter(\.isServed).map(\.acceptsAgain) + [stopsAt]).compactMap { $0 }.min()
        }
        // Only to end the wait: `run()` looks at them after each round.
        loop.whenDue(next) { _ in }
    }

    private func beat(at now: Duration) {
        if isReady { control.send("ALIVE") }
        nextAlive = now + heartbeat / 2
    }

    // MARK: Connections

    /// Has all deadlines looked at no later than that.
    func wake(at deadline: Duration) { nextSweep = min(nextSweep ?? deadline, deadline) }

    func ended(_ session: Session) { sessions[ObjectIdentifier(session)] = nil }

    private func sweep(at now: Duration) {
        guard let due = nextSweep, due <= now else { return }
        nextSweep = nil
        for session in Array(sessions.values) { session.tick(at: now) }
        nextSweep = sessions.values.lazy.map(\.deadline).min()
    }

    func accept(for caller: Caller, at now: Duration) {
        for _ in 0..<Self.acceptsInARow {
            guard caller.isServed, caller.unserved < limits.unservedPerCaller, sessions.count < limits.connections else {
                return
            }
            switch Socket.accept(caller.listener) {
            case .wait, .failed(ECONNABORTED): return
            case .failed(let error):
                // The connection stays in the queue and the listener ready: asking again at once would spin.
                caller.acceptsAgain = now + Self.acceptPause
                log.warning(
                    "no connection can be accepted: \(String(cString: strerror(error)))",
                    metadata: ["caller": "\(caller.name)"])
                return
            case .done(let descriptor):
                let session = Session(Int32(descriptor), of: caller, in: self, at: now)
                sessions[ObjectIdentifier(session)] = session
                wake(at: session.deadline)
            }
        }
    }

    /// A caller that has enough connections open that lead nowhere waits; so does everybody when there are no descriptors left.
    private func updateListeners(at now: Duration) {
        for caller in callers.values where caller.isServed {
            if let again = caller.acceptsAgain, now >= again { caller.acceptsAgain = nil }
            let mayAccept =
                caller.unserved < limits.unservedPerCaller && sessions.count < limits.connections
                && caller.acceptsAgain == nil && stopsAt == nil
            caller.watch?.interest = mayAccept ? .reading : []
        }
    }

    /// Counts a refusal and writes it down, unless it was written before.
    func note(_ refusal: Refusal, of caller: Caller, at now: Duration) {
        caller.count(refusal)
        let (isWritten, silentBefore) = caller.log.note(refusal, at: now)
        guard isWritten else { return }
        var metadata: Logger.Metadata = ["caller": "\(caller.name)", "rule": "\(refusal.rule.rawValue)"]
        if silentBefore > 0 { metadata["notShown"] = "\(silentBefore)" }
        log.warning("\(refusal.text(for: caller.name))", metadata: metadata)
    }

    private static func description(_ version: String) -> ServiceDescription {
        do {
            return try ServiceDescription(
                vendor: "Vigil", product: "Vigil egress", version: version, url: "https://varlink.org",
                interfaces: [InterfaceDescription(parsing: InterfaceTexts.all[Egress1.name] ?? "")])
        } catch {
            preconditionFailure("the interface's text is part of this program: \(error)")
        }
    }

    /// As many connections as descriptors are good for, each with two and a third while addresses are tried. The soft limit is raised as
    /// far as that takes, and as it may be.
    private static func connectionsForDescriptors() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 256 }
        let wanted = min(limit.rlim_max, 4096)
        if limit.rlim_cur < wanted {
            limit.rlim_cur = wanted
            _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            _ = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return max(8, (Int(clamping: limit.rlim_cur) - otherDescriptors) / 3)
    }
}
