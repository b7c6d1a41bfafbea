// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
import KeyArchive
import KeyExport
import Trust

/// An authority that publishes what it likes about its keys, and rules to match: it has nothing of `vigil-authority` but the formats.
struct ForeignAuthority {
    private let signer: P256.SigningKey
    private let name = KeyName(id: "999", version: "v1")
    let trust: TrustStore

    init() throws {
        signer = try P256.SigningKey.generate()
        let key = signer.verificationKey
        trust = try TrustStore(
            keys: [TrustedKey(name: name, role: .export, key: key), TrustedKey(name: name, role: .config, key: key)])
    }

    private func encoder(_ period: Range<Int64>) -> ExportEncoder {
        ExportEncoder(
            startTimestamp: UInt64(period.lowerBound), endTimestamp: UInt64(period.upperBound), region: "EUR",
            signatureInfos: [ExportEncoder.signatureInfo(for: name)])
    }

    /// A signed package of these keys, published in `period` (Unix seconds).
    func package(_ keys: [ExportedKey], period: Range<Int64>) throws -> [UInt8] {
        let encoder = encoder(period)
        let bin = encoder.exportBin(keys)
        return try KeyArchiveWriter.archive(exportBin: bin, exportSig: try encoder.exportSig(for: bin, keys: [signer]))
    }

    /// Signed rules with the models of that name (``ForeignModels``) and this mapping; the Corona-Warn-App's models are taken from `own`, which
    /// is the document of a new state folder. `reportTypes` says what report types of this authority's keys are.
    func rules(
        version: Int64, models: String, mapping: WarningTable.Mapping, reportTypes: ReportTypes = .codes, own: [UInt8]
    ) throws -> (document: [UInt8], approvals: [UInt8]) {
        let bytes = try Self.document(
            version: version, models: models, mapping: mapping, reportTypes: reportTypes, own: own)
        return (bytes, try encoder(0..<0).exportSig(for: bytes, keys: [signer]))
    }

    /// The same rules before anybody has signed them.
    static func document(
        version: Int64, models: String, mapping: WarningTable.Mapping, reportTypes: ReportTypes, own: [UInt8]
    ) throws -> [UInt8] {
        let document = try JSON(parsing: own)
        guard var members = document.object, let ours = document["models"]?.array else {
            throw WarningFailure("the rules of a new state folder are no document")
        }
        members["version"] = .int(version)
        members["mapping"] = self.mapping(mapping)
        members["models"] = .array(try ForeignModels.models(named: models, ours: ours))
        members["reportTypes"] = .string(reportTypes.rawValue)
        return JSON.object(members).bytes
    }

    /// What report types of keys are: how the infection was established, or codes for something else.
    enum ReportTypes: String {
        case stated, codes
    }

    private static func mapping(_ mapping: WarningTable.Mapping) -> JSON {
        var days = JSON.Object()
        for (day, value) in mapping.days.sorted(by: { (Int($0.key) ?? 0) < (Int($1.key) ?? 0) }) { days[day] = .int(value) }
        return [
            "daysSinceOnsetToInfectiousness": .object(days),
            "infectiousnessWhenDaysSinceOnsetMissing": .int(mapping.whenMissing),
            "reportTypeWhenMissing": .int(mapping.reportTypeWhenMissing),
        ]
    }
}
