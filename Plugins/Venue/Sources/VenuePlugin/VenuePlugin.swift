// SPDX-License-Identifier: Apache-2.0

import BLS12381
import HTTPClient
import Interfaces
import KeyIntake
import Logging
public import PluginKit
import VenuePlan

/// The plugin for check-ins at venues (docs/check-in-rules.md): a wearer's visits, or the codes of a place. It is started by a
/// call and every two hours, whether or not there is a visit, so that its starts reveal nothing; then it ends again. Used
/// only on its host's loop.
public final class VenuePlugin: Plugin {
    /// The plugin's settings, as its `plugin.json` describes them.
    public typealias Settings = VenueSettings

    /// The plugin's version, which `org.varlink.service.GetInfo` returns.
    public static let version = "1.0.0"

    /// How long it stays when nobody needs it.
    private static let grace = Duration.seconds(5)
    /// Calls of the core take milliseconds.
    private static let patience = Duration.seconds(10)
    /// A plugin may have to be started first.
    private static let startingPatience = Duration.seconds(30)
    /// Whoever asks for reports is Diagnosis, which is up and waits for ten seconds. The console may have to ask twice.
    private static let answeringPatience = Duration.seconds(5)
    /// How soon it is started again where the core did not answer, and looks again by itself where the time is not known.
    private static let soon = Duration.seconds(60)
    /// The longest wait for the time: the schedule of the manifest.
    private static let longestWait = Duration.seconds(7_200)

    private let host: Host<Settings>
    let store: VenueStore
    private let service: VenueService
    /// At every start, whether it has changed or not.
    private let news: NewsTeller
    /// While somebody watches: the end of the next visit that is still open.
    private(set) var checkOut: PluginLoop.Timer?
    private var rhythm: PluginLoop.Timer?
    private let fetcher: WarningFetcher
    private var isFetching = false
    /// Whether the last look ended because the time is not known.
    private var waitsForTime = false

    /// Sets up the plugin on its loop.
    /// - Throws: `VenueSettings.Fault` if a setting other than `swissCovidKey` cannot be used or there is no seal; `StorageError` if the store cannot
    ///   be opened, or the file of certificate authorities cannot be written; `HTTPError` if the HTTP client refuses its
    ///   configuration.
    public init(_ host: Host<Settings>) throws {
        self.host = host
        guard let state = host.state, let seal = try host.seal() else {
            throw VenueSettings.Fault(
                description:
                    "VIGIL_RUN/seal: it is not there, and visits are not kept in the clear; start this plugin by `vigil run`"
            )
        }
        let authorityKey = Self.authorityKey(host)
        store = try VenueStore.open(folder: state, seal: seal, hides: authorityKey != nil)
        if store.wasDamaged { host.log.warning("what was kept was damaged and is begun anew; the page says so") }
        if store.records.isChoiceLost {
            host.log.warning(
                "whether places are to be hidden was damaged, too; the page asks the wearer, and until then takes no code of SwissCovid"
            )
        }
        service = try VenueService(store: store, settings: host.settings, authorityKey: authorityKey)
        fetcher = try Self.fetcher(host, store)
        let store = store
        // The core waits for the moment: a start of this plugin for it would tell a technician when a visit ends.
        news = NewsTeller(
            host,
            reminders: {
                store.records.diary.reminders.map { Indicator1.Reminder(from: $0.lowerBound, until: $0.upperBound) }
            }, hasNews: { store.records.diary.hasNews })
        let interface = try host.serve(InterfaceTexts.all[Checkin1.name] ?? "")
        service.stand = { [unowned self] then in stand(then) }
        service.askWhatIsOut = { [unowned self] then in askWhatIsOut(Self.answeringPatience) { then($0 == .known) } }
        service.lookForWarnings = { [unowned self] in look() }
        service.gate = ProofGate(host)
        service.work = { [unowned host] job, then in
            host.work(.prompt, { _ in Boxed(value: try job()) }, then: { then($0.map(\.value)) })
        }
        service.after = { [unowned host] in host.loop.after($0, $1) }
        service.onTrouble = { [unowned host] in host.log.error("\($0)") }
        service.onChange = { [unowned self] in
            news.tell()
            watchTime()
            if store.records.places != PlaceBook() { stand { [unowned self] in $0.map(broadcast) } }
        }
        // The core says so, too, when it has learned the time.
        host.onFetch = { [unowned self] in if waitsForTime { look() } else { stand { [unowned self] in $0.map(tendDoor) } }
        }
        try service.open(interface)
        host.onStart = { [unowned self] in
            news.tell()
            look()
        }
        // Other systems and keys are for a new start.
        host.onSettings = { [unowned host] _ in host.stop(status: 0) }
        host.onStop = { [unowned self] in fetcher.cancellation.cancel() }
        host.exitsWhenIdle(after: Self.grace)
    }

    /// A wrong key takes hiding away, and nothing else: codes are taken and warnings fetched. What was to be hidden is not written down in the clear.
    private static func authorityKey(_ host: Host<Settings>) -> MasterPublicKey? {
        do throws(VenueSettings.Fault) { return try host.settings.authorityKey() } catch {
            host.log.error("places cannot be hidden: \(error)")
            return nil
        }
    }

    private struct Boxed: Sendable { let value: any Sendable }

    // MARK: The core

    /// How the device stands.
    private func stand(_ then: @escaping (Standing?) -> Void, newestEnd: Int64? = nil) {
        guard !host.isStopping else { return then(nil) }
        host.call(Exposure1.Method.getStatus, as: Exposure1.StatusReply.self, timeout: Self.patience) {
            [unowned self] status in
            guard let status = try? status.get().status else { return then(nil) }
            host.call(Device1.Method.getTime, as: Device1.TimeReply.self, timeout: Self.patience) { time in
                then((try? time.get().time).map { Standing(status, $0, newestEnd: newestEnd) })
            }
        }
    }

    /// At each start: what is over ends, what is old goes. While the time is not known nobody else is asked: a question would start them.
    private func look() {
        stand { [unowned self] in
            // Without the core there is no time, and nothing is due: the schedule of two hours would be too late.
            guard let standing = $0 else { return lookAgainSoon() }
            guard standing.now == nil else { return lookForWhatIsDue() }
            service.keepHouse(standing)
            if standing.role == .person { takeCode(standing) }
            waitForTime()
        }
    }

    /// Does what depends on the time.
    private func lookForWhatIsDue() {
        waitsForTime = false
        // A board may have Sync or not; without, only signed time forgets.
        host.call(Sync1.Method.getFreshness, as: Sync1.FreshnessReply.self, timeout: Self.patience) {
            [unowned self] freshness in
            let newest = (try? freshness.get())?.freshness.sources.compactMap(\.newestEnd).max()
            stand(
                { [unowned self] in
                    guard let standing = $0 else { return lookAgainSoon() }
                    service.keepHouse(standing)
                    tendDoor(standing)
                    let isRun = followsRhythm(standing)
                    // Before warnings are compared, or a visit could meet its own report.
                    askWhatIsOut(Self.startingPatience) { [unowned self] answer in
                        guard isRun else { return }
                        if answer == .silence { putOffRun(standing) } else { fetch(standing) }
                    }
                }, newestEnd: newest)
        }
    }

    /// What came of the question which reports are out.
    private enum WhatIsOut {
        case known, nobodyToAsk, silence
    }

    /// Asks which reports went out with a warning, and which never will, and notes it. At every start, whether any were handed out or not: that it is
    /// asked tells nothing.
    private func askWhatIsOut(_ patience: Duration, _ then: @escaping (WhatIsOut) -> Void) {
        let names = store.records.diary.batches.map(\.name)
        host.call(
            Diagnosis1.Method.getPublished, Diagnosis1.BatchesCall(batches: names), as: Diagnosis1.PublishedReply.self,
            timeout: patience
        ) { [unowned self] reply in
            switch reply {
            case .success(let answer):
                then(service.note(answer) ? .known : .silence)
            // A board may have Diagnosis or not, and have granted the question or not. One that does not answer may know of a visit that went out.
            case .failure(let error): then(error.code != .timedOut && error.code != .unreachable ? .nobodyToAsk : .silence)
            }
        }
    }

    /// Whether warnings are due. Runs are two hours apart, on a grid that is on the disk: calls start the plugin, too, and without it the time of
    /// the next request would tell when the wearer looked at a test or held the button.
    private func followsRhythm(_ standing: Standing) -> Bool {
        // What becomes due during a run may be about something newer: it is looked for when the run has ended.
        guard standing.role == .person, let now = standing.now, !isFetching else { return false }
        var isDue = false
        planNextStart(at: now) { isDue = $0.takesRun(at: now) }
        return isDue
    }

    /// Tries a run again soon that nothing came of: in two hours a warning could be two hours late.
    private func putOffRun(_ standing: Standing) {
        guard let now = standing.now, !host.isStopping else { return }
        let visited = Set(store.records.diary.visits.map(\.place.system)).intersection(fetcher.followed)
        planNextStart(at: now) { downloads in
            guard !downloads.putOffRun(at: now) else { return }
            // Nobody has looked, and nobody will for a while: the wearer must not read that there is no warning.
            for system in visited {
                downloads.noteProblem(
                    system,
                    "the device does not say which visits went out with a warning of yours, so warnings were not looked at; it is tried again"
                )
            }
        }
    }

    /// Changes what is known of the next run, and has the plugin started for it.
    private func planNextStart(at now: Int64, _ change: (inout VenueDownloads) -> Void) {
        do {
            try store.change { change(&$0.downloads) }
            keepRhythm(until: host.loop.now + .seconds(max(1, (store.records.downloads.nextStart ?? now) - now)))
        } catch {
            host.log.error("the next run is not noted: \(error)")
            keepRhythm(until: host.loop.now + .seconds(VenueDownloads.retryPause))
        }
    }

    private func lookAgainSoon() {
        guard !host.isStopping else { return }
        keepRhythm(until: host.loop.now + Self.soon)
    }

    /// A board without a clock of its own starts this plugin before the network has told it the time. The core starts it again when it knows
    /// the time, where `org.vigil.door1` is granted. Otherwise each wait is as long as the board has been up, so that a board that never learns the time
    /// does not wake for it every minute. Whoever keeps the plugin up does not wait as long.
    private func waitForTime() {
        guard !host.isStopping else { return }
        waitsForTime = true
        rhythm?.cancel()
        host.startsAgainAfter = min(max(Self.soon, host.loop.now), Self.longestWait)
        rhythm = host.loop.after(Self.soon) { [unowned self] in look() }
    }

    /// Has the supervisor start the plugin at that moment of the loop's clock, however long it is still up; if it is up then, the run begins.
    private func keepRhythm(until due: Duration) {
        rhythm?.cancel()
        let rest = due - host.loop.now
        guard rest > .zero else { return look() }
        host.startsAgainAfter = rest
        rhythm = host.loop.after(min(rest, .seconds(1))) { [unowned self] in keepRhythm(until: due) }
    }

    // MARK: The door

    /// A place says anew what is to be broadcast, since it is held for some hours only. A person's device takes what a held button has collected.
    private func tendDoor(_ standing: Standing) {
        switch standing.role {
        case .place:
            guard standing.now != nil else { return waitForTime() }
            rhythm?.cancel()
            host.startsAgainAfter = nil
            broadcast(standing)
        case .person: takeCode(standing)
        }
    }

    private func broadcast(_ standing: Standing) {
        guard standing.role == .place, standing.now != nil, !host.isStopping else { return }
        // A board may have granted it or not; nothing else depends on it.
        host.call(Door1.Method.broadcast, Door1.BroadcastCall(showings: service.showings(standing)), as: NoFields.self) {
            [unowned host] in
            if case .failure(let error) = $0 {
                host.log.debug("the core does not broadcast at the door", metadata: ["error": "\(error)"])
            }
        }
    }

    private func takeCode(_ standing: Standing) {
        host.call(Door1.Method.takeCode, as: Door1.CodeReply.self, timeout: Self.patience) { [unowned self] reply in
            guard let reply = try? reply.get(), let number = reply.number, let content = reply.content else { return }
            service.checkIn(broadcast: content, standing) { [unowned self] isKept in
                host.call(Door1.Method.noteVisit, Door1.NoteCall(number: number, kept: isKept), as: NoFields.self) { _ in }
            }
        }
    }

    // MARK: Warnings

    private static func fetcher(_ host: Host<Settings>, _ store: VenueStore) throws -> WarningFetcher {
        let settings = host.settings
        // What cannot be used is said at the start.
        let told = try settings.toldSystems()
        for system in try settings.followed()
        where try settings.server(system) != nil && !told.contains(where: { $0.system == system }) {
            _ = try settings.trust(system)
        }
        var configuration = HTTPConfiguration(
            socksProxy: host.socks, publicKeyPins: settings.pins ?? [], allowsPlainHTTP: settings.plainHTTP ?? false)
        if let authorities = settings.authorities { configuration.authorityFile = try host.authorityFile(authorities) }
        _ = try HTTPClient(configuration)
        return WarningFetcher(
            store: store, settings: settings, unzip: try? .besideThisProgram(), spool: host.spool ?? "/nonexistent",
            configuration: configuration, cancellation: HTTPCancellation())
    }

    /// Only for a person who has visits, when the time is known.
    private func fetch(_ standing: Standing) {
        guard !isFetching, !host.isStopping, standing.role == .person, let now = standing.now, fetcher.isDue(at: now) else {
            return
        }
        isFetching = true
        askForSigners((try? host.settings.toldSystems()) ?? []) { [unowned self] told in fetch(at: now, told) }
    }

    /// Asks the core who may sign what the systems publish, one after the other.
    private func askForSigners(
        _ systems: [(system: VenueSystem, source: String?)], _ told: [VenueSystem: WarningFetcher.SignersWord] = [:],
        then: @escaping ([VenueSystem: WarningFetcher.SignersWord]) -> Void
    ) {
        guard let (system, source) = systems.last else { return then(told) }
        host.call(
            Trust1.Method.getSigners, Trust1.GetSignersCall(source: source), as: Trust1.SignersReply.self,
            timeout: Self.patience
        ) { [unowned self] reply in
            var told = told
            told[system] = (try? reply.get()).map { .signers($0.signers) } ?? .silent
            askForSigners(systems.dropLast(), told, then: then)
        }
    }

    private func fetch(at now: Int64, _ told: [VenueSystem: WarningFetcher.SignersWord]) {
        guard !host.isStopping else {
            isFetching = false
            return
        }
        var fetcher = fetcher
        fetcher.told = told
        host.work { [fetcher] _ in
            try fetcher.run(at: now)
            return true
        } then: { [unowned self] result in
            isFetching = false
            service.tell()
            if case .failure(let error) = result, !(error is CancellationError) {
                host.log.error("warnings were not compared: \(error)")
            }
            let isWhole = (try? result.get()) != nil
            stand { [unowned self] in
                guard let standing = $0 else { return lookAgainSoon() }
                // Due again at once if a visit was changed meanwhile.
                if isWhole { fetch(standing) }
                guard !isFetching, let now = standing.now, standing.role == .person else { return }
                // What became due during the run.
                planNextStart(at: now) { _ in }
            }
        }
    }

    /// While somebody watches, a visit ends before their eyes. Otherwise the next call finds it over. Where the core does not answer it is asked
    /// again: who watches must not wait for another's call.
    private func watchTime() {
        checkOut?.cancel()
        checkOut = nil
        guard service.isWatched, let end = store.records.diary.nextCheckOut else { return }
        stand { [unowned self] standing in
            checkOut?.cancel()
            guard !host.isStopping else { return }
            var rest = Self.soon
            if let standing {
                // Nothing ends while the time is not known.
                guard let now = standing.now else { return }
                rest = .seconds(min(max(1, end - now), 86_400))
            }
            checkOut = host.loop.after(rest) { [unowned self] in
                checkOut = nil
                stand { [unowned self] in
                    $0.map(service.keepHouse)
                    watchTime()
                }
            }
        }
    }
}
