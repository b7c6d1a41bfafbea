// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPClient
import Interfaces
import KeyIntake
import Logging
public import PluginKit
import SyncPlan
import Synchronization
import VarlinkSocket

/// Fetches diagnosis keys, hands them to the core, and reports how fresh its knowledge is (docs/sync.md). It starts by its
/// own schedule or when it is called, and ends when there is nothing to do.
public final class SyncPlugin: Plugin {
    /// The plugin's settings, as its `plugin.json` describes them.
    public struct Settings: Decodable {
        let sync: SyncSettings

        /// Decodes the settings that the operator has set.
        ///
        /// - Throws: `DecodingError` if a value is missing or has the wrong type; ranges are checked when the plugin
        ///   starts.
        public init(from decoder: any Decoder) throws { sync = try SyncSettings(from: decoder) }
    }

    /// The plugin's version, which `org.varlink.service.GetInfo` returns.
    public static let version = "1.0.0"

    /// How long it stays when nobody needs it: what follows a run comes soon or not at all.
    private static let grace = Duration.seconds(5)

    /// Before a run that could not even begin is tried again.
    private static let pause = Duration.seconds(10)

    private let host: Host<Settings>
    private let box: EngineBox
    private let sources: [SourceSettings]
    private let shared: Shared
    private var isRunning = false
    private var isWished = false
    /// Whether a wish waits for the pause between two runs to end.
    private var isWishOpen = false
    /// Longer than any gap of our own between two questions; a server may ask for more.
    private static let wishTimeout: Int64 = 600
    private var timer: PluginLoop.Timer?
    private var watchers: [IncomingCall] = []

    /// The journal's state as the loop may look at it while the worker runs.
    final class Shared: Sendable {
        let state: Mutex<SyncState>

        init(_ state: SyncState) { self.state = Mutex(state) }
    }

    /// The engine goes to the worker and comes back; never used by both at once.
    final class EngineBox: @unchecked Sendable {
        var engine: SyncEngine
        let ports: WorkerPorts

        init(_ engine: SyncEngine, _ ports: WorkerPorts) {
            self.engine = engine
            self.ports = ports
        }
    }

    /// Sets up the plugin on its loop: reads the journal; the first run is planned when the host starts.
    /// - Throws: `SyncSettings.Fault` if a setting cannot be used, the plugin's folders are missing, or it is told to stop
    ///   meanwhile; `CallError` if it has no run folder; `StorageError` if the file of certificate authorities cannot be
    ///   written; and the errors of the HTTP client, and of the keys, for settings that they refuse.
    public init(_ host: Host<Settings>) throws {
        self.host = host
        guard let state = host.state, let spool = host.spool else {
            throw SyncSettings.Fault(
                description: "VIGIL_STATE and VIGIL_SPOOL are not set: start this plugin by `vigil run`")
        }
        let settings = host.settings.sync
        let sources = try settings.planned()
        self.sources = sources
        var configuration = HTTPConfiguration(
            socksProxy: host.socks, publicKeyPins: settings.pins ?? [], allowsPlainHTTP: settings.plainHTTP ?? false)
        if let authorities = settings.authorities { configuration.authorityFile = try host.authorityFile(authorities) }
        let journal = JournalFile(folder: state)
        if journal.wasDamaged { host.log.warning("the journal was damaged and is set aside; everything is fetched again") }
        let timeSocket = try host.socketPath(for: Time1.name)
        var documentSockets: [CarriedDocument: String] = [:]
        for document in CarriedDocument.allCases {
            let socket = try host.socketPath(for: document.interface)
            if access(socket, F_OK) == 0 { documentSockets[document] = socket }
        }
        let trustSocket = try host.socketPath(for: Trust1.name)
        let ports = WorkerPorts(
            journal: journal,
            places: .init(
                spool: spool, exposureSocket: try host.socketPath(for: Exposure1.name),
                timeSocket: access(timeSocket, F_OK) == 0 ? timeSocket : nil,
                documentSockets: documentSockets,
                trustSocket: access(trustSocket, F_OK) == 0 ? trustSocket : nil),
            http: try HTTPClient(configuration), trust: try settings.trust(), unzip: try? .besideThisProgram(),
            log: host.log)
        let shared = Shared(journal.state)
        self.shared = shared
        ports.onAppend = { entries in
            shared.state.withLock { state in for entry in entries { state.apply(entry) } }
        }
        let engine: SyncEngine
        do throws(SyncStop) {
            engine = try SyncEngine(sources: sources, state: journal.state, ports: ports)
        } catch {
            throw SyncSettings.Fault(description: "the plugin was told to stop while it started")
        }
        box = EngineBox(engine, ports)
        let interface = try host.serve(InterfaceTexts.all[Sync1.name] ?? "")
        try interface.answer(Sync1.Method.self) { method in
            switch method {
            case .syncNow:
                .reply { [unowned self] (_: NoFields) in
                    wish()
                    return NoFields()
                }
            case .getFreshness: .reply { [unowned self] (_: NoFields) in Sync1.FreshnessReply(freshness: freshness) }
            case .watch:
                .call { [unowned self] call in
                    call.reply(Sync1.FreshnessReply(freshness: freshness), continues: true)
                    watchers.append(call)
                }
            }
        }
        host.onStart = { [unowned self] in plan() }
        // A new certificate, source or key is for a new start: nothing here is worth changing in flight.
        host.onSettings = { [unowned host] _ in host.stop(status: 0) }
        host.onStop = { [unowned self] in
            cancellation?.cancel()
            transfer?.cancel()
        }
        host.exitsWhenIdle(after: Self.grace)
    }

    private var cancellation: Cancellation?
    private var transfer: HTTPCancellation?

    private func wish() {
        // The engine is the worker's while a run is under way, and hears of it afterwards.
        if isRunning, !isWished { box.ports.keepWish(of: sources) }
        isWished = true
        plan()
    }

    /// Runs what is due, or sees to it that it is run.
    private func plan() {
        guard !isRunning, !host.isStopping else { return }
        if isWished {
            isWished = false
            // Nothing is cancelled here, so nothing stops it.
            try? box.engine.wish()
            isWishOpen = true
        } else if !box.engine.hasWish {
            isWishOpen = false
        }
        timer?.cancel()
        timer = nil
        guard let seconds = box.engine.secondsUntilRun() else {
            host.startsAgainAfter = nil
            return
        }
        host.startsAgainAfter = .seconds(max(seconds, 1))
        if seconds <= 0 {
            run()
        } else if seconds <= 5 || isWishOpen && seconds <= Self.wishTimeout {
            // Whoever wished waits for it: it stays until the wish has come true.
            host.exitsWhenIdle(after: .seconds(seconds) + Self.grace)
            timer = host.loop.after(.seconds(seconds)) { [unowned self] in plan() }
        }
    }

    private func run() {
        isRunning = true
        host.exitsWhenIdle(after: Self.grace)
        tell()
        let box = box
        let transfer = HTTPCancellation()
        self.transfer = transfer
        cancellation = host.work { cancellation in
            box.ports.cancellation = cancellation
            box.ports.transfer = transfer
            defer { box.ports.cancellation = nil }
            try box.engine.runDue()
            return true
        } then: { [unowned self] result in
            isRunning = false
            tell()
            guard case .failure(let error) = result, !(error is SyncStop) else { return plan() }
            host.log.error("\(error); it is tried again in \(Self.pause)")
            // What the system has not got now it may have soon; asked at once it would only say the same again.
            host.exitsWhenIdle(after: Self.pause + Self.grace)
            timer = host.loop.after(Self.pause) { [unowned self] in plan() }
        }
    }

    private func tell() {
        watchers.removeAll { !$0.isOpen }
        for watcher in watchers { watcher.reply(Sync1.FreshnessReply(freshness: freshness), continues: true) }
    }

    private var freshness: Sync1.Freshness {
        let state = shared.state.withLock { $0 }
        let sources = sources.map { source in
            let facts = state.sources[source.name]?.facts ?? SourceFacts()
            return Sync1.Source(
                name: source.name, kind: Sync1.Kind(rawValue: source.kind.rawValue) ?? .cwa, lastAttempt: facts.lastAttempt,
                lastSuccess: facts.lastSuccess, newestEnd: facts.newestEnd, missingCount: facts.missingCount,
                problem: facts.problem, faults: facts.faults, packageCount: facts.packageCount, byteCount: facts.byteCount,
                knownDays: facts.knownDays.map { Int($0) })
        }
        return Sync1.Freshness(
            sources: sources, running: isRunning, secondsToNext: isRunning ? 0 : box.engine.secondsUntilRun(),
            wakeWindow: state.sources.values.compactMap(\.facts.wakeWindow).max(), clockOffset: state.clockOffset)
    }
}
