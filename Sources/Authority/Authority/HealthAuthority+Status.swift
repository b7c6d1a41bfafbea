// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import Donation
import GAEN
public import JSON
import SQLiteFile
public import Trust

extension HealthAuthority {
    /// Whether `publish(early:)` would find keys or check-ins.
    func hasKeysToPublishEarly(now: Int64) throws(AuthorityError) -> Bool {
        if try hasCheckInsToPublishEarly(now: now) { return true }
        if try database.first("SELECT 1 FROM revision WHERE hour IS NULL LIMIT 1") != nil { return true }
        return try database.first(
            "SELECT 1 FROM pending WHERE start + period <= ? AND \(settings.publishing.isPublishedInSQL) LIMIT 1",
            [.integer(now / ENIN.seconds + 1)]) != nil
    }

    /// Returns what waits and what is public at `now` (Unix seconds) as a JSON object for a person or a script: for each
    /// region the number of waiting keys and the packages, and the versions of the documents. Counts include random keys;
    /// `donationDays` is the number of days of which the document about data
    /// donation has keys, and `donationDocument` its version and what people compare; `null` without one. No key is in it. Throws `stateUnusable`, `stateDamaged`, `inUse` or `full` when the database cannot be read or
    /// written.
    public func status(now: Int64) throws(AuthorityError) -> JSON {
        var list: [JSON] = []
        for (name, number) in try regions(now: now) {
            var waiting: Int64 = 0
            var oldest: Int64?
            let isMeant = settings.publishing.isPublishedInSQL
            try database.run(
                "SELECT count(*), min(hour) FROM pending WHERE region = ? AND \(isMeant)", [.integer(number)]
            ) { row in
                waiting = row[0].integer ?? 0
                oldest = row[1].integer
            }
            var packages: [JSON] = []
            try database.run(
                """
                SELECT hour, hours, max(revision), keys, bytes, tag FROM package WHERE region = ? AND tag IS NOT NULL \
                GROUP BY hour, hours ORDER BY hour, hours
                """, [.integer(number)]
            ) { row in
                guard let hour = row[0].integer, let hours = row[1].integer else { return }
                packages.append([
                    "date": .string(Hour.date(ofDay: Hour.day(hour))), "hour": hours == 1 ? .int(Hour.ofDay(hour)) : .null,
                    "revision": .int(row[2].integer ?? 0), "keys": .int(row[3].integer ?? 0),
                    "bytes": .int(row[4].integer ?? 0), "etag": .string(row[5].text ?? ""),
                ])
            }
            list.append([
                "region": .string(name), "waiting": .int(waiting),
                "revisionsWaiting": .int(
                    try database.first(
                        "SELECT count(*) FROM revision WHERE region = ? AND hour IS NULL", [.integer(number)])?.integer ?? 0
                ),
                "waitingSince": oldest.map { .string(Hour.text(Hour.start($0))) } ?? .null,
                "closedUntil": .string(Hour.text(Hour.start(try closedHour(number) + 1))), "packages": .array(packages),
            ])
        }
        var versions = JSON.Object()
        try database.run("SELECT name, version FROM document ORDER BY name") { row in
            if let name = row[0].text, name != Self.signerRow, let version = row[1].integer {
                versions[name] = .int(version)
            }
        }
        let donation = try published(DonationTerms.self).flatMap { DonationTerms(decoding: $0.source) }
        return [
            "donationDocument": donation.map {
                ["version": .int($0.version), "digest": .string($0.fingerprint)]
            } ?? .null,
            "donationDays": donation.map { .int(Int64($0.daysLeft(today: UTCDay(containing: now)))) } ?? .null,
            "time": .string(Hour.text(now)),
            "generation": Generation.currentNumber(folder).map { .int(Int64($0)) } ?? .null,
            "documents": .object(versions), "regions": .array(list), "checkIns": try checkInStatus(),
            "proposals": .int(Int64(try openProposals(now: now).count)),
        ]
    }

    /// Returns the public keys that check signatures made at `now` (Unix seconds), as boards must have them: one entry for
    /// each of ``StateFolder/roles``, in PEM. Throws `stateUnusable` when a private key cannot be read or others than its
    /// owner can read it, `stateDamaged` when the list of signers is unreadable, and `cryptography` when a key is not
    /// valid.
    public func publicKeys(
        now: Int64 = AuthorityClock().seconds()
    ) throws(AuthorityError) -> [(role: KeyRole, name: KeyName, pem: String)] {
        var result: [(KeyRole, KeyName, String)] = []
        for role in StateFolder.roles {
            let (name, key, _) = try folder.signer(role, settings, now: now)
            do { result.append((role, name, try key.verificationKey.pem())) } catch {
                throw AuthorityError(.cryptography, "\(error)")
            }
        }
        return result
    }

    /// Writes the public keys in force at `now` (Unix seconds) as `ROLE-ID-VERSION.pem`, readable by everybody, into
    /// `folder`, and creates that folder if it is missing (the one above it must be there). Returns the paths, one for each
    /// role. Throws `full` or `stateUnusable` when the disk refuses, and otherwise as ``publicKeys(now:)`` does.
    public func writePublicKeys(
        to folder: String, now: Int64 = AuthorityClock().seconds()
    ) throws(AuthorityError) -> [String] {
        try FileWork.makeFolder(folder, mode: 0o755)
        var paths: [String] = []
        for key in try publicKeys(now: now) {
            // A name is printable text; a slash in it must not lead elsewhere.
            let name = "\(key.name)".map { $0 == "/" ? "_" : $0 }
            let path = "\(folder)/\(key.role.rawValue)-\(String(name)).pem"
            try FileWork.write(Array(key.pem.utf8), to: path, mode: 0o644)
            paths.append(path)
        }
        return paths
    }
}
