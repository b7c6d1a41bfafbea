// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import GAEN
import Glibc
import JSON
import KeyArchive
import KeyExport
import RandomValues
import Testing
import Trust
import Vault

/// Data folders with known secrets for two boards that will meet, and a key file of somebody the first one met yesterday.
final class CanaryScene {
    let now = Int64(time(nil))
    private(set) var secrets = SecretSearch()
    let publicKeyFile: String
    private let signer: P256.SigningKey
    private var generator = SeededGenerator(seed: 1)
    private static let keyName = KeyName(id: "1", version: "v1")

    init(folder: String) throws {
        signer = try .generate()
        publicKeyFile = folder + "/signer.pem"
        try Data(signer.verificationKey.pem().utf8).write(to: URL(filePath: publicKeyFile))
    }

    private var interval: UInt32 { UInt32(now / 600) }

    private func random() -> SecretBytes { SecretBytes(count: 16, from: &generator) }

    /// A vault with keys of today and the two days before, all of them known here from now on. Gives the keys, today's last.
    func makeVault(data: String, name: String) throws -> [TemporaryExposureKey] {
        let today = interval / 144
        for folder in [data, data + "/key"] {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        let vault = try Vault(PosixStorage(folder: data), provider: FileKeyProvider(PosixStorage(folder: data + "/key")))
        let keys = try ((today - 2)...today).map {
            try #require(TemporaryExposureKey(secret: random(), rollingStart: ENIN($0 * 144), rollingPeriod: 144))
        }
        let last = interval % 144 > 0 ? ENIN(interval - 1) : nil
        try vault.store(
            TEKSchedule(current: keys[2], lastInterval: last, past: keys.dropLast()), time: nil, isEnabled: true)
        for key in keys { try add(key.secret, name: "\(name)'s TEK", around: [interval]) }
        return keys
    }

    /// Yesterday's sightings of somebody, in the vault at `data`, and the file that publishes the key.
    func meetSomebody(data: String, file: String) throws {
        let vault = try Vault(PosixStorage(folder: data), provider: FileKeyProvider(PosixStorage(folder: data + "/key")))
        let secret = random()
        let keys = try IdentifierKeys(secret)
        let yesterday = UInt32(now / 86_400 - 1)
        let first = yesterday * 86_400 + 36_000
        for number: UInt32 in 0..<5 {
            let moment = first + 240 * number
            let identifier = keys.identifier(for: ENIN(moment / 600))
            let metadata = keys.encrypt(.version11(transmitPower: -10, confidence: .high), with: identifier)
            try vault.append(
                ScanRecord(
                    start: moment, previousScan: moment - 240, profileRevision: 0,
                    heard: [
                        .init(
                            payload: AdvertisingPayload(identifier: identifier, metadata: metadata), offset: 0,
                            readings: .init(Int8(-60)))
                    ]))
        }
        try add(secret, name: "published key", around: [first / 600, first / 600 + 1])
        let block = try #require(Block(secret.withBytes { Array($0) }))
        let key = try #require(
            DiagnosisKey(
                data: block, rollingStart: ENIN(yesterday * 144), transmissionRiskLevel: 3, reportType: .confirmedTest,
                daysSinceOnset: 0))
        let encoder = ExportEncoder(
            startTimestamp: UInt64(now - 86_400), endTimestamp: UInt64(now - 600), region: "DE", batchNumber: 1,
            batchSize: 1,
            signatureInfos: [ExportEncoder.signatureInfo(for: Self.keyName)])
        let bin = encoder.exportBin([ExportedKey(key)])
        let zip = try KeyArchiveWriter.archive(exportBin: bin, exportSig: try encoder.exportSig(for: bin, keys: [signer]))
        try Data(zip).write(to: URL(filePath: file))
    }

    /// Rules under which that encounter counts, signed, as a board takes them.
    func rules() throws -> JSON {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent().path
        let document = [UInt8](try Data(contentsOf: URL(filePath: root + "/docs/examples/rules/1-cwa-second.json")))
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [ExportEncoder.signatureInfo(for: Self.keyName)]
        )
        let approvals = try encoder.exportSig(for: document, keys: [signer])
        return [
            "document": .string(Data(document).base64EncodedString()),
            "approvals": .string(Data(approvals).base64EncodedString()),
        ]
    }

    /// The secret, what is derived of it, and what goes on air about the intervals.
    func add(_ secret: SecretBytes, name: String, around intervals: [UInt32]) throws {
        secrets.add(name, secret.withBytes { Array($0) })
        for info in ["EN-RPIK", "EN-AEMK"] {
            let derived = try HKDFSHA256.derive(from: secret, info: Array(info.utf8), count: 16)
            secrets.add("\(name) \(info)", derived.withBytes { Array($0) })
        }
        let keys = try IdentifierKeys(secret)
        for interval in Set(intervals.flatMap { ($0 - 2)...($0 + 2) }) {
            let identifier = keys.identifier(for: ENIN(interval))
            secrets.add("identifier of \(name)", identifier.bytes)
            // Boards say 4 dBm at the lowest confidence, the person -10 at a high one.
            for metadata: BluetoothMetadata in [
                .version11(transmitPower: 4, confidence: .lowest), .version11(transmitPower: -10, confidence: .high),
            ] {
                let encrypted = keys.encrypt(metadata, with: identifier)
                secrets.add("metadata of \(name)", withUnsafeBytes(of: encrypted.word) { Array($0) })
            }
        }
    }

    /// What a core made since: keys of its own, keys that seal.
    func addWhatIsNew(data: String, known: [TemporaryExposureKey]) throws -> [TemporaryExposureKey] {
        let copy = data + "-copy"
        try FileManager.default.copyItem(atPath: data, toPath: copy)
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let vault = try Vault(PosixStorage(folder: copy), provider: FileKeyProvider(PosixStorage(folder: copy + "/key")))
        var fresh: [TemporaryExposureKey] = []
        for key in vault.schedule.past + (vault.schedule.current.map { [$0] } ?? [])
        where !known.contains(where: { $0.secret == key.secret }) {
            fresh.append(key)
            try add(key.secret, name: "a fresh TEK", around: [interval])
        }
        for key in vault.ledgerKeys { secrets.add("ledger key", key.withBytes { Array($0) }) }
        let sealing = try [UInt8](Data(contentsOf: URL(filePath: data + "/key/sealing.key")))
        for start in stride(from: 12, to: sealing.count - 32, by: 128) {
            secrets.add("sealing key", Array(sealing[start..<(start + 32)]))
        }
        return fresh
    }

    func add(address: String) { secrets.add(address: address) }
}
