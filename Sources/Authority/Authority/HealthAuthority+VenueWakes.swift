// SPDX-License-Identifier: Apache-2.0

import SQLiteFile

/// Waking boards for warnings about venues, which may come without any key.
extension HealthAuthority {
    /// Notes whom to wake for warnings that are public now and were not when boards were woken last, in a transaction after the tree has changed: a
    /// process that is killed before it finds them again the next time. A list of venues that has become empty is no reason.
    func announceVenueWarnings(now: Int64) throws(AuthorityError) {
        guard settings.wake != nil else { return }
        var known: (package: Int64, last: (hour: Int64, keys: Int64), list: Int64) = (0, (0, 0), 0)
        try database.run("SELECT package, hour, keys, list FROM venue_wake WHERE id = 1") { row in
            if let package = row[0].integer, let hour = row[1].integer, let keys = row[2].integer, let list = row[3].integer
            {
                known = (package, (hour, keys), list)
            }
        }
        let all = try regions(now: now).map(\.number)
        var woken: Set<Int64> = []
        try database.run(
            "SELECT DISTINCT region FROM trace_package WHERE id > ? AND tag IS NOT NULL AND warnings > 0",
            [.integer(known.package)]
        ) { row in if let region = row[0].integer { woken.insert(region) } }
        let package = try database.first("SELECT max(id) FROM trace_package WHERE tag IS NOT NULL")?.integer ?? 0
        // Lists are those of all regions.
        let last = try publicTraceKeys()
        if last > known.last {
            woken.formUnion(all)
            known.last = last
        }
        let list = try venueListVersion()
        if list != known.list, try !listedVenues().isEmpty { woken.formUnion(all) }
        for region in all where woken.contains(region) { try noteThatBoardsAreToBeWoken(region, now: now) }
        try database.run(
            "INSERT OR REPLACE INTO venue_wake VALUES (1, ?, ?, ?, ?)",
            [
                .integer(max(package, known.package)), .integer(known.last.hour), .integer(known.last.keys), .integer(list),
            ])
    }

    /// The last hour of trace keys that are public, as a number since 1970, and how many it has: an hour that is public before it is decided gets more. Zeros if there are none.
    private func publicTraceKeys() throws(AuthorityError) -> (hour: Int64, keys: Int64) {
        guard settings.swissCovid != nil, let last = try publicTraceHour() else { return (0, 0) }
        var found: (hour: Int64, keys: Int64) = (0, 0)
        try database.run(
            "SELECT hour, count(*) FROM trace_key WHERE hour = (SELECT max(hour) FROM trace_key WHERE hour <= ?)",
            [.integer(last.hour)]
        ) { row in if let hour = row[0].integer, let keys = row[1].integer { found = (hour, keys) } }
        return found
    }
}
