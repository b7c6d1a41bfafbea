// SPDX-License-Identifier: Apache-2.0

public import BLS12381
import CrowdNotifier
import Cryptography
import JSON
import SQLiteFile
import Verification

/// The secret of the privacy mode (spec checkin-and-nhs A.4, "server mode": one key in all codes). With it each trace key is published with the key of its identity, which opens that hour of
/// hidden visits and nothing else. Without it trace keys have 48 zeros in its place, and warn only devices that compare identities.
extension HealthAuthority {
    /// Rows that are read, computed and written at once; some hundred milliseconds.
    private static let batch: Int64 = 500

    private var traceSecretFile: String { folder.path + "/trace-secret" }

    /// Returns the public key that devices hide visits with and that codes of venues carry; `nil` while there is no secret. Throws `stateUnusable` if the file of the
    /// secret cannot be read, or others may read it.
    public func tracePublicKey() throws(AuthorityError) -> MasterPublicKey? {
        try traceSecret().map { secret throws(AuthorityError) in try Self.publicKey(secret) }
    }

    /// Makes the secret if there is none, and returns its public key; durable when this returns. From the next publication on all trace keys have keys of it, those that are
    /// public already, too. `now` is in Unix seconds. Throws `stateUnusable` if the file cannot be read or written, or others may read it; and `stateDamaged`, `inUse` or `full`
    /// if the database fails.
    public func makeTraceSecret(now: Int64) throws(AuthorityError) -> MasterPublicKey {
        if let known = try tracePublicKey() { return known }
        do { _ = try VerificationSecret.load(path: traceSecretFile) } catch {
            throw AuthorityError(.stateUnusable, "\(error)")
        }
        guard let key = try tracePublicKey() else { throw AuthorityError(.stateUnusable, "trace-secret") }
        try database.transaction { () throws(AuthorityError) in
            // Another one than before, or the first: whoever makes it wants it for all of them.
            try database.run("UPDATE trace_key SET secret_key = NULL")
            try database.run("DELETE FROM trace_secret")
            try note("trace-secret-made", [:], now: now)
        }
        return key
    }

    private func traceSecret() throws(AuthorityError) -> Scalar? {
        guard FileWork.exists(traceSecretFile) else { return nil }
        do {
            let secret = try VerificationSecret.existing(path: traceSecretFile).bytes
            var hash = SHA256()
            Array("vigil trace keys".utf8).withUnsafeBytes { hash.update($0) }
            secret.withBytes { hash.update($0) }
            return Scalar(digest: hash.finishSecret())
        } catch { throw AuthorityError(.stateUnusable, "\(error)") }
    }

    private static func publicKey(_ secret: Scalar) throws(AuthorityError) -> MasterPublicKey {
        do { return try MasterPublicKey(secret: secret) } catch { throw AuthorityError(.cryptography, "\(error)") }
    }

    /// Gives every trace key the key of its identity, random ones like genuine ones. Not in a transaction: many take a while.
    ///
    /// Throws `stateUnusable` if the file of the secret is gone, or has another one than the keys that are published: devices would take keys that open nothing for a list that
    /// was looked through, and never ask for the right ones again. ``makeTraceSecret(now:)`` is how another one is begun with.
    func fillTraceSecrets() throws(AuthorityError) {
        let secret = try traceSecret()
        let digest = try secret.map { secret throws(AuthorityError) in SHA256.digest(of: try Self.publicKey(secret).bytes) }
        let known = try database.first("SELECT digest FROM trace_secret WHERE id = 1")?.blob
        if let known, known != digest {
            throw AuthorityError(
                .stateUnusable,
                """
                \(traceSecretFile) \(digest == nil ? "is missing" : "has another secret than the one of the published keys"), and without it no hidden visit is \
                warned. Put the file back from its copy. To begin with a new one, delete it and give `venues trace-keys public-key --new-secret`: visits that were \
                hidden before are never warned then
                """)
        }
        if known == nil, let digest {
            try database.transaction { () throws(AuthorityError) in
                try database.run("UPDATE trace_key SET secret_key = NULL")
                try database.run("INSERT INTO trace_secret VALUES (1, ?)", [.blob(digest)])
            }
        }
        guard let secret else { return }
        while true {
            var rows: [(id: [UInt8], identity: [UInt8])] = []
            try database.run(
                "SELECT id, identity FROM trace_key WHERE secret_key IS NULL LIMIT ?", [.integer(Self.batch)]
            ) { row in
                if let id = row[0].blob, let identity = row[1].blob { rows.append((id, identity)) }
            }
            guard !rows.isEmpty else { return }
            var keys: [[UInt8]] = []
            for row in rows {
                do { keys.append(try IdentityKey(identity: row.identity, secret: secret).bytes) } catch {
                    throw AuthorityError(.cryptography, "\(error)")
                }
            }
            try database.transaction { () throws(AuthorityError) in
                for (row, key) in zip(rows, keys) {
                    try database.run("UPDATE trace_key SET secret_key = ? WHERE id = ?", [.blob(key), .blob(row.id)])
                }
            }
        }
    }
}
