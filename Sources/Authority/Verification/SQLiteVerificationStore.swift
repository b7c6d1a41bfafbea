// SPDX-License-Identifier: Apache-2.0

import SQLiteFile

/// A ``VerificationStore`` in one SQLite file. Not thread-safe: each thread needs an instance of its own; the file may have
/// many. Calls block, for up to a minute while another connection writes.
public final class SQLiteVerificationStore: VerificationStore {
    private let database: SQLiteDatabase<VerificationError>

    /// Opens the database file at `path`, and creates it, readable by its owner only, if there is none; its folder must
    /// exist. Throws `storageUnusable` when the file cannot be opened or created, `storageTooNew` when a newer release
    /// wrote it, `storageDamaged` when it is not what this program writes, `storageInUse` when another process keeps it
    /// busy, and `full` when the disk has no room.
    public init(path: String) throws(VerificationError) {
        database = try SQLiteDatabase(path: path, schema: Self.schema)
    }

    private static let schema = SQLiteSchema(
        steps: [
            [
                """
                CREATE TABLE registration (token BLOB PRIMARY KEY, test BLOB, birth BLOB, teletan BLOB, type TEXT NOT NULL, \
                created INTEGER NOT NULL, tan BLOB) WITHOUT ROWID
                """,
                "CREATE INDEX registration_created ON registration (created)",
                // Every test, date of birth and teleTAN that was ever registered. `token` as long as the registration is kept.
                "CREATE TABLE spent (key BLOB PRIMARY KEY, token BLOB, time INTEGER NOT NULL) WITHOUT ROWID",
                "CREATE INDEX spent_time ON spent (time)",
                """
                CREATE TABLE teletan (code BLOB PRIMARY KEY, type TEXT NOT NULL, issued INTEGER NOT NULL, expiry INTEGER NOT NULL) \
                WITHOUT ROWID
                """,
                "CREATE INDEX teletan_issued ON teletan (issued)",
                // `request` once a request confirmed it that may come again.
                """
                CREATE TABLE tan (code BLOB PRIMARY KEY, type TEXT NOT NULL, expiry INTEGER NOT NULL, request BLOB) WITHOUT ROWID
                """,
                "CREATE INDEX tan_expiry ON tan (expiry)",
            ],
            // The handle of the warning, masked by the TAN (``WarningHandle``).
            ["ALTER TABLE tan ADD COLUMN warning BLOB"],
        ])

    /// Stores the registration at `now` (Unix seconds) in one transaction. A registration by teleTAN gets the teleTAN's
    /// type, and its `tan` is not stored. Nothing is stored unless the outcome is `stored`; a teleTAN issued after `now`
    /// counts as unknown. Throws `storageUnusable`, `storageDamaged`, `storageInUse` or `full` when the database fails.
    public func register(_ registration: Registration, now: Int64) throws(VerificationError) -> RegistrationOutcome {
        let keys = [registration.test?.bytes, registration.birthTest?.bytes, registration.teleTAN].compactMap { $0 }
        return try database.transaction { () throws(VerificationError) in
            for key in keys {
                var known: SQLiteValue?
                try database.run("SELECT token FROM spent WHERE key = ?", [.blob(key)]) { known = $0.first }
                guard let known else { continue }
                // The same as for one that nobody used: whoever else has the number learns nothing from it once its time is over.
                if known.blob != registration.token, let end = try end(of: registration, now: now) { return end }
                return .known(token: known.blob)
            }
            if let end = try end(of: registration, now: now) { return end }
            var type = registration.type
            if let teleTAN = registration.teleTAN {
                var found: WarningType?
                try database.run(
                    "SELECT type FROM teletan WHERE code = ? AND issued <= ?", [.blob(teleTAN), .integer(now)]
                ) {
                    found = $0.first?.text.flatMap(WarningType.init)
                }
                guard let found else { return .unknownTeleTAN }
                type = found
            }
            for key in keys {
                try database.run(
                    "INSERT INTO spent VALUES (?, ?, ?)",
                    [.blob(key), .blob(registration.token), .integer(registration.created)])
            }
            try database.run(
                "INSERT INTO registration VALUES (?, ?, ?, ?, ?, ?, NULL)",
                [
                    .blob(registration.token), Self.blob(registration.test?.bytes),
                    Self.blob(registration.birthTest?.bytes),
                    Self.blob(registration.teleTAN), .text(type.rawValue), .integer(registration.created),
                ])
            return .stored
        }
    }

    /// The reason why the teleTAN of a registration is not good at `now`; `nil` when it is, or when there is none.
    private func end(of registration: Registration, now: Int64) throws(VerificationError) -> RegistrationOutcome? {
        guard let teleTAN = registration.teleTAN else { return nil }
        guard let expiry = try database.first("SELECT expiry FROM teletan WHERE code = ?", [.blob(teleTAN)])?.integer else {
            return .unknownTeleTAN
        }
        return expiry <= now ? .expiredTeleTAN : nil
    }

    private static func blob(_ bytes: [UInt8]?) -> SQLiteValue { bytes.map { .blob($0) } ?? .null }

    /// Returns the registration with this code of its token (32 bytes, not checked), whatever its age; `nil` if there is
    /// none. Throws `storageUnusable`, `storageDamaged`, `storageInUse` or `full` when the database fails, and
    /// `storageDamaged` for a row that is not a registration.
    public func registration(token: [UInt8]) throws(VerificationError) -> Registration? {
        var row: [SQLiteValue] = []
        try database.run(
            "SELECT test, birth, teletan, type, created, tan FROM registration WHERE token = ?", [.blob(token)]
        ) { row = $0 }
        guard !row.isEmpty else { return nil }
        guard row.count == 6, let type = row[3].text.flatMap(WarningType.init), let created = row[4].integer else {
            throw VerificationError(.storageDamaged, "a registration")
        }
        return Registration(
            token: token, test: row[0].blob.map(TestIdentity.init(stored:)),
            birthTest: row[1].blob.map(TestIdentity.init(stored:)), teleTAN: row[2].blob, type: type, created: created,
            tan: row[5].blob)
    }

    /// Stores both TANs in one transaction, and nothing unless the outcome is `stored`; the second TAN is skipped
    /// if its code is stored already. `type` is the kind of warning that the first TAN allows; codes and `warning`
    /// have 32 bytes, `expiry` is in Unix seconds; nothing is checked. Throws `storageUnusable`, `storageDamaged`,
    /// `storageInUse` or `full` when the database fails.
    public func issueTAN(
        _ tan: [UInt8], token: [UInt8], type: WarningType, expiry: Int64, warning: [UInt8], remainder: Remainder?
    ) throws(VerificationError) -> TANOutcome {
        try database.transaction { () throws(VerificationError) in
            var known: SQLiteValue?
            try database.run("SELECT tan FROM registration WHERE token = ?", [.blob(token)]) { known = $0.first }
            guard let known else { return .unknownToken }
            if let tan = known.blob { return .known(tan: tan) }
            try database.run("UPDATE registration SET tan = ? WHERE token = ?", [.blob(tan), .blob(token)])
            try database.run(
                "INSERT INTO tan (code, type, expiry, warning) VALUES (?, ?, ?, ?)",
                [.blob(tan), .text(type.rawValue), .integer(expiry), .blob(warning)])
            if let remainder {
                try database.run(
                    "INSERT OR IGNORE INTO tan (code, type, expiry, warning) VALUES (?, ?, ?, ?)",
                    [
                        .blob(remainder.tan), .text(WarningType.remainder.rawValue), .integer(remainder.expiry),
                        .blob(remainder.warning),
                    ])
            }
            return .stored
        }
    }

    /// Returns the masked handle that was stored with the TAN of this code, 32 bytes, even if the TAN has expired; `nil` if
    /// there is no such TAN or no handle was stored with it. Throws `storageUnusable`, `storageDamaged`, `storageInUse` or
    /// `full` when the database fails.
    public func warning(ofTAN tan: [UInt8]) throws(VerificationError) -> [UInt8]? {
        try database.first("SELECT warning FROM tan WHERE code = ?", [.blob(tan)])?.blob
    }

    /// Confirms, in one transaction, the TAN of this code if it expires after `now` (Unix seconds), and returns its type.
    /// Notes the first `request` (a code); with `nil` the TAN is deleted. Returns `nil` and changes nothing when there is
    /// no such TAN, when its type is not `type` (with `nil`: when it is ``WarningType/remainder``), or when another request
    /// has confirmed it. Throws `storageUnusable`, `storageDamaged`, `storageInUse` or `full` when the database fails.
    public func confirmTAN(
        _ tan: [UInt8], type: WarningType?, request: [UInt8]?, now: Int64
    ) throws(VerificationError) -> WarningType? {
        try database.transaction { () throws(VerificationError) in
            var row: [SQLiteValue] = []
            try database.run(
                "SELECT type, request FROM tan WHERE code = ? AND expiry > ?", [.blob(tan), .integer(now)]
            ) { row = $0 }
            guard row.count == 2, let found = row[0].text.flatMap(WarningType.init),
                type.map({ $0 == found }) ?? (found != .remainder)
            else {
                return nil
            }
            if let before = row[1].blob { return before == request ? found : nil }
            if let request {
                try database.run("UPDATE tan SET request = ? WHERE code = ?", [.blob(request), .blob(tan)])
            } else {
                try database.run("DELETE FROM tan WHERE code = ?", [.blob(tan)])
            }
            return found
        }
    }

    /// Stores a teleTAN in the same transaction that checks the limit; times are in Unix seconds. Returns `true` if it is
    /// stored; `false`, with nothing stored, when `limit` or more teleTANs were issued after `windowStart`. Throws
    /// `storageUnusable`, `storageDamaged`, `storageInUse` or `full` when the database fails.
    public func issueTeleTAN(
        _ teleTAN: [UInt8], type: WarningType, now: Int64, expiry: Int64, limit: Int, windowStart: Int64
    ) throws(VerificationError) -> Bool {
        try database.transaction { () throws(VerificationError) in
            let count = try database.first("SELECT count(*) FROM teletan WHERE issued > ?", [.integer(windowStart)])
            guard (count?.integer ?? 0) < Int64(limit) else { return false }
            try database.run(
                "INSERT INTO teletan VALUES (?, ?, ?, ?)",
                [.blob(teleTAN), .text(type.rawValue), .integer(now), .integer(expiry)])
            return true
        }
    }

    /// Returns counts over all rows: registrations of any age, and TANs and teleTANs that are unused and expire after `now`
    /// (Unix seconds). Throws `storageUnusable`, `storageDamaged`, `storageInUse` or `full` when the database fails.
    public func counts(now: Int64) throws(VerificationError) -> StorageCounts {
        var counts = StorageCounts()
        try database.run("SELECT count(*), count(tan) FROM registration") { row in
            counts.registrations = row[0].integer ?? 0
            counts.registrationsWithTAN = row[1].integer ?? 0
        }
        counts.teleTANs =
            try database.first(
                "SELECT count(*) FROM teletan WHERE expiry > ? AND code NOT IN (SELECT key FROM spent)", [.integer(now)])?
            .integer ?? 0
        counts.tans =
            try database.first("SELECT count(*) FROM tan WHERE expiry > ? AND request IS NULL", [.integer(now)])?.integer
            ?? 0
        return counts
    }

    /// Deletes, in one transaction, everything that has reached its age limit in `rules` at `now` (Unix seconds), and
    /// returns how much it was. Throws `storageUnusable`, `storageDamaged`, `storageInUse` or `full` when the database
    /// fails.
    public func clean(now: Int64, rules: VerificationRules) throws(VerificationError) -> RetentionReport {
        try database.transaction { () throws(VerificationError) in
            var report = RetentionReport()
            let oldest: SQLiteValue = .integer(now - rules.registrationSeconds)
            try database.run(
                "UPDATE spent SET token = NULL WHERE time <= ? AND token IS NOT NULL", [oldest])
            try database.run("DELETE FROM registration WHERE created <= ?", [oldest])
            report.registrations = database.changes
            try database.run("DELETE FROM spent WHERE time <= ?", [.integer(now - rules.spentKeySeconds)])
            report.spentKeys = database.changes
            // As long as it counts for the limit, and as long as somebody who comes late is told so.
            try database.run(
                "DELETE FROM teletan WHERE expiry <= ? AND issued <= ?",
                [
                    .integer(now - rules.expiredTeleTANSeconds), .integer(now - rules.teleTANWindowSeconds),
                ])
            report.teleTANs = database.changes
            try database.run("DELETE FROM tan WHERE expiry <= ?", [.integer(now)])
            report.tans = database.changes
            return report
        }
    }
}

extension TestIdentity {
    init(stored bytes: [UInt8]) { self.bytes = bytes }
}
