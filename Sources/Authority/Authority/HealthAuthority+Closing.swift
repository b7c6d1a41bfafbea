// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import KeyExport
import SQLiteFile

/// Deciding which keys become public in which hour. Every decision is one transaction; bytes are made of it later.
extension HealthAuthority {
    /// Closes every hour of `region` that ended before `now` and is not closed yet.
    func closeHours(_ region: Int64, now: Int64, _ checkpoint: Checkpoint) throws(AuthorityError) {
        let closed = try closedHour(region)
        let current = Hour.containing(now - settings.publishing.delaySeconds)
        // After a long silence the hours that nobody would be offered any more are left out; their keys go into the first that is.
        var hour = max(closed + 1, Offer(settings.publishing, now: now).firstHour)
        while hour < current {
            try database.transaction { () throws(AuthorityError) in
                try release(region, into: hour, now: now)
                try releaseRevisions(region, into: hour)
                try insertPackage(region, hour: hour, hours: 1, revision: 1, now: now)
                try database.run("UPDATE region SET closed = ? WHERE id = ?", [.integer(hour), .integer(region)])
            }
            try checkpoint(.hourClosed)
            hour += 1
        }
    }

    /// For demonstrations: makes public what came so far in the package of the hour under way, without waiting for others. A second
    /// time in an hour replaces the package and revokes the one before.
    func closeEarly(_ region: Int64, now: Int64, _ checkpoint: Checkpoint) throws(AuthorityError) {
        let hour = Hour.containing(now)
        // Never a key that still is in use, apart from the interval under way: a core ends today's key with it.
        let ended: AuthorityDatabase.Value = .integer(now / ENIN.seconds + 1)
        // Keys whose level is too low are never public.
        let isMeant = settings.publishing.isPublishedInSQL
        try database.transaction { () throws(AuthorityError) in
            let count = try database.first(
                "SELECT count(*) FROM pending WHERE region = ? AND start + period <= ? AND \(isMeant)",
                [.integer(region), ended])?.integer
            let isRevised = try hasRevisions(region, upTo: hour)
            guard let count, count > 0 || isRevised else { return }
            try releaseRevisions(region, into: hour)
            try database.run(
                """
                INSERT OR IGNORE INTO released SELECT region, ?, data, start, period, level, type, onset, variant, padding \
                FROM pending WHERE region = ? AND start + period <= ? AND \(isMeant)
                """, [.integer(hour), .integer(region), ended])
            try database.run(
                "DELETE FROM pending WHERE region = ? AND start + period <= ? AND \(isMeant)", [.integer(region), ended])
            if try closedHour(region) >= hour {
                try replacePackage(region, hour: hour, hours: 1, reason: "published early and again", now: now)
            } else {
                try insertPackage(region, hour: hour, hours: 1, revision: 1, now: now)
                try database.run("UPDATE region SET closed = ? WHERE id = ?", [.integer(hour), .integer(region)])
            }
        }
        try checkpoint(.hourClosed)
    }

    /// Decides the packages of days that are over.
    func closeDays(_ region: Int64, now: Int64, _ checkpoint: Checkpoint) throws(AuthorityError) {
        let value = try database.first(
            "SELECT min(hour) FROM package WHERE region = ? AND hours = 1", [.integer(region)])
        guard let first = value?.integer else { return }
        let closed = try closedHour(region)
        let offer = Offer(settings.publishing, now: now)
        var day = max(Hour.day(first), offer.firstDay)
        while day < offer.today, day * 24 + 23 <= closed {
            let known = try database.first(
                "SELECT count(*) FROM package WHERE region = ? AND hour = ? AND hours = 24",
                [.integer(region), .integer(day * 24)])?.integer
            if known == 0 {
                try database.transaction { () throws(AuthorityError) in
                    try insertPackage(region, hour: day * 24, hours: 24, revision: 1, now: now)
                }
                try checkpoint(.dayClosed)
            }
            day += 1
        }
    }

    func closedHour(_ region: Int64) throws(AuthorityError) -> Int64 {
        try database.first("SELECT closed FROM region WHERE id = ?", [.integer(region)])?.integer ?? .max
    }

    func insertPackage(
        _ region: Int64, hour: Int64, hours: Int64, revision: Int64, now: Int64
    ) throws(AuthorityError) {
        try database.run(
            "INSERT INTO package (region, hour, hours, revision, time) VALUES (?, ?, ?, ?, ?)",
            [.integer(region), .integer(hour), .integer(hours), .integer(revision), .integer(now)])
    }

    /// Revokes the package that is there and decides its next revision. Nothing when there is none.
    func replacePackage(
        _ region: Int64, hour: Int64, hours: Int64, reason: String, now: Int64
    ) throws(AuthorityError) {
        var found: (identifier: Int64, revision: Int64, time: Int64)?
        try database.run(
            "SELECT id, revision, time FROM package WHERE region = ? AND hour = ? AND hours = ? ORDER BY revision DESC LIMIT 1",
            [.integer(region), .integer(hour), .integer(hours)]
        ) { row in
            if let identifier = row[0].integer, let revision = row[1].integer, let time = row[2].integer {
                found = (identifier, revision, time)
            }
        }
        guard let found else { return }
        try database.run(
            "INSERT OR IGNORE INTO revoked VALUES (?, ?, ?)",
            [.integer(found.identifier), .integer(now), .text(reason)])
        // A web server that makes its tags of time and size must give another one.
        try insertPackage(
            region, hour: hour, hours: hours, revision: found.revision + 1, now: max(now, found.time + 1))
    }

    /// Moves the keys that may be public in `hour` there, or none of them when they are too few.
    private func release(_ region: Int64, into hour: Int64, now: Int64) throws(AuthorityError) {
        let rules = settings.publishing
        let isMeant = rules.isPublishedInSQL
        var count: Int64 = 0
        var oldest: Int64 = .max
        try database.run(
            "SELECT count(*), min(hour) FROM pending WHERE region = ? AND hour <= ? AND \(isMeant)",
            [.integer(region), .integer(hour)]
        ) { row in
            count = row[0].integer ?? 0
            oldest = row[1].integer ?? .max
        }
        guard count > 0 else { return }
        let isFew = count < rules.shiftingThreshold
        if isFew, hour - oldest < rules.holdHours { return }
        let day = Hour.day(hour) * 24
        let already =
            try database.first(
                "SELECT count(*) FROM released WHERE region = ? AND hour BETWEEN ? AND ?",
                [.integer(region), .integer(day), .integer(day + 23)])?.integer ?? 0
        let room = max(0, rules.maximumKeys - already)
        try database.run(
            """
            INSERT OR IGNORE INTO released SELECT region, ?, data, start, period, level, type, onset, variant, padding \
            FROM pending WHERE region = ? AND hour <= ? AND \(isMeant) ORDER BY hour, data LIMIT ?
            """, [.integer(hour), .integer(region), .integer(hour), .integer(room)])
        if count <= room {
            try database.run(
                "DELETE FROM pending WHERE region = ? AND hour <= ? AND \(isMeant)", [.integer(region), .integer(hour)])
        } else {
            try database.run(
                """
                DELETE FROM pending WHERE region = ?1 AND hour <= ?2 AND EXISTS (SELECT 1 FROM released AS r \
                WHERE r.region = ?1 AND r.hour = ?2 AND r.data = pending.data)
                """, [.integer(region), .integer(hour)])
        }
        if isFew { try pad(region, hour: hour) }
    }

    /// Adds random keys to a package that is public although it is small.
    private func pad(_ region: Int64, hour: Int64) throws(AuthorityError) {
        var real: [ExportedKey] = []
        try database.run(
            "SELECT data, start, period, level, type, onset, variant FROM released WHERE region = ? AND hour = ? ORDER BY data",
            [.integer(region), .integer(hour)]
        ) { row in if let key = ExportedKey(columns: row[...]) { real.append(key) } }
        guard !real.isEmpty else { return }
        let source = PaddingSource(secret: try folder.paddingSecret(), hour: hour)
        let extra = try source.number(below: settings.publishing.paddingExtra + 1, for: real)
        let wanted = max(0, settings.publishing.shiftingThreshold - Int64(real.count)) + extra
        for number in 0..<Int(wanted) {
            var key = real[number % real.count]
            key.data = try source.block(for: key, number: number)
            try noteCompanion(key, beside: real[number % real.count])
            try database.run(
                "INSERT OR IGNORE INTO released VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [.integer(region), .integer(hour)] + key.columns(isPadding: true))
        }
    }
}
