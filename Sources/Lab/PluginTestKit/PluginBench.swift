// SPDX-License-Identifier: Apache-2.0

import Glibc
public import JSON
import Logging
public import PluginKit
import ProcessLink
import Synchronization
import VarlinkSocket

/// A plugin in the test's own process: its loop turns when the test says so, on a clock that the test steers.
///
/// ```swift
/// let bench = try PluginBench<Hello>(settings: ["greeting": "Moin"])
/// let core = try bench.supervisor.provide(exposureText)
/// core.on("GetStatus", reply: […])
/// try bench.start()
/// #expect(try bench.call("org.example.hello1.Greet", ["name": "Ada"])["greeting"] == "Moin, Ada!")
/// ```
public final class PluginBench<Tested: Plugin> {
    /// The supervisor's side: what the plugin is granted, and what it has reported.
    public let supervisor: SupervisorStandIn
    /// The plugin's clock, which stands still except during ``advance(by:)``.
    public let clock = SteerableClock()
    /// The plugin's host, as its code sees it.
    public let host: Host<Tested.Settings>
    /// The plugin, created with ``host``.
    public let plugin: Tested
    private let lines = LogLines()
    private var paths: [String: String] = [:]

    /// Creates the plugin, which is not started before ``start()``. Throws what `prepare` and the plugin's initialiser
    /// throw, and ``TestKitError`` when a folder or a socket cannot be created.
    ///
    /// - Parameter prepare: Sets up everything that must exist before the plugin is created, such as providers.
    public init(
        name: String = "tested", settings: JSON = .empty, prepare: (SupervisorStandIn) throws -> Void = { _ in }
    ) throws {
        supervisor = try SupervisorStandIn(plugin: name, settings: settings)
        try prepare(supervisor)
        let variables = supervisor.variables(control: supervisor.takeOther())
        let lines = lines
        let handler = PluginLogHandler(level: .debug) { lines.add($0) }
        host = try Host(
            ProcessEnvironment { variables[$0] }, version: Tested.version, clock: clock,
            log: Logger(label: name) { _ in handler })
        plugin = try Tested(host)
    }

    /// The lines that the plugin has logged so far, at all levels from `debug`, oldest first; may be empty.
    public var log: [String] { lines.all }

    /// Completes the start, and waits until the plugin serves. Throws ``TestKitError`` when it does not read messages, or
    /// after ``TestKitError/patience``.
    public func start() throws {
        try supervisor.send("START")
        try turn { self.supervisor.heard.contains("READY") }
    }

    /// Turns the loop until `done` returns `true`, while the plugin's clock stands still. Throws ``TestKitError``, with the
    /// log and `line`, the caller's, after ``TestKitError/patience``.
    public func turn(line: UInt = #line, until done: () -> Bool) throws {
        let real = SystemLoopClock()
        let end = real.now + TestKitError.patience
        while true {
            host.turn(until: .zero)
            supervisor.listenToPlugin()
            if done() { return }
            guard real.now < end else {
                throw TestKitError("what line \(line) waits for did not happen. The log:\n\(log.joined(separator: "\n"))")
            }
            // Threads, the provider's and the worker's, have their turn.
            usleep(500)
        }
    }

    /// Moves the clock forwards by `duration`, or at most a millisecond more, and stops at each timer that is due on the
    /// way. Ends early when the plugin stops, or after 100,000 stops.
    public func advance(by duration: Duration) {
        let end = clock.now + duration
        // A timer that is due at once for ever would never let the test end.
        for _ in 0..<100_000 {
            host.turn(until: .zero)
            guard clock.now < end, !host.isStopping else { break }
            let next = host.deadline.map { max($0, clock.now) } ?? end
            clock.advance(by: max(.milliseconds(1), min(next, end) - clock.now))
        }
        host.turn(until: .zero)
        supervisor.listenToPlugin()
    }

    /// Calls the plugin as `caller`, and returns the parameters of the reply. The first call of a caller grants it the
    /// method's whole interface, which replaces what ``SupervisorStandIn/allow(_:_:)`` granted before; later calls grant
    /// nothing. Throws the error that the plugin answers, and ``TestKitError`` after ``TestKitError/patience``.
    public func call(_ method: String, _ parameters: JSON = .empty, as caller: String = "tester") throws -> JSON {
        let path = try paths[caller] ?? supervisor.allow(caller, [interface(of: method) + ".*"])
        paths[caller] = path
        return try call(method, parameters, path: path)
    }

    /// Calls the plugin through a socket from ``SupervisorStandIn/allow(_:_:)``, and returns the parameters of the reply.
    /// Throws the error that the plugin answers, and ``TestKitError`` after ``TestKitError/patience``.
    public func call(_ method: String, _ parameters: JSON = .empty, path: String) throws -> JSON {
        let caller = VarlinkCaller(path: path)
        let real = SystemLoopClock()
        var outcome: VarlinkCaller.Outcome?
        caller.call(method, parameters, timeout: TestKitError.patience, at: real.now) { outcome = $0 }
        try turn {
            var list = caller.descriptors()
            real.wait(for: &list, until: .zero)
            caller.serve(list, at: real.now)
            return outcome != nil
        }
        guard let outcome else { throw TestKitError("no answer") }
        return try outcome.get().parameters
    }

    private func interface(of method: String) -> String { method.split(separator: ".").dropLast().joined(separator: ".") }
}

/// Lines of a log, from whatever thread.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    var all: [String] { lines.withLock { $0 } }
}
