// SPDX-License-Identifier: Apache-2.0

import Egress
import Glibc
import IPNetwork
import Interfaces
import JSON
import Logging
import PluginKit
import ProcessLink
import Socks
import Synchronization
import TestKit
import Testing
import Varlink
import VarlinkSocket
import WakePlan
import WakePlugin

/// Lines of the log.
final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

struct LineHandler: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.add("\(event.level) \(event.message)") }
}

/// What the plugin calls: a sync, a core and a place with check-ins, on their sockets.
final class Neighbours: Sendable {
    struct State: Sendable {
        var syncs: [Duration] = []
        var freshnessCount = 0
        /// How often the check-ins were asked to look for warnings.
        var lookCount = 0
        var areCheckInsSilent = false
        /// Seconds ago; `nil`: never.
        var age: Int64? = 0
        var window: Int64? = 0
        var isSyncBroken = false
        var enActive = false
        var hasCheckIns = true
        var inIsolation = false
        var isStopped = false
    }

    let state = Mutex(State())

    init(_ folder: String) throws {
        let texts = [
            InterfaceTexts.all[Sync1.name] ?? "", InterfaceTexts.all[Exposure1.name] ?? "",
            InterfaceTexts.all[Checkin1.name] ?? "",
        ]
        let interfaces = try texts.map { try InterfaceDescription(parsing: $0) }
        var edges: [Edge] = []
        for interface in interfaces {
            let description = try ServiceDescription(
                vendor: "t", product: "t", version: "0", url: "t", interfaces: [interface])
            let listener = try VarlinkListener(path: "\(folder)/\(interface.name)")
            edges.append(
                Edge(name: interface.name, listener: listener, grants: .everything, description: description))
        }
        nonisolated(unsafe) let served = edges
        onThread { [self] in
            let server = VarlinkServer(edges: served)
            server.handler = { [unowned self] call in try self.answer(call) }
            while !state.withLock({ $0.isStopped }) {
                var descriptors = server.descriptors()
                poll(&descriptors, nfds_t(descriptors.count), 20)
                server.serve(descriptors, at: now())
            }
        }
    }

    private func answer(_ call: IncomingCall) throws {
        let state = state.withLock { $0 }
        switch call.method {
        case "org.vigil.sync1.SyncNow":
            if state.isSyncBroken { return }
            self.state.withLock { $0.syncs.append(now()) }
            call.reply()
        case "org.vigil.sync1.GetFreshness":
            self.state.withLock { $0.freshnessCount += 1 }
            let last = state.age.map { Int64(time(nil)) - $0 }
            call.reply(
                Sync1.FreshnessReply(
                    freshness: .init(
                        sources: [
                            .init(
                                name: "de", kind: .cwa, lastAttempt: last, lastSuccess: last, newestEnd: last,
                                missingCount: 0, problem: nil, faults: [:], packageCount: 0, byteCount: 0)
                        ], running: false, secondsToNext: nil, wakeWindow: state.window, clockOffset: nil)))
        case "org.vigil.exposure1.GetStatus":
            call.reply(
                Exposure1.StatusReply(
                    status: .init(
                        enabled: state.enActive, state: .active, sentence: "x", role: .person, timeState: .authenticated,
                        matchCount: 0, matchedFileCount: 0, lastMatched: nil, matching: false,
                        limit: .init(perDay: nil, used: 0, nextPermitted: nil))))
        case "org.vigil.checkin1.LookForWarnings":
            if state.areCheckInsSilent { return }
            self.state.withLock { $0.lookCount += 1 }
            call.reply()
        case "org.vigil.checkin1.GetRegistrationFacts":
            call.reply(Checkin1.RegistrationFactsReply(hasCheckIns: state.hasCheckIns, inIsolation: state.inIsolation))
        default: break
        }
    }
}

/// A registration server that answers as told.
final class Registry: RegistrationSender, Sendable {
    let sent = Mutex<[PushRegistration]>([])
    let isUp = Mutex(true)

    struct Down: Error {}

    func send(_ registration: PushRegistration, to url: String) throws {
        guard isUp.withLock({ $0 }) else { throw Down() }
        sent.withLock { $0.append(registration) }
    }
}

/// A running wake plugin behind a running egress, with this test as the supervisor of both.
final class Scene {
    let folder: TemporaryFolder
    let neighbours: Neighbours
    let registry = Registry()
    let lines = Lines()
    private let control: ControlSocket
    private let egress: ControlSocket
    private let outcome = Ending()

    private final class Ending: Sendable { let status = Mutex<Int32?>(nil) }

    /// - Parameters:
    ///   - allow: What the plugin may reach.
    ///   - isHTTP: Whether registrations go out over HTTP, and not to ``registry``.
    ///   - lives: Processes before this one that connected and ended; `nil` if nothing is known of any.
    init(
        _ settings: [String: JSON], allow: String, isHTTP: Bool = false, lives: Int? = nil,
        prepare: (inout Neighbours.State) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        for name in ["run", "state"] { mkdir(folder.file(name), 0o755) }
        if let lives { try KeyValueStore(folder: folder.file("state")).set(lives, for: "lives") }
        neighbours = try Neighbours(folder.file("run"))
        neighbours.state.withLock { prepare(&$0) }

        let (egress, egressEnd) = try ControlSocket.pair()
        self.egress = egress
        let lines = lines
        let log = Logger(label: "test") { _ in LineHandler(lines: lines) }
        onThread {
            let names: NameLookup = { _ in .success([Candidate(IPAddress(v4: 0x7F00_0001))]) }
            _ = try? EgressService(
                control: ControlSocket(adopting: egressEnd), heartbeat: .seconds(30), version: "0", lookup: names, log: log
            ).run()
        }
        let (listener, port) = try listen()
        egress.send(
            ControlMessage("SOCKS", ["caller": "wake", "allow": allow, "auth": "wake:pass"]), descriptor: listener)
        close(listener)

        let (control, other) = try ControlSocket.pair()
        self.control = control
        let paths = (run: folder.file("run"), state: folder.file("state"))
        let variables = [
            "VIGIL_PLUGIN": "wake", "VIGIL_CONTROL": "\(other)", "VIGIL_RUN": paths.run, "VIGIL_STATE": paths.state,
            "VIGIL_SOCKS": "wake:pass@127.0.0.1:\(port)", "VIGIL_HEARTBEAT": "1",
        ]
        try write(settings)
        let (registry, outcome) = (registry, outcome)
        onThread {
            do {
                var limits = LinkSchedule.Limits()
                limits.start = .milliseconds(50)
                limits.backoff = .milliseconds(200)
                limits.backoffLimit = .milliseconds(400)
                limits.refusedBackoff = .milliseconds(400)
                let host = try Host<WakeSettings>(ProcessEnvironment { variables[$0] }, log: log)
                let plugin = try isHTTP ? Wake(host) : Wake(host, sender: registry, schedule: limits)
                let status = host.runUntilStopped()
                withExtendedLifetime(plugin) {}
                outcome.status.withLock { $0 = status }
            } catch {
                lines.add("\(error)")
            }
        }
        control.send("START")
    }

    deinit {
        control.send("STOP")
        egress.send("STOP")
        neighbours.state.withLock { $0.isStopped = true }
    }

    /// The exit status; `nil` while it runs.
    var status: Int32? { outcome.status.withLock { $0 } }
    var syncs: [Duration] { neighbours.state.withLock { $0.syncs } }

    func write(_ settings: [String: JSON]) throws {
        var object: JSON.Object = ["host": "localhost", "region": "de", "profile": "always", "gapSeconds": 3600]
        for (name, value) in settings { object[name] = value }
        try folder.write("\(JSON.object(object))", to: "run/settings.json")
    }

    func say(_ verb: String) { control.send(verb) }

    /// The next thing the plugin says.
    func heard(_ seconds: Double = 60) -> String? {
        for _ in 0..<Int(seconds * 100) {
            if case .message(let message, _) = control.receive() { return message.verb }
            usleep(10_000)
        }
        return nil
    }

    /// What `org.vigil.wake1` says.
    func look() throws -> Wake1.StateReply {
        let path = folder.file("look")
        let listener = try VarlinkListener(path: path)
        control.send(
            ControlMessage("EDGE", ["caller": "webui", "grants": "\(Wake1.name).GetState"]),
            descriptor: listener.descriptor)
        let client = try VarlinkClient(path: path, timeout: .seconds(60))
        return try client.call("\(Wake1.name).GetState", JSON.empty, as: Wake1.StateReply.self)
    }

    /// Processes that connected and are not known to have lived on, as the disk has them.
    func lives() throws -> Int? { try KeyValueStore(folder: folder.file("state")).value("lives") }

    func isConnected() throws -> Bool { try eventually { try look().connected } }
}

func now() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
