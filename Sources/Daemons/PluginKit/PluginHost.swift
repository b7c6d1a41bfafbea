// SPDX-License-Identifier: Apache-2.0

import CLinux
public import EventLoop
import Glibc
public import Logging
import ProcessLink
import Varlink
import VarlinkSocket

/// The plugin's connection to the board: its name, loop, log and storage, the interfaces that it serves and the calls that
/// it makes. All of it belongs to the loop's thread.
public class PluginHost {
    /// The plugin's own name, as its manifest has it: `[a-z][a-z0-9-]{0,31}`.
    public let name: String
    /// The loop that runs all of the plugin's code except jobs (``work(_:then:)``).
    public let loop: PluginLoop
    /// The plugin's log; entries go to the supervisor through standard error.
    public var log: Logger
    /// The absolute path of the plugin's folder for files that it hands to the core by file name; `nil` if it has none.
    public let spool: String?
    /// The absolute path of the plugin's folder for lasting files; `nil` if it has none.
    /// ``storage(limit:slotBytes:hasPatches:)`` keeps single values there.
    public let state: String?
    /// The absolute path of the folder with the plugin's manifest, which it may read; `nil` under an older supervisor.
    public let folder: String?
    /// The address of the SOCKS5 proxy through which the plugin reaches the outside, as `[user:password@]host:port`; `nil`
    /// if no endpoint was granted. Give the proxy host names, not addresses: it resolves them.
    public let socks: String?
    /// The closure that is called once on the loop before the plugin ends. The supervisor waits 5 seconds for the whole
    /// end. `nil` if nothing is to be done.
    public var onStop: (() -> Void)?
    /// The closure that is called when the supervisor hands over a listening TCP socket: it gets the socket's name in the
    /// manifest, and the descriptor, which it owns from then on. Sockets that are there at the start come before
    /// ``onStart``. While the closure is `nil`, sockets are closed as they come, with a warning in the log.
    public var onListen: ((_ name: String, _ descriptor: Int32) -> Void)?
    /// The closure that is called when the supervisor hands over lines of the board: it gets `lights` or `buzzer`; the
    /// colours of the lights, in the order of the lines, in the words of the board's file (empty for a buzzer); and the
    /// descriptor, which it owns from then on (`LineSet`). Lines that are there at the start come before ``onStart``,
    /// others when the board has them. While the closure is `nil`, lines are closed as they come, with a warning in the
    /// log.
    public var onLines: ((_ name: String, _ colours: [String], _ descriptor: Int32) -> Void)?
    /// The closure that is called once, on the loop, when the supervisor has handed over all that belongs to the start. The
    /// plugin reports that it serves right afterwards. `nil` if nothing is to be done.
    public var onStart: (() -> Void)?

    /// The closure that is called when the core has something for this plugin to take (`org.vigil.door1.TakeCode`), and it
    /// runs already; one that rests is started, and has to ask in ``onStart``. One that ends at that moment is started again.
    /// `nil` if it takes nothing.
    public var onFetch: (() -> Void)?
    /// How often ``onFetch`` was due: the supervisor is told, and knows which of its messages came too late.
    var fetchCount = 0

    /// The closure that says whether the plugin has work of its own, beside calls and jobs, that must keep it from ending
    /// as idle (`true`). Called after each round. `nil` if it never has.
    public var staysWhile: (() -> Bool)?
    /// The closure that says whether the plugin is still answering somebody (`true`) when it is to end. The end waits for
    /// it at most three seconds, and calls it every 20 milliseconds. `nil` if the end need not wait.
    public var lingersWhile: (() -> Bool)?

    /// Of the five seconds that the contract gives a plugin to end.
    private static let lingering = Duration.seconds(3)

    let run: String?
    let control: ControlSocket
    let server = VarlinkServer()
    var interfaces: [ServedInterface] = []
    var description: ServiceDescription?
    var edges: Set<String> = []
    var openCalls: [WeakCall] = []
    var callers: [String: VarlinkCaller] = [:]
    var isStarted = false
    private let version: String
    private let heartbeat: Duration
    private var workers: [WorkLane: Worker] = [:]
    private var store: KeyValueStore?
    /// Whether the plugin is to end, because the supervisor said so, it is idle, or it called ``stop(status:)``.
    public private(set) var isStopping = false
    private var idleLimit: Duration?
    private var lastBusy: Duration
    /// Whether it was busy when it was looked at last: work that has ended since counts until now.
    private var wasBusy = false
    /// Connections that were accepted when it was looked at last.
    private var seenConnections: UInt64 = 0
    private var exitStatus: Int32?

    /// A call that somebody may still be working on.
    struct WeakCall { weak var call: IncomingCall? }

    init(joining environment: ProcessEnvironment, version: String, clock: any LoopClock, log: Logger) {
        name = environment.plugin
        run = environment.run
        state = environment.state
        spool = environment.spool
        socks = environment.socks
        folder = environment.folder
        heartbeat = .seconds(environment.heartbeat)
        control = ControlSocket(adopting: environment.control)
        loop = PluginLoop(clock: clock)
        lastBusy = loop.now
        self.version = version
        self.log = log
        join()
    }

    private func join() {
        server.handler = { [unowned self] call in try take(call) }
        loop.join(
            descriptors: { [unowned self] in server.descriptors() }, deadline: { [unowned self] in server.deadline },
            begin: { [unowned self] in server.begin($0, at: $1) }, proceed: { [unowned self] in server.proceed(at: $0) })
        loop.join(
            descriptors: { [unowned self] in callers.values.flatMap { $0.descriptors() } },
            deadline: { [unowned self] in callers.values.compactMap(\.deadline).min() },
            serve: { [unowned self] ready, now in for caller in callers.values { caller.serve(ready, at: now) } })
        loop.watch(control.descriptor, for: .reading) { [unowned self] _ in receive() }
        // Twice as often as promised: one that comes late is not missed.
        loop.every(heartbeat / 2) { [unowned self] in control.send("ALIVE") }
        loop.beforeLongWaits { vigil_release_pages() }
    }

    /// Makes the plugin exit in order after it was idle for `limit`: no call in or out, no job running, and
    /// ``staysWhile`` not true. The time counts from the start at the earliest. For plugins that start on demand:
    /// the next call starts the plugin again. `nil`, the default, means never.
    public func exitsWhenIdle(after limit: Duration?) {
        idleLimit = limit
        lastBusy = loop.now
    }

    /// The time after which a plugin that ended as idle wants to be started again though it gets no call. It is rounded up
    /// to whole seconds, at least 1, and told to the supervisor at the exit, which counts from then, at most 31 days. `nil`
    /// leaves it to the manifest's schedule.
    public var startsAgainAfter: Duration?

    /// Returns the plugin's store of values that outlast restarts, sealed with the key that the supervisor put into
    /// the run folder; in the clear if there is none. The first call that succeeds opens it, and blocks; later
    /// calls return the same store, and ignore their parameters.
    ///
    /// - Parameters:
    ///   - limit: The most bytes of all values together, as JSON.
    ///   - slotBytes: The least number of bytes of a slot, for a store whose size and writes reveal nothing about its
    ///     values, see ``KeyValueStore/init(folder:name:limit:seal:slotBytes:hasPatches:)``; `nil` for an ordinary store.
    ///   - hasPatches: Whether a store with `slotBytes` takes brief changes.
    /// - Throws: ``StorageError``: `noFolder` if the plugin has no folder for lasting files; `system` if the
    ///   plugin's key in the run folder cannot be read or does not have 32 bytes; the errors of
    ///   ``KeyValueStore/init(folder:name:limit:seal:slotBytes:hasPatches:)`` otherwise.
    public func storage(
        limit: Int = KeyValueStore.standardLimit, slotBytes: Int? = nil, hasPatches: Bool = false
    ) throws(StorageError) -> KeyValueStore {
        if let store { return store }
        guard let state else {
            throw StorageError(.noFolder, "VIGIL_STATE is not set, so there is no folder for what lasts")
        }
        let opened = try KeyValueStore(
            folder: state, limit: limit, seal: try run.flatMap(SealFile.read), slotBytes: slotBytes, hasPatches: hasPatches)
        if opened.damageCount > 0 {
            log.warning("damaged storage was set aside", metadata: ["count": "\(opened.damageCount)"])
        }
        store = opened
        return opened
    }

    /// Runs a job that has to wait (for a file, a host name, a library that blocks) on a worker thread. Each lane has a thread of its own, which does one job
    /// after another.
    ///
    /// - Parameters:
    ///   - lane: Whether somebody waits for the job, so that it must not stand behind one of minutes.
    ///   - then: Called once, on the loop, with the job's result or the error that it threw; not called any more
    ///     once the process ends. The error is `CancellationError` for a job that is cancelled before it begins; a running
    ///     job decides for itself what it throws when it is cancelled. It is `StartError.environment` if the system provides
    ///     no thread, and ``TooManyJobs`` if ``WorkLane/mostPrompt`` jobs of that lane wait already.
    /// - Returns: The object that cancels the job.
    @discardableResult
    public func work<Value: Sendable>(
        _ lane: WorkLane, _ job: @escaping @Sendable (Cancellation) throws -> Value,
        then: @escaping (Result<Value, any Error>) -> Void
    ) -> Cancellation {
        func refuse(_ error: any Error) -> Cancellation {
            loop.after(.zero) { then(.failure(error)) }
            return Cancellation()
        }
        if workers[lane] == nil, let new = Worker() {
            workers[lane] = new
            loop.watch(new.descriptor, for: .reading) { [unowned self] _ in workers[lane]?.collect() }
        }
        guard let worker = workers[lane] else {
            return refuse(StartError(.environment, "the system gives no further thread"))
        }
        guard lane != .prompt || worker.count < WorkLane.mostPrompt else { return refuse(TooManyJobs()) }
        return worker.add(job) { outcome in
            then(
                outcome.flatMap { value in
                    (value as? Value).map(Result.success) ?? .failure(StartError(.environment, "the job's result is lost"))
                })
        }
    }

    /// Runs a job as ``work(_:_:then:)`` does, in the lane ``WorkLane/background``.
    @discardableResult
    public func work<Value: Sendable>(
        _ job: @escaping @Sendable (Cancellation) throws -> Value, then: @escaping (Result<Value, any Error>) -> Void
    ) -> Cancellation { work(.background, job, then: then) }

    /// The file of settings is another one now; `Host` reads it.
    func settingsDidChange() {}

    /// Ends the plugin in order after this round, as if the supervisor had told it to; call it on the loop. A status other
    /// than 0 (1 to 255) counts as a failure: the supervisor starts the plugin again, after a wait that grows. Of several
    /// calls the last status other than 0 counts.
    public func stop(status: Int32 = 0) {
        if exitStatus == nil || status != 0 { exitStatus = status }
        isStopping = true
    }

    // MARK: For Plugin.main and for tests, which turn the loop themselves

    /// Turns the loop until the plugin is to end, and returns its exit status: 0, or the status given to ``stop(status:)``.
    /// Blocks for the life of the plugin. Cannot fail.
    public func runUntilStopped() -> Int32 {
        while !isStopping { turn() }
        return finish()
    }

    /// The next time at which something is due, on the loop's clock; `nil` if nothing is due at a time.
    public var deadline: Duration? { [loop.deadline, idleLimit.map { lastBusy + $0 }].compactMap { $0 }.min() }

    /// Does one round: waits until something happens, at most until `limit` on the loop's clock (`nil` for no limit), and
    /// handles it.
    public func turn(until limit: Duration? = nil) {
        loop.turn(until: [limit, deadline].compactMap { $0 }.min())
        watchIdleness()
    }

    /// Ends the plugin: calls ``onStop``, waits while ``lingersWhile`` is true (3 seconds at most), cancels all
    /// jobs without waiting for them, waits for the last replies to be sent (half a second at most), and returns
    /// the exit status: that of ``stop(status:)``, or 0. Cannot fail.
    public func finish() -> Int32 {
        // Who calls from now on is answered by the next process, which the supervisor starts for that.
        server.leavesCallersWaiting = true
        onStop?()
        onStop = nil
        let end = loop.now + Self.lingering
        while lingersWhile?() == true, loop.now < end { loop.turn(until: loop.now + .milliseconds(20)) }
        for worker in workers.values { worker.cancelAll() }
        // What was replied last is still on its way.
        for _ in 0..<10 where server.hasUnsent { loop.turn(until: loop.now + .milliseconds(50)) }
        return exitStatus ?? 0
    }

    private var isBusy: Bool {
        openCalls.removeAll { !($0.call?.isOpen ?? false) }
        return !openCalls.isEmpty || callers.values.contains { !$0.isIdle } || workers.values.contains { $0.count > 0 }
            || staysWhile?() == true
    }

    private func watchIdleness() {
        guard let idleLimit, isStarted, !isStopping else { return }
        let isBusyNow = isBusy
        // Whoever has just connected is about to call.
        if isBusyNow || wasBusy || server.counters.connections != seenConnections { lastBusy = loop.now }
        wasBusy = isBusyNow
        seenConnections = server.counters.connections
        guard lastBusy + idleLimit <= loop.now else { return }
        // A call may have come while this round was on its way; new connections wait in the listener, which the supervisor holds too.
        server.leavesCallersWaiting = true
        loop.turn(until: loop.now)
        guard !isBusy, !isStopping else {
            server.leavesCallersWaiting = false
            return
        }
        var values = ["fetched": "\(fetchCount)"]
        values["after"] = startsAgainAfter.map { "\(max(1, Int64(($0 / .seconds(1)).rounded(.up))))" }
        control.send(ControlMessage("IDLE", values))
        stop()
    }

    /// The supervisor is told that it serves.
    func start() {
        guard !isStarted else { return }
        isStarted = true
        for interface in interfaces where !interface.missing.isEmpty {
            log.warning("methods without a handler", metadata: ["methods": "\(interface.missing.joined(separator: ","))"])
        }
        onStart?()
        lastBusy = loop.now
        guard !isStopping else { return }
        control.send("READY")
        // The code of the start is most of what is mapped, and not needed again, however busy it is from now on.
        loop.after(.seconds(1)) { vigil_release_pages() }
    }

    func service() throws(StartError) -> ServiceDescription {
        do throws(VarlinkError) {
            return try ServiceDescription(
                vendor: "Vigil plugin", product: name, version: version, url: "", interfaces: interfaces.map(\.description))
        } catch {
            throw StartError(.badInterface, "the interfaces cannot be served: \(error)")
        }
    }

    private func take(_ call: IncomingCall) throws {
        guard let (interface, method) = Self.parts(call.method),
            let handler = interfaces.first(where: { $0.description.name == interface })?.handlers[method]
        else { return }
        openCalls.append(WeakCall(call: call))
        lastBusy = loop.now
        do {
            try handler(call)
        } catch let failure as CallFailure {
            throw failure
        } catch let error as JSONError where error.code == .notDecodable {
            // Told to the caller already.
        } catch {
            log.error("a handler failed", metadata: ["method": "\(call.method)", "error": "\(error)"])
            throw error
        }
    }

    static func parts(_ method: String) -> (interface: String, method: String)? {
        guard let dot = method.utf8.lastIndex(of: 46) else { return nil }
        return (String(method[..<dot]), String(method[method.utf8.index(after: dot)...]))
    }
}
