// SPDX-License-Identifier: Apache-2.0

import CivilTime
import ContentBundle
import Cryptography
import Donation
import JSON
import KeyExport
import RiskConfiguration
import SQLiteFile
import Trust

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
        let configuration = try followed(PublicConfiguration.self, now: now, &faults)
        let risk = try followed(RiskConfiguration.self, now: now, &faults)
        let content = try followed(ContentBundle.self, now: now, &faults)
        let donation = try followed(DonationTerms.self, now: now, &faults)
        let today = UTCDay(containing: now)
        if let donation, donation.isRunningOut(today: today) {
            faults.append(AuthorityError(.donationRunsOut, donation.daysSentence(today: today)))
        }
        guard let configuration else {
            throw faults.first ?? AuthorityError(.invalidConfiguration, "there was never a good one")
        }
        let revoked = try revokedPackages(now: now)
        let (number, fault) = try configurationNumber(
            of: configuration.appConfigBytes(revoked: revoked, number: nil), now: now)
        if let fault { faults.append(fault) }
        var documents = [
            try document(
                "app_config", "version/v2/app_config_android",
                configuration.appConfigBytes(revoked: revoked, number: number), configuration.version, now: now),
            try document(
                "vigil_config", "version/v1/vigil_config", configuration.vigilConfigBytes(), configuration.version, now: now
            ),
        ]
        if let risk {
            documents.append(
                try document("risk_config", "version/v1/risk_config", risk.document, risk.version, now: now))
        }
        if let content {
            documents.append(
                try document(
                    "content_bundle", "version/v1/content_bundle", content.document, content.version, now: now))
        }
        if let donation {
            documents.append(
                try document("donation_terms", "version/v1/donation", donation.encoded, donation.version, now: now))
        }
        try checkpoint(.documentWritten)
        return (documents, faults)
    }

    /// The last good one of the operator's files of that kind, with the one in the folder taken if it is good and newer; `nil` without any.
    private func followed<File: OperatorFile>(
        _ kind: File.Type, now: Int64, _ faults: inout [AuthorityError]
    ) throws(AuthorityError) -> File? {
        do throws(AuthorityError) { try take(kind, now: now) } catch {
            guard error.code == File.fault || error.code == .stateUnusable else { throw error }
            faults.append(error)
        }
        guard let published = try published(kind) else { return nil }
        do throws(AuthorityError) {
            let file = try File(operatorsText: published.source)
            // Settings that were changed since.
            do throws(AuthorityError) { try file.requireFit(settings.publishing) } catch {
                if !faults.contains(error) { faults.append(error) }
            }
            return file
        } catch {
            // Of another release; what else there is goes on.
            faults.append(error)
            return nil
        }
    }

    /// Checks that the rules of boards and phones read keys as this authority publishes them: those of a newer
    /// valid file in the folder, or else the published ones. A newer file that does not fit is no fault while the
    /// published rules do, because it will not be taken. Call it before anything is published: otherwise every
    /// warning could be lost or misread unnoticed.
    ///
    /// Throws `invalidRiskConfiguration` for the rules of boards and `invalidConfiguration` for those of phones
    /// when they misread keys, with a sentence for each fault; and `stateUnusable`, `stateDamaged`, `inUse` or
    /// `full` when the database cannot be read.
    public func requireFittingRules() throws(AuthorityError) {
        try requireFit(RiskConfiguration.self)
        try requireFit(PublicConfiguration.self)
    }

    private func requireFit<File: OperatorFile>(_ kind: File.Type) throws(AuthorityError) {
        let published = try published(kind)
        let last = published.flatMap { try? File(operatorsText: $0.source) }
        let next = (try? folder.checked(kind)) ?? nil
        if let next, last.map({ next.version > $0.version }) ?? true {
            do throws(AuthorityError) { return try next.requireFit(settings.publishing) } catch {
                // It is not taken then, and the last one stays.
                guard last != nil else { throw error }
            }
        }
        try last?.requireFit(settings.publishing)
    }

    private func take<File: OperatorFile>(_ kind: File.Type, now: Int64) throws(AuthorityError) {
        let published = try published(kind)
        guard let bytes = try folder.text(of: kind, mayBeAbsent: File.isOptional && published == nil) else { return }
        let new = try File(operatorsText: bytes)
        try database.transaction { () throws(AuthorityError) in
            if let published {
                guard new != (try? File(operatorsText: published.source)) else { return }
                guard new.version > published.version else {
                    throw AuthorityError(
                        File.fault,
                        "\(File.name).version: must be above \(published.version), which is published with other content")
                }
            }
            try new.requireFit(settings.publishing)
            try database.run(
                "INSERT OR REPLACE INTO document VALUES (?, ?, ?, '', ?)",
                [.text(File.name), .integer(new.version), .blob(bytes), .integer(now)])
        }
    }

    func published<File: OperatorFile>(
        _ kind: File.Type
    ) throws(AuthorityError) -> (source: [UInt8], version: Int64)? {
        var found: (source: [UInt8], version: Int64)?
        try database.run("SELECT source, version FROM document WHERE name = ?", [.text(File.name)]) { row in
            if let source = row[0].blob, let version = row[1].integer { found = (source, version) }
        }
        return found
    }

    /// The object of that content: one that is there is kept, since signing again would change its bytes.
    private func document(
        _ name: String, _ path: String, _ content: [UInt8], _ version: Int64, now: Int64
    ) throws(AuthorityError) -> Document {
        let digest = Hex.string(SHA256.digest(of: content))
        let signer = try folder.signer(.config, settings, now: now)
        // By another key it is another object. The first key's are called as they always were.
        let suffix =
            signer.isPlanned
            ? "-" + Hex.string(SHA256.digest(of: signer.key.verificationKey.subjectPublicKeyInfo)).prefix(16) : ""
        let file = "\(folder.packages)/\(name)-\(digest.prefix(32))\(suffix).zip"
        if !FileWork.exists(file) {
            // Receivers read the region and the period of a signature nowhere: only content and signature are packed.
            let encoder = ExportEncoder(
                startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [signatureInfo(signer.name)])
            try FileWork.write(
                archive(content, encoder, signer.key), to: file, mode: 0o644, modified: now)
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
    private static let revocationSeconds: Int64 = 15 * UTCDay.seconds

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
