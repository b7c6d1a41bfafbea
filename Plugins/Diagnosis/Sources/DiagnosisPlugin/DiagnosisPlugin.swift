// SPDX-License-Identifier: Apache-2.0

import CivilTime
import DiagnosisPlan
import Glibc
import HTTPClient
import Interfaces
import Logging
public import PluginKit
import VarlinkSocket

/// The plugin for the wearer's tests and the warnings that follow from them (docs/warn-others.md). It wakes for each of its
/// slots, makes the slot's calls whether or not there is anything to send, and ends; a call in between is answered from the
/// disk. Used only on its host's loop.
public final class DiagnosisPlugin: Plugin {
    /// The plugin's settings, as its `plugin.json` describes them.
    public typealias Settings = DiagnosisSettings

    /// The plugin's version, which `org.varlink.service.GetInfo` returns.
    public static let version = "1.0.0"

    /// How long it stays when nobody needs it.
    private static let grace = Duration.seconds(5)
    /// It is there so long before a slot: a start takes less, and would otherwise show in the slot's seconds.
    private static let lead = Duration.seconds(20)

    private let host: Host<Settings>
    let store: TestStore
    private let schedule: SlotSchedule
    let player: SlotPlayer
    private let clock: SlotClock
    private let service: DiagnosisService
    private let visits: VisitsClient
    /// At every start and after every slot, whether it has changed or not: when it is told tells nothing.
    private let news: NewsTeller
    private var nextSlot: Int64?
    private var timer: PluginLoop.Timer?
    private var isPlaying = false
    private var cancellation: Cancellation?
    private var transfer: HTTPCancellation?
    private var isTakingKeys = false

    /// Sets up the plugin on its loop; the first slot is planned when the host starts.
    /// - Throws: `DiagnosisSettings.Fault` if there is no folder for lasting files or a setting cannot be used;
    ///   `StorageError` if the store cannot be opened or written; `HTTPError` if the HTTP client refuses its configuration.
    public init(_ host: Host<Settings>) throws {
        self.host = host
        guard host.state != nil else {
            throw DiagnosisSettings.Fault(description: "VIGIL_STATE is not set: start this plugin by `vigil run`")
        }
        let settings = host.settings
        var random = SystemRandomNumberGenerator()
        store = try TestStore(
            try host.storage(limit: TestStore.storeBytes, slotBytes: TestStore.slotBytes, hasPatches: true), using: &random)
        if store.wasDamaged { host.log.warning("what was known of tests was damaged; they have to be entered again") }
        let factor = settings.rehearsal ?? 1
        guard (1...SlotClock.largestFactor).contains(factor) else {
            throw DiagnosisSettings.Fault(description: "rehearsal: must be 1 to \(SlotClock.largestFactor)")
        }
        clock = factor == 1 ? .life : SlotClock(factor: factor, origin: try store.rehearsalOrigin())
        if factor > 1 {
            host.log.warning("a rehearsal, \(factor) times faster than life: how long steps take tells what they are")
        }
        schedule = SlotSchedule(seed: store.seed, density: try settings.density())
        var configuration = HTTPConfiguration(
            socksProxy: host.socks, publicKeyPins: settings.pins ?? [], allowsPlainHTTP: settings.plainHTTP ?? false,
            userAgent: settings.clientName)
        if let authorities = settings.authorities { configuration.authorityFile = try host.authorityFile(authorities) }
        // What cannot be used is said at the start, not in a slot.
        _ = try HTTPClient(configuration)
        let connecting = configuration
        player = try SlotPlayer(store: store, settings: settings, log: host.log, clock: clock) {
            try HTTPClient(connecting)
        }
        service = try DiagnosisService(store: store, settings: settings, clock: clock)
        visits = VisitsClient(host, isWanted: service.way.kind == .cwa)
        let store = store
        news = NewsTeller(host) { store.registry.hasNews }
        let interface = try host.serve(InterfaceTexts.all[Diagnosis1.name] ?? "")
        service.nextExchange = { [unowned self] in nextSlot.map(clock.machine) }
        service.onChange = { [unowned self] in
            news.tell()
            visits.knock()
            takeKeys()
        }
        service.onPublishedAsked = { [unowned self] in
            // The plugin with the visits is up: what was refused before is asked for again, and starts nobody.
            if !store.registry.wantingKeys.isEmpty { takeKeys(isWritten: true) }
        }
        service.expectedBatch = { [unowned self] in visits.expected }
        service.gate = ProofGate(host)
        service.after = { [unowned host] in host.loop.after($0, $1) }
        try service.open(interface)
        host.onStart = { [unowned self] in
            news.tell()
            // Midnight is when the rest of a day is taken, if there is one.
            takeKeys(isWritten: UTCDay.second(of: Int64(time(nil))) > 300)
            plan()
        }
        // A new server, certificate or density is for a new start.
        host.onSettings = { [unowned host] _ in host.stop(status: 0) }
        host.onStop = { [unowned self] in
            cancellation?.cancel()
            transfer?.cancel()
        }
        host.exitsWhenIdle(after: Self.grace)
    }

    // MARK: Slots

    /// Sees to it that the next slot is played.
    private func plan() {
        guard !isPlaying, !host.isStopping else { return }
        let now = clock.now()
        timer?.cancel()
        do {
            let slot = try schedule.next(after: now)
            nextSlot = slot
            let wait = clock.duration(slot - now)
            var rest = max(.seconds(1), wait - Self.lead)
            // The core gives the rest of a day from midnight on, sometimes not for long.
            // It is there then whether there is a rest or not: that it starts at midnight tells nothing.
            rest = min(rest, .seconds(UTCDay.seconds - UTCDay.second(of: Int64(time(nil))) + 1))
            host.startsAgainAfter = rest
            guard wait <= Self.lead + .seconds(1) else { return }
            host.exitsWhenIdle(after: wait + Self.grace)
            timer = host.loop.after(wait) { [unowned self] in play(slot) }
        } catch { host.log.error("the next exchange cannot be planned: \(error)") }
    }

    private func play(_ slot: Int64) {
        isPlaying = true
        let player = player
        let transfer = HTTPCancellation()
        self.transfer = transfer
        cancellation = host.work { cancellation in
            try player.play(slot, cancellation, transfer)
            return true
        } then: { [unowned self] result in
            isPlaying = false
            if case .failure(let error) = result, !(error is CancellationError) { host.log.error("\(error)") }
            service.tell()
            news.tell()
            // A core that did not know the time may know it by now.
            takeKeys()
            plan()
        }
    }

    // MARK: Keys

    /// Takes the keys of the warnings that wait for them, one after the other, then those of the rests of days that are over.
    ///
    /// What goes wrong is in the registry, for the wearer: a technician reads the log, and none of this happens but for a warning.
    ///
    /// - Parameter isWritten: Whether the disk need not be written to when there is nothing to take.
    private func takeKeys(isWritten: Bool = false) {
        guard !isTakingKeys, !host.isStopping else { return }
        guard let (number, agreement) = store.registry.wantingKeys.first else { return takeRemainder(isWritten: isWritten) }
        isTakingKeys = true
        host.call(
            Release1.Method.takeDiagnosisKeys, Release1.TakeCall(ticket: agreement.ticket), as: Release1.KeysReply.self
        ) { [unowned self] result in
            switch result {
            case .success(let reply):
                let room = service.roomForReports(number, agreement, reply.keys)
                let othersWait = store.registry.visitsWait(besides: number)
                visits.take(agreement.symptoms, room: room, othersWait: othersWait, proof: reply.proof) {
                    [unowned self] visits in
                    keep(number) {
                        // Whoever took the consent back meanwhile, and perhaps gave another one, did not agree to these keys.
                        guard self.store.registry.wantingKeys.contains(where: { $0 == (number, agreement) }) else {
                            return try self.store.rewrite()
                        }
                        try self.service.prepare(
                            number, agreement, reply.keys, remainder: reply.remainder, visits: visits)
                    }
                }
            case .failure(let error) where error.name == "\(Release1.name).ConsentRefused":
                keep(number) { try self.store.change { $0.loseKeys(number) } }
            // The core has said why; it is asked again when the plugin with the visits asks what is out, which it does right after each call of
            // the wearer's, after the next slot, and at the next start.
            case .failure: isTakingKeys = false
            }
        }
    }

    /// Has what became of the keys of a warning written to the disk, and goes on with the next. Returns whether it is there.
    @discardableResult
    private func keep(_ number: Int, _ write: () throws -> Void) -> Bool {
        isTakingKeys = false
        do {
            do { try write() } catch is DiagnosisPlanError {
                // Another time it would be the same: whoever waits for it has to hear of it.
                try store.change { $0.loseKeys(number, because: .refused) }
            }
        } catch {
            host.log.error("what is known of tests cannot be kept: \(error)")
            return false
        }
        service.tell()
        news.tell()
        takeKeys(isWritten: true)
        return true
    }

    private func takeRemainder(isWritten: Bool) {
        let now = Int64(time(nil))
        do {
            try store.change(isLater: true) { $0.dropRemainders(at: now) }
            if !isWritten, store.registry.remaindersDue(at: now).isEmpty { try store.rewrite() }
        } catch {
            host.log.error("what is known of tests cannot be kept: \(error)")
            return
        }
        guard let (number, claim) = store.registry.remaindersDue(at: now).first else { return }
        isTakingKeys = true
        host.call(
            Release1.Method.takeDiagnosisKeys, Release1.TakeCall(ticket: claim.ticket, remainder: true),
            as: Release1.KeysReply.self
        ) { [unowned self] result in
            isTakingKeys = false
            do {
                do {
                    switch result {
                    case .success(let reply): try service.prepareRemainder(number, claim, reply.keys)
                    case .failure(let error) where error.name == "\(Release1.name).ConsentRefused":
                        try store.change { $0.loseRemainder(number, because: .keysLost) }
                    case .failure: return
                    }
                } catch is DiagnosisPlanError {
                    try store.change { $0.loseRemainder(number, because: .refused) }
                }
            } catch {
                host.log.error("what is known of tests cannot be kept: \(error)")
                return
            }
            service.tell()
            news.tell()
            takeKeys(isWritten: true)
        }
    }
}
