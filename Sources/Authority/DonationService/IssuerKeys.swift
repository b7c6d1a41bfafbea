// SPDX-License-Identifier: Apache-2.0

package import CivilTime
package import Donation
import PrivacyPass
import SQLiteFile

/// An issuer's private keys, one for each day of UTC, and for each monthly purpose one for each month, in a database of their own: made ahead, distinct in the byte by
/// which a request names its key, and destroyed two days after their last day began. Used by one thread; several processes may have the file open.
package final class IssuerKeys {
    /// A day or a month, and its key.
    package struct Entry: Sendable {
        /// The day whose tokens the key signs; of a month the first.
        package let day: UTCDay
        /// What the tokens are for; `nil` for donations.
        package let purpose: MonthlyPurpose?
        /// The key.
        package let key: DayKey

        /// The last day for which the key signs.
        package var lastDay: UTCDay { purpose == nil ? day : DonationEpoch.lastDay(ofMonth: day) }
    }

    private let database: SQLiteDatabase<DonationServiceError>
    private let makeKey: () throws(DonationServiceError) -> DayKey
    /// The keys that are there, in the order of their days, as ``reload()`` saw them last.
    package private(set) var live: [Entry] = []

    private static let schema = SQLiteSchema(steps: [
        ["CREATE TABLE key (day INTEGER PRIMARY KEY, private BLOB NOT NULL) STRICT"],
        [
            """
            CREATE TABLE month_key (purpose TEXT, day INTEGER, last INTEGER NOT NULL, private BLOB NOT NULL, PRIMARY KEY (purpose, day))
            STRICT
            """
        ],
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
        var rows: [(purpose: MonthlyPurpose?, day: UTCDay, bytes: [UInt8])] = []
        try database.run("SELECT day, private FROM key ORDER BY day") { row in
            if let day = row[0].integer, let bytes = row[1].blob { rows.append((nil, UTCDay(number: day), bytes)) }
        }
        try database.run("SELECT purpose, day, private FROM month_key ORDER BY purpose, day") { row in
            // A purpose of a newer release is left alone.
            guard let purpose = row[0].text.flatMap({ MonthlyPurpose(rawValue: $0) }) else { return }
            if let day = row[1].integer, let bytes = row[2].blob { rows.append((purpose, UTCDay(number: day), bytes)) }
        }
        var entries: [Entry] = []
        for (purpose, day, bytes) in rows {
            if let entry = live.first(where: { $0.purpose == purpose && $0.day == day }) {
                entries.append(entry)
            } else {
                entries.append(Entry(day: day, purpose: purpose, key: try DayKey(encoded: bytes)))
            }
        }
        live = entries
    }

    /// The keys of a purpose, `nil` for those of donations, in the order of their days.
    package func keys(for purpose: MonthlyPurpose?) -> [DonationTerms.Key] {
        live.filter { $0.purpose == purpose }.map { .init(day: $0.day, key: $0.key.publicKey) }
    }

    /// The key that a request names, if a token of its day or month can still be spent; `nil` if there is none.
    package func key(truncatedID: UInt8, today: UTCDay) -> Entry? {
        live.first { $0.key.publicKey.truncatedID == truncatedID && $0.lastDay.number + 1 >= today.number }
    }

    /// Makes the keys that are missing from `today` on, for `count` days and for the months of these days, and destroys those whose last day began two days ago or
    /// more. Takes some 40 ms for each new key. Throws as ``init(path:makeKey:)`` does, and `cryptography`; what was done until then stays.
    package func keep(
        today: UTCDay, count: Int, purposes: Set<MonthlyPurpose> = []
    ) throws(DonationServiceError) {
        try destroy(before: UTCDay(number: today.number - 1))
        try reload()
        let days = (today.number..<today.number + Int64(max(0, count))).map { UTCDay(number: $0) }
        for day in days { try make(day, nil) }
        for purpose in MonthlyPurpose.allCases where purposes.contains(purpose) {
            for month in Set(days.map { DonationEpoch.firstDay(ofMonth: $0) }).sorted() { try make(month, purpose) }
        }
    }

    private func make(_ day: UTCDay, _ purpose: MonthlyPurpose?) throws(DonationServiceError) {
        func isThere() -> Bool { live.contains { $0.day == day && $0.purpose == purpose } }
        while !isThere() {
            let key = try makeKey()
            // Another process may have made one meanwhile.
            try reload()
            if isThere() { return }
            guard !live.contains(where: { $0.key.publicKey.truncatedID == key.publicKey.truncatedID }) else { continue }
            if let purpose {
                let last = DonationEpoch.lastDay(ofMonth: day)
                try database.run(
                    "INSERT OR IGNORE INTO month_key VALUES (?, ?, ?, ?)",
                    [.text(purpose.rawValue), .integer(day.number), .integer(last.number), .blob(key.encoded)])
            } else {
                try database.run("INSERT OR IGNORE INTO key VALUES (?, ?)", [.integer(day.number), .blob(key.encoded)])
            }
            try reload()
        }
    }

    /// The file is written anew without the old keys, and its log emptied: a deleted row alone leaves its bytes in the log.
    private func destroy(before day: UTCDay) throws(DonationServiceError) {
        try database.run("DELETE FROM key WHERE day < ?", [.integer(day.number)])
        var changes = database.changes
        try database.run("DELETE FROM month_key WHERE last < ?", [.integer(day.number)])
        changes += database.changes
        guard changes > 0 else { return }
        live.removeAll { $0.lastDay < day }
        try database.run("VACUUM")
        try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
