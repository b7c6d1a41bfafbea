// SPDX-License-Identifier: Apache-2.0

import Cryptography
import KeyArchive
import KeyExport
import Trust
import Varlink

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

    /// Signed rules: the models named `second` (the Corona-Warn-App's second generation), `secondFirst` (with its first as a fallback) or
    /// `daily` (Google's daily summaries), taken from `own`, which is the document of a new state folder, and mapping `A` or `B`.
    func rules(
        version: Int64, models: String, mapping: String, scenario: WarningTable.Scenario, own: [UInt8]
    ) throws -> (document: [UInt8], approvals: [UInt8]) {
        let document = try JSON(parsing: own)
        guard var members = document.object, let ours = document["models"]?.array, ours.count == 2 else {
            throw WarningFailure("the rules of a new state folder are not the two models that the table asks for")
        }
        members["version"] = .int(version)
        members["mapping"] = try Self.mapping(mapping == "A" ? scenario.mappingA : scenario.mappingB)
        switch models {
        case "second": members["models"] = [ours[0]]
        case "secondFirst": members["models"] = .array(ours)
        case "daily": members["models"] = [try JSON(parsing: Array(Self.dailySummaries.utf8))]
        default: throw WarningFailure("the table has models \(models) that are not known here")
        }
        let bytes = JSON.object(members).bytes
        return (bytes, try encoder(0..<0).exportSig(for: bytes, keys: [signer]))
    }

    /// The defaults that Google publishes, and its sample's threshold.
    private static let dailySummaries = """
        {"dailySummaries": {"summaries": {"attenuationBucketThresholdDb": [30, 50, 60], "attenuationBucketWeights": [1.5, 1, 0.5, 0],
         "daysSinceExposureThreshold": 14, "infectiousnessWeights": {"1": 1, "2": 1}, "minimumWindowScore": 0,
         "reportTypeWeights": {"1": 1, "2": 1, "3": 1}}, "measure": "sum", "increasedFrom": 2700}}
        """

    private static func mapping(_ mapping: WarningTable.Mapping) throws -> JSON {
        var days = JSON.Object()
        for (day, value) in mapping.days.sorted(by: { (Int($0.key) ?? 0) < (Int($1.key) ?? 0) }) { days[day] = .int(value) }
        return [
            "daysSinceOnsetToInfectiousness": .object(days),
            "infectiousnessWhenDaysSinceOnsetMissing": .int(mapping.whenMissing),
            "reportTypeWhenMissing": .int(mapping.reportTypeWhenMissing),
        ]
    }
}
