// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import ForeignText
import FoundationEssentials
import GAEN
public import KeyExport
import Trust

/// The report of `vigil export inspect` about a key file, for people and as JSON. Texts from the file are foreign.
public struct ExportReport: Codable, Sendable {
    /// An entry of export.sig, as the file has it.
    public struct Signature: Codable, Sendable {
        /// The key's id as the signature states it (`verification_key_id`), foreign text; `nil` when absent.
        public var keyID: String?
        /// The key's version as the signature states it (`verification_key_version`), foreign text; `nil` when
        /// absent.
        public var keyVersion: String?
        /// The object identifier of the algorithm as the file has it, foreign text; `nil` when absent.
        public var algorithm: String?
        /// The length of the signature in bytes, 0 or more.
        public var bytes: Int
    }

    /// The name and version of this format of report.
    public var format = "vigil-export-1"
    /// The path of the file as the person named it.
    public var path: String
    /// The result for the signature, "valid" or "not checked"; a file that is refused has no report.
    public var signature: String
    /// The names of the keys whose signatures are valid, as "id-version"; empty when the signature was not checked.
    public var signedBy: [String]
    /// The region that the file states, foreign text; may be empty.
    public var region: String
    /// The start of the period that the file states, in Unix seconds, not checked; 0 when absent.
    public var start: UInt64
    /// The end of the period that the file states, in Unix seconds, not checked; 0 when absent.
    public var end: UInt64
    /// The number of the file in its batch as the file states: 1 or more when the signature was checked, any number
    /// otherwise; `nil` when absent.
    public var batchNumber: Int32?
    /// The number of files in the batch as the file states: 1 or more when the signature was checked, any number
    /// otherwise; `nil` when absent.
    public var batchSize: Int32?
    /// The number of keys in the file, including flawed ones but not revised ones; 0 or more.
    public var keys: UInt64
    /// The number of revised keys in the file, including flawed ones; 0 or more.
    public var revisedKeys: UInt64
    /// The length of export.bin in bytes, including its header; 0 or more.
    public var exportBytes: UInt64
    /// The SHA-256 of export.bin, 64 hexadecimal digits; `nil` when the signature was not checked.
    public var contentSHA256: String?
    /// The entries of export.sig in their order, valid or not.
    public var signatures: [Signature]
    /// The number of keys, including revised ones, by first day of validity, "YYYY-MM-DD" in UTC. Flawed keys are not
    /// counted, nor those of days that ``KeyCensus/perDay`` leaves out.
    public var keysPerDay: [String: Int]
    /// The number of keys, including revised ones, by the name of the report type (``ReportType``); flawed keys are
    /// not counted.
    public var reportTypes: [String: Int]
    /// The number of keys that a receiver would leave out, by the raw value of the flaw (``ExportedKey/Flaw``); each
    /// is 1 or more, and the dictionary is empty without such keys.
    public var flawedKeys: [String: Int]

    /// Creates the report of a file whose signature was not checked: ``signedBy`` is empty and ``contentSHA256`` is
    /// `nil`. Days after 9999-12-31 count as that day. Cannot fail.
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
        // Days after the year 9999, which a hostile file may have, share one text.
        keysPerDay = Dictionary(census.perDay.map { (UTCDay.text(day: $0.key), $0.value) }, uniquingKeysWith: +)
        reportTypes = census.reportTypes
        flawedKeys = Dictionary(uniqueKeysWithValues: census.flaws.map { ($0.key.rawValue, $0.value) })
    }

    /// Creates the report of a file whose signature is valid, with the names of the keys that fit and the
    /// digest of the content. Cannot fail.
    public init(path: String, file: VerifiedExport, signatures: [ExportSignature], census: KeyCensus) {
        self.init(path: path, summary: file.summary, signatures: signatures, census: census)
        signature = "valid"
        signedBy = file.signers.map { "\($0.name)" }
        contentSHA256 = Hex.string(file.contentDigest)
    }

    /// Returns the report as indented JSON with sorted members; throws only the errors of the encoder.
    public func json() throws -> String { try JSONText.encode(self) }

    /// Returns the report as text for a terminal, which ends with a line feed and shows only the latest 21 days with
    /// keys. Foreign texts of the signatures are made printable and cut. Cannot fail.
    public func text() -> String {
        var lines = [
            "\(path)",
            "  region      \(region.isEmpty ? "(none)" : ForeignText.line(region, limit: 64))",
            "  period      \(UTCDay.text(time: start)) to \(UTCDay.text(time: end))",
            "  batch       \(batchNumber.map(String.init) ?? "-") of \(batchSize.map(String.init) ?? "-")",
            "  keys        \(Terminal.grouped(keys)), revised \(Terminal.grouped(revisedKeys))",
            "  export.bin  \(Terminal.grouped(exportBytes)) bytes" + (contentSHA256.map { ", SHA-256 \($0)" } ?? ""),
        ]
        for entry in signatures {
            // What the file says of itself: anybody's words.
            let name = ForeignText.line([entry.keyID ?? "?", entry.keyVersion ?? "?"].joined(separator: "-"), limit: 128)
            let algorithm = ForeignText.line(entry.algorithm ?? "(none)", limit: 64)
            lines.append("  signed as   \(name), algorithm \(algorithm), \(entry.bytes) bytes")
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

/// Counts the keys of a file by day, report type and flaw, with memory that does not grow with the file.
public struct KeyCensus: Sendable {
    // A file of hostile start times must not fill memory with days.
    private static let maximumDays = 4_096

    /// The number of keys by first day of validity, in days since 1970, UTC; each is 1 or more. Of a file with more
    /// than 4,096 days, only the first 4,096 that were met are counted.
    public private(set) var perDay: [UInt32: Int] = [:]
    /// The number of keys by the name of the report type (``ReportType``); types without keys are absent, so each is
    /// 1 or more.
    public private(set) var reportTypes: [String: Int] = [:]
    /// The number of keys that a receiver would leave out, by flaw, each 1 or more; the other counts do not include
    /// them.
    public private(set) var flaws: [ExportedKey.Flaw: Int] = [:]

    /// Creates a census whose counts are all empty.
    public init() {}

    /// Counts one key of the file, flawed or not. Cannot fail.
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
