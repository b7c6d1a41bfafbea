// SPDX-License-Identifier: Apache-2.0

import CivilTime
import SQLiteFile

/// What a server counts by day; it names nobody. Counts stay in memory for a minute, so nobody can make the disk work by asking nonsense.
struct EventCounter<Event: Hashable> {
    /// For how long counts stay in memory, in seconds.
    static var seconds: Int64 { 60 }

    private var counts: [Event: Int] = [:]
    private var day: UTCDay?
    private var lastWrite: Int64 = 0

    /// Counts an event at `now`, Unix seconds; `write` is given what is to be added to a day's counts when it is time, or `isUrgent`. A disk that fails loses a
    /// day's counts at most.
    mutating func count(
        _ event: Event, at now: Int64, isUrgent: Bool = false,
        write: ([Event: Int], UTCDay) throws(DonationServiceError) -> Void
    ) {
        let today = UTCDay(containing: now)
        if day != today {
            try? flush(write)
            counts = [:]
            day = today
        }
        counts[event, default: 0] += 1
        guard isUrgent || now - lastWrite >= Self.seconds || now < lastWrite else { return }
        lastWrite = now
        try? flush(write)
    }

    /// Has everything written. Throws what `write` throws; the counts stay then.
    mutating func flush(
        _ write: ([Event: Int], UTCDay) throws(DonationServiceError) -> Void
    ) throws(DonationServiceError) {
        guard let day, !counts.isEmpty else { return }
        try write(counts, day)
        counts = [:]
    }
}

/// The counts of a database.
enum EventTable {
    /// The days for which counts are kept.
    static let days: Int64 = 90
    static let schema =
        "CREATE TABLE event (day INTEGER, kind TEXT, count INTEGER NOT NULL, PRIMARY KEY (day, kind)) STRICT, WITHOUT ROWID"

    static func add<Event: RawRepresentable<String>>(
        _ events: [Event: Int], on day: UTCDay, to database: SQLiteDatabase<DonationServiceError>
    ) throws(DonationServiceError) {
        try database.transaction { () throws(DonationServiceError) in
            for (event, count) in events {
                try database.run(
                    "INSERT INTO event VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET count = count + ?3",
                    [.integer(day.number), .text(event.rawValue), .integer(Int64(count))])
            }
        }
    }

    /// The counts of each day, in order.
    static func all(
        _ database: SQLiteDatabase<DonationServiceError>
    ) throws(DonationServiceError) -> [(day: UTCDay, event: String, count: Int64)] {
        var all: [(day: UTCDay, event: String, count: Int64)] = []
        try database.run("SELECT day, kind, count FROM event ORDER BY day, kind") { row in
            if let day = row[0].integer, let kind = row[1].text, let count = row[2].integer {
                all.append((UTCDay(number: day), kind, count))
            }
        }
        return all
    }

    /// Deletes what is too old; within a transaction.
    static func clean(
        _ database: SQLiteDatabase<DonationServiceError>, today: UTCDay
    ) throws(DonationServiceError) {
        try database.run("DELETE FROM event WHERE day <= ?", [.integer(today.number - days)])
    }
}
