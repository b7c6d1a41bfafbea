// SPDX-License-Identifier: Apache-2.0

import AppConfig
import CivilTime
import Cryptography
import HTTPFields
import JSON
import SQLiteFile
import Trust
public import VenueNotices

/// The list of venues whose visitors are warned, as NHS COVID-19 publishes it (`checkin-and-nhs` section B.5): a
/// table that the operator edits, and a signed document made of it.
extension HealthAuthority {
    /// The address of the list.
    static let venuesPath = "distribution/risky-venues"
    /// Where its signature is, as two lines of headers: a file beside it, which the service reads.
    static let venueHeadersPath = venuesPath + headersSuffix
    static let headersSuffix = ".headers"
    /// With the longest ids so many stay below what boards read (``RiskyVenueList/maximumBytes``).
    static let maximumVenues = 5_000
    /// The longest time of one entry: as long as a visit of boards can be. Our own bound.
    static let longestVenueSeconds: Int64 = 31 * 86_400
    /// Entries are forgotten so long after their end: as long as boards keep visits.
    static let venueRetentionSeconds: Int64 = 14 * 86_400

    /// Lists a venue from the next publication on, and returns its number, 1 or more, which is not used again;
    /// durable when this returns. `now` is in Unix seconds. The same venue may be listed twice. Entries are
    /// forgotten 14 days after their end, as long as boards keep visits.
    ///
    /// Throws `invalidVenue` when the id does not have 1 to 64 visible ASCII characters; when the time begins
    /// before 1970, is empty or longer than 31 days (our own bound), ended 14 days ago or earlier, or ends 31 days
    /// from now or later; and when 5,000 venues are listed already (our own bound, below what boards read). Throws
    /// `stateUnusable`, `stateDamaged`, `inUse` or `full` when the database fails.
    public func listVenue(_ venue: RiskyVenue, now: Int64) throws(AuthorityError) -> Int64 {
        guard (1...VenuePoster.maximumIDBytes).contains(venue.id.utf8.count),
            venue.id.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw AuthorityError(.invalidVenue, "an id has 1 to \(VenuePoster.maximumIDBytes) visible characters of ASCII")
        }
        guard venue.from >= 0, venue.from < venue.until, venue.until - venue.from <= Self.longestVenueSeconds else {
            throw AuthorityError(.invalidVenue, "it must end after it begins, at most 31 days later")
        }
        guard venue.until > now - Self.venueRetentionSeconds, venue.until < now + Self.longestVenueSeconds else {
            throw AuthorityError(.invalidVenue, "it must end between 14 days ago and 31 days from now")
        }
        return try database.transaction { () throws(AuthorityError) in
            let count = try database.first("SELECT count(*) FROM venue")?.integer ?? 0
            guard count < Self.maximumVenues else {
                throw AuthorityError(.invalidVenue, "there are \(count) already; remove those that are over")
            }
            try database.run(
                "INSERT INTO venue (id, starts, ends, advice) VALUES (?, ?, ?, ?)",
                [.text(venue.id), .integer(venue.from), .integer(venue.until), .text(venue.advice.rawValue)])
            let number = database.lastRow
            try note("venue-listed", ["number": .int(number), "id": .string(venue.id)], now: now)
            return number
        }
    }

    /// Takes the venue `number` off the list with the next publication; durable when this returns. `now` is in Unix
    /// seconds, for the audit. Throws `unknownVenue` when no venue of that number is listed, and `stateUnusable`,
    /// `stateDamaged`, `inUse` or `full` when the database fails.
    public func unlistVenue(_ number: Int64, now: Int64) throws(AuthorityError) {
        try database.transaction { () throws(AuthorityError) in
            try database.run("DELETE FROM venue WHERE number = ?", [.integer(number)])
            guard database.changes == 1 else { throw AuthorityError(.unknownVenue, "\(number)") }
            try note("venue-unlisted", ["number": .int(number)], now: now)
        }
    }

    /// Returns the listed venues, sorted by number; rows that this release cannot read are skipped. Throws
    /// `stateUnusable`, `stateDamaged`, `inUse` or `full` when the database cannot be read.
    public func listedVenues() throws(AuthorityError) -> [(number: Int64, venue: RiskyVenue)] {
        var venues: [(number: Int64, venue: RiskyVenue)] = []
        try database.run("SELECT number, id, starts, ends, advice FROM venue ORDER BY number") { row in
            guard let number = row[0].integer, let id = row[1].text, let from = row[2].integer, let until = row[3].integer,
                let advice = row[4].text.flatMap(RiskyVenue.Advice.init)
            else { return }
            venues.append((number, RiskyVenue(id: id, from: from, until: until, advice: advice)))
        }
        return venues
    }

    /// Forgets what is over, in a transaction.
    func forgetVenues(now: Int64) throws(AuthorityError) {
        try database.run("DELETE FROM venue WHERE ends <= ?", [.integer(now - Self.venueRetentionSeconds)])
    }

    /// The list and its signature, from the first publication on: boards take a missing list for trouble, and an empty one says that there is
    /// no venue. Signed anew when it or the key is another, and each day: boards do not take an old list for complete.
    func addVenues(to tree: inout PublicTree, now: Int64) throws(AuthorityError) {
        let body = RiskyVenueList.encoded(try listedVenues().map(\.venue))
        let signer = try folder.signer(.config, settings, now: now)
        let digest = Hex.string(SHA256.digest(of: signer.key.verificationKey.subjectPublicKeyInfo + body))
        var last: (version: Int64, lines: [UInt8], digest: String, time: Int64)?
        try database.run("SELECT version, source, digest, time FROM document WHERE name = ?", [.text(Self.venueRow)]) {
            row in
            if let version = row[0].integer, let lines = row[1].blob, let digest = row[2].text, let time = row[3].integer {
                last = (version, lines, digest, time)
            }
        }
        let isSame = last?.digest == digest
        // A clock that was set back signs anew as well.
        if !isSame || !(0..<UTCDay.seconds).contains(now - (last?.time ?? 0)) {
            let version = (last?.version ?? 0) + (isSame ? 0 : 1)
            let lines = try signedLines(body, by: signer.key, keyID: signer.name.id, now: now)
            try database.transaction { () throws(AuthorityError) in
                try database.run(
                    "INSERT OR REPLACE INTO document VALUES (?, ?, ?, ?, ?)",
                    [.text(Self.venueRow), .integer(version), .blob(lines), .text(digest), .integer(now)])
                if isSame { return }
                try note(
                    "document-published",
                    [
                        "path": .string("/" + Self.venuesPath), "version": .int(version),
                        "sha256": .string(Hex.string(SHA256.digest(of: body))),
                    ], now: now)
            }
            last = (version, lines, digest, now)
        }
        try tree.add(bytes: body, at: Self.venuesPath, kind: "json")
        try tree.add(bytes: last?.lines ?? [], at: Self.venueHeadersPath, kind: "")
    }

    /// The version of the public list, which each change makes higher; 0 before the first publication.
    func venueListVersion() throws(AuthorityError) -> Int64 {
        try database.first("SELECT version FROM document WHERE name = ?", [.text(Self.venueRow)])?.integer ?? 0
    }

    private static let venueRow = "risky_venues"

    private func signedLines(
        _ body: [UInt8], by key: P256.SigningKey, keyID: String, now: Int64
    ) throws(AuthorityError) -> [UInt8] {
        guard let date = HTTPDate.text(unixSeconds: now) else { throw AuthorityError(.clockUnknown) }
        // The NHS's servers end it with UTC.
        let text = date.dropLast(3) + "UTC"
        do {
            let signature = try key.sign(SHA256.digest(of: NHSSignature.content(date: String(text), body: body)))
            return NHSSignature.lines(
                header: NHSSignature.header(keyID: keyID, signature: signature), date: String(text))
        } catch { throw AuthorityError(.cryptography, "\(error)") }
    }
}
