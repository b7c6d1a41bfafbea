// SPDX-License-Identifier: Apache-2.0

import SQLiteFile

/// The portal's users, sessions and audit in one SQLite file. Not thread-safe, but the file may have several connections.
/// Times are in Unix seconds. Calls block, for up to a minute while another connection writes.
public final class PortalStore {
    let database: SQLiteDatabase<PortalError>

    /// Opens the database file at `path`, and creates it, readable by its owner only, if there is none; its folder must
    /// exist. Throws `storageUnusable` when the file cannot be opened or created, `storageTooNew` when a newer release
    /// wrote it, `storageDamaged` when it is not what this program writes, `storageInUse` when another process keeps it
    /// busy, and `full` when the disk has no room.
    public init(path: String) throws(PortalError) {
        database = try SQLiteDatabase(path: path, schema: Self.schema)
    }

    private static let schema = SQLiteSchema(
        version: 1,
        statements: [
            """
            CREATE TABLE user (name TEXT PRIMARY KEY, role TEXT NOT NULL, added INTEGER NOT NULL, changed INTEGER NOT NULL, \
            salt BLOB NOT NULL, iterations INTEGER NOT NULL, hash BLOB NOT NULL) WITHOUT ROWID
            """,
            // `code` is SHA-256 of the cookie. `form` counts the forms that were sent, so that none is taken twice.
            """
            CREATE TABLE session (code BLOB PRIMARY KEY, user TEXT NOT NULL, created INTEGER NOT NULL, seen INTEGER NOT NULL, \
            form INTEGER NOT NULL) WITHOUT ROWID
            """,
            """
            CREATE TABLE audit (sequence INTEGER PRIMARY KEY, time INTEGER NOT NULL, user TEXT NOT NULL, event TEXT NOT NULL, \
            detail TEXT NOT NULL, chain BLOB NOT NULL)
            """,
            "CREATE INDEX audit_user ON audit (user, event, time)",
        ])

    /// Adds to the audit, in the transaction under way if there is one.
    func append(_ kind: PortalEvent.Kind, user: String, detail: String = "", now: Int64) throws(PortalError) {
        var sequence: Int64 = 0
        var before: [UInt8] = []
        try database.run("SELECT sequence, chain FROM audit ORDER BY sequence DESC LIMIT 1") { row in
            sequence = row[0].integer ?? 0
            before = row[1].blob ?? []
        }
        let chain = PortalEvent.chain(
            before, sequence: sequence + 1, time: now, user: user, kind: kind.rawValue, detail: detail)
        try database.run(
            "INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?)",
            [.integer(sequence + 1), .integer(now), .text(user), .text(kind.rawValue), .text(detail), .blob(chain)])
    }

    /// Adds an event at `now` (Unix seconds) to the audit; durable when this returns. `user` is a normalised name
    /// (``PortalUser/normalized(_:)``) or empty; `detail` is as in ``PortalEvent/detail`` and must hold no secret; neither
    /// is checked. Throws `storageUnusable`, `storageDamaged`, `storageInUse` or `full` when the database fails; then
    /// nothing was written.
    public func note(_ kind: PortalEvent.Kind, user: String, detail: String = "", now: Int64) throws(PortalError) {
        try database.transaction { () throws(PortalError) in
            try append(kind, user: user, detail: detail, now: now)
        }
    }

    /// Calls `take` with every event of the audit, oldest first, as the database holds it: nothing is checked, and a value
    /// of a wrong type is given as 0 or empty. Throws `storageUnusable`, `storageDamaged`, `storageInUse` or `full` when
    /// the database cannot be read, perhaps after some events.
    public func audit(_ take: (PortalEvent) -> Void) throws(PortalError) {
        try database.run("SELECT sequence, time, user, event, detail, chain FROM audit ORDER BY sequence") { row in
            take(
                PortalEvent(
                    sequence: row[0].integer ?? 0, time: row[1].integer ?? 0, user: row[2].text ?? "",
                    kind: row[3].text ?? "",
                    detail: row[4].text ?? "", chain: row[5].blob ?? []))
        }
    }

    /// Events of that kind by that user after `time`.
    func count(_ kind: PortalEvent.Kind, user: String, after time: Int64) throws(PortalError) -> Int64 {
        try database.first(
            "SELECT count(*) FROM audit WHERE user = ? AND event = ? AND time > ?",
            [.text(user), .text(kind.rawValue), .integer(time)])?.integer ?? 0
    }

    /// Deletes the sessions that are over at `now` (Unix seconds): those not used for ``SessionRules/idleSeconds``, and
    /// those begun ``SessionRules/totalSeconds`` ago. Throws `storageUnusable`, `storageDamaged`, `storageInUse` or `full`
    /// when the database fails.
    public func clean(rules: SessionRules, now: Int64) throws(PortalError) {
        try database.run(
            "DELETE FROM session WHERE seen <= ? OR created <= ?",
            [.integer(now - rules.idleSeconds), .integer(now - rules.totalSeconds)])
    }

    /// Returns the numbers of users, of sessions that are good at `now` (Unix seconds) by `rules`, and of events in the
    /// audit. Throws `storageUnusable`, `storageDamaged`, `storageInUse` or `full` when the database cannot be read.
    package func counts(
        rules: SessionRules, now: Int64
    ) throws(PortalError) -> (users: Int64, sessions: Int64, events: Int64) {
        let users = try database.first("SELECT count(*) FROM user")?.integer ?? 0
        let sessions =
            try database.first(
                "SELECT count(*) FROM session WHERE seen > ? AND created > ?",
                [.integer(now - rules.idleSeconds), .integer(now - rules.totalSeconds)])?.integer ?? 0
        return (users, sessions, try database.first("SELECT count(*) FROM audit")?.integer ?? 0)
    }
}
