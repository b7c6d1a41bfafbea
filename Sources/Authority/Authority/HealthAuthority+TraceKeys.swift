// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import CrowdNotifier
import Cryptography
import JSON
import SQLiteFile
public import Verification

/// Trace keys, by which SwissCovid warns a venue's visitors (spec checkin-and-nhs A.5 and A.6): of the operator, who has
/// the venue's code, and of visitors who tested positive. Of both only the hour's hash and the sealed message are kept.
extension HealthAuthority {
    /// With the longest messages so many stay below what boards read (``TraceKeyList/Limits``).
    static let maximumTraceKeys: Int64 = 40_000
    /// What uploads may fill of that: the rest is the operator's, whoever uploads. Our own bound.
    static let maximumWithUploads: Int64 = 30_000
    /// The longest time of one warning by the operator. Our own bound.
    static let longestWarningSeconds: Int64 = 7 * UTCDay.seconds
    /// What SwissCovid's apps add to the end of a visit, before they cut it at full hours (spec checkin-and-nhs A.6): so a part of it may begin after now.
    static let aerosolSeconds: Int64 = 1_800
    /// SwissCovid's servers keep trace keys so many days (spec checkin-and-nhs A.5), and boards their visits.
    static let traceKeyDays: Int64 = 14
    /// Bytes of every message before it is sealed: one with the longest text, at any time until 2514, has 223. With lengths of their
    /// own, those of the operator would be told from those of uploads, and one of the operator's from another.
    static let messageBytes = 240
    /// In the place of a key for the privacy mode while there is no secret (``tracePublicKey()``): 48 zeros, which its
    /// devices read as the point at infinity and skip (spec checkin-and-nhs A.4).
    static let noSecretKey = [UInt8](repeating: 0, count: 48)

    /// Warns the visitors of the venue with this code, from the next publication on; durable when this returns. Returns
    /// the number of hours that are new: the same warning again adds none. `now` is in Unix seconds.
    ///
    /// Throws `traceKeysNotOffered` unless the settings have ``AuthoritySettings/swissCovid``; `invalidVenue` when the
    /// time is empty, longer than 7 days (our own bound), begins before the UTC day 14 days ago, or ends a day after now or
    /// later, and when the message is too long; `tooManyTraceKeys` when 40,000 keys are kept (our own bound); and
    /// `cryptography`, `stateUnusable`, `stateDamaged`, `inUse` or `full`.
    public func warnVisitors(
        of venue: CrowdNotifierVenue, _ warning: VenueWarning, now: Int64
    ) throws(AuthorityError) -> Int {
        guard settings.swissCovid != nil else { throw AuthorityError(.traceKeysNotOffered) }
        try Self.requireTime(warning.from, warning.until)
        guard warning.from >= oldestTraceDay(now: now), warning.until < now + UTCDay.seconds else {
            throw AuthorityError(.invalidVenue, "it must begin at most 14 days ago and end less than a day from now")
        }
        guard warning.message.utf8.count <= VenueWarning.maximumMessageBytes else {
            throw AuthorityError(.invalidVenue, "a message has at most \(VenueWarning.maximumMessageBytes) bytes")
        }
        let keys = venue.keys
        var drafts: [[TraceRow]] = []
        for start in VisitHours(from: warning.from, to: warning.until - 1) {
            let stay = TraceStay(
                identity: keys.identity(start: start), notificationKey: keys.notificationKey, hour: start,
                start: max(start, warning.from), end: min(start + Hour.seconds, warning.until))
            drafts.append(try draft(stay, warning.message, warning.isUrgent, salt: Array("operator".utf8)))
        }
        return try database.transaction { () throws(AuthorityError) in
            var count = 0
            for draft in drafts where try insert(draft, now: now) { count += 1 }
            try requireRoom(Self.maximumTraceKeys)
            try note("visitors-warned", ["hours": .int(Int64(count))], now: now)
            return count
        }
    }

    /// Withdraws the warnings of a venue's hours, whoever made them, with the next publication; durable when this returns. The
    /// random ones beside them go, too, so that two lists do not show which were genuine. Boards that have read them keep
    /// their notices. Returns the number of trace keys that were removed, without random ones, 0 or more. All
    /// times are in Unix seconds. Throws `invalidVenue` when the time is empty or longer than 7 days, and `stateUnusable`,
    /// `stateDamaged`, `inUse` or `full` when the database fails.
    public func withdrawWarnings(
        of venue: CrowdNotifierVenue, from: Int64, until: Int64, now: Int64
    ) throws(AuthorityError) -> Int {
        try Self.requireTime(from, until)
        let keys = venue.keys
        return try database.transaction { () throws(AuthorityError) in
            var count = 0
            for start in VisitHours(from: from, to: until - 1) {
                var ids: [[UInt8]] = []
                try database.run(
                    "SELECT id FROM trace_key WHERE identity = ?", [.blob(keys.identity(start: start))]
                ) { row in if let id = row[0].blob { ids.append(id) } }
                for id in ids {
                    _ = try remove(id)
                    // They were made in this order, so many as the settings said then.
                    var number: Int64 = 1
                    while try remove(Self.companion(number, of: id)) { number += 1 }
                }
                count += ids.count
            }
            try note("warnings-withdrawn", ["traceKeys": .int(Int64(count))], now: now)
            return count
        }
    }

    private func remove(_ id: [UInt8]) throws(AuthorityError) -> Bool {
        try database.run("DELETE FROM trace_key WHERE id = ?", [.blob(id)])
        return database.changes == 1
    }

    /// The name of a random one beside a genuine one, from 1. Names are not published.
    static func companion(_ number: Int64, of id: [UInt8]) -> [UInt8] {
        SHA256.digest(of: id + Array("\(number)".utf8))
    }

    private static func requireTime(_ from: Int64, _ until: Int64) throws(AuthorityError) {
        guard from >= 0, from < until, until - from <= longestWarningSeconds else {
            throw AuthorityError(.invalidVenue, "it must end after it begins, at most 7 days later")
        }
    }

    /// Returns the number of trace keys of each UTC day that waits for publication or is public, oldest day first; random
    /// ones are included. `day` is in days since 1970. Throws `stateUnusable`, `stateDamaged`, `inUse` or `full` when the
    /// database cannot be read.
    public func traceKeyCounts() throws(AuthorityError) -> [(day: Int64, waiting: Int, published: Int)] {
        var counts: [(day: Int64, waiting: Int, published: Int)] = []
        let last: AuthorityDatabase.Value = .integer(try publicTraceHour()?.hour ?? .min)
        try database.run(
            "SELECT day, sum(hour > ?1), sum(hour <= ?1) FROM trace_key GROUP BY day ORDER BY day", [last]
        ) { row in
            guard let day = row[0].integer, let waiting = row[1].integer, let published = row[2].integer else { return }
            counts.append((day / UTCDay.seconds, Int(waiting), Int(published)))
        }
        return counts
    }

    /// Takes the hours of one upload at `now` (Unix seconds), whose visitors shall read the settings' message; durable when
    /// this returns. `hours` must be genuine and last an hour at most, which is not checked. `source` names where they came
    /// from, for the audit. The same upload again adds none; with `warning` that holds for uploads under one handle. If
    /// that warning was taken back, every hour is filtered; if somebody has proposed that, they belong to the proposal.
    ///
    /// Throws `tooManyTraceKeys` when 30,000 keys are kept (our own bound; the operator has room for 10,000 more), and `cryptography`, `stateUnusable`,
    /// `stateDamaged`, `inUse` or `full`. After an error nothing was taken.
    public func accept(
        _ hours: [UserUpload.Entry], source: String, warning: WarningHandle? = nil, now: Int64
    ) throws(AuthorityError) -> VenueHourReport {
        var report = VenueHourReport()
        guard !hours.isEmpty else { return report }
        guard let rules = settings.swissCovid else {
            report.filtered[.notOffered] = hours.count
            return report
        }
        let salt: [UInt8]
        do { salt = try warning?.mark("vigil venue hours") ?? [] } catch {
            throw AuthorityError(.cryptography, "\(error)")
        }
        var drafts: [[TraceRow]] = []
        for entry in hours {
            let stay = TraceStay(entry)
            if stay.start > now + Self.aerosolSeconds {
                report.filtered[.inTheFuture, default: 0] += 1
            } else if stay.day < oldestTraceDay(now: now) {
                report.filtered[.tooOld, default: 0] += 1
            } else {
                drafts.append(try draft(stay, rules.message, rules.isUrgent, salt: salt, warning))
            }
        }
        return try database.transaction { () throws(AuthorityError) in
            if let warning, try isBarred(warning) {
                var none = VenueHourReport()
                none.filtered[.takenBack] = hours.count
                return none
            }
            let proposal = try openRevocation(of: warning)
            for draft in drafts {
                guard try insert(draft, now: now) else {
                    report.known += 1
                    continue
                }
                report.accepted += 1
                if let proposal { try proposeTraceKeys(draft.map(\.id), proposal) }
            }
            // The same upload again needs none.
            if report.accepted > 0 { try requireRoom(Self.maximumWithUploads) }
            try tally(report, source: source, now: now)
            return report
        }
    }

    func oldestTraceDay(now: Int64) -> Int64 { UTCDay(containing: now).start - Self.traceKeyDays * UTCDay.seconds }

    /// Forgets what is not offered any more, in a transaction.
    func forgetTraceKeys(now: Int64) throws(AuthorityError) {
        try database.run("DELETE FROM trace_key WHERE day < ?", [.integer(oldestTraceDay(now: now))])
    }

    /// The sealed key of a stay, and random ones after it, as many as beside a diagnosis key. Made before the transaction, so that
    /// nobody waits for random bytes and seals.
    private func draft(
        _ stay: TraceStay, _ message: String, _ isUrgent: Bool, salt: [UInt8], _ warning: WarningHandle? = nil
    ) throws(AuthorityError) -> [TraceRow] {
        let id = stay.id(salt)
        var generator = SystemRandomNumberGenerator()
        func mark(_ id: [UInt8]) throws(AuthorityError) -> [UInt8]? {
            do { return try warning?.mark(Self.traceMark, id) } catch { throw AuthorityError(.cryptography, "\(error)") }
        }
        func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255, using: &generator) } }
        let nonce = random(SecretBox.nonceByteCount)
        let data: [UInt8]
        do {
            data = try AssociatedData(
                message: message, start: stay.start, end: stay.end,
                countryData: AssociatedData.countryData(isUrgent ? .high : .low)
            ).sealed(notificationKey: stay.notificationKey, nonce: nonce, byteCount: Self.messageBytes)
        } catch { throw AuthorityError(.cryptography, "\(error)") }
        var rows = [
            TraceRow(id: id, identity: stay.identity, day: stay.day, data: data, nonce: nonce, mark: try mark(id))
        ]
        for number in 1..<max(1, settings.publishing.paddingMultiplier) {
            let id = Self.companion(number, of: id)
            rows.append(
                TraceRow(
                    id: id, identity: random(stay.identity.count), day: stay.day, data: random(data.count),
                    nonce: random(nonce.count), mark: try mark(id)))
        }
        return rows
    }

    /// In a transaction. `false` for one that is known; then its random ones are, too.
    private func insert(_ draft: [TraceRow], now: Int64) throws(AuthorityError) -> Bool {
        // What was published at an early hour under way is complete; the next one takes what comes later.
        let hour = max(Hour.containing(now), (try closedTraceHour() ?? .min) + 1)
        guard let genuine = draft.first, try insert(genuine, hour: hour) else { return false }
        for random in draft.dropFirst() { _ = try insert(random, hour: hour) }
        return true
    }

    /// At the end of the transaction that has added some.
    private func requireRoom(_ maximum: Int64) throws(AuthorityError) {
        guard try database.first("SELECT count(*) FROM trace_key")?.integer ?? 0 <= maximum else {
            throw AuthorityError(.tooManyTraceKeys)
        }
    }

    private func insert(_ row: TraceRow, hour: Int64) throws(AuthorityError) -> Bool {
        try database.run(
            "INSERT OR IGNORE INTO trace_key (id, hour, identity, day, data, nonce, mark) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                .blob(row.id), .integer(hour), .blob(row.identity), .integer(row.day), .blob(row.data), .blob(row.nonce),
                row.mark.map { .blob($0) } ?? .null,
            ])
        return database.changes == 1
    }
}

/// What is kept of a trace key, without the hour that it becomes public with.
private struct TraceRow {
    let id: [UInt8]
    let identity: [UInt8]
    let day: Int64
    let data: [UInt8]
    let nonce: [UInt8]
    /// By which the handle of its warning recognises it; random ones have one, too.
    let mark: [UInt8]?
}

/// A stay at a venue within one hour.
private struct TraceStay {
    let identity: [UInt8]
    let notificationKey: SecretBytes
    /// First second of the hour.
    let hour: Int64
    /// Seconds, both inclusive.
    let start: Int64
    let end: Int64

    init(identity: [UInt8], notificationKey: SecretBytes, hour: Int64, start: Int64, end: Int64) {
        self.identity = identity
        self.notificationKey = notificationKey
        self.hour = hour
        self.start = start
        self.end = end
    }

    /// The identity is computed from the hour in which the stay begins (spec checkin-and-nhs A.6).
    init(_ entry: UserUpload.Entry) {
        start = Int64(clamping: entry.start / 1_000)
        end = Int64(clamping: entry.end / 1_000)
        hour = VisitHours.start(start)
        identity = VenueKeys.identity(preID: entry.preID, timeKey: entry.timeKey, start: hour)
        notificationKey = SecretBytes(copying: entry.notificationKey)
    }

    var day: Int64 { UTCDay(containing: hour).start }

    /// Names it for good, so that the same warning adds it once.
    func id(_ salt: [UInt8]) -> [UInt8] {
        SHA256.digest(of: salt + Array("/\(start)/\(end)/".utf8) + identity)
    }
}
