// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Interfaces
public import KeyExport
public import KeyIntake
public import Ledger
public import Logging
import Matching
import Radio
public import TimeTrust
public import Trust
public import Vault

/// The exposure-notification service: takes files of diagnosis keys, matches them, answers questions, and reveals nothing
/// else.
///
/// Every question that a caller may ask is a method here, with the types of its interface; sockets and callers' files are
/// handled elsewhere (``CoreInterfaces``, ``KeyIntake``). Like ``Beacon`` it is told the time, and is used on the thread
/// that owns the beacon. It throws ``Refusal`` for what the caller should know.
public final class ExposureService {
    /// The beacon, which sends and listens; its owner advances it.
    public let beacon: Beacon
    /// The store of own keys and sightings on the disk.
    public let vault: Vault
    /// The store of matches, settings and the audit log.
    public let ledger: Ledger
    /// Whose signatures count, by source.
    var ring: KeyRing
    /// What unpacks key files, or why it cannot.
    let program: Result<UnzipProgram, IntakeFailure>
    /// The operator's language for pages, until the wearer has chosen one.
    let standardLanguage: String?
    let log: Logger
    var generator: any RandomNumberGenerator & Sendable
    /// What is too old, and goes.
    let retention: Retention
    /// How the radio has worked.
    let evidence: EvidenceAccount
    var nonces = OpenNonces()
    /// The service that judges whether the person is to be warned.
    public let warnings: WarningService
    /// Files that wait to be matched, and those being matched.
    let intake = IntakeQueue()
    /// How often callers have provided files.
    let provideAccount: ProvideAccount
    /// How fresh the compared keys are.
    let freshness: FreshnessAccount
    /// Who is behind a call, and how they sign in.
    let signIn: SignInService
    /// Whose device it is.
    let roles: RoleState
    let auditWriter: AuditWriter
    var content = ContentSlot()
    let donations: DonationDesk
    var button = ButtonDesk()
    var doorHold = DoorHold()
    var attention = Attention()
    /// What is being recorded; `nil` while nothing is.
    var recorder: Recorder?
    /// Where the last recording of this program lies, if nobody has taken it away.
    var recordingFile: RecordingFile?
    /// Until when the console may measure neighbours without another press; `nil` before the first time.
    var calibrationEnd: Duration?
    /// What the last recording came to.
    var lastRecording: Device1.Recording?
    /// The location of the last transport and its problem, as the transport's owner reported with ``note(_:)``; without a
    /// name before that.
    public private(set) var transport = TransportNote()
    /// The announcer, which reports what has happened.
    public let announcer: Announcer
    /// Whether everything was erased: then the program has to end, because its memory still holds what was erased. It stays
    /// `true`.
    public internal(set) var wasReset = false
    /// Whether the device got another role: then the program has to end, and begins the next life when it starts again. It
    /// stays `true`.
    public internal(set) var roleHasChanged = false
    private var changes = StateChanges()

    /// Joins a beacon, its vault and its ledger, and completes changes that a power cut has interrupted. Cannot
    /// fail: data that cannot be read is reported in the log, and counts as missing. Blocks while it reads and
    /// writes the disk.
    ///
    /// - Parameters:
    ///   - trust: The store of keys whose signatures count for the standard source: key files, rules, content; and who may
    ///     sign the time.
    ///   - policy: The rule by which the signature of a file of the standard source is judged.
    ///   - authorities: The other sources, each with its own keys. The standard source comes first if there are no
    ///     others, or if `trust` has a key for files or rules; of all together the first ``AuthoritySource/most``
    ///     count.
    ///   - program: The program that unpacks key files, or the reason why none can, which is told to callers that provide
    ///     some.
    ///   - access: The control of secrets and sessions.
    ///   - announcer: The announcer that is told of events.
    ///   - isRemembered: Whether the ledger is the earlier one; `false` for an empty one that replaces a ledger
    ///     that could not be read.
    ///   - language: The language of pages until the wearer has chosen one, in the form of ``isLanguage(_:)`` (not
    ///     checked); `nil` for each browser's.
    ///   - generator: The source of random numbers for the order of answers; must be cryptographic outside tests.
    public init(
        _ beacon: Beacon, vault: Vault, ledger: Ledger, trust: TrustStore, policy: SignaturePolicy,
        authorities: [AuthoritySource] = [], program: Result<UnzipProgram, IntakeFailure>,
        access: AccessControl = AccessControl(data: nil), announcer: Announcer = Announcer(), isRemembered: Bool = true,
        language: String? = nil,
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(), log: Logger
    ) {
        self.beacon = beacon
        self.vault = vault
        self.ledger = ledger
        ledger.isPersonal = { $0.isPersonal }
        freshness = FreshnessAccount(ledger)
        provideAccount = ProvideAccount(ledger)
        retention = Retention(ledger, beacon: beacon, log: log)
        evidence = EvidenceAccount(ledger, of: beacon, log: log)
        self.program = program
        standardLanguage = language
        self.announcer = announcer
        roles = RoleState(ledger, profile: beacon.profile.role)
        auditWriter = AuditWriter(ledger, clock: { beacon.present(at: $0).time?.seconds }, log: log)
        signIn = SignInService(
            access, roles: roles, ledger: ledger, audit: auditWriter, announcer: announcer, log: log)
        self.generator = generator
        self.log = log
        let hasStandard = authorities.isEmpty || trust.keys.contains { $0.role == .export || $0.role == .config }
        let standard = hasStandard ? [AuthoritySource(standard: trust, policy: policy)] : []
        let sources = Array((standard + authorities).prefix(AuthoritySource.most))
        let (ring, damages) = KeyRing.load(ledger, standard: trust, sources)
        self.ring = ring
        for damage in damages { log.warning("\(damage)", metadata: ["while": "reading changes of keys"]) }
        let (loaded, findings) = RiskState.load(ledger, sources.map(ring.following))
        warnings = WarningService(
            loaded, beacon: beacon, ledger: ledger, roles: roles, freshness: freshness, evidence: evidence,
            audit: auditWriter, announcer: announcer, log: log)
        for finding in findings { log.warning("\(finding)", metadata: ["while": "reading the health authority's rules"]) }
        let (slot, problem) = ContentSlot.load(ledger, trust: ring.standard)
        content = slot
        donations = DonationDesk(ledger, trust: ring.standard)
        if let problem { log.warning("\(problem)", metadata: ["while": "reading the health authority's content"]) }
        for finding in donations.findings { log.warning("\(finding)", metadata: ["while": "reading donations"]) }
        beacon.calibration.corrections =
            (try? ledger.setting(ReceiverCorrections.setting)).flatMap(ReceiverCorrections.init) ?? .init()
        for finding in access.findings { log.error("\(finding)") }
        settleRole(isRemembered: isRemembered)
        noteLife()
    }

    /// Whose signatures count for the device's own authority, and for the time.
    var trust: TrustStore { ring.standard }

    /// Announces changes that happened without a call, and records the hour that has ended. Call it after every event, and
    /// every few minutes. Never fails: a problem with the disk becomes part of the state.
    public func advance(to now: BootInstant) {
        let hasTrouble = beacon.storage.trouble != nil || transport.problem != nil
        for event in changes.look(state(at: now), hasTrouble: hasTrouble) { announce(event) }
        // The hour that ends is the former role's.
        if !roleHasChanged { recordEvidence(at: now, isLast: false) }
        if !wasReset { retention.forgetIfDue(at: now) }
        do { try tidyDonations(at: now) } catch { complain(error, doing: "forgetting old donations") }
        endServiceIfOver(at: now)
        if !wasReset { warnings.advance(at: now) }
    }

    /// Notes a change of the transport, or of its problem. Cannot fail.
    public func note(_ transport: TransportNote) { self.transport = transport }

    /// Records what is not recorded yet, before the program ends; nothing after a reset or a change of role. Cannot fail.
    public func stop(at now: BootInstant) {
        // What was counted for another role is none of this one's.
        if !roleHasChanged { recordEvidence(at: now, isLast: true) }
    }

    private func recordEvidence(at now: BootInstant, isLast: Bool) {
        guard !wasReset else { return }
        if evidence.record(at: now, isLast: isLast) { warnings.state.hourIsOver() }
    }

    /// The names of the points between writes to the disk, grouped by what they belong to, which ``Announcer`` passes to
    /// its `onStep`; our choice.
    public static let steps = [
        "enable.recorded", "enable.done", "disable.silent", "disable.done", "consent.done", "provide.accepted",
        "provide.loaded", "provide.verified", "provide.committed", "release.spent", "release.cutOff", "release.done",
        "remainder.spent", "remainder.cutOff", "remainder.done", "reset.begun", "reset.erased", "role.recorded",
        "role.done", "rules.taken", "risk.told", "donation.step",
    ]

    func step(_ name: String) { announcer.step(name) }

    func announce(_ event: Exposure1.Event) {
        switch event {
        case .matchesChanged, .enabled, .disabled, .roleChanged, .timeChanged: warnings.state.makeDue()
        default: break
        }
        announcer.tell(.event(event))
    }

    func complain(_ error: any Error, doing what: String) {
        log.error("\(error)", metadata: ["while": "\(what)"])
    }
}
