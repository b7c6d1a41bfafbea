// SPDX-License-Identifier: Apache-2.0

import Core
public import Cryptography
import ExposureRisk
import GAEN
import Glibc
import KeyArchive
import KeyExport
import KeyIntake
import Matching
import RiskConfiguration
import Simulation
import TimeTrust
import Trust
import Vault
import VirtualAir

/// The folder of a device, with its contents before the device is killed: `data`, `keys` and `spool`.
public struct ServiceStage: Sendable {
    static let name = KeyName(id: "1", version: "v1")
    /// 2026-11-21, a UTC day.
    static let today: UInt32 = 20_778
    /// Ten minutes of the next one are over, Unix seconds.
    static let tomorrow = (Int64(today) + 1) * 86_400 + 600

    let act: ServiceAct
    let variant: Int
    let seed: UInt64
    /// The path of the folder of the device.
    public let folder: String
    let trust: TrustStore

    /// Creates the description of a device that goes through variant `variant` (from 0) of `act`; people and times of day
    /// follow from `seed`. `publicKey` checks the signatures of key files and rules. Creates no file. Throws when the key
    /// cannot be trusted.
    public init(
        _ act: ServiceAct, variant: Int, seed: UInt64, folder: String, publicKey: P256.VerificationKey
    ) throws {
        self.act = act
        self.variant = variant
        self.seed = seed
        self.folder = folder
        trust = try TrustStore(
            keys: [KeyRole.export, .config].map { TrustedKey(name: Self.name, role: $0, key: publicKey) })
    }

    /// Unix seconds at which the first life begins: a time of the day, by the seed.
    var start: Int64 { Int64(Self.today) * 86_400 + 28_800 + Int64(seed % 37) * 600 }

    /// The same device in another folder.
    func moved(to folder: String) throws -> ServiceStage {
        try ServiceStage(act, variant: variant, seed: seed, folder: folder, publicKey: trust.keys[0].key)
    }

    /// People who were met yesterday and published since.
    func person(_ number: UInt64) -> Block {
        var generator = SplitMix64(seed: seed &* 31 &+ number)
        return Block(low: generator.next(), high: generator.next())
    }

    private func publishedKey(_ data: Block) throws -> DiagnosisKey {
        let key = DiagnosisKey(
            data: data, rollingStart: ENIN((Self.today - 1) * ENIN.perDay), transmissionRiskLevel: 3,
            reportType: .confirmedTest, daysSinceOnset: 1)
        guard let key else { throw ServiceTrialFailure("no key") }
        return key
    }

    // MARK: Before

    /// Creates all files in the device's folder, which must exist and be empty; key files and rules are signed by `signer`.
    /// `store` is the path of a store of release 0.2.0, which only ``ServiceAct/migration`` uses. Throws
    /// ``ServiceTrialFailure`` when a file cannot be written, and what the stores throw.
    public func make(signer: P256.SigningKey, store: String) throws {
        for part in ["data", "keys", "spool"] { try Self.makeFolder("\(folder)/\(part)") }
        if act == .migration {
            for part in ["data", "keys"] { try Self.copy("\(store)/\(part)", to: "\(folder)/\(part)") }
            return
        }
        try writeKeyFile("a.zip", [person(1), person(101), person(102)], signer)
        try writeKeyFile("b.zip", [person(2), person(103)], signer)
        if act == .rules { for version in 1...2 { try writeRules(version, signer) } }
        let board = try ServiceBoard(self, fatal: KillSwitch(number: nil, isAfter: false), life: 100, advance: -86_400)
        if act.isEnabledBefore { try board.service.enable(by: board.caller, at: board.now) }
        for number: UInt32 in 0..<6 { try board.vault.append(try scan(number)) }
        board.hear(start - 600)
        if act == .reset || act == .renewal { _ = try board.provide(["a.zip"]) }
        board.close()
        if act == .aside {
            try Self.write(Array("SQLite format 3\u{0}and nothing that belongs to it".utf8), "\(folder)/data/ledger.sqlite")
        }
    }

    /// Six scans of yesterday morning that heard both people.
    private func scan(_ number: UInt32) throws -> ScanRecord {
        let time = (Self.today - 1) * 86_400 + 36_000 + 240 * number
        return ScanRecord(
            start: time, previousScan: time - 240, profileRevision: 0,
            heard: try (1...2 as ClosedRange<UInt64>).map { who in
                let keys = try IdentifierKeys(SecretBytes(copying: person(who).bytes))
                let identifier = keys.identifier(for: ENIN(time / 600))
                return ScanRecord.Heard(
                    payload: AdvertisingPayload(
                        identifier: identifier,
                        metadata: keys.encrypt(.version11(transmitPower: -10, confidence: .high), with: identifier)),
                    offset: 1, readings: ScanRecord.Readings(Int8(-60)))
            })
    }

    private func writeKeyFile(_ name: String, _ people: [Block], _ signer: P256.SigningKey) throws {
        let encoder = ExportEncoder(
            startTimestamp: UInt64(start) - 86_400, endTimestamp: UInt64(start) - 600, region: "DE", batchNumber: 1,
            batchSize: 1, signatureInfos: [ExportEncoder.signatureInfo(for: Self.name)])
        let bin = encoder.exportBin(try people.map { ExportedKey(try publishedKey($0)) })
        let zip = try KeyArchiveWriter.archive(exportBin: bin, exportSig: try encoder.exportSig(for: bin, keys: [signer]))
        try Self.write(zip, "\(folder)/spool/\(name)")
    }

    /// Rules by which twenty minutes near somebody are a warning, with their signatures.
    private func writeRules(_ version: Int, _ signer: P256.SigningKey) throws {
        let summaries = DailySummariesConfiguration(
            attenuationThresholds: [55, 63, 73], attenuationWeights: [1, 1, 1, 1],
            reportTypeWeights: [0, 1, 1, 1, 0, 0], infectiousnessWeights: [0, 1, 1])
        guard let summaries else { throw ServiceTrialFailure("no rules") }
        var parameters = DailySummariesParameters(summaries: summaries)
        parameters.increasedFrom = 300
        let rules = RiskConfiguration(version: Int64(version), models: [.dailySummaries(parameters)], mapping: .standard)
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [ExportEncoder.signatureInfo(for: Self.name)])
        let document = rules.document
        try Self.write(document, rulesFile(version))
        try Self.write(try encoder.exportSig(for: document, keys: [signer]), rulesFile(version) + ".sig")
    }

    /// Of the rules of that version; their signatures are beside it, with `.sig`.
    func rulesFile(_ version: Int) -> String { "\(folder)/spool/rules-\(version)" }

    /// What nobody may read on the disk in clear: keys of this device, and identifiers that were heard.
    func secrets() throws -> [[UInt8]] {
        var secrets: [[UInt8]] = []
        for who: UInt64 in 1...2 {
            secrets.append(person(who).bytes)
            let keys = try IdentifierKeys(SecretBytes(copying: person(who).bytes))
            let first = ((Self.today - 1) * 86_400 + 36_000) / 600
            for interval in first..<(first + 3) { secrets.append(keys.identifier(for: ENIN(interval)).bytes) }
        }
        return secrets
    }

    // MARK: Files

    /// Makes the folder `target`, which must exist, equal to this one; what it had before is removed. Throws when a file
    /// cannot be read or written.
    public func copy(to target: String) throws {
        for part in ["data", "keys", "spool"] {
            try Self.makeFolder("\(target)/\(part)")
            let storage = try PosixStorage(folder: "\(target)/\(part)")
            for name in try storage.names() { unlink("\(target)/\(part)/\(name)") }
            try Self.copy("\(folder)/\(part)", to: "\(target)/\(part)")
        }
    }

    private static func copy(_ source: String, to target: String) throws {
        let storage = try PosixStorage(folder: source)
        for name in try storage.names() {
            try write(try storage.read(name, limit: 64 << 20) ?? [], "\(target)/\(name)")
        }
    }

    static func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw ServiceTrialFailure("\(path) cannot be made: \(String(cString: strerror(errno)))")
        }
    }

    static func write(_ bytes: [UInt8], _ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        guard descriptor >= 0, bytes.withUnsafeBytes({ Glibc.write(descriptor, $0.baseAddress, $0.count) }) == bytes.count
        else { throw ServiceTrialFailure("\(path) cannot be written: \(String(cString: strerror(errno)))") }
    }
}

/// The reason why a trial cannot go on: something failed that it does not test.
public struct ServiceTrialFailure: Error, CustomStringConvertible {
    /// The failure in words.
    public let description: String

    init(_ description: String) { self.description = description }
}
