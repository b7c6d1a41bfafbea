// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import FoundationEssentials
import GAEN
public import KeyExport
import Trust

/// What `vigil export inspect` says about a key file.
public struct ExportReport: Codable, Sendable {
    public struct Signature: Codable, Sendable {
        public var keyID: String?
        public var keyVersion: String?
        public var algorithm: String?
        public var bytes: Int
    }

    public var format = "vigil-export-1"
    public var path: String
    /// "valid", "not checked", or the sentence that refused it.
    public var signature: String
    public var signedBy: [String]
    public var region: String
    public var start: UInt64
    public var end: UInt64
    public var batchNumber: Int32?
    public var batchSize: Int32?
    public var keys: UInt64
    public var revisedKeys: UInt64
    public var exportBytes: UInt64
    public var contentSHA256: String?
    public var signatures: [Signature]
    public var keysPerDay: [String: Int]
    public var reportTypes: [String: Int]
    public var flawedKeys: [String: Int]

    public init(path: String, summary: ExportSummary, signatures: [ExportSignature], census: KeyCensus) {
        self.path = path
        signature = "not checked"
        signedBy = []
        region = summary.region
        start = summary.startTimestamp
        end = summary.endTimestamp
        batchNumber = summary.batchNumber
        batchSize = summary.batchSize
        keys = summary.keyCount
        revisedKeys = summary.revisedKeyCount
        exportBytes = summary.byteCount
        self.signatures = signatures.map {
            Signature(
                keyID: $0.info.keyID, keyVersion: $0.info.keyVersion, algorithm: $0.info.algorithm,
                bytes: $0.signature.count)
        }
        keysPerDay = Dictionary(uniqueKeysWithValues: census.perDay.map { (UTCDay.text(day: $0.key), $0.value) })
        reportTypes = census.reportTypes
        flawedKeys = Dictionary(uniqueKeysWithValues: census.flaws.map { ($0.key.rawValue, $0.value) })
    }

    /// The report of a file whose signature was found valid.
    public init(path: String, file: VerifiedExport, signatures: [ExportSignature], census: KeyCensus) {
        self.init(path: path, summary: file.summary, signatures: signatures, census: census)
        signature = "valid"
        signedBy = file.signers.map { "\($0.name)" }
        contentSHA256 = Hex.string(file.contentDigest)
    }

    public func json() throws -> String { try JSONText.encode(self) }

    public func text() -> String {
        var lines = [
            "\(path)",
            "  region      \(region.isEmpty ? "(none)" : region)",
            "  period      \(UTCDay.text(time: start)) to \(UTCDay.text(time: end))",
            "  batch       \(batchNumber.map(String.init) ?? "-") of \(batchSize.map(String.init) ?? "-")",
            "  keys        \(Terminal.grouped(keys)), revised \(Terminal.grouped(revisedKeys))",
            "  export.bin  \(Terminal.grouped(exportBytes)) bytes" + (contentSHA256.map { ", SHA-256 \($0)" } ?? ""),
        ]
        for entry in signatures {
            let name = [entry.keyID ?? "?", entry.keyVersion ?? "?"].joined(separator: "-")
            lines.append("  signed as   \(name), algorithm \(entry.algorithm ?? "(none)"), \(entry.bytes) bytes")
        }
        lines.append("  signature   \(signature)")
        for (flaw, count) in flawedKeys.sorted(by: { $0.key < $1.key }) {
            lines.append("  refused     \(Terminal.grouped(count)) keys: \(flaw)")
        }
        let types = reportTypes.sorted { $0.key < $1.key }.map { "\($0.key) \(Terminal.grouped($0.value))" }
        lines.append("  reports     \(types.joined(separator: ", "))")
        lines.append("  keys per day")
        let most = keysPerDay.values.max() ?? 1
        for (day, count) in keysPerDay.sorted(by: { $0.key < $1.key }).suffix(21) {
            let bar = String(repeating: "█", count: max(1, count * 40 / max(most, 1)))
            lines.append("    \(day)  \(bar) \(Terminal.grouped(count))")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// Counts what kinds of keys a file holds, with memory that does not grow with it.
public struct KeyCensus: Sendable {
    // A file of hostile start times must not fill memory with days.
    private static let maximumDays = 4_096

    public private(set) var perDay: [UInt32: Int] = [:]
    public private(set) var reportTypes: [String: Int] = [:]
    public private(set) var flaws: [ExportedKey.Flaw: Int] = [:]

    public init() {}

    public mutating func add(_ key: ExportedKey) {
        guard let valid = key.diagnosisKey else {
            if let flaw = key.flaw { flaws[flaw, default: 0] += 1 }
            return
        }
        let day = valid.rollingStart.day
        if perDay.count < Self.maximumDays || perDay[day] != nil { perDay[day, default: 0] += 1 }
        reportTypes["\(valid.reportType)", default: 0] += 1
    }
}
