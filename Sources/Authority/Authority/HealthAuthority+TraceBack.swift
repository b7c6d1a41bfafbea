// SPDX-License-Identifier: Apache-2.0

import SQLiteFile
import Verification

/// Taking back the hours at venues of one upload, with the warning that they came under: they go off the lists, which the next publication shows. Devices that were told stay told; the format has
/// nothing to say it by.
extension HealthAuthority {
    static let traceMark: StaticString = "vigil trace key"

    /// The trace keys of a warning, random ones included. Nothing groups them, so each is asked.
    func traceKeys(of warning: WarningHandle) throws(AuthorityError) -> [[UInt8]] {
        var found: [[UInt8]] = []
        try database.run("SELECT id, mark FROM trace_key WHERE mark IS NOT NULL") { row in
            guard let id = row[0].blob, let mark = row[1].blob else { return }
            if (try? warning.mark(Self.traceMark, id)) == mark { found.append(id) }
        }
        return found
    }

    func proposeTraceKeys(_ ids: [[UInt8]], _ proposal: Int64) throws(AuthorityError) {
        for id in ids {
            let other = try database.first(
                "SELECT proposal FROM proposed_trace_key WHERE id = ? AND proposal != ?", [.blob(id), .integer(proposal)])
            if let number = other?.integer { throw AuthorityError(.alreadyProposed, "number \(number)") }
            try database.run(
                "INSERT OR IGNORE INTO proposed_trace_key VALUES (?, ?)", [.integer(proposal), .blob(id)])
        }
    }

    /// What a proposal takes off the lists: how many hours, without random ones, and the UTC days of them, in days since 1970.
    func proposedHours(_ proposal: Int64) throws(AuthorityError) -> (count: Int, days: [Int64]) {
        var days: [[UInt8]: Int64] = [:]
        try database.run(
            """
            SELECT k.id, k.day FROM proposed_trace_key AS p JOIN trace_key AS k ON k.id = p.id WHERE p.proposal = ?
            """, [.integer(proposal)]
        ) { row in if let id = row[0].blob, let day = row[1].integer { days[id] = Hour.day(day / Hour.seconds) } }
        var random: Set<[UInt8]> = []
        for id in days.keys {
            var number: Int64 = 1
            while days[Self.companion(number, of: id)] != nil {
                random.insert(Self.companion(number, of: id))
                number += 1
            }
        }
        return (days.count - random.count, Array(days.values))
    }

    /// Those of a proposal that is confirmed go, random ones with them: two lists show that something was withdrawn, and not which were genuine.
    func takeBackTraceKeys(of proposal: Int64) throws(AuthorityError) {
        try database.run(
            "DELETE FROM trace_key WHERE id IN (SELECT id FROM proposed_trace_key WHERE proposal = ?)", [.integer(proposal)]
        )
    }
}
