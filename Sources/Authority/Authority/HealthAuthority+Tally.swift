// SPDX-License-Identifier: Apache-2.0

import JSON
import SQLiteFile

/// What came, by the hour. Who knows when a board sent something (its network, whoever runs the web server) must not find out here that it
/// was a warning: fakes leave nothing behind, so a second of its own for each warning would tell.
extension HealthAuthority {
    /// Counts of hours that are not over. Made when the database is opened, whatever version made the file.
    static let tallyTable = """
        CREATE TABLE IF NOT EXISTS tally (hour INTEGER NOT NULL, source TEXT NOT NULL, outcome TEXT NOT NULL, keys INTEGER NOT NULL, \
        PRIMARY KEY (hour, source, outcome)) WITHOUT ROWID
        """

    private static let accepted = "accepted"
    private static let known = "known"

    /// Adds to the hour of `now`, in the transaction of what was accepted.
    func tally(_ report: AcceptanceReport, source: String, now: Int64) throws(AuthorityError) {
        var counts = [Self.accepted: report.accepted, Self.known: report.known]
        for (flaw, count) in report.refused { counts[flaw.rawValue] = count }
        if report.checkIns > 0 { counts["checkIns"] = report.checkIns }
        for (reason, count) in report.filteredCheckIns { counts["checkIns:" + reason.rawValue] = count }
        try tally(counts, source: source, now: now)
    }

    /// The same for hours at venues.
    func tally(_ report: VenueHourReport, source: String, now: Int64) throws(AuthorityError) {
        var counts: [String: Int] = [:]
        if report.accepted > 0 { counts["venueHours"] = report.accepted }
        for (reason, count) in report.filtered { counts["venueHours:" + reason.rawValue] = count }
        try tally(counts, source: source, now: now)
    }

    private func tally(_ counts: [String: Int], source: String, now: Int64) throws(AuthorityError) {
        try closeTally(now: now)
        for (outcome, count) in counts.sorted(by: { $0.key < $1.key }) {
            try database.run(
                """
                INSERT INTO tally VALUES (?, ?, ?, ?) \
                ON CONFLICT (hour, source, outcome) DO UPDATE SET keys = keys + excluded.keys
                """, [.integer(Hour.containing(now)), .text(source), .text(outcome), .integer(Int64(count))])
        }
    }

    /// Puts the hours that are over into the audit, each as one event per source at the hour's end. To be called in a transaction.
    func closeTally(now: Int64) throws(AuthorityError) {
        struct Sum: Hashable {
            let hour: Int64
            let source: String
        }
        let current: AuthorityDatabase.Value = .integer(Hour.containing(now))
        var sums: [(Sum, JSON.Object)] = []
        try database.run(
            "SELECT hour, source, outcome, keys FROM tally WHERE hour < ? ORDER BY hour, source, outcome", [current]
        ) { row in
            guard let hour = row[0].integer, let source = row[1].text, let outcome = row[2].text, let keys = row[3].integer
            else { return }
            let sum = Sum(hour: hour, source: source)
            if sums.last?.0 != sum { sums.append((sum, ["source": .string(source)])) }
            sums[sums.count - 1].1[outcome] = .int(keys)
        }
        guard !sums.isEmpty else { return }
        for (sum, detail) in sums { try note("keys-accepted", detail, now: Hour.start(sum.hour + 1)) }
        try database.run("DELETE FROM tally WHERE hour < ?", [current])
    }
}
