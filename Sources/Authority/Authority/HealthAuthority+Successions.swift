// SPDX-License-Identifier: Apache-2.0

import Cryptography
import SQLiteFile
import Trust

extension HealthAuthority {
    /// Where boards find the list of all successions.
    static let successionsPath = "version/v1/successions"

    /// All changes of keys that were made, in their order, for the public tree; `nil` without any. What cannot be read is handed back as a fault:
    /// keys are published whatever has become of it.
    func publishedSuccessions(_ faults: inout [AuthorityError]) throws(AuthorityError) -> [UInt8]? {
        do throws(AuthorityError) {
            let made = try Successions(folder).made
            guard !made.isEmpty else { return nil }
            var files: [String] = []
            for succession in made {
                let bytes = try FileWork.read(succession.path, limit: Succession.maximumFileByteCount)
                if bytes.count > Succession.maximumDeviceByteCount {
                    faults.append(
                        AuthorityError(.invalidSuccession, "\(succession.path): too large for devices; not published"))
                } else {
                    files.append(String(decoding: bytes, as: UTF8.self))
                }
            }
            do throws(TrustError) {
                return try SuccessionList(files: files.suffix(SuccessionList.maximumCount)).bytes()
            } catch { throw AuthorityError(.invalidSuccession, "\(error)") }
        } catch {
            guard error.code == .stateDamaged || error.code == .invalidSuccession else { throw error }
            faults.append(error)
            return nil
        }
    }

    /// Decides a new revision of every package that is offered, if a key has signed them that boards no longer believe: after a theft nothing that the
    /// stolen key signed counts. A key that stays in force beside the new one needs none.
    func signAnewWhatNobodyBelieves(now: Int64) throws(AuthorityError) {
        let signer = try folder.signer(.export, settings, now: now)
        let present = Hex.string(SHA256.digest(of: signer.key.verificationKey.subjectPublicKeyInfo))
        let last = try database.first("SELECT digest FROM document WHERE name = ?", [.text(Self.signerRow)])?.text
        guard last != present else { return }
        let listed = (try? Successions(folder).last(changing: .export))?.content.roles[.export]
        let isBelieved = listed?.contains { key in
            key.isValid(at: now) && Hex.string(SHA256.digest(of: key.key.subjectPublicKeyInfo)) == last
        }
        let offer = Offer(settings.publishing, now: now)
        try database.transaction { () throws(AuthorityError) in
            if last != nil, isBelieved == false {
                var packages: [(region: Int64, hour: Int64, hours: Int64)] = []
                try database.run(
                    "SELECT DISTINCT region, hour, hours FROM package WHERE tag IS NOT NULL AND hour >= ?",
                    [.integer(min(offer.firstHour, offer.firstDay * 24))]
                ) { row in
                    if let region = row[0].integer, let hour = row[1].integer, let hours = row[2].integer {
                        packages.append((region, hour, hours))
                    }
                }
                for package in packages {
                    try replacePackage(
                        package.region, hour: package.hour, hours: package.hours,
                        reason: "signed by a key that is no longer in force", now: now)
                }
                // Built anew of the same warnings; nobody had compared them by the old signature.
                try database.run("UPDATE trace_package SET tag = NULL, time = max(?, time + 1)", [.integer(now)])
            }
            try database.run(
                "INSERT OR REPLACE INTO document VALUES (?, 0, ?, ?, ?)",
                [.text(Self.signerRow), .blob([]), .text(present), .integer(now)])
        }
    }

    // Not the name of any document.
    static let signerRow = "export-signer"
}
