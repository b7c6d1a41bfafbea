// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import GAEN
import KeyExport
import KeyIntake
import Ledger
import Logging
import Matching
import Radio
import Simulation
import TimeTrust
import Trust
import Vault
import VirtualAir

/// One life of a core on real files, opened as `vigil core` opens it, in virtual time; without radio and sockets.
final class KilledBoard {
    /// Of the key that signs the document about donations.
    static let name = KeyName(id: "262", version: "v1")

    let ledger: Ledger
    let service: ExposureService
    let caller = Caller(name: "ctl", reading: .windows, spool: nil, presence: "console")
    private let beacon: Beacon
    private let opened: Int64
    /// Unix seconds.
    private(set) var time: Int64

    /// Opens the store in `folder` at `time`, Unix seconds; `seed` is another number for each life. `signer` has signed the documents.
    init(
        folder: String, at time: Int64, seed: UInt64, signer: P256.VerificationKey, fatal: KillSwitch, fault: DonationFault?
    ) throws {
        opened = time
        self.time = time
        let vault = try Vault(
            KillingMedium(PosixStorage(folder: "\(folder)/data"), fatal),
            provider: FileKeyProvider(KillingMedium(PosixStorage(folder: "\(folder)/keys"), fatal)),
            generator: SplitMix64(seed: seed))
        let keys = VaultLedgerKeys(vault)
        ledger = try Ledger(
            path: "\(folder)/data/ledger.sqlite", keys: fault == .oldKey ? StubbornKeys(keys) : keys,
            generator: SplitMix64(seed: seed &+ 1), stepHook: { fatal.pass($0) })
        let isDamaged = ledger.findings.contains { if case .setAside = $0 { true } else { false } }
        guard !isDamaged else { throw KilledDonationsFailure("the ledger was damaged") }
        let log = Logger(label: "donor") { _ in SwiftLogNoOpLogHandler() }
        beacon = try Beacon(
            profile: .token, vault: vault,
            enabledUnlessStored: ExposureService.wasEnabled(vault, ledger: ledger, isLedgerDamaged: false),
            bootIdentity: BootIdentity(high: seed, low: UInt64(bitPattern: time)), generator: SplitMix64(seed: seed &+ 2),
            log: log, at: BootInstant(nanoseconds: 0))
        service = ExposureService(
            beacon, vault: vault, ledger: ledger,
            trust: try TrustStore(keys: [TrustedKey(name: Self.name, role: .config, key: signer)]), policy: .namedKeys,
            program: .failure(IntakeFailure(.programMissing)), announcer: Announcer(onStep: { fatal.pass($0) }),
            generator: SplitMix64(seed: seed &+ 3), log: log)
        pass(to: time)
    }

    var now: BootInstant { BootInstant(nanoseconds: (time - opened) * 1_000_000_000) }

    /// Time goes by, and a clock says what it is.
    func pass(to time: Int64) {
        self.time = max(self.time, time)
        beacon.advance(to: now)
        beacon.heard(.init(.network, UnixTime(seconds: self.time), uncertainty: .seconds(1)), at: now)
        beacon.advance(to: now)
        service.advance(to: now)
        _ = beacon.takeActions()
    }

    /// Three people were met yesterday who are ill: encounters to donate, others for each number. A donation has them in an order of chance.
    func meet(_ number: UInt64) throws {
        var random = SplitMix64(seed: number)
        let day = UInt32(time / 86_400) - 1
        let matches = try (0..<3).map { _ in try Self.match(on: day, using: &random) }
        try ledger.write { try $0.merge(matches) }
    }

    private static func match(on day: UInt32, using random: inout SplitMix64) throws -> Match {
        let key = DiagnosisKey(
            data: Block(low: random.next(), high: random.next()), rollingStart: ENIN(day * ENIN.perDay),
            transmissionRiskLevel: 3, reportType: .confirmedTest, daysSinceOnset: 0)
        guard let key else { throw KilledDonationsFailure("no key") }
        let start = day * 86_400 + 36_000
        return Match(
            key: key,
            sightings: (0..<4 as Range<UInt32>).map { step in
                MatchedSighting(
                    position: step, interval: ENIN(start / 600), time: start + step * 300,
                    previousScan: start + step * 300 - 300, rssi: -.random(in: 40...90, using: &random), transmitPower: 0,
                    confidence: .high)
            })
    }
}

/// Keys of a ledger that are not replaced: a fault on purpose.
private final class StubbornKeys: LedgerKeys {
    private let inner: VaultLedgerKeys

    init(_ inner: VaultLedgerKeys) { self.inner = inner }

    var keys: [SecretBytes] { inner.keys }
    func stage() throws -> SecretBytes { throw KilledDonationsFailure("no other key") }
    func retireOthers() throws {}
}
