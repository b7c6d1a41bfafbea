// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import GAEN
import Ledger
import Matching
import RandomValues
import Testing

/// A folder that goes when the test ends.
final class Folder {
    let path = FileManager.default.temporaryDirectory.path + "/vigil-ledger-\(Unique.name())"
    let keys = MemoryLedgerKeys()
    var file: String { path + "/ledger.sqlite" }

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func open() throws -> Ledger { try Ledger(path: file, keys: keys) }

    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}

enum Sample {
    static let day: UInt32 = 19_700

    static func match(
        _ number: UInt64, type: ReportType = .confirmedTest, day: UInt32 = day, period: UInt32 = 144, sightings: UInt32 = 2
    ) throws -> Match {
        let key = try #require(
            DiagnosisKey(
                data: Block(low: number, high: 0x0102_0304_0506_0708), rollingStart: ENIN(day * 144), rollingPeriod: period,
                transmissionRiskLevel: 3, reportType: type, daysSinceOnset: -2, variantOfConcern: 1))
        return Match(
            key: key,
            sightings: (0..<sightings).map {
                MatchedSighting(
                    position: $0, interval: ENIN(day * 144 + $0), time: day * 86_400 + $0 * 600, previousScan: $0,
                    rssi: -70, transmitPower: -20, confidence: .medium)
            })
    }

    /// A ledger with something in every table.
    static func fill(_ ledger: Ledger, day: UInt32 = day) throws {
        try ledger.write { transaction in
            try transaction.set("name", Array("value".utf8))
            try transaction.merge([try match(UInt64(day), day: day)])
            try transaction.rememberFile(
                signatureListDigest: digest(1, day), contentDigest: digest(2, day), day: day)
            try transaction.recordAttempt(by: "sync", kind: "match", day: day)
            try transaction.audit(AuditEntry(kind: "filled", actor: "test", time: Int64(day), details: ["a": "b"]))
            var hour = EvidenceHour(hour: day * 24)
            hour.scans = 7
            try transaction.record(hour)
            try transaction.addPaired(name: "phone", digests: [digest(3, day)], day: day)
        }
    }

    static func digest(_ number: UInt8, _ day: UInt32) -> [UInt8] {
        SHA256.digest(of: [number] + withUnsafeBytes(of: day.littleEndian) { Array($0) })
    }

    /// Everything in a ledger, for comparing.
    static func contents(_ ledger: Ledger, days: [UInt32] = [day]) throws -> [String] {
        var lines = [
            "\(try ledger.setting("name") ?? [])", "\(try ledger.matches())", "\(try ledger.pairedNames())",
            "\(try ledger.pairedDigests().map { Hex.string($0) }.sorted())",
            "\(try ledger.evidence(from: 0, to: .max))", "\(try ledger.auditEntries(limit: 99))",
        ]
        for day in days {
            lines.append("\(try ledger.isMatched(signatureListDigest: digest(1, day)))")
            lines.append("\(try ledger.isMatched(contentDigest: digest(2, day)))")
            lines.append("\(try ledger.attempts(by: "sync", kind: "match", day: day))")
        }
        return lines
    }
}
