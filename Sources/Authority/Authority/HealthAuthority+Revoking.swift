// SPDX-License-Identifier: Apache-2.0

import JSON
import SQLiteFile

extension HealthAuthority {
    /// Withdraws keys of one published package: all of them if `keys` is `nil`, otherwise those whose 16 bytes are
    /// in `keys`. The next publication replaces the package, the day package that contains it and the hour packages
    /// that it contains by new ones without the withdrawn keys. It lists the old ones as revoked, so that receivers
    /// drop and fetch them again. Receivers that have already compared the keys learn from the next package that
    /// they are taken back.
    ///
    /// `date` is a UTC day such as "2026-11-21"; `hour` is 0 to 23, or `nil` for the day package; `now` is in Unix
    /// seconds. `reason` is a text for the audit and is not checked. Returns the number of withdrawn keys, with the
    /// random ones that stand beside them; 0 if the package has none of `keys`, and the named package is replaced
    /// even then. With `isTrial` it only counts them. Withdrawn keys stay known, so they cannot be handed in again.
    /// Waits for up to two minutes while another process publishes.
    ///
    /// Throws `unknownPackage` when there is no such package, or `region`, `date` or `hour` is not valid; `inUse`
    /// when the wait was in vain; and `stateUnusable`, `stateDamaged`, `inUse` or `full` when the database fails.
    public func revoke(
        region: String, date: String, hour: Int?, keys: Set<[UInt8]>? = nil, reason: String, isTrial: Bool = false,
        now: Int64
    ) throws(AuthorityError) -> Int {
        guard let day = Hour.day(date: date), hour.map({ (0...23).contains($0) }) ?? true,
            let number = try database.first("SELECT id FROM region WHERE name = ?", [.text(region)])?.integer
        else { throw AuthorityError(.unknownPackage, "\(region) \(date)") }
        let first = day * 24 + Int64(hour ?? 0)
        let hours = first..<(first + (hour == nil ? 24 : 1))
        let lock = try StateLock(folder)
        defer { withExtendedLifetime(lock) {} }
        return try database.transaction { () throws(AuthorityError) in
            let known = try database.first(
                "SELECT count(*) FROM package WHERE region = ? AND hour = ? AND hours = ?",
                [.integer(number), .integer(first), .integer(Int64(hours.count))])?.integer
            guard known != 0 else {
                throw AuthorityError(.unknownPackage, "\(region) \(date)\(hour.map { ", hour \($0)" } ?? "")")
            }
            let keys = try keys.map { (keys) throws(AuthorityError) in keys.union(try companions(of: keys)) }
            var affected: [(data: [UInt8], hour: Int64)] = []
            try database.run(
                "SELECT data, hour FROM released WHERE region = ? AND hour >= ? AND hour < ?",
                [.integer(number), .integer(hours.lowerBound), .integer(hours.upperBound)]
            ) { row in
                if let data = row[0].blob, let hour = row[1].integer, keys?.contains(data) ?? true {
                    affected.append((data, hour))
                }
            }
            guard !isTrial else { return affected.count }
            try revoke(affected.map(\.data), in: number, now: now)
            for key in affected {
                try database.run(
                    "DELETE FROM released WHERE region = ? AND hour = ? AND data = ?",
                    [.integer(number), .integer(key.hour), .blob(key.data)])
            }
            // The package that was named always; others only where a key of theirs went.
            var changed = Set(affected.map(\.hour))
            if hour != nil { changed.insert(first) }
            for changedHour in changed.sorted() {
                try replacePackage(number, hour: changedHour, hours: 1, reason: reason, now: now)
            }
            if hour == nil || !affected.isEmpty {
                try replacePackage(number, hour: day * 24, hours: 24, reason: reason, now: now)
            }
            try note(
                "package-revoked",
                [
                    "region": .string(region), "date": .string(date), "hour": hour.map { .int(Int64($0)) } ?? .null,
                    "keysWithdrawn": .int(Int64(affected.count)), "reason": .string(reason),
                ], now: now)
            return affected.count
        }
    }
}
