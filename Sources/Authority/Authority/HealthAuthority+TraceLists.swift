// SPDX-License-Identifier: Apache-2.0

import AppConfig
import CivilTime
import CrowdNotifier
import Cryptography
import JSON
import SQLiteFile
import Trust

/// Publishing trace keys as SwissCovid's servers answer (`GET v3/traceKeys`, spec checkin-and-nhs A.6): for each tag that
/// a device may have from an earlier answer, what became public since. Answers are signed when the hour is over and lie in
/// the tree, so that no request reaches a key.
extension HealthAuthority {
    /// Signed anew after so long: the signature says until when it counts.
    private static let signatureLifetime = UTCDay.seconds
    /// A token counts for so long (spec checkin-and-nhs A.6: the retention).
    private static let tokenLifetime = traceKeyDays * UTCDay.seconds

    /// The lists and their signatures, once the settings have SwissCovid.
    func addTraceLists(to tree: inout PublicTree, now: Int64) throws(AuthorityError) {
        guard settings.swissCovid != nil else { return }
        try fillTraceSecrets()
        let last = try publicTraceHour()
        let keys = try publishedTraceKeys(until: last?.hour)
        let next = nextTag(keys.map(\.hour).max(), last, now: now)
        let (hours, since) = TraceTags.listed(
            Dictionary(keys.map { ($0.hour, 1) }, uniquingKeysWith: +), now: now)
        // A list answers every tag after the hour with keys before its first, and has everything since then.
        let hoursWithKeys = Set(keys.map(\.hour)).sorted()
        func complete(before hour: Int64) -> Int64 {
            hoursWithKeys.last { $0 < hour }.map { TraceTags.tag(ofHour: $0 + 1) } ?? 0
        }
        var lists: [(tag: Int64, hour: Int64, since: Int64)] = [(0, .min, 0)]
        lists += hours.map { (TraceTags.tag(ofHour: $0), $0, complete(before: $0)) }
        if !lists.contains(where: { $0.tag == next }) { lists.append((next, .max, complete(before: .max))) }
        try tree.add(bytes: [], at: "\(TraceTags.path)/\(TraceTags.sinceName)\(since)", kind: "")
        let signer = try folder.signer(.config, settings, now: now)
        try database.transaction { () throws(AuthorityError) in
            // One statement for all: each text of one stays prepared for good.
            var gone: [Int64] = []
            try database.run("SELECT tag FROM trace_list") { row in
                if let tag = row[0].integer, !lists.contains(where: { $0.tag == tag }) { gone.append(tag) }
            }
            for tag in gone { try database.run("DELETE FROM trace_list WHERE tag = ?", [.integer(tag)]) }
            var signed = 0
            for list in lists {
                let body = TraceKeyList.encoded(keys.filter { $0.hour >= list.hour }.map(\.key))
                let (lines, isNew) = try signature(
                    of: body, list.tag, since: list.since, next: next, by: signer.key, now: now)
                if isNew { signed += 1 }
                let path = TraceTags.path + "/\(list.tag)"
                try tree.add(bytes: body, at: path, kind: "")
                try tree.add(bytes: lines, at: path + Self.headersSuffix, kind: "")
            }
            guard signed > 0 else { return }
            try note(
                "trace-keys-published",
                ["traceKeys": .int(Int64(keys.count)), "lists": .int(Int64(signed)), "tag": .int(next)], now: now)
        }
    }

    /// The last hour whose keys are public with the next publication, and whether later keys still get it; `nil` before the first one.
    ///
    /// A clock that was ahead has decided hours that are not over. What came since then has the hour after them, and would wait until the
    /// clock has caught up. So that hour is public as it grows, with each publication, until it is decided itself: the database
    /// keeps that, because the clock does not say it any more when it has caught up.
    func publicTraceHour() throws(AuthorityError) -> (hour: Int64, isOpen: Bool)? {
        guard let closed = try closedTraceHour() else { return nil }
        let open = try database.first("SELECT open FROM trace_hours WHERE id = 1")?.integer
        return open == closed + 1 ? (closed + 1, true) : (closed, false)
    }

    /// What a device says the next time; it never goes back once an hour is decided, whatever the clock does, unless keys are withdrawn or forgotten. Every
    /// hour before it is decided, and no key of such an hour comes later. `keys` is the last hour with keys, `last` the last that is public.
    private func nextTag(_ keys: Int64?, _ last: (hour: Int64, isOpen: Bool)?, now: Int64) -> Int64 {
        if let keys, let last, last.isOpen, keys == last.hour { return TraceTags.tag(ofHour: keys) }
        // Without new keys it moves once a day: then only a signature has to be made anew.
        let undecided =
            last.map { $0.isOpen ? $0.hour : $0.hour + 1 } ?? Hour.containing(now - settings.publishing.delaySeconds)
        let midnight = Hour.day(undecided) * 24
        return TraceTags.tag(ofHour: max(midnight, keys.map { $0 + 1 } ?? midnight))
    }

    /// Sorted by hashes, so that the order says nothing.
    private func publishedTraceKeys(until closed: Int64?) throws(AuthorityError) -> [(hour: Int64, key: TraceKey)] {
        guard let closed else { return [] }
        var keys: [(hour: Int64, key: TraceKey)] = []
        try database.run(
            "SELECT hour, identity, day, data, nonce, secret_key FROM trace_key WHERE hour <= ? ORDER BY identity, id",
            [.integer(closed)]
        ) { row in
            guard let hour = row[0].integer, let identity = row[1].blob, let day = row[2].integer,
                let data = row[3].blob, let nonce = row[4].blob
            else { return }
            keys.append(
                (
                    hour,
                    TraceKey(
                        identity: identity, secretKey: row[5].blob ?? Self.noSecretKey, day: day, encryptedData: data,
                        nonce: nonce)
                ))
        }
        return keys
    }

    /// The headers of a list, from the database while they count; otherwise made, and kept.
    private func signature(
        of body: [UInt8], _ tag: Int64, since: Int64, next: Int64, by key: P256.SigningKey, now: Int64
    ) throws(AuthorityError) -> (lines: [UInt8], isNew: Bool) {
        let digest = Hex.string(
            SHA256.digest(of: key.verificationKey.subjectPublicKeyInfo + Array("/\(since)/\(next)/".utf8) + body))
        var known: [UInt8]?
        try database.run("SELECT lines, digest, time FROM trace_list WHERE tag = ?", [.integer(tag)]) { row in
            guard let lines = row[0].blob, row[1].text == digest, let time = row[2].integer, time <= now,
                now - time < Self.signatureLifetime
            else { return }
            known = lines
        }
        if let known { return (known, false) }
        let token: [UInt8]?
        do {
            token = try ContentToken.text(
                body: body, issued: now, expires: now + Self.tokenLifetime,
                protected: [(TraceKeyList.nextTagClaim, "\(next)"), (TraceKeyList.sinceClaim, "\(since)")]
            ) { try key.sign($0) }
        } catch { throw AuthorityError(.cryptography, "\(error)") }
        guard let token else { throw AuthorityError(.cryptography, "a signature of no two numbers") }
        let lines =
            Array("\(ContentToken.header): ".utf8) + token + Array("\n\(TraceTags.header): \(next)\n".utf8)
        try database.run(
            "INSERT OR REPLACE INTO trace_list VALUES (?, ?, ?, ?)",
            [.integer(tag), .text(digest), .blob(lines), .integer(now)])
        return (lines, true)
    }
}
