// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import GAEN
import Glibc
import Interfaces
import KeyExport
import KeyIntake
import Ledger
import Logging
import Matching
import Radio
import Simulation
import TimeTrust
import Vault
import VirtualAir

/// One life of a core on real files: everything but radio and sockets, opened as `vigil core` opens it.
final class ServiceBoard {
    let stage: ServiceStage
    let vault: Vault
    let ledger: Ledger
    let beacon: Beacon
    let service: ExposureService
    let caller: Caller
    private let fatal: KillSwitch
    private let began = ContinuousClock.now
    private var skipped = Duration.zero
    /// Unix seconds at the beginning.
    private let opened: Int64

    /// `life` is another number for each start; `advance` is how many seconds after ``ServiceStage/start`` it begins.
    init(_ stage: ServiceStage, fatal: KillSwitch, life: UInt64, advance: Int64) throws {
        self.stage = stage
        self.fatal = fatal
        opened = stage.start + advance
        let seed = stage.seed &* 1_000_003 &+ life &* 7_919
        vault = try Vault(
            KillingMedium(PosixStorage(folder: "\(stage.folder)/data"), fatal),
            provider: FileKeyProvider(KillingMedium(PosixStorage(folder: "\(stage.folder)/keys"), fatal)),
            generator: SplitMix64(seed: seed))
        ledger = try Ledger(
            path: "\(stage.folder)/data/ledger.sqlite", keys: VaultLedgerKeys(vault),
            generator: SplitMix64(seed: seed &+ 1), stepHook: { fatal.pass($0) })
        let isDamaged = ledger.findings.contains { if case .setAside = $0 { true } else { false } }
        let log = Logger(label: "service") { _ in SwiftLogNoOpLogHandler() }
        beacon = try Beacon(
            profile: .token, vault: vault,
            enabledUnlessStored: ExposureService.wasEnabled(vault, ledger: ledger, isLedgerDamaged: isDamaged),
            bootIdentity: BootIdentity(high: seed, low: life), generator: SplitMix64(seed: seed &+ 2), log: log,
            at: BootInstant(nanoseconds: 0))
        let program: Result<UnzipProgram, IntakeFailure>
        do throws(IntakeFailure) { program = .success(try .besideThisProgram()) } catch { program = .failure(error) }
        service = ExposureService(
            beacon, vault: vault, ledger: ledger, trust: stage.trust, policy: .namedKeys, program: program,
            announcer: Announcer(onStep: { fatal.pass($0) }), generator: SplitMix64(seed: seed &+ 3), log: log)
        caller = Caller(
            name: "ctl", reading: .windows, spool: try Spool(path: "\(stage.folder)/spool"), presence: "console")
        hear(stage.start + advance)
    }

    var now: BootInstant {
        let (seconds, attoseconds) = (ContinuousClock.now - began + skipped).components
        return BootInstant(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// A clock says that it is `time`.
    func hear(_ time: Int64) {
        beacon.heard(.init(.network, UnixTime(seconds: time), uncertainty: .seconds(1)), at: now)
        beacon.advance(to: now)
        _ = beacon.takeActions()
    }

    /// Time goes by, as long as any identifier lasts.
    func pass() { pass(.seconds(1_260)) }

    /// Until ten minutes after the midnight (UTC) that ends the first day.
    func passMidnight() {
        let rest = ServiceStage.tomorrow - opened - now.nanoseconds / 1_000_000_000
        if rest > 0 { pass(.seconds(rest)) }
    }

    private func pass(_ span: Duration) {
        skipped += span
        beacon.advance(to: now)
        service.advance(to: now)
        _ = beacon.takeActions()
    }

    /// Lets the file go, as the end of a process does.
    func close() { ledger.close() }

    func provide(_ files: [String], accepted: () -> Void = {}) throws -> Exposure1.ProvideResult {
        let job = try service.provide(files, by: caller, at: now)
        accepted()
        var outcome: Result<Exposure1.ProvideResult, Refusal>?
        job.onEnd = { outcome = $0 }
        var wasReading = false
        while outcome == nil {
            if let descriptor = service.jobDescriptor {
                if !wasReading { fatal.pass("intake: unpacking") }
                wasReading = true
                var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&entry, 1, 100)
            } else if !wasReading {
                fatal.pass("intake: loading")
            }
            service.advanceJob(at: now)
        }
        return try outcome?.get() ?? { throw ServiceTrialFailure("no outcome") }()
    }
}
