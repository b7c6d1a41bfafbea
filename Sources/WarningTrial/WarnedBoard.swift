// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import GAEN
public import Interfaces
import KeyExport
import KeyIntake
import Ledger
import Logging
import Matching
import Radio
import TimeTrust
public import Trust
import Vault
import VaultTestKit
import VirtualAir

/// The board of somebody who may have been near: the core's own parts, from the stored scans to the sentence, in virtual time.
///
/// What is left out is the radio and the program that unpacks; the files go through the same reader, and its result through the core's own
/// commit.
public final class WarnedBoard {
    private let vault: Vault
    private let ledger: Ledger
    private let appliance: Appliance
    private let box: BlackBox
    private let trust: TrustStore
    private let caller = Caller(name: "sync", reading: .windows, spool: nil, presence: "console")
    private var now = BootInstant(nanoseconds: 0)
    /// A board's own loudness and correction do not matter here: scans are written so that the attenuation is the one that is asked for.
    private static let power: Int8 = -10
    private static let correction = Int(BoardProfile.token.calibration.rssiCorrection)

    /// A board that has listened for some days when it is `time` (Unix seconds).
    public init(trust: TrustStore, at time: Int64, seed: UInt64) throws {
        self.trust = trust
        let log = Logger(label: "warned") { _ in SwiftLogNoOpLogHandler() }
        vault = try Vault(
            SimulatedStorage(), provider: FileKeyProvider(SimulatedStorage()), generator: SplitMix64(seed: seed))
        ledger = try Ledger(
            path: nil, keys: MemoryLedgerKeys(generator: SplitMix64(seed: seed)), generator: SplitMix64(seed: seed &+ 1))
        appliance = try Appliance(
            profile: .token, vault: vault, bootIdentity: BootIdentity(high: seed, low: 1),
            generator: SplitMix64(seed: seed &+ 2), log: log, at: now)
        box = BlackBox(
            appliance, vault: vault, ledger: ledger, trust: trust, policy: .namedKeys,
            program: .failure(IntakeFailure(.programMissing)), generator: SplitMix64(seed: seed &+ 3), log: log)
        appliance.heard(.init(.operator, UnixTime(seconds: time), uncertainty: .seconds(1)), at: now)
        appliance.advance(to: now)
        try ledger.write { transaction in
            for hour in 1...30 {
                var evidence = EvidenceHour(hour: UInt32(time / 3_600 - Int64(hour)))
                evidence.scans = 15
                evidence.secondsListening = 60
                try transaction.record(evidence)
            }
        }
        try box.enable(by: caller, at: now)
    }

    /// Takes the authority's rules as sync brings them.
    public func take(rules: (document: [UInt8], approvals: [UInt8])) throws {
        _ = try box.takeRiskRules(
            Base64.string(rules.document), approvals: Base64.string(rules.approvals), by: caller, at: now)
    }

    /// Hears `person` in each scan of `contact`; the scan before the first was at `start`, Unix seconds.
    public func hear(_ person: InfectedPerson, age: UInt32, contact: Contact, from start: Int64) throws {
        let keys = try IdentifierKeys(SecretBytes(copying: person.secret(age: age).bytes))
        var time = start
        for scan in contact.scans {
            time += Int64(scan.secondsSinceLastScan)
            let identifier = keys.identifier(for: ENIN(UInt32(truncatingIfNeeded: time / ENIN.seconds)))
            let payload = AdvertisingPayload(
                identifier: identifier,
                metadata: keys.encrypt(.version11(transmitPower: Self.power, confidence: .high), with: identifier))
            func raw(_ attenuation: Int) -> Int8 { Int8(clamping: Int(Self.power) - attenuation - Self.correction) }
            // Strongest first; the second brings the mean to what is typical.
            let quietest = 2 * scan.typicalAttenuation - scan.minimumAttenuation
            let readings = ScanRecord.Readings(
                quietest == scan.minimumAttenuation ? [raw(quietest)] : [raw(scan.minimumAttenuation), raw(quietest)])
            guard let readings else { throw WarningFailure("a scan without readings") }
            try vault.append(
                ScanRecord(
                    start: UInt32(time), previousScan: UInt32(time) - UInt32(scan.secondsSinceLastScan), profileRevision: 0,
                    heard: [ScanRecord.Heard(payload: payload, offset: 0, readings: readings)]))
        }
    }

    /// Takes key files in, as the core's intake does with what its program unpacked.
    public func take(_ delivery: Delivery) throws {
        let index = SightingLoading(vault, now: UInt32(clamping: time)) { _ in Self.correction }.index
        let matcher = Matcher(index: index, now: ENIN(unixSeconds: time) ?? ENIN(0))
        let feed = MatcherFeed(matcher)
        let files = delivery.files.enumerated().map { number, file in
            file.keys.withUnsafeBufferPointer { feed.add($0) }
            return IntakeFile(
                name: "\(number).zip", outcome: .matched, export: file.export,
                signatureListDigest: file.signatureListDigest,
                matches: matcher.finish())
        }
        _ = try box.commit(
            IntakeResult(files: files, statistics: matcher.statistics, flaws: feed.flaws), by: caller, at: now)
    }

    private var time: Int64 { appliance.present(at: now).time?.seconds ?? 0 }

    /// What the person is told, after the board has had a minute to think.
    public func told() throws -> Risk1.Risk {
        now = BootInstant(sinceBoot: .nanoseconds(now.nanoseconds) + .seconds(60))
        appliance.advance(to: now)
        box.advance(to: now)
        return try box.risk(at: now)
    }
}
