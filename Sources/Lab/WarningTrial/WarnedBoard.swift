// SPDX-License-Identifier: Apache-2.0

public import Core
import Cryptography
import GAEN
public import Interfaces
import KeyExport
import KeyIntake
import LabKit
import Ledger
import Logging
import Matching
import Radio
import TimeTrust
public import Trust
import Vault
import VirtualAir

/// The board of a person who may have been near: the core's own parts, from the stored scans to the sentence that the
/// person reads, in virtual time. Use it on one thread at a time.
///
/// The radio and the program that unpacks files are left out; files go through the same reader, and its result through the
/// core's own commit.
public final class WarnedBoard {
    /// One life of the core: what a restart makes anew.
    private struct Life {
        let vault: Vault
        let ledger: Ledger
        let beacon: Beacon
        let service: ExposureService
    }

    private let trust: TrustStore
    private var authorities: [AuthoritySource]
    private let seed: UInt64
    private let data = SimulatedStorage()
    private let keys = SimulatedStorage()
    /// Where the ledger outlives the process; `nil` is in memory, and no restart.
    private let ledgerPath: String?
    private var lives: UInt64 = 1
    private var life: Life
    private let caller = Caller(name: "sync", reading: .windows, spool: nil, presence: "console")
    /// Of this life's boot clock.
    private var now = BootInstant(nanoseconds: 0)
    /// Unix seconds at which this life began.
    private var bootedAt: Int64

    /// Creates a board that has listened for the 30 hours before `time` (Unix seconds). `trust` has the keys of the
    /// device's own authority; `authorities` are followed in addition, or instead if `trust` has no keys. With
    /// `ledgerPath`, where no file may exist yet, the board can be restarted; with `nil` the ledger is in memory. The same
    /// `seed` gives the same board. Throws what the core throws.
    public init(
        trust: TrustStore, authorities: [AuthoritySource] = [], at time: Int64, seed: UInt64, ledgerPath: String? = nil
    ) throws {
        self.trust = trust
        self.authorities = authorities
        self.seed = seed
        self.ledgerPath = ledgerPath
        bootedAt = time
        life = try Self.life(1, of: seed, data, keys, ledgerPath, trust, authorities, at: now)
        tellTime(time)
        try life.ledger.write { transaction in
            for hour in 1...30 {
                var evidence = EvidenceHour(hour: UInt32(time / 3_600 - Int64(hour)))
                evidence.scans = 15
                evidence.secondsListening = 60
                try transaction.record(evidence)
            }
        }
        try life.service.enable(by: caller, at: now)
    }

    private static func life(
        _ number: UInt64, of board: UInt64, _ data: SimulatedStorage, _ keys: SimulatedStorage, _ ledgerPath: String?,
        _ trust: TrustStore, _ authorities: [AuthoritySource], at now: BootInstant
    ) throws -> Life {
        let seed = board &* 1_000_003 &+ number &* 7_919
        let log = Logger(label: "warned") { _ in SwiftLogNoOpLogHandler() }
        let vault = try Vault(data, provider: FileKeyProvider(keys), generator: SplitMix64(seed: seed))
        let ledgerKeys: any LedgerKeys =
            ledgerPath == nil ? MemoryLedgerKeys(generator: SplitMix64(seed: seed)) : LabKit.VaultLedgerKeys(vault)
        let ledger = try Ledger(path: ledgerPath, keys: ledgerKeys, generator: SplitMix64(seed: seed &+ 1))
        let beacon = try Beacon(
            profile: .token, vault: vault,
            enabledUnlessStored: ExposureService.wasEnabled(vault, ledger: ledger, isLedgerDamaged: false),
            bootIdentity: BootIdentity(high: board, low: number), generator: SplitMix64(seed: seed &+ 2), log: log, at: now)
        let service = ExposureService(
            beacon, vault: vault, ledger: ledger, trust: trust, policy: .namedKeys,
            authorities: authorities, program: .failure(IntakeFailure(.programMissing)),
            generator: SplitMix64(seed: seed &+ 3), log: log)
        return Life(vault: vault, ledger: ledger, beacon: beacon, service: service)
    }

    /// The network's clock says that it is `time`, Unix seconds.
    private func tellTime(_ time: Int64) {
        life.beacon.heard(.init(.network, UnixTime(seconds: time), uncertainty: .seconds(1)), at: now)
        life.beacon.advance(to: now)
        _ = life.beacon.takeActions()
    }

    // MARK: What happens to it

    /// Kills the process and starts another one on the stored state, at `time` (Unix seconds) or now, whichever is later.
    /// Throws ``WarningFailure`` for a board whose ledger is in memory, and what the core throws at its start.
    public func restart(at time: Int64) throws { try restart(at: time, following: authorities) }

    /// The same after the operator has changed the profiles.
    func restart(at time: Int64, following authorities: [AuthoritySource]) throws {
        self.authorities = authorities
        guard ledgerPath != nil else { throw WarningFailure("a board whose ledger is in memory cannot be restarted") }
        let time = max(time, self.time)
        life.ledger.close()
        lives += 1
        now = BootInstant(nanoseconds: 0)
        bootedAt = time
        life = try Self.life(lives, of: seed, data, keys, ledgerPath, trust, authorities, at: now)
        tellTime(time)
    }

    /// Lets time pass until `time` (Unix seconds); does nothing if that is past.
    public func advance(to time: Int64) {
        let moment = BootInstant(nanoseconds: (time - bootedAt) * 1_000_000_000)
        guard moment > now else { return }
        now = moment
        tellTime(time)
        life.service.advance(to: now)
    }

    /// Sets the board's role: a person, who agrees to take part at once if the board is off, or a place. Throws the core's
    /// ``Refusal``.
    public func stand(for role: Exposure1.Role) throws {
        try life.service.setRole(role, by: caller, at: now)
        if role == .person, !life.service.beacon.isEnabled { try life.service.enable(by: caller, at: now) }
    }

    /// Takes an authority's rules as the sync plugin delivers them; `source` is the name of the authority's profile, `nil`
    /// for the device's own authority. Throws the core's ``Refusal``.
    public func take(rules: (document: [UInt8], approvals: [UInt8]), of source: String? = nil) throws {
        _ = try life.service.warnings.takeRules(
            Base64.string(rules.document), approvals: Base64.string(rules.approvals), source: source, by: caller, at: now)
    }

    /// Keeps what one scan heard.
    func keep(_ scan: HeardScan) throws {
        try life.vault.append(try scan.record(correction: Int(BoardProfile.token.calibration.rssiCorrection)))
    }

    /// Records that the key which `person` used `age` days before her submission was heard in each scan of
    /// `contact`; the scan before the first was at `start` (Unix seconds). Throws ``WarningFailure`` for a scan
    /// whose mean attenuation is below its minimum, and the vault's error when it cannot store a scan.
    public func hear(_ person: InfectedPerson, age: UInt32, contact: Contact, from start: Int64) throws {
        var time = start
        for scan in contact.scans {
            time += Int64(scan.secondsSinceLastScan)
            let sender = HeardScan.Sender(
                key: person.secret(age: age), interval: ENIN(UInt32(truncatingIfNeeded: time / ENIN.seconds)),
                typicalAttenuation: scan.typicalAttenuation, minimumAttenuation: scan.minimumAttenuation)
            try keep(HeardScan(time: time, secondsSinceLastScan: Int64(scan.secondsSinceLastScan), senders: [sender]))
        }
    }

    /// Takes key files as the core's intake takes the unpacked ones. Throws a ``Refusal`` when the core does not match
    /// them.
    public func take(_ delivery: Delivery) throws { try take(delivery, on: .none) }

    /// The same for files that sync has fetched from one of its sources.
    func take(_ delivery: Delivery, on terms: ProvideTerms) throws {
        let time = try life.service.requireReadiness(at: now)
        var loader = life.service.loader(now: UnixTime(seconds: time))
        while loader.loadNextDay() {}
        let matcher = Matcher(
            index: loader.finish().index, now: ENIN(unixSeconds: time) ?? ENIN(0),
            isExcluded: try life.service.exclusion(at: now))
        let feed = MatcherFeed(matcher)
        let files = try delivery.files.enumerated().map { number, file in
            let isKnown =
                try life.ledger.isMatched(signatureListDigest: file.signatureListDigest)
                || life.ledger.isMatched(contentDigest: file.export.contentMark)
            if !isKnown { file.keys.withUnsafeBufferPointer { feed.add($0) } }
            return IntakeFile(
                name: "\(number).zip", outcome: isKnown ? .repeated : .matched, export: file.export,
                signatureListDigest: file.signatureListDigest, matches: matcher.finish())
        }
        _ = try life.service.commit(
            IntakeResult(files: files, statistics: matcher.statistics, flaws: feed.flaws), terms, by: caller, at: now)
    }

    /// The person has seen the news.
    func acknowledge() throws { try life.service.warnings.acknowledge() }

    // MARK: What it says

    private var time: Int64 { life.beacon.present(at: now).time?.seconds ?? 0 }

    /// Returns whether the board stores no scan and no match. Throws when the ledger cannot be read.
    public func holdsNothing() throws -> Bool { try life.vault.days.isEmpty && life.ledger.matches().isEmpty }

    /// Lets a minute pass, in which the board judges what it has stored.
    public func think() { advance(to: bootedAt + now.nanoseconds / 1_000_000_000 + 60) }

    /// Returns the risk that the person is told, after a minute in which the board judges. Throws the core's ``Refusal``.
    public func told() throws -> Risk1.Risk {
        think()
        return try life.service.warnings.risk(at: now)
    }
}
