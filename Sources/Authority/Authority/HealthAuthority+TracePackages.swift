// SPDX-License-Identifier: Apache-2.0

import JSON
import KeyExport
import PresenceTracing
import SQLiteFile
import Trust

/// Publishing check-ins as packages of warnings, one an hour and version (spec cwa-protocols 2.1 and 8.3).
///
/// Hours without warnings have no row: between the first and the last hour with some they are objects of no bytes, as cwa-server has them.
extension HealthAuthority {
    private static let versions: ClosedRange<Int64> = 1...2

    /// The last hour that is decided; `nil` before the first publication.
    func closedTraceHour() throws(AuthorityError) -> Int64? {
        try database.first("SELECT closed FROM trace_hours WHERE id = 1")?.integer
    }

    /// Whether `publish(early:)` would find check-ins or trace keys.
    func hasCheckInsToPublishEarly(now: Int64) throws(AuthorityError) -> Bool {
        try firstTraceHour(after: closedTraceHour() ?? .min).map { $0 <= Hour.containing(now) + 1 } ?? false
    }

    /// Decides the packages of every hour that ended before `now`. `early` closes the hour under way, and, where that is closed, the next: boards
    /// take no later one.
    func closeTraceHours(now: Int64, early: Bool, _ checkpoint: Checkpoint) throws(AuthorityError) {
        var target = Hour.containing(now - (early ? 0 : settings.publishing.delaySeconds)) - 1
        let first = try firstTraceHour(after: .min) ?? .max
        let closed = try closedTraceHour() ?? min(target, first - 1)
        if early {
            let last = try database.first(
                "SELECT max(hour) FROM (\(Self.waitingHours))", [.integer(closed)])?.integer
            target = max(target, min(last ?? target, Hour.containing(now) + 1))
        }
        var next = try firstTraceHour(after: closed)
        while let hour = next, hour <= target {
            try database.transaction { () throws(AuthorityError) in
                for version in Self.versions { try decide(version, hour: hour, now: now) }
                try setClosedTraceHour(hour)
            }
            try checkpoint(.hourClosed)
            next = try firstTraceHour(after: hour)
        }
        if target > closed {
            try database.transaction { () throws(AuthorityError) in
                try setClosedTraceHour(max(target, try closedTraceHour() ?? target))
            }
        }
        // Whoever publishes early decides the hour after the one under way at most; a later one was decided by a clock that was ahead.
        try database.run(
            "UPDATE trace_hours SET open = closed + 1 WHERE closed > ? AND open IS NOT closed + 1",
            [.integer(Hour.containing(now) + 1)])
    }

    private func setClosedTraceHour(_ hour: Int64) throws(AuthorityError) {
        try database.run(
            "INSERT INTO trace_hours (id, closed) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET closed = excluded.closed",
            [.integer(hour)])
    }

    private func firstTraceHour(after hour: Int64) throws(AuthorityError) -> Int64? {
        try database.first("SELECT min(hour) FROM (\(Self.waitingHours))", [.integer(hour)])?.integer
    }

    /// Hours after a given one that have something; trace keys become public with the same hours.
    private static let waitingHours =
        "SELECT hour FROM check_in WHERE hour > ?1 UNION ALL SELECT hour FROM trace_key WHERE hour > ?1"

    /// A package for each region, if there is anything in it; what is too much goes into the next hour.
    private func decide(_ version: Int64, hour: Int64, now: Int64) throws(AuthorityError) {
        let place: [AuthorityDatabase.Value] = [.integer(version), .integer(hour)]
        let count =
            try database.first("SELECT count(*) FROM check_in WHERE version = ? AND hour = ?", place)?.integer ?? 0
        guard count > 0 else { return }
        if count > settings.checkIns.maximumWarnings {
            try database.run(
                """
                UPDATE check_in SET hour = hour + 1 WHERE version = ?1 AND hour = ?2 AND id NOT IN \
                (SELECT id FROM check_in WHERE version = ?1 AND hour = ?2 ORDER BY id LIMIT ?3)
                """, place + [.integer(settings.checkIns.maximumWarnings)])
        }
        for region in try regions(now: now) {
            try database.run(
                "INSERT OR IGNORE INTO trace_package (region, version, hour, time) VALUES (?, ?, ?, ?)",
                [.integer(region.number)] + place + [.integer(now)])
        }
    }

    /// The object of a package in the state folder.
    private func traceFile(_ identifier: Int64) -> String { "\(folder.packages)/trace-\(identifier).zip" }

    /// Builds and signs every package that is decided and has no bytes yet; each is on the disk before the database says so.
    func buildTracePackages(now: Int64, _ checkpoint: Checkpoint) throws(AuthorityError) {
        try forgetLostPackages(now: now)
        var rows: [[AuthorityDatabase.Value]] = []
        try database.run(
            """
            SELECT p.id, p.version, p.hour, p.time, r.name FROM trace_package AS p JOIN region AS r ON r.id = p.region \
            WHERE p.tag IS NULL ORDER BY p.id
            """
        ) { rows.append($0) }
        guard !rows.isEmpty else { return }
        let signer = try folder.signer(.export, settings, now: now)
        for row in rows {
            guard let identifier = row[0].integer, let version = row[1].integer, let hour = row[2].integer,
                let time = row[3].integer, let region = row[4].text
            else { throw AuthorityError(.stateDamaged, "trace_package") }
            let warnings = try checkIns(version: version, hour: hour)
            let content = TraceWarningPackage.encoded(
                hour: UInt32(clamping: hour), region: region, warnings: warnings.compactMap(\.plain),
                reports: warnings.compactMap(\.report))
            // What this signature says besides the bytes, nobody reads.
            let encoder = ExportEncoder(
                startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [signatureInfo(signer.name)])
            let bytes = try archive(content, encoder, signer.key)
            try FileWork.write(bytes, to: traceFile(identifier), mode: 0o644, modified: time)
            try checkpoint(.packageWritten)
            let tag = try Self.tag(bytes)
            try database.transaction { () throws(AuthorityError) in
                try database.run(
                    "UPDATE trace_package SET warnings = ?, bytes = ?, tag = ? WHERE id = ?",
                    [.integer(Int64(warnings.count)), .integer(Int64(bytes.count)), .text(tag), .integer(identifier)])
                try note(
                    "warnings-published",
                    [
                        "path": .string("/\(Self.tracePath(version, region))/\(hour)"),
                        "warnings": .int(Int64(warnings.count)), "bytes": .int(Int64(bytes.count)), "etag": .string(tag),
                    ], now: now)
            }
            try checkpoint(.packageBuilt)
        }
    }

    /// A package whose file is gone is built again: its region was out of the settings for a while, or a restored copy lacks it. One missing file must
    /// not stop the publication of everything else.
    private func forgetLostPackages(now: Int64) throws(AuthorityError) {
        var lost: [Int64] = []
        for (_, region) in try regions(now: now) {
            try database.run(
                "SELECT id FROM trace_package WHERE region = ? AND tag IS NOT NULL", [.integer(region)]
            ) { row in
                if let identifier = row[0].integer, !FileWork.exists(traceFile(identifier)) { lost.append(identifier) }
            }
        }
        guard !lost.isEmpty else { return }
        try database.transaction { () throws(AuthorityError) in
            for identifier in lost {
                try database.run("UPDATE trace_package SET tag = NULL WHERE id = ?", [.integer(identifier)])
            }
        }
    }

    /// Sorted by numbers that are hashes, so that the order says nothing.
    private func checkIns(version: Int64, hour: Int64) throws(AuthorityError) -> [CheckInRow] {
        var rows: [CheckInRow] = []
        try database.run(
            "SELECT hash, start, period, level, report FROM check_in WHERE version = ? AND hour = ? ORDER BY id",
            [.integer(version), .integer(hour)]
        ) { row in if let checkIn = CheckInRow(row[...]) { rows.append(checkIn) } }
        return rows
    }

    private static func tracePath(_ version: Int64, _ region: String) -> String {
        "version/v\(version)/twp/country/\(region)/hour"
    }

    /// The first hour that is still offered at `now` (cwa-server: as long as it keeps keys).
    private func firstOfferedTraceHour(now: Int64) -> Int64 {
        Hour.containing(now) - settings.publishing.retentionDays * 24
    }

    /// Lists of hours, and what they name. What was named up to an hour ago is still there.
    func addTracePackages(to tree: inout PublicTree, now: Int64) throws(AuthorityError) {
        struct Package {
            let file: String
            let tag: String
            let bytes: Int64
        }
        let first = firstOfferedTraceHour(now: now)
        // A board refuses a whole list that names a later hour; a clock that was ahead may have made one.
        let last = Hour.containing(now) + 1
        for (name, number) in try regions(now: now) {
            for version in Self.versions {
                var packages: [Int64: Package] = [:]
                try database.run(
                    """
                    SELECT id, hour, tag, bytes FROM trace_package WHERE region = ? AND version = ? AND hour BETWEEN ? AND ? AND tag IS NOT NULL
                    """, [.integer(number), .integer(version), .integer(first - 1), .integer(last)]
                ) { row in
                    guard let identifier = row[0].integer, let hour = row[1].integer, let tag = row[2].text,
                        let bytes = row[3].integer
                    else { return }
                    packages[hour] = Package(file: traceFile(identifier), tag: tag, bytes: bytes)
                }
                let path = Self.tracePath(version, name)
                let offered = packages.keys.filter { $0 >= first }
                let list: JSON = [
                    "oldest": offered.min().map { .int($0) } ?? .null, "latest": offered.max().map { .int($0) } ?? .null,
                ]
                try tree.add(list: list, at: path)
                guard let oldest = packages.keys.min(), let latest = packages.keys.max() else { continue }
                for hour in oldest...latest {
                    if let package = packages[hour] {
                        tree.add(
                            file: package.file, at: "\(path)/\(hour)", kind: "", tag: package.tag, byteCount: package.bytes)
                    } else {
                        try tree.add(bytes: [], at: "\(path)/\(hour)", kind: "")
                    }
                }
            }
        }
    }

    /// Forgets what is not offered any more, in a transaction. Longer settings do not bring it back.
    func forgetCheckIns(now: Int64) throws(AuthorityError) {
        let oldest: AuthorityDatabase.Value = .integer(firstOfferedTraceHour(now: now) - 1)
        try database.run("DELETE FROM check_in WHERE hour < ?", [oldest])
        try database.run("DELETE FROM trace_package WHERE hour < ?", [oldest])
    }

    /// What a person or a script may know of check-ins; counts have random ones in them.
    func checkInStatus() throws(AuthorityError) -> JSON {
        let closed = try closedTraceHour()
        let waiting = try database.first("SELECT count(*) FROM check_in WHERE hour > ?", [.integer(closed ?? .min)])
        let packages = try database.first("SELECT count(*) FROM trace_package WHERE tag IS NOT NULL")
        return [
            "waiting": .int(waiting?.integer ?? 0), "packages": .int(packages?.integer ?? 0),
            "closedUntil": closed.map { .string(Hour.text(Hour.start($0 + 1))) } ?? .null,
        ]
    }
}
