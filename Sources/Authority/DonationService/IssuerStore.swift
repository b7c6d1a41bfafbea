// SPDX-License-Identifier: Apache-2.0

package import CivilTime
package import Cryptography
import DeviceEvidence
package import Donation
import PrivacyPass
import SQLiteFile

/// A device of the fleet.
package struct FleetDevice: Sendable, Hashable {
    /// The name of its key, 8 bytes.
    package let keyID: [UInt8]
    /// Its key as SubjectPublicKeyInfo.
    package let subjectPublicKeyInfo: [UInt8]
    /// Whether it gets no more tokens.
    package let isRevoked: Bool
    /// The last day on which it has shown evidence; `nil` if it never has.
    package let lastSeen: UTCDay?
}

/// What an issuer counts by day: it names nobody.
package enum IssuerEvent: String, Sendable, CaseIterable {
    case signed, signedAgain, cover, evidenceRequired, evidenceInvalid, nonceMismatch, evidenceExpired, evidencePolicy,
        deviceBlocked,
        fleetTooSmall, malformedRequest, unknownKey
    /// A device asked for a second token of a day: perhaps two boards have one key.
    case cloneAlarm
}

/// What an issuer keeps: devices, the ledger of requests, counts.
package protocol IssuerStoring: AnyObject {
    /// The device whose key has this name.
    func device(keyID: [UInt8]) throws(DonationServiceError) -> FleetDevice?
    /// Notes that a device has shown evidence on `day`.
    func saw(keyID: [UInt8], on day: UTCDay) throws(DonationServiceError)
    /// Notes on `today` whether the fleet is large enough; returns since when it has been, `nil` if it is not.
    func noteFleet(isLarge: Bool, today: UTCDay) throws(DonationServiceError) -> UTCDay?
    /// Whether at least `count` devices that are not revoked have shown evidence on `day` or later.
    func fleet(since day: UTCDay, isAtLeast count: Int) throws(DonationServiceError) -> Bool
    /// The answer of `rule` to a request, which is in the ledger for good when this returns `issue`.
    ///
    /// - Parameters:
    ///   - digest: The SHA-256 of the blinded message.
    ///   - keyID: The device's.
    ///   - key: The name of the token key, 32 bytes.
    ///   - day: The day of that key.
    func enter(
        digest: [UInt8], keyID: [UInt8], key: [UInt8], day: UTCDay, rule: IssuanceRule
    ) throws(DonationServiceError) -> IssuanceRule.Answer
    /// Writes as ``enter(digest:keyID:key:day:rule:)`` does for a key of `day`, and takes it back in the same transaction: cover is refused as well while
    /// nothing can be written.
    func tryWriting(day: UTCDay) throws(DonationServiceError)
    /// Adds to the counts of a day.
    func count(_ events: [IssuerEvent: Int], on day: UTCDay) throws(DonationServiceError)
    /// Deletes the ledger of keys that are destroyed, and counts that are too old.
    func clean(today: UTCDay) throws(DonationServiceError)
}

/// The issuer's database. Used by one thread; several processes may have the file open. Every method throws `storageUnusable`,
/// `storageTooNew`, `storageDamaged`, `storageInUse` or `full` if the database fails.
package final class IssuerStore: IssuerStoring {
    private let database: SQLiteDatabase<DonationServiceError>

    private static let schema = SQLiteSchema(steps: [
        [
            "CREATE TABLE device (id BLOB PRIMARY KEY, spki BLOB NOT NULL, revoked INTEGER NOT NULL, seen INTEGER) STRICT, WITHOUT ROWID",
            "CREATE INDEX seen ON device (seen) WHERE revoked = 0",
            """
            CREATE TABLE ledger (key BLOB, device BLOB, digest BLOB, day INTEGER NOT NULL, PRIMARY KEY (key, device, digest))
            STRICT, WITHOUT ROWID
            """,
            EventTable.schema,
        ],
        ["CREATE TABLE large (since INTEGER NOT NULL) STRICT"],
    ])

    /// Opens the file at `path`, or makes it.
    package init(path: String) throws(DonationServiceError) {
        database = try SQLiteDatabase(path: path, schema: Self.schema)
        try database.run("PRAGMA secure_delete = ON")
    }

    private static func device(_ row: [SQLiteValue]) -> FleetDevice? {
        guard let id = row[0].blob, let key = row[1].blob, let revoked = row[2].integer else { return nil }
        return FleetDevice(
            keyID: id, subjectPublicKeyInfo: key, isRevoked: revoked != 0,
            lastSeen: row[3].integer.map { UTCDay(number: $0) })
    }

    package func device(keyID: [UInt8]) throws(DonationServiceError) -> FleetDevice? {
        var found: FleetDevice?
        try database.run("SELECT id, spki, revoked, seen FROM device WHERE id = ?", [.blob(keyID)]) {
            found = Self.device($0)
        }
        return found
    }

    /// All devices, in the order of their keys' names.
    package func devices() throws(DonationServiceError) -> [FleetDevice] {
        var all: [FleetDevice] = []
        try database.run("SELECT id, spki, revoked, seen FROM device") {
            if let device = Self.device($0) { all.append(device) }
        }
        return all
    }

    /// Adds a device; `false` if its key is known already, also if it is revoked. Throws `invalidDevice` if another key has the same name.
    package func add(_ key: P256.VerificationKey) throws(DonationServiceError) -> Bool {
        let id = DeviceEvidence.keyID(of: key)
        try database.run(
            "INSERT OR IGNORE INTO device VALUES (?, ?, 0, NULL)", [.blob(id), .blob(key.subjectPublicKeyInfo)])
        if database.changes > 0 { return true }
        guard try device(keyID: id)?.subjectPublicKeyInfo == key.subjectPublicKeyInfo else {
            throw DonationServiceError(.invalidDevice, "another key has the same name")
        }
        return false
    }

    /// What ``take(_:)`` has done.
    package struct Taken: Sendable, Hashable {
        /// Devices that may have tokens now and were not known.
        package var added = 0
        /// Devices that get no more tokens from now on, unknown ones among them.
        package var revoked = 0
        /// Devices that are good by the list and were revoked here: they stay so.
        package var barred = 0
    }

    /// Takes what a registration authority says of its devices, all of it or nothing. Who is not in the list stays as it is. Throws
    /// `invalidDevice` as ``add(_:)`` does.
    package func take(_ devices: [(key: P256.VerificationKey, isGood: Bool)]) throws(DonationServiceError) -> Taken {
        try database.transaction { () throws(DonationServiceError) in
            var taken = Taken()
            for (key, isGood) in devices {
                let isNew = try add(key)
                let id = DeviceEvidence.keyID(of: key)
                let wasRevoked = try device(keyID: id)?.isRevoked == true
                switch (isGood, wasRevoked) {
                case (true, true): taken.barred += 1
                case (true, false): if isNew { taken.added += 1 }
                case (false, true): break
                case (false, false):
                    // Also a key that was never seen here: it never gets a token.
                    _ = try revoke(keyID: id)
                    taken.revoked += 1
                }
            }
            return taken
        }
    }

    /// Revokes a device for good; `false` if there is no such device.
    package func revoke(keyID: [UInt8]) throws(DonationServiceError) -> Bool {
        try database.run("UPDATE device SET revoked = 1 WHERE id = ?", [.blob(keyID)])
        return database.changes > 0
    }

    package func saw(keyID: [UInt8], on day: UTCDay) throws(DonationServiceError) {
        // Nothing is written the second time of a day.
        try database.run(
            "UPDATE device SET seen = ?1 WHERE id = ?2 AND coalesce(seen, -1) < ?1", [.integer(day.number), .blob(keyID)])
    }

    package func noteFleet(isLarge: Bool, today: UTCDay) throws(DonationServiceError) -> UTCDay? {
        let since = try database.first("SELECT since FROM large")?.integer.map { UTCDay(number: $0) }
        guard isLarge else {
            if since != nil { try database.run("DELETE FROM large") }
            return nil
        }
        guard since == nil else { return since }
        try database.run("INSERT INTO large VALUES (?)", [.integer(today.number)])
        return today
    }

    package func fleet(since day: UTCDay, isAtLeast count: Int) throws(DonationServiceError) -> Bool {
        let found = try database.first(
            "SELECT count(*) FROM (SELECT 1 FROM device WHERE revoked = 0 AND seen >= ? LIMIT ?)",
            [.integer(day.number), .integer(Int64(count))])
        return (found?.integer ?? 0) >= Int64(count)
    }

    package func enter(
        digest: [UInt8], keyID: [UInt8], key: [UInt8], day: UTCDay, rule: IssuanceRule
    ) throws(DonationServiceError) -> IssuanceRule.Answer {
        try database.transaction { () throws(DonationServiceError) in
            let revoked = try database.first("SELECT revoked FROM device WHERE id = ?", [.blob(keyID)])?.integer
            var earlier: [[UInt8]] = []
            try database.run("SELECT digest FROM ledger WHERE key = ? AND device = ?", [.blob(key), .blob(keyID)]) { row in
                if let digest = row[0].blob { earlier.append(digest) }
            }
            let answer = rule.answer(to: digest, earlier: earlier, isRevoked: revoked != 0)
            if answer == .issue {
                try database.run(
                    "INSERT INTO ledger VALUES (?, ?, ?, ?)",
                    [.blob(key), .blob(keyID), .blob(digest), .integer(day.number)])
            }
            return answer
        }
    }

    package func tryWriting(day: UTCDay) throws(DonationServiceError) {
        let name: [UInt8] = (0..<32).map { _ in .random(in: 0 ... .max) }
        try database.transaction { () throws(DonationServiceError) in
            try database.run(
                "INSERT INTO ledger VALUES (?1, ?1, ?1, ?2)", [.blob(name), .integer(day.number)])
            try database.run("DELETE FROM ledger WHERE key = ?1 AND device = ?1 AND digest = ?1", [.blob(name)])
        }
    }

    package func count(_ events: [IssuerEvent: Int], on day: UTCDay) throws(DonationServiceError) {
        try EventTable.add(events, on: day, to: database)
    }

    /// How many devices have a token of a key: among so many is what is sent with one.
    package func deviceCount(of entry: IssuerKeys.Entry) throws(DonationServiceError) -> Int {
        let id = entry.key.publicKey.id
        return Int(
            try database.first("SELECT count(DISTINCT device) FROM ledger WHERE key = ?", [.blob(id)])?.integer ?? 0)
    }

    /// The counts of each day, in order.
    package func events() throws(DonationServiceError) -> [(day: UTCDay, event: String, count: Int64)] {
        try EventTable.all(database)
    }

    package func clean(today: UTCDay) throws(DonationServiceError) {
        try database.transaction { () throws(DonationServiceError) in
            try database.run("DELETE FROM ledger WHERE day < ?", [.integer(today.number - 1)])
            try EventTable.clean(database, today: today)
        }
    }
}
