// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPClient
import Interfaces
public import PluginKit
import SyncPlan

/// Brings published keys to the core. Started by its schedule, by a wish or by whoever asks how fresh things are; gone when there is nothing to do.
public final class SyncPlugin: Plugin {
    public static let version = "1.0.0"

    /// The engine, which runs on the worker's thread; between its runs the loop's thread may look at it. Never both: `isRunning` says whose it is.
    private final class Engine: @unchecked Sendable {
        var engine: SyncEngine

        init(_ engine: SyncEngine) { self.engine = engine }

        func run() throws(SyncStop) { try engine.runDue() }
    }

    private unowned let host: Host<SyncSettings>
    private var engine: Engine
    private var stop: HTTPCancellation
    private var isRunning = false
    private var isWished = false
    private var areSettingsNew = false
    private var timer: PluginLoop.Timer?
    /// As of the last moment when nothing ran.
    private var freshness: Sync1.FreshnessReply
    // What is due that soon is waited for; for longer the process ends and is started again.
    private static let shortWait: Int64 = 20

    public init(_ host: Host<SyncSettings>) throws {
        self.host = host
        stop = HTTPCancellation()
        engine = try Self.engine(host, stop)
        freshness = Self.freshness(engine.engine, isRunning: false)
        let sync = try host.serve(InterfaceTexts.all[Sync1.name] ?? "")
        try sync.on("SyncNow") { [unowned self] (_: NoFields) in
            isWished = true
            consider()
            return NoFields()
        }
        try sync.on("GetFreshness") { [unowned self] (_: NoFields) in
            if !isRunning { freshness = Self.freshness(engine.engine, isRunning: false) }
            var reply = freshness
            reply.running = isRunning
            return reply
        }
        host.onStart = { [unowned self] in consider() }
        host.onStop = { [unowned self] in stop.cancel() }
        host.onSettings = { [unowned self] _ in
            areSettingsNew = true
            consider()
        }
        host.exitsWhenIdle(after: .seconds(5))
    }

    /// Runs what is due; else sees to it that somebody comes back for it.
    private func consider() {
        guard !isRunning, !host.isStopping else { return }
        timer?.cancel()
        timer = nil
        if areSettingsNew {
            areSettingsNew = false
            do {
                stop = HTTPCancellation()
                engine = try Self.engine(host, stop)
            } catch { host.log.error("the new settings are not used", metadata: ["error": "\(error)"]) }
        }
        if isWished {
            isWished = false
            engine.engine.wish()
        }
        guard let wait = engine.engine.secondsUntilRun() else { return host.startsAgainAfter = nil }
        guard wait == 0 else {
            host.startsAgainAfter = .seconds(wait)
            if wait <= Self.shortWait {
                host.exitsWhenIdle(after: .seconds(wait + 5))
            } else {
                host.exitsWhenIdle(after: .seconds(5))
            }
            timer = host.loop.after(.seconds(wait)) { [unowned self] in consider() }
            return
        }
        isRunning = true
        let engine = engine
        host.work(
            { _ in try engine.run() },
            then: { [unowned self] (result: Result<Void, any Error>) in
                isRunning = false
                if case .failure(let error) = result, !(error is SyncStop) {
                    host.log.error("a run ended", metadata: ["error": "\(error)"])
                }
                freshness = Self.freshness(engine.engine, isRunning: false)
                consider()
            })
    }

    private static func engine(_ host: Host<SyncSettings>, _ stop: HTTPCancellation) throws -> Engine {
        guard let state = host.state, let spool = host.spool else {
            throw StartError(
                .environment,
                "VIGIL_STATE or VIGIL_SPOOL is not set: this plugin needs a folder that lasts and one for the core")
        }
        let settings = host.settings
        let (sources, trust) = try settings.checked(state: state)
        var authorityFile: String?
        if let authorities = settings.certificateAuthorities, !authorities.isEmpty {
            let path = state + "/authorities.pem"
            guard Files.replace(path, with: Array(authorities.joined(separator: "\n").utf8), in: state) else {
                throw StartError(
                    .environment, "the certificate authorities cannot be stored; free space in the plugin's state folder")
            }
            authorityFile = path
        }
        let http = try HTTPClient(
            HTTPConfiguration(
                socksProxy: host.socks, authorityFile: authorityFile, publicKeyPins: settings.publicKeyPins ?? [],
                allowsPlainHTTP: settings.allowPlainHTTP ?? false, userAgent: "vigil-sync/\(version)"))
        guard let journal = JournalFile(folder: state) else {
            throw StartError(.environment, "the journal cannot be opened; free space in the plugin's state folder")
        }
        let places = LivePorts.Places(
            state: state, spool: spool, exposure: try? host.socketPath(for: Exposure1.name),
            time: try? host.socketPath(for: Time1.name))
        let ports = LivePorts(places: places, http: http, trust: trust, journal: journal, stop: stop, log: host.log)
        let limits = SyncLimits(waitingBytes: settings.waitingBytes ?? SyncLimits().waitingBytes)
        return Engine(try SyncEngine(sources: sources, state: journal.state, limits: limits, ports: ports))
    }

    private static func freshness(_ engine: SyncEngine, isRunning: Bool) -> Sync1.FreshnessReply {
        let wall = Int64(time(nil))
        let windows = engine.sources.compactMap { engine.state.sources[$0.name]?.facts.wakeWindow }
        return Sync1.FreshnessReply(
            sources: engine.sources.map { source in
                let facts = engine.state.sources[source.name]?.facts ?? SourceFacts()
                return Sync1.Source(
                    name: source.name, kind: Sync1.Kind(rawValue: source.kind.rawValue) ?? .index,
                    lastAttempt: facts.lastAttempt, lastSuccess: facts.lastSuccess, newestEnd: facts.newestEnd,
                    nextAttempt: engine.secondsUntilRun(of: source.name).map { wall + $0 }, problem: facts.problem,
                    problemCount: facts.problemCount, faults: facts.faults, missingCount: facts.missingCount,
                    packageCount: facts.packageCount, byteCount: facts.byteCount)
            }, wakeWindow: windows.max(), clockOffset: engine.state.clockOffset, running: isRunning)
    }
}
