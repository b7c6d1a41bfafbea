// SPDX-License-Identifier: Apache-2.0

package import CivilTime
import PrivacyPass
import SQLiteFile

/// An issuer's private keys, one for each day of UTC, in a database of their own: made ahead, distinct in the byte by which a request names
/// its key, and destroyed two days after their day began. Used by one thread; several processes may have the file open.
package final class IssuerKeys {
    /// A day and its key.
    package struct Entry: Sendable {
        /// The day whose tokens the key signs.
        package let day: UTCDay
        /// The key.
        package let key: DayKey
    }

    private let database: SQLiteDatabase<DonationServiceError>
    private let makeKey: () throws(DonationServiceError) -> DayKey
    /// The keys that are there, in the order of their days, as ``reload()`` saw them last.
    package private(set) var live: [Entry] = []

    private static let schema = SQLiteSchema(steps: [
        ["CREATE TABLE key (day INTEGER PRIMARY KEY, private BLOB NOT NULL) STRICT"]
    ])

    /// Opens the file at `path`, or makes it. `makeKey` is for tests. Throws `storageUnusable`, `storageTooNew`, `storageDamaged`,
    /// `storageInUse` or `full`.
    package init(
        path: String, makeKey: @escaping () throws(DonationServiceError) -> DayKey = DayKey.generate
    ) throws(DonationServiceError) {
        database = try SQLiteDatabase(path: path, schema: Self.schema)
        self.makeKey = makeKey
        try database.run("PRAGMA secure_delete = ON")
        try reload()
    }

    /// Reads keys that another process has made, and forgets those that it destroyed. Throws as ``init(path:makeKey:)`` does.
    package func reload() throws(DonationServiceError) {
        var rows: [(Int64, [UInt8])] = []
        try database.run("SELECT day, private FROM key ORDER BY day") { row in
            if let day = row[0].integer, let bytes = row[1].blob { rows.append((day, bytes)) }
        }
        let known = Dictionary(uniqueKeysWithValues: live.map { ($0.day.number, $0) })
        var entries: [Entry] = []
        for (day, bytes) in rows {
            if let entry = known[day] {
                entries.append(entry)
            } else {
                entries.append(Entry(day: UTCDay(number: day), key: try DayKey(encoded: bytes)))
            }
        }
        live = entries
    }

    /// The key that a request names, if a token of its day can still be spent; `nil` if there is none.
    package func key(truncatedID: UInt8, today: UTCDay) -> Entry? {
        live.first { $0.key.publicKey.truncatedID == truncatedID && $0.day.number + 1 >= today.number }
    }

    /// Makes the keys that are missing from `today` on, for `count` days, and destroys those whose day began two days ago or more. Takes
    /// some 40 ms for each new key. Throws as ``init(path:makeKey:)`` does, and `cryptography`; what was done until then stays.
    package func keep(today: UTCDay, count: Int) throws(DonationServiceError) {
        try destroy(before: UTCDay(number: today.number - 1))
        try reload()
        for number in today.number..<today.number + Int64(max(0, count))
        where !live.contains(where: { $0.day.number == number }) {
            try make(UTCDay(number: number))
        }
    }

    private func make(_ day: UTCDay) throws(DonationServiceError) {
        while true {
            let key = try makeKey()
            // Another process may have made one meanwhile.
            try reload()
            if live.contains(where: { $0.day == day }) { return }
            guard !live.contains(where: { $0.key.publicKey.truncatedID == key.publicKey.truncatedID }) else { continue }
            try database.run("INSERT OR IGNORE INTO key VALUES (?, ?)", [.integer(day.number), .blob(key.encoded)])
            try reload()
            return
        }
    }

    /// The file is written anew without the old keys, and its log emptied: a deleted row alone leaves its bytes in the log.
    private func destroy(before day: UTCDay) throws(DonationServiceError) {
        try database.run("DELETE FROM key WHERE day < ?", [.integer(day.number)])
        guard database.changes > 0 else { return }
        live.removeAll { $0.day < day }
        try database.run("VACUUM")
        try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
