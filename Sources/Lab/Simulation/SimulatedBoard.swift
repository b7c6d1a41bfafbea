// SPDX-License-Identifier: Apache-2.0

public import Core
import Cryptography
public import GAEN
import KeyExport
import KeyIntake
public import LabKit
public import Ledger
import Logging
public import Radio
public import TimeTrust
public import Trust
public import Vault
public import VirtualAir

/// A whole board in virtual time: the core as it ships, two file systems in memory, a controller on a ``VirtualAir``, and
/// functions that kill the core and cut the power. With ``Setup/trust`` it has a ledger on the same disk and answers
/// questions (``ask(_:)``). Use it on one thread at a time.
///
/// The core's actions are done as `CoreService` does them: in order, after the call that asked for them has returned. When
/// a storage's power fails during a call, the call's actions are never done, because they belong to a process that has
/// ended.
public final class SimulatedBoard {
    /// The properties of a board that stay the same when its core starts anew.
    public struct Setup: Sendable {
        /// The board profile that the core runs with.
        public var profile = BoardProfile.token
        /// The model of the board's controller.
        public var controller = ControllerModel()
        /// The limits by which the core trusts its clocks.
        public var limits = TrustedTime.Limits.standard
        /// Whether the wearer has agreed to take part before the first start.
        public var isEnabledWhenNew = true
        /// The keys that may sign key files. With `nil` the board has no ledger and answers no questions, which suits
        /// trials of what is sent and heard.
        public var trust: TrustStore?
        /// The seed of everything random about the board.
        public var seed: UInt64

        /// Creates a setup for a token with the standard limits, whose wearer has agreed to take part, without a ledger.
        /// Everything random follows from `seed`.
        public init(seed: UInt64) { self.seed = seed }
    }

    /// The state that a process had committed when it ended.
    public struct LastWords {
        /// The stored schedule of own keys; secret.
        public let schedule: TEKSchedule
        /// The stored time; `nil` if none was stored.
        public let time: TrustedTime.Snapshot?
        /// The number of scans that this process stored, 0 or more.
        public let storedScans: UInt64
        /// The damage that the vault found when it was opened; empty if there was none.
        public let findings: [Vault.Finding]
    }

    /// The error of a question to a board whose core does not run, has no ledger, or ended before it answered.
    public struct NoAnswer: Error, CustomStringConvertible {
        /// Creates the only value of this type.
        public init() {}

        /// An English sentence for reports, without any data of the board.
        public var description: String { "the board's core does not run, or ended before it answered" }
    }

    /// The sums over all processes that have ended.
    public struct Totals: Sendable {
        /// The number of finished scans, 0 or more.
        public var scans: UInt64 = 0
        /// The number of scans that were stored, 0 or more.
        public var storedScans: UInt64 = 0
        /// The number of identifiers that were stored, each counted once for each scan; 0 or more.
        public var storedIdentifiers: UInt64 = 0
        /// The number of scans that could not be stored, 0 or more.
        public var lostScans: UInt64 = 0
        /// The number of temporary exposure keys that were made, 0 or more.
        public var keysMade: UInt64 = 0
        /// The greatest delay of a change of identifier, in milliseconds; 0 or more.
        public var worstRotationLateness: Int64 = 0
        /// The number of steps that were taken against trouble with the controller, by the step's name. Each is 1 or more;
        /// steps that were never taken are absent.
        public var ladder: [String: UInt64] = [:]
        /// The damage that ledgers found when they were opened, in all processes, the running one included; empty without
        /// ``Setup/trust``.
        public var ledgerFindings: [Ledger.Finding] = []
    }

    /// The setup of the board, which never changes.
    public let setup: Setup
    /// The air on which the board sends and listens.
    public let air: VirtualAir
    /// The transport of the core to its controller.
    public let port: AirPort
    /// The power supply of both storages; a new one after each ``cutPower()``.
    public private(set) var power = SimulatedPower()
    /// The present data partition; not used with real media.
    public private(set) var data: SimulatedStorage
    /// The present key partition; not used with real media.
    public private(set) var keys: SimulatedStorage
    /// Used instead of ``data`` and ``keys``, if given.
    private let realMedia: (data: any StorageMedium, keys: any StorageMedium)?
    /// The beacon of the running core; `nil` while the core does not run.
    public private(set) var beacon: Beacon?
    /// The vault of the running core; `nil` while the core does not run.
    public private(set) var vault: Vault?
    /// The exposure service of the running core; `nil` while the core does not run, and without ``Setup/trust``.
    public private(set) var service: ExposureService?
    /// The number of times that the core was started, failed starts included; 0 or more.
    public private(set) var lives = 0
    /// The sums over all processes that have ended.
    public private(set) var totals = Totals()
    /// The committed state of the last process that ended; `nil` if none has.
    public private(set) var lastWords: LastWords?
    /// The times of the air at which the core asked for a cut of the controller's power; empty if it never did.
    public private(set) var powerRequests: [Duration] = []
    /// Every own key that was stored when a process ended or a question was asked (``ask(_:)``), by its secret,
    /// with its longest period: any of them may have been on air. On a real board it would be secret.
    public private(set) var ownKeys: [[UInt8]: TemporaryExposureKey] = [:]
    /// The reason why the last start of the core failed, in English; `nil` if it succeeded, and before the first start.
    public private(set) var startFailure: String?

    /// Whether the kernel knows the time when the core asks for it; `true` unless set.
    public var hasClock = true
    /// The lead of the board's clocks over the air's civil time; negative if they are behind.
    public private(set) var clockError = Duration.zero
    /// The number of actions that the core still does before it is killed, 0 or more; `nil` for no limit. It becomes `nil`
    /// each time the core ends.
    public var actionsUntilKill: Int?
    /// The witness that is told when a process begins and ends and when the clock is set; `nil` for none.
    public var witness: Witness?

    /// Whether the core has heard a clock since it was switched on, so that anybody can know what it goes by.
    private var knowsClock = true
    private var generator: SplitMix64
    private var bootMoment: Duration
    private var bootIdentity: BootIdentity
    private var hasPower = true
    private var restartDue: Duration?
    /// Where the ledger's files are: on ``data`` while a process runs.
    private let ledgerDisk: SimulatedVFS
    private let log = Logger(label: "board") { _ in SwiftLogNoOpLogHandler() }

    /// Creates a board that is switched on now and whose core does not run yet. Its storages are simulated and empty,
    /// unless `realMedia` gives real ones, which ``cutPower()`` does not affect.
    public init(
        _ air: VirtualAir, _ setup: Setup, on realMedia: (data: any StorageMedium, keys: any StorageMedium)? = nil
    ) {
        self.air = air
        self.setup = setup
        self.realMedia = realMedia
        port = AirPort(air, setup.controller)
        data = SimulatedStorage(power: power)
        keys = SimulatedStorage(power: power)
        ledgerDisk = SimulatedVFS(data)
        generator = SplitMix64(seed: setup.seed)
        bootMoment = air.now
        bootIdentity = BootIdentity(high: generator.next(), low: generator.next())
        port.close()
    }

    /// The number of the board's controller in the air.
    public var node: NodeID { port.node }
    /// Whether a process of the core runs now.
    public var isRunning: Bool { beacon != nil }

    /// Returns the time that the core uses at a moment of the air; `nil` while it uses a time that was carried over a power
    /// cut.
    public func goesBy(at moment: Duration) -> UnixTime? { knowsClock ? clock(at: moment) : nil }

    /// Returns the time of the board's system clock at a moment of the air, with a resolution of a millisecond.
    public func clock(at moment: Duration) -> UnixTime {
        let (seconds, attoseconds) = (moment + clockError).components
        return UnixTime(milliseconds: (air.epoch + seconds) * 1_000 + attoseconds / 1_000_000_000_000_000)
    }

    // MARK: Processes

    /// Starts the core, and switches the board on first if necessary. Does nothing while the core runs. If the start fails,
    /// ``startFailure`` says why.
    public func start() {
        guard beacon == nil else { return }
        restartDue = nil
        if !hasPower {
            hasPower = true
            bootMoment = air.now
            bootIdentity = BootIdentity(high: generator.next(), low: generator.next())
            knowsClock = false
        }
        lives += 1
        startFailure = nil
        witness?.processStarted(node, at: air.now)
        do {
            let vault = try openVault()
            self.vault = vault
            let ledger = try setup.trust == nil ? nil : openLedger(of: vault)
            let beacon = try Beacon(
                profile: setup.profile, vault: vault, enabledUnlessStored: wasEnabled(vault, ledger), limits: setup.limits,
                bootIdentity: bootIdentity,
                generator: SplitMix64(seed: generator.next()), log: log, at: bootNow)
            self.beacon = beacon
            if let ledger, let trust = setup.trust { try openBox(beacon, vault, ledger, trust) }
        } catch {
            startFailure = "\(error)"
            forgetProcess()
            witness?.processEnded(node, at: air.now)
            return
        }
        call { $0.advance(to: $1) }
        tend()
        guard isRunning else { return }
        port.reopen(after: .zero)
        deliver()
    }

    /// Ends the process at once, as SIGKILL does: everything that it wrote is there, synced or not, and its transport is
    /// closed. Does nothing while the core does not run.
    public func kill() {
        guard let beacon, let vault else { return }
        let status = beacon.status(at: bootNow, since: bootNow, transport: "", transportProblem: nil)
        lastWords = LastWords(
            schedule: vault.schedule, time: vault.timeSnapshot, storedScans: status.scanner.storedScans,
            findings: vault.findings)
        noteOwnKeys(of: vault)
        totals.scans += status.scanner.scans
        totals.storedScans += status.scanner.storedScans
        totals.storedIdentifiers += status.scanner.storedIdentifiers
        totals.lostScans += status.scanner.lostScans
        totals.keysMade += status.radio.keysMade
        totals.worstRotationLateness = max(totals.worstRotationLateness, status.radio.worstRotationLateness)
        totals.ladder.merge(status.radio.ladder, uniquingKeysWith: +)
        forgetProcess()
        actionsUntilKill = nil
        port.close()
        witness?.processEnded(node, at: air.now)
    }

    /// Cuts the power: the process ends if one runs, any part of what was not synced is lost, and the boot clock starts
    /// anew. The core stays off until it is started.
    public func cutPower() {
        kill()
        air.powerCycle(node)
        hasPower = false
        power = SimulatedPower()
        // One draw, however much there was to lose: what comes after must not depend on it.
        var chance = SplitMix64(seed: generator.next())
        data = data.afterCut(on: power, using: &chance)
        keys = keys.afterCut(on: power, using: &chance)
    }

    private func noteOwnKeys(of vault: Vault) {
        for key in vault.schedule.past + (vault.schedule.current.map { [$0] } ?? []) {
            let secret = key.secret.withBytes { Array($0) }
            if ownKeys[secret].map({ $0.rollingPeriod < key.rollingPeriod }) ?? true { ownKeys[secret] = key }
        }
    }

    private func forgetProcess() {
        // A killed process tidies nothing up: what SQLite does when it closes happens on a disk that is nobody's.
        ledgerDisk.storage = SimulatedStorage()
        service?.ledger.close()
        service = nil
        beacon = nil
        vault = nil
    }

    /// Starts the core after `delay` of the air's time; if the board is off, it is switched on then. Replaces a start that
    /// is planned already.
    public func restart(after delay: Duration) { restartDue = air.now + delay }

    /// Lets the power of the simulated storages fail after this number of further operations, 0 or more; the core ends then
    /// at the latest.
    public func failPower(after operations: Int) { power.operationsUntilCut = operations }

    /// Makes the storages work again after a cut that counts only as the end of the process.
    public func restorePower() { power.operationsUntilCut = nil }

    /// Opens the stores on the disks, for a board whose core does not run, and returns the vault. Throws what the vault
    /// throws.
    public func openVault() throws -> Vault {
        try Vault(
            realMedia?.data ?? data, provider: FileKeyProvider(realMedia?.keys ?? keys),
            generator: SplitMix64(seed: generator.next()))
    }

    private func openLedger(of vault: Vault) throws -> Ledger {
        ledgerDisk.storage = data
        let ledger = try Ledger(
            path: "ledger.sqlite", keys: Core.VaultLedgerKeys(vault), vfs: ledgerDisk.name, folder: ledgerDisk,
            generator: SplitMix64(seed: generator.next()))
        totals.ledgerFindings += ledger.findings
        return ledger
    }

    /// As the core's command does it.
    private func wasEnabled(_ vault: Vault, _ ledger: Ledger?) -> Bool {
        guard let ledger else { return setup.isEnabledWhenNew }
        return ExposureService.wasEnabled(vault, ledger: ledger, isLedgerDamaged: isAside(ledger))
    }

    private func isAside(_ ledger: Ledger) -> Bool {
        ledger.findings.contains { if case .setAside = $0 { true } else { false } }
    }

    private func openBox(_ beacon: Beacon, _ vault: Vault, _ ledger: Ledger, _ trust: TrustStore) throws {
        let service = ExposureService(
            beacon, vault: vault, ledger: ledger, trust: trust, policy: .namedKeys,
            program: .failure(IntakeFailure(.programMissing)), isRemembered: !isAside(ledger),
            generator: SplitMix64(seed: generator.next()), log: log)
        self.service = service
        guard setup.isEnabledWhenNew, vault.isEnabled == nil else { return }
        try service.enable(
            by: Caller(name: "command-line", reading: .nothing, spool: nil, presence: "operator"), at: bootNow)
    }

    /// Asks the running core a question that a caller may ask, and returns its answer. Throws what the core throws, and
    /// ``NoAnswer`` when the core does not run, has no ledger, or ends before it has answered.
    public func ask<Answer>(_ question: (ExposureService, BootInstant) throws -> Answer) throws -> Answer {
        guard let service, let vault else { throw NoAnswer() }
        // A question may cut a key short that is on air.
        noteOwnKeys(of: vault)
        let answer = Result { try question(service, bootNow) }
        checkPower()
        guard isRunning else { throw NoAnswer() }
        obey()
        return try answer.get()
    }

    // MARK: Clocks

    /// Sets the lead of the board's clocks to `error` (negative: they are behind) from now on; if the core runs, it is told
    /// as if by a person.
    public func setClock(error: Duration) {
        clockError = error
        guard isRunning else { return }
        knowsClock = true
        witness?.clockStepped(node, at: air.now)
        let reading = TrustedTime.PlausibleReading(.operator, clock(at: air.now), uncertainty: .seconds(1))
        call { $0.heard(reading, at: $1) }
    }

    private var bootNow: BootInstant {
        let (seconds, attoseconds) = (air.now - bootMoment).components
        return BootInstant(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    private func hearClock() {
        guard hasClock else { return }
        let reading = TrustedTime.PlausibleReading(.network, clock(at: air.now), uncertainty: .seconds(1))
        guard let beacon else { return }
        if !knowsClock { witness?.clockStepped(node, at: air.now) }
        knowsClock = true
        beacon.heard(reading, at: bootNow)
        checkPower()
    }

    // MARK: Running

    /// The time when the board wants to be served at the latest.
    var nextEvent: Duration? {
        guard let beacon else { return restartDue }
        // A controller that answers at once has no event of its own for it.
        if air.outputCount(of: node) > 0 { return air.now }
        // The air counts microseconds: rounded down it would come too early, again and again.
        let nanoseconds = max(0, beacon.deadline.nanoseconds)
        let due = bootMoment + .microseconds((nanoseconds + 999) / 1_000)
        return min(due, port.nextEvent ?? due)
    }

    /// Does what is due.
    func serve() {
        if let restartDue, air.now >= restartDue { start() }
        guard let beacon else { return }
        if air.outputCount(of: node) > 0 || port.nextEvent != nil || !air.isConnected(node) { deliver() }
        guard isRunning, bootNow >= beacon.deadline else { return }
        call { $0.advance(to: $1) }
        tend()
    }

    /// `CoreService` does this at every turn; here it is done whenever time and not a packet woke the core, every five minutes at the
    /// least.
    private func tend() {
        guard let service else { return }
        service.advance(to: bootNow)
        checkPower()
        obey()
    }

    private func deliver() {
        while isRunning, case let arrived = port.takeEvents(), !arrived.isEmpty {
            for event in arrived {
                switch event {
                case .opened: call { $0.opened(at: $1) }
                case .openFailed: call { $0.openFailed(at: $1) }
                case .lost: call { $0.lost(at: $1) }
                case .packet(let packet): call { $0.receive(packet, at: $1) }
                }
            }
        }
    }

    private func call(_ body: (Beacon, BootInstant) -> Void) {
        guard let beacon else { return }
        body(beacon, bootNow)
        checkPower()
        obey()
    }

    private func checkPower() { if power.isCut { kill() } }

    private func obey() {
        while let beacon, case let actions = beacon.takeActions(), !actions.isEmpty {
            for action in actions {
                if let left = actionsUntilKill {
                    if left == 0 { kill() } else { actionsUntilKill = left - 1 }
                }
                guard isRunning else { return }
                switch action {
                case .send(let bytes): port.send(bytes)
                case .reopenTransport(let delay): port.reopen(after: delay)
                case .askForPowerCycle: powerRequests.append(air.now)
                case .readClocks: hearClock()
                }
            }
        }
    }
}
