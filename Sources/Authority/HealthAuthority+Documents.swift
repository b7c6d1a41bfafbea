// SPDX-License-Identifier: Apache-2.0

import Cryptography
import KeyExport
import RiskConfiguration
import SQLiteFile
import Trust
import Varlink

/// What is published besides keys.
extension HealthAuthority {
    /// A signed document in the state folder.
    struct Document {
        let path: String
        let file: String
    }

    /// Takes the operator's files if they are good and newer, and makes the signed documents of the last good ones. Faults of bad
    /// files are handed back, not thrown: keys are published whatever somebody is editing.
    func publishDocuments(
        now: Int64, _ checkpoint: Checkpoint
    ) throws(AuthorityError) -> (documents: [Document], faults: [AuthorityError]) {
        var faults: [AuthorityError] = []
        do throws(AuthorityError) { try takeConfiguration(now: now) } catch {
            guard error.code == .invalidConfiguration || error.code == .stateUnusable else { throw error }
            faults.append(error)
        }
        do throws(AuthorityError) { try takeRiskConfiguration(now: now) } catch {
            guard error.code == .invalidRiskConfiguration || error.code == .stateUnusable else { throw error }
            faults.append(error)
        }
        guard let source = try database.first("SELECT source FROM document WHERE name = 'configuration'")?.blob else {
            throw faults.first ?? AuthorityError(.invalidConfiguration, "there was never a good one")
        }
        let configuration = try PublicConfiguration(parsing: source)
        var documents = [
            try document(
                "app_config", "version/v2/app_config_android",
                configuration.appConfigBytes(revoked: revokedPackages(now: now)), configuration.version, now: now),
            try document(
                "vigil_config", "version/v1/vigil_config", configuration.vigilConfigBytes(), configuration.version, now: now
            ),
        ]
        if let source = try database.first("SELECT source FROM document WHERE name = 'risk'")?.blob {
            let risk = try StateFolder.riskConfiguration(source)
            documents.append(
                try document("risk_config", "version/v1/risk_config", risk.document, risk.version, now: now))
        }
        try checkpoint(.documentWritten)
        return (documents, faults)
    }

    private func takeRiskConfiguration(now: Int64) throws(AuthorityError) {
        let bytes = try FileWork.read(folder.riskFile, limit: StateFolder.maximumTextBytes)
        let new = try StateFolder.riskConfiguration(bytes)
        try database.transaction { () throws(AuthorityError) in
            var old: RiskConfiguration?
            if let source = try database.first("SELECT source FROM document WHERE name = 'risk'")?.blob {
                old = try StateFolder.riskConfiguration(source)
            }
            guard new != old else { return }
            if let old, new.version <= old.version {
                throw AuthorityError(
                    .invalidRiskConfiguration,
                    "risk.version: must be above \(old.version), which is published with other content")
            }
            try database.run(
                "INSERT OR REPLACE INTO document VALUES ('risk', ?, ?, '', ?)",
                [.integer(new.version), .blob(bytes), .integer(now)])
        }
    }

    private func takeConfiguration(now: Int64) throws(AuthorityError) {
        let bytes = try FileWork.read(folder.configurationFile, limit: StateFolder.maximumTextBytes)
        let new = try PublicConfiguration(parsing: bytes)
        try database.transaction { () throws(AuthorityError) in
            var old: PublicConfiguration?
            if let source = try database.first("SELECT source FROM document WHERE name = 'configuration'")?.blob {
                old = try PublicConfiguration(parsing: source)
            }
            guard new != old else { return }
            if let old, new.version <= old.version {
                throw AuthorityError(
                    .invalidConfiguration,
                    "configuration.version: must be above \(old.version), which is published with other content")
            }
            try database.run(
                "INSERT OR REPLACE INTO document VALUES ('configuration', ?, ?, '', ?)",
                [.integer(new.version), .blob(bytes), .integer(now)])
        }
    }

    /// The object of that content: one that is there is kept, since signing again would change its bytes.
    private func document(
        _ name: String, _ path: String, _ content: [UInt8], _ version: Int64, now: Int64
    ) throws(AuthorityError) -> Document {
        let digest = Hex.string(SHA256.digest(of: content))
        let file = "\(folder.packages)/\(name)-\(digest.prefix(32)).zip"
        if !FileWork.exists(file) {
            // Receivers read the region and the period of a signature nowhere: only content and signature are packed.
            let encoder = ExportEncoder(
                startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [signatureInfo(settings.configKeyName)])
            try FileWork.write(
                archive(content, encoder, folder.signingKey(.config)), to: file, mode: 0o644, modified: now)
        }
        let known = try database.first("SELECT digest FROM document WHERE name = ?", [.text(name)])?.text
        if known != digest {
            try database.transaction { () throws(AuthorityError) in
                try database.run(
                    "INSERT OR REPLACE INTO document VALUES (?, ?, ?, ?, ?)",
                    [.text(name), .integer(version), .blob(content), .text(digest), .integer(now)])
                try note(
                    "document-published",
                    ["path": .string("/" + path), "version": .int(version), "sha256": .string(digest)],
                    now: now)
            }
        }
        return Document(path: path, file: file)
    }

    /// Receivers keep packages up to 15 days (cwa-app-android), so a revocation is told that long.
    private static let revocationSeconds: Int64 = 15 * 86_400

    /// Each revoked package under both names it may be known by: its MD5, and what nginx makes of its time and size.
    func revokedPackages(now: Int64) throws(AuthorityError) -> [RevokedPackage] {
        var result: [RevokedPackage] = []
        try database.run(
            """
            SELECT r.name, p.hour, p.hours, p.tag, p.time, p.bytes FROM revoked AS v JOIN package AS p ON p.id = v.package \
            JOIN region AS r ON r.id = p.region WHERE v.time > ? AND p.tag IS NOT NULL ORDER BY p.id
            """, [.integer(now - Self.revocationSeconds)]
        ) { row in
            guard let region = row[0].text, let hour = row[1].integer, let hours = row[2].integer, let tag = row[3].text,
                let time = row[4].integer, let bytes = row[5].integer
            else { return }
            for name in [tag, Self.serverTag(time: time, bytes: bytes)] {
                result.append(
                    RevokedPackage(
                        region: region, date: Hour.date(ofDay: Hour.day(hour)),
                        hour: hours == 1 ? Int32(Hour.ofDay(hour)) : nil, tag: name))
            }
        }
        return result
    }

    /// nginx: time of the last change and size in hexadecimal digits (ngx_http_core_module, `etag`).
    static func serverTag(time: Int64, bytes: Int64) -> String {
        "\(String(time, radix: 16))-\(String(bytes, radix: 16))"
    }
}
