// SPDX-License-Identifier: Apache-2.0

import CivilTime
import GAEN
import Glibc
import JSON
import SQLiteFile

/// The result of a publication: new packages, regions to wake, and the operator's files that were refused.
public struct PublicationReport: Sendable, Hashable {
    /// The packages of keys that became public, in the order of their making; empty when none did. Packages of
    /// check-ins are not listed.
    public var packages: [Package] = []
    /// Whether the public tree differs from the one before.
    public var isChanged = false
    /// The names of the regions whose boards are to be woken, sorted. A region stays here until a broker has taken its
    /// message, for an hour at most. Empty without a broker.
    public var regionsToWake: [String] = []
    /// The faults of the operator's files and of signed changes of keys, which were not taken or no longer fit the
    /// settings; the last good versions stay public. Among them `donationRunsOut`, of a document that is public and needs a successor. Empty when there are none.
    public var configurationFaults: [AuthorityError] = []

    /// A package that became public, with its path and size.
    public struct Package: Sendable, Hashable {
        /// The path below the authority's address, beginning with a slash:
        /// `/version/v1/diagnosis-keys/country/REGION/date/DATE`, for an hour package with `/hour/HOUR`.
        public let path: String
        /// The number of keys in the package, 0 or more; random keys, which cannot be told from real ones, are included.
        public let keys: Int64
        /// The size of the zip in bytes, 0 or more.
        public let bytes: Int64
        /// The MD5 of the zip in hexadecimal digits, which is its entity tag without quotation marks.
        public let tag: String
    }
}

extension HealthAuthority {
    /// Brings the public tree up to date for `now` (Unix seconds): closes hours and days that are over, builds and signs
    /// packages and documents, and switches to the new tree. Blocks; only one process publishes at a time, and another one
    /// waits for up to two minutes.
    ///
    /// It may be called at any time, and again after the process was killed anywhere: decisions are durable before packages
    /// are built from them, packages are durable before they are public, and the tree changes in one step. `early` also
    /// closes the current hour (for demonstrations). `checkpoint` is called after each step, for trials.
    ///
    /// Throws `inUse` when another process holds the folder for two minutes; `full` or `stateUnusable` when the disk
    /// refuses; `stateDamaged` when the database or the list of signers is not what this program writes; `cryptography`
    /// when a key cannot be read or does not sign; and what `checkpoint` throws. Faults of the operator's files are in the
    /// report; one is thrown only if there has never been a good `configuration.json`.
    public func publish(
        now: Int64, early: Bool = false,
        checkpoint: (PublicationStep) throws(AuthorityError) -> Void = { (_) throws(AuthorityError) in }
    ) throws(AuthorityError) -> PublicationReport {
        let lock = try StateLock(folder)
        defer { withExtendedLifetime(lock) {} }
        let regions = try regions(now: now)
        try forget(now: now)
        for region in regions {
            // The hour under way must not be closed before the one that just ended.
            try closeHours(region.number, now: early ? now + settings.publishing.delaySeconds : now, checkpoint)
            if early { try closeEarly(region.number, now: now, checkpoint) }
            try closeDays(region.number, now: now, checkpoint)
        }
        try closeTraceHours(now: now, early: early, checkpoint)
        try signAnewWhatNobodyBelieves(now: now)
        try buildPackages(now: now, checkpoint)
        try buildTracePackages(now: now, checkpoint)
        var report = PublicationReport()
        let (documents, faults) = try publishDocuments(now: now, checkpoint)
        report.configurationFaults = faults
        var tree = try composeTree(documents: documents, now: now)
        if let successions = try publishedSuccessions(&report.configurationFaults) {
            try tree.add(bytes: successions, at: Self.successionsPath, kind: "json")
        }
        report.isChanged = try Generation.publish(tree, folder, now: now, checkpoint)
        report.packages = try announce(now: now)
        try checkpoint(.announced)
        try clean(tree)
        try checkpoint(.cleaned)
        report.regionsToWake = try pendingWakes()
        return report
    }

    /// Forgets what is too old to be public, or even to be handed in again.
    private func forget(now: Int64) throws(AuthorityError) {
        let offer = Offer(settings.publishing, now: now - Hour.seconds)
        // The oldest hour that can still be part of something that is built.
        let oldest: AuthorityDatabase.Value = .integer(min(offer.firstBatchHour, offer.firstHour))
        // What was public is known for longer: it may have to be taken back where receivers still count it.
        let retained: AuthorityDatabase.Value = .integer((offer.today - settings.publishing.retentionDays) * 24)
        let start: AuthorityDatabase.Value = .integer((now - SubmittedKey.maximumAge) / ENIN.seconds - 1)
        try database.transaction { () throws(AuthorityError) in
            try closeTally(now: now)
            try database.run("DELETE FROM released WHERE hour < ?", [retained])
            try database.run("DELETE FROM known WHERE start < ?", [start])
            try database.run(
                "DELETE FROM pending WHERE start < ? AND \(settings.publishing.isPublishedInSQL)", [start])
            let lost = database.changes
            // The others were never meant for publication.
            try database.run("DELETE FROM pending WHERE start < ?", [start])
            if lost > 0 { try note("keys-too-old-while-waiting", ["rows": .int(Int64(lost))], now: now) }
            // A revocation names its package as long as receivers may have it.
            try database.run("DELETE FROM revoked WHERE time < ?", [.integer(now - 16 * UTCDay.seconds)])
            try database.run(
                "DELETE FROM package WHERE hour < ? AND id NOT IN (SELECT package FROM revoked)", [oldest])
            try database.run("DELETE FROM wake WHERE since < ?", [.integer(now - Hour.seconds)])
            try forgetRevisions(keysBefore: start, now: now)
            try forgetCheckIns(now: now)
            try forgetVenues(now: now)
            try forgetTraceKeys(now: now)
            try forgetRegistrations(now: now)
        }
    }

    /// Records what became public, once, and whom to wake for it.
    private func announce(now: Int64) throws(AuthorityError) -> [PublicationReport.Package] {
        try database.transaction { () throws(AuthorityError) in
            var packages: [PublicationReport.Package] = []
            var rows: [[AuthorityDatabase.Value]] = []
            try database.run(
                """
                SELECT p.id, p.region, r.name, p.hour, p.hours, p.revision, p.keys, p.bytes, p.tag, p.digest FROM package AS p \
                JOIN region AS r ON r.id = p.region WHERE p.announced = 0 AND p.tag IS NOT NULL ORDER BY p.id
                """
            ) { rows.append($0) }
            for row in rows {
                guard let region = row[1].integer, let name = row[2].text, let hour = row[3].integer,
                    let hours = row[4].integer, let keys = row[6].integer, let bytes = row[7].integer,
                    let tag = row[8].text, let digest = row[9].text
                else { throw AuthorityError(.stateDamaged, "package") }
                var path = "/version/v1/diagnosis-keys/country/\(name)/date/\(Hour.date(ofDay: Hour.day(hour)))"
                if hours == 1 { path += "/hour/\(Hour.ofDay(hour))" }
                try database.run("UPDATE package SET announced = 1 WHERE id = ?", [row[0]])
                try note(
                    "package-published",
                    [
                        "path": .string(path), "revision": .int(row[5].integer ?? 0), "keys": .int(keys),
                        "bytes": .int(bytes), "etag": .string(tag), "sha256": .string(digest),
                    ], now: now)
                packages.append(.init(path: path, keys: keys, bytes: bytes, tag: tag))
                if let wake = settings.wake, hours == 1, keys > 0 || wake.isSentWithoutKeys {
                    try noteThatBoardsAreToBeWoken(region, now: now)
                }
            }
            try announceVenueWarnings(now: now)
            return packages
        }
    }

    /// Removes objects that are in no tree any more.
    private func clean(_ tree: PublicTree) throws(AuthorityError) {
        try Generation.removeOld(folder)
        var used: Set<String> = []
        for object in tree.objects { if case .file(let file) = object.content { used.insert(file) } }
        for name in try FileWork.names(in: folder.packages) {
            let path = "\(folder.packages)/\(name)"
            if !used.contains(path) { try FileWork.removeTree(path) }
        }
    }

    /// In a transaction.
    func noteThatBoardsAreToBeWoken(_ region: Int64, now: Int64) throws(AuthorityError) {
        try database.run("INSERT OR IGNORE INTO wake VALUES (?, ?)", [.integer(region), .integer(now)])
    }

    /// Regions whose boards have not been woken yet for what became public.
    func pendingWakes() throws(AuthorityError) -> [String] {
        guard settings.wake != nil else { return [] }
        var names: [String] = []
        try database.run("SELECT r.name FROM wake AS w JOIN region AS r ON r.id = w.region ORDER BY r.name") { row in
            if let name = row[0].text { names.append(name) }
        }
        return names
    }

    /// Records at `now` (Unix seconds) that the broker took the message of `topic` for `region`, so that its boards need no
    /// further message. Throws `stateUnusable`, `stateDamaged`, `inUse` or `full` when the database cannot be written.
    public func noteWake(_ region: String, topic: String, now: Int64) throws(AuthorityError) {
        try database.transaction { () throws(AuthorityError) in
            try database.run("DELETE FROM wake WHERE region = (SELECT id FROM region WHERE name = ?)", [.text(region)])
            try note("wake-sent", ["topic": .string(topic)], now: now)
        }
    }
}
