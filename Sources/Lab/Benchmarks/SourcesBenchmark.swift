// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import CBaseline
import CommandFiles
import Core
import Cryptography
import ExposureRisk
import GAEN
import Interfaces
import KeyExport
import KeyIntake
import LabKit
import Ledger
import Logging
import Matching
import Radio
import RiskConfiguration
import TimeTrust
import Trust
import Vault
import VirtualAir

/// A fortnight of 10,000 windows re-judged by four authorities, each with its own model and rules: from the sealed ledger to the word.
enum SourcesBenchmark {
    private static let keysPerSource = 250
    /// Ten windows of half an hour.
    private static let sightingsPerKey: UInt32 = 60
    /// 2026-11-21 12:00 UTC.
    private static let noon: Int64 = 1_795_262_400

    static func figures(rounds: Int) throws -> [Figure] {
        let models: [RiskModelParameters] = try [
            .dailySummaries(RiskBenchmark.daily()), .cwaSecond(RiskBenchmark.cwaSecond()),
            .cwaFirst(RiskBenchmark.cwaFirst()), .nhsFirst(NHSFirstParameters(exposures: RiskBenchmark.exposures())),
        ]
        let sources = try models.enumerated().map { try source($0.offset, $0.element) }
        // What is made once for all is made by the first.
        let first = try board([sources[0]])
        first.judge()
        let before = heap()
        let one = try board([sources[0]])
        one.judge()
        let between = heap()
        // All by the model that keeps most of each window: other models would hide what a source costs.
        let alike = try board(try sources.indices.map { try source($0, models[0]) })
        alike.judge()
        let after = heap()
        let four = try board(sources)
        four.judge()
        let control = try seen(256 << 10)
        let windows = try four.ledger.matches().flatMap { $0.exposureWindows(under: .standard) }.count
        withExtendedLifetime([first, one, alike]) {}
        guard windows == 10_000,
            try four.service.warnings.risk(at: four.now).sources?.allSatisfy({ !$0.days.isEmpty }) == true
        else {
            throw InputError(file: "benchmark", "judges \(windows) windows, or not by every source")
        }
        let least = Measurement.least(
            rounds: rounds, [{ four.judge() }, { _ = try? four.ledger.matches() }])
        // Both boards hold as many matches, sealed; what they differ in is rules and judgements.
        let more = (after - between) - (between - before)
        return [
            Figure("four sources, 10,000 windows re-judged from the ledger", least[0] / 1e6, "ms"),
            Figure("of it reading the ledger", least[1] / 1e6, "ms"),
            Figure("a board of one source with its matches, memory", Double(between - before) / 1024, "KiB"),
            Figure("four sources instead of one, memory", Double(more) / 1024, "KiB"),
            Figure("control: 256 KiB more are seen by this measure", Double(control) / 1024, "KiB"),
        ]
    }

    private static func source(_ number: Int, _ model: RiskModelParameters) throws -> AuthoritySource {
        let key = try P256.SigningKey.generate()
        return AuthoritySource(
            AuthorityProfile(
                name: "office-\(number)", title: ["en": "Office \(number)"],
                keys: [.init(id: "1", version: "v1", role: .export, key: key.verificationKey)],
                rules: .init(
                    form: .profile,
                    document: RiskConfiguration(version: Int64(number + 1), models: [model], mapping: .standard))))
    }

    private struct Board {
        let ledger: Ledger
        let service: ExposureService
        let now: BootInstant

        /// Something has happened, so that all is judged again.
        func judge() {
            _ = try? service.setTime(
                noon * 1_000, by: Caller(name: "bench", reading: .windows, spool: nil, presence: "console"), at: now)
            service.advance(to: now)
        }
    }

    /// With the same matches, as many published by each source.
    private static func board(_ sources: [AuthoritySource]) throws -> Board {
        let log = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        let now = BootInstant(nanoseconds: 0)
        let vault = try Vault(
            SimulatedStorage(), provider: FileKeyProvider(SimulatedStorage()), generator: SplitMix64(seed: 7))
        let ledger = try Ledger(path: nil, keys: MemoryLedgerKeys(generator: SplitMix64(seed: 8)))
        let beacon = try Beacon(
            profile: .token, vault: vault, bootIdentity: BootIdentity(high: 1, low: 2), generator: SplitMix64(seed: 9),
            log: log, at: now)
        let service = ExposureService(
            beacon, vault: vault, ledger: ledger, trust: try TrustStore(keys: []), policy: .namedKeys,
            authorities: sources, program: .failure(IntakeFailure(.programMissing)), generator: SplitMix64(seed: 10),
            log: log)
        beacon.heard(.init(.operator, UnixTime(seconds: noon), uncertainty: .seconds(1)), at: now)
        beacon.advance(to: now)
        try service.enable(by: Caller(name: "bench", reading: .windows, spool: nil, presence: "console"), at: now)
        let matches = try (0..<4).flatMap { source in
            try (0..<keysPerSource).map { try match(source * keysPerSource + $0, "office-\(source % sources.count)/1") }
        }
        try ledger.write {
            _ = try $0.merge(matches)
            for source in sources { try $0.set("lastMatched.\(source.name)", Array("\(noon)".utf8)) }
        }
        return Board(ledger: ledger, service: service, now: now)
    }

    private static func match(_ number: Int, _ source: String) throws -> Match {
        let day = UInt32(noon / 86_400) - 1 - UInt32(number % 13)
        var bytes = [UInt8](repeating: 7, count: 16)
        (bytes[0], bytes[1]) = (UInt8(number & 0xFF), UInt8(number >> 8))
        guard let data = Block(bytes),
            let key = DiagnosisKey(
                data: data, rollingStart: ENIN(day * ENIN.perDay), transmissionRiskLevel: UInt8(number % 6 + 3),
                reportType: .confirmedTest, daysSinceOnset: 1)
        else { throw InputError(file: "benchmark", "has a key that is none") }
        let start = day * 86_400 + 36_000
        return Match(
            key: key, source: source,
            sightings: (0..<sightingsPerKey).map { step in
                MatchedSighting(
                    position: step, interval: ENIN((start + step * 300) / 600), time: start + step * 300,
                    previousScan: start + step * 300 - 300, rssi: -50 - Int8(number % 20), transmitPower: -4,
                    confidence: .high)
            })
    }

    /// By how much the heap grows for `count` bytes. Throws when the measure is blind to them.
    private static func seen(_ count: Int) throws -> Int {
        let before = heap()
        let ballast = [UInt8](repeating: 1, count: count)
        let growth = heap() - before
        guard withExtendedLifetime(ballast, { (count...count * 5 / 4).contains(growth) }) else {
            throw InputError(file: "benchmark", "a measure of memory saw \(growth) of \(count) bytes")
        }
        return growth
    }

    private static func heap() -> Int { Int(clamping: baseline_heap_bytes()) }
}
