// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import GAEN
import KeyExport
import KeyIntake
import LabKit
import Ledger
import Logging
import Matching
import Radio
import RandomValues
import TimeTrust
import Trust
import Vault
import VirtualAir

extension Bench {
    /// An exposure service over this beacon, with a ledger in memory.
    func service(_ access: AccessControl = AccessControl(data: nil), language: String? = nil) throws -> ExposureService {
        ExposureService(
            beacon, vault: vault, ledger: try Ledger(path: nil, keys: MemoryLedgerKeys()),
            trust: try TrustStore(keys: []),
            policy: .namedKeys, program: .failure(IntakeFailure(.programMissing)), access: access,
            language: language, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
}

/// An exposure service without a radio, on a simulated disk, at a time that the test sets.
final class ExposureServiceBench {
    /// 2026-11-21 12:00 UTC.
    static let noon: Int64 = 1_795_262_400

    let data: SimulatedStorage
    let keys: SimulatedStorage
    let vault: Vault
    let ledger: Ledger
    let beacon: Beacon
    let service: ExposureService
    private let trust: TrustStore
    private let program: UnzipProgram
    private(set) var now = BootInstant(nanoseconds: 0)
    /// Of a board without keys of its own.
    let nobody: TrustStore

    init(
        profile: BoardProfile = .token, hasTime: Bool = true, trust: TrustStore? = nil,
        authorities: [AuthoritySource] = [], access: AccessControl = AccessControl(data: nil), program: UnzipProgram? = nil,
        log: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) throws {
        nobody = try TrustStore(keys: [])
        self.trust = try trust ?? TrustStore(keys: [])
        self.program = try program ?? UnzipProgram(path: "/bin/true")
        data = SimulatedStorage()
        keys = SimulatedStorage()
        vault = try Vault(data, provider: FileKeyProvider(keys), generator: SeededGenerator(seed: 7))
        ledger = try Ledger(path: nil, keys: MemoryLedgerKeys(generator: SeededGenerator(seed: 8)))
        beacon = try Beacon(
            profile: profile, vault: vault, bootIdentity: BootIdentity(high: 1, low: 2),
            generator: SeededGenerator(seed: 9), log: log, at: now)
        service = ExposureService(
            beacon, vault: vault, ledger: ledger, trust: self.trust, policy: .namedKeys, authorities: authorities,
            program: .success(self.program), access: access, generator: SeededGenerator(seed: 10), log: log)
        beacon.advance(to: now)
        if hasTime { set(Self.noon) }
    }

    /// Another exposure service over the same storage, which knows nothing but what is kept there.
    func again(authorities: [AuthoritySource] = []) -> ExposureService {
        ExposureService(
            beacon, vault: vault, ledger: ledger, trust: trust, policy: .namedKeys, authorities: authorities,
            program: .success(program), access: AccessControl(data: nil), generator: SeededGenerator(seed: 11),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The clock says so now; two readings, because a leap is believed when it is said again after a quarter of an hour.
    func set(_ seconds: Int64) {
        beacon.heard(.init(.operator, UnixTime(seconds: seconds), uncertainty: .seconds(1)), at: now)
    }

    func pass(_ span: Duration) {
        now = BootInstant(sinceBoot: .nanoseconds(now.nanoseconds) + span)
        beacon.advance(to: now)
        service.advance(to: now)
    }

    static func caller(_ reading: Caller.Reading = .windows, spool: Spool? = nil) -> Caller {
        Caller(name: "ctl", reading: reading, spool: spool, presence: "console")
    }

    /// A key that was met for `minutes` on the day before, at 50 dB.
    static func match(
        _ number: UInt8, type: ReportType = .confirmedTest, onset: Int32? = nil, minutes: UInt32 = 15
    ) throws -> Match? {
        let day = UInt32(noon / 86_400) - 1
        guard let data = Block([UInt8](repeating: number, count: 16)),
            let key = DiagnosisKey(
                data: data, rollingStart: ENIN(day * ENIN.perDay), rollingPeriod: 144,
                transmissionRiskLevel: 3, reportType: type, daysSinceOnset: onset)
        else { return nil }
        let start = day * 86_400 + 36_000
        return Match(
            key: key,
            sightings: (0...(minutes / 5)).map { step in
                MatchedSighting(
                    position: step, interval: ENIN(start / 600), time: start + step * 300,
                    previousScan: start + step * 300 - 300, rssi: -54, transmitPower: -4, confidence: .high)
            })
    }
}
