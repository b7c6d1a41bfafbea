// SPDX-License-Identifier: Apache-2.0

import Interfaces
public import PluginKit
public import WakePlan

/// The wake plugin: listens to the broker, and asks for a sync, and for a look for warnings about venues, when it says so (docs/wake.md). `WakePlan` makes the
/// decisions; this class only carries them out, and never waits. Used only on its host's loop.
///
/// `Wake.run()` is the role `wake` of a program with several roles.
public final class Wake: Plugin {
    /// The plugin's settings, as its `plugin.json` describes them.
    public typealias Settings = WakeSettings

    /// How long a provider has, its start included.
    static let callTimeout = Duration.seconds(30)
    /// How often the broker's connection is looked after although nothing comes: often enough for a keep-alive of a minute,
    /// which brokers let be half as long again.
    static let care = Duration.seconds(15)
    /// Until facts that could not be had are asked for again.
    static let factsAgain = Duration.seconds(60)

    unowned let host: Host<WakeSettings>
    let sender: any RegistrationSender
    var settings: WakeSettings
    var random = SystemRandomNumberGenerator()
    var engine: WakeEngine
    var schedule: LinkSchedule
    var registration: RegistrationPlan
    var isRegistering = false
    var link: MosquittoLink?
    var watch: PluginLoop.Watch?
    var problem: LinkFailure?
    var isWanted = false
    var nextFacts: Duration?
    private var timer: PluginLoop.Timer?
    /// Processes in a row, before this one, that connected and are not known to have lived on.
    private let earlierLives: Int
    private var isLifeNoted = false

    /// Sets up the plugin on its loop, with HTTPS through egress for registrations.
    /// - Throws: `StartError.badSettings` if the settings are not valid, and `StorageError` if the store cannot be opened.
    public convenience init(_ host: Host<WakeSettings>) throws {
        try self.init(host, sender: HTTPRegistrationSender(socks: host.socks))
    }

    /// Sets up the plugin for tests.
    /// - Parameters:
    ///   - sender: The sender of registrations.
    ///   - schedule: The waits of connecting, which are shorter in a test than in a fleet.
    ///
    /// - Throws: `StartError.badSettings` if the settings are not valid, and `StorageError` if the store cannot be opened.
    public init(
        _ host: Host<WakeSettings>, sender: any RegistrationSender, schedule: LinkSchedule.Limits = LinkSchedule.Limits()
    ) throws {
        self.host = host
        self.sender = sender
        settings = host.settings
        guard settings.problems.isEmpty else {
            throw StartError(.badSettings, "the settings do not fit: " + settings.problems.joined(separator: "; "))
        }
        engine = WakeEngine(limits: settings.limits)
        earlierLives = max(0, try host.storage().value(Self.livesName) ?? 0)
        self.schedule = LinkSchedule(limits: schedule, isWary: earlierLives >= Self.patience)
        registration = RegistrationPlan(try host.storage().value(Self.registrationName))
        let wake = try host.serve(InterfaceTexts.all[Wake1.name] ?? "")
        try wake.answer(Wake1.Method.self) { method in
            switch method {
            case .getState: .reply { [unowned self] (_: NoFields) in state }
            }
        }
        host.onStart = { [unowned self] in begin() }
        host.onSettings = { [unowned self] in take($0) }
        host.onStop = { [unowned self] in
            link?.leave()
            forgetLives()
        }
        host.loop.every(Self.care) { [unowned self] in if link != nil { serve([]) } }
    }

    // MARK: Processes that a broker ends

    /// Under which name the number of processes that connected outlasts them.
    static let livesName = "lives"
    /// Processes that may end after they connected before the next one takes its time: the supervisor leaves a plugin alone after five ends in ten
    /// minutes, and then nobody hears the broker, good or bad, until somebody starts the plugin.
    static let patience = 2
    /// A process that lived so long after it connected first was not ended by what the broker sent at once.
    static let proof = Duration.seconds(600)

    /// On the disk before the first byte comes: memory that runs out, and a fault of libmosquitto's, leave no time for it afterwards.
    func noteLife() {
        guard !isLifeNoted else { return }
        isLifeNoted = true
        if earlierLives >= Self.patience {
            host.log.warning(
                "this plugin ended several times soon after it had connected to the broker: it connects less often")
        }
        do { try host.storage().set(min(earlierLives, 1_000) + 1, for: Self.livesName) } catch {
            host.log.error("that this plugin connects cannot be stored", metadata: ["error": "\(error)"])
        }
        host.loop.after(Self.proof) { [unowned self] in forgetLives() }
    }

    private func forgetLives() {
        guard isLifeNoted else { return }
        do { try host.storage().remove(Self.livesName) } catch {
            host.log.error("that this plugin lived on cannot be stored", metadata: ["error": "\(error)"])
        }
    }

    private func begin(isChanged: Bool = false) {
        // Without any there is nothing to say at a start; after a change there may be one less.
        if isChanged || !settings.certificate.isEmpty { host.reportCertificates("client", pem: settings.certificate) }
        if isChanged || !settings.authorities.isEmpty {
            host.reportCertificates("authorities", pem: settings.authorities, isAnyEnough: true)
        }
        if settings.profile == .always { want(true) } else { nextFacts = host.loop.now }
        work()
    }

    private func take(_ new: WakeSettings) {
        guard new.problems.isEmpty else {
            host.log.error(
                "the new settings are not used", metadata: ["problems": "\(new.problems.joined(separator: "; "))"])
            return
        }
        settings = new
        engine.limits = new.limits
        // Everything may be another now: broker, login, region.
        disconnect()
        isWanted = false
        problem = nil
        nextFacts = nil
        begin(isChanged: true)
    }

    /// Does what is due, and has itself called when something is due again.
    func work() {
        let now = host.loop.now
        if let due = nextFacts, due <= now { observe() }
        register()
        if let deadline = engine.deadline, deadline <= now { tell(.time) }
        switch schedule.tick(at: now, using: &random) {
        case .connect: connect()
        case .disconnect: drop(LinkFailure(.unreachable))
        case nil: break
        }
        let moments = [engine.deadline, schedule.deadline, isRegistering ? nil : registration.deadline, nextFacts]
        timer?.cancel()
        timer = moments.compactMap { $0 }.min().map { moment in
            host.loop.after(moment - now) { [unowned self] in work() }
        }
    }

    // MARK: Wakes and syncs

    func tell(_ event: WakeEngine.Event) {
        for action in engine.handle(event, at: host.loop.now, using: &random) {
            switch action {
            case .askFreshness: askFreshness()
            case .syncNow: syncNow()
            }
        }
    }

    private func askFreshness() {
        host.call(Sync1.Method.getFreshness, as: Sync1.FreshnessReply.self, timeout: Self.callTimeout) {
            [unowned self] outcome in
            if case .failure(let error) = outcome {
                host.log.warning("the sync does not say how fresh it is", metadata: ["error": "\(error)"])
            }
            let freshness = (try? outcome.get()).map { WakeEngine.Freshness($0.freshness, unix: Self.unix()) }
            tell(.freshness(freshness))
            work()
        }
    }

    private func syncNow() {
        host.call(Sync1.Method.syncNow, as: NoFields.self, timeout: Self.callTimeout) { [unowned self] outcome in
            switch outcome {
            case .success: host.log.info("sync asked for")
            case .failure(let error):
                host.log.warning("the sync does not answer; it is asked again", metadata: ["error": "\(error)"])
            }
            tell(.syncAnswered((try? outcome.get()) != nil))
            work()
        }
        // A board may have check-ins or not, and have granted the question or not; whoever does not hear of this wake looks within two hours anyhow.
        host.call(Checkin1.Method.lookForWarnings, as: NoFields.self, timeout: Self.callTimeout) { [unowned host] in
            if case .failure(let error) = $0 {
                host.log.debug("check-ins do not look for warnings now", metadata: ["error": "\(error)"])
            }
        }
    }

    private var state: Wake1.StateReply {
        let counters = engine.counters
        return Wake1.StateReply(
            wanted: isWanted, connected: link?.isOpen ?? false, problem: problem.map { "\($0)" },
            secondsToSync: engine.deadline.map { max(0, ($0 - host.loop.now).components.seconds) },
            registered: registration.record?.registered != nil,
            counters: Wake1.Counters(
                connectionCount: counters.connections, messageCount: counters.messages, nonEmptyCount: counters.payloads,
                retainedCount: counters.retained, mergedCount: counters.merged, overLimitCount: counters.overBudget,
                freshCount: counters.fresh, syncCount: counters.syncs, failureCount: counters.failures,
                registrationCount: registration.sentCount))
    }
}
