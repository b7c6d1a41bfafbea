// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import KeyArchive
import KeyExport
import SQLiteFile
import Trust

/// Making bytes of what was decided.
extension HealthAuthority {
    /// The object of a package in the state folder.
    func packageFile(_ identifier: Int64) -> String { "\(folder.packages)/\(identifier).zip" }

    /// Builds and signs every package that is decided and has no bytes yet; each is on the disk before the database says so.
    func buildPackages(now: Int64, _ checkpoint: Checkpoint) throws(AuthorityError) {
        var rows: [[AuthorityDatabase.Value]] = []
        try database.run(
            """
            SELECT p.id, p.region, p.hour, p.hours, p.time, r.name FROM package AS p JOIN region AS r ON r.id = p.region \
            WHERE p.tag IS NULL ORDER BY p.id
            """
        ) { rows.append($0) }
        guard !rows.isEmpty else { return }
        let signer = try folder.signer(.export, settings, now: now)
        for row in rows {
            guard let identifier = row[0].integer, let region = row[1].integer, let hour = row[2].integer,
                let hours = row[3].integer, let time = row[4].integer, let name = row[5].text
            else { throw AuthorityError(.stateDamaged, "package") }
            let keys =
                try releasedKeys(region, hours: hour..<(hour + hours)).compactMap(settings.publishing.published)
                + revisedKeys(region, hours: hour..<(hour + hours))
            let encoder = ExportEncoder(
                startTimestamp: UInt64(Hour.start(hour)), endTimestamp: UInt64(Hour.start(hour + hours)), region: name,
                signatureInfos: [signatureInfo(signer.name)])
            let bytes = try archive(encoder.exportBin(keys), encoder, signer.key)
            try FileWork.write(bytes, to: packageFile(identifier), mode: 0o644, modified: time)
            try checkpoint(.packageWritten)
            let tag = try Self.tag(bytes)
            try database.run(
                "UPDATE package SET keys = ?, bytes = ?, tag = ?, digest = ? WHERE id = ?",
                [
                    .integer(Int64(keys.count)), .integer(Int64(bytes.count)), .text(tag),
                    .text(Hex.string(SHA256.digest(of: bytes))), .integer(identifier),
                ])
            try checkpoint(.packageBuilt)
        }
    }

    private func releasedKeys(_ region: Int64, hours: Range<Int64>) throws(AuthorityError) -> [ExportedKey] {
        var keys: [ExportedKey] = []
        try database.run(
            """
            SELECT data, start, period, level, type, onset, variant FROM released \
            WHERE region = ? AND hour >= ? AND hour < ?
            """, [.integer(region), .integer(hours.lowerBound), .integer(hours.upperBound)]
        ) { row in if let key = ExportedKey(columns: row[...]) { keys.append(key) } }
        return keys
    }

    func signatureInfo(_ name: KeyName) -> SignatureInfo {
        var info = ExportEncoder.signatureInfo(for: name)
        info.appBundleID = settings.appBundleID
        return info
    }

    /// Content and signature in the zip that is published.
    func archive(
        _ content: [UInt8], _ encoder: ExportEncoder, _ signer: P256.SigningKey
    ) throws(AuthorityError) -> [UInt8] {
        do {
            return try KeyArchiveWriter.archive(
                exportBin: content, exportSig: encoder.exportSig(for: content, keys: [signer]))
        } catch {
            throw AuthorityError(.cryptography, "\(error)")
        }
    }

    /// MD5 in hexadecimal digits, without quotation marks.
    static func tag(_ bytes: [UInt8]) throws(AuthorityError) -> String {
        do { return Hex.string(try MD5.digest(of: bytes)) } catch { throw AuthorityError(.cryptography, "\(error)") }
    }
}
