// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import GAEN
import JSON
import KeyExport
import SQLiteFile
public import Verification

/// The keys that a change of warnings is for: those under a handle, or those given by their bytes.
public enum WarningKeys: Sendable {
    /// The keys that were handed in under the first of these handles that has any. A handle without keys whose
    /// warning was taken back ends the search with `warningRevoked`.
    case handles([WarningHandle])
    /// The keys with these data, 16 bytes each; keys that are not known here are skipped.
    case keys(Set<[UInt8]>)
}

/// Taking warnings back, and changing their report types: one person proposes, another one confirms, and the change is published with the
/// next packages. What was published stays as it is. Each call is one transaction.
extension HealthAuthority {
    /// A proposal that nobody confirmed is forgotten after so long: it groups the keys of one person. From Friday evening to Monday.
    static let proposalSeconds: Int64 = 3 * UTCDay.seconds
    private static let reasonCharacters = 3...200

    /// Whether report types of packages are codes for levels.
    var publishesCodes: Bool { settings.publishing.encodesLevels }

    /// The report type that packages have for a stored key.
    private func publishedType(of key: ExportedKey) -> ReportType? {
        settings.publishing.published(key).flatMap { UInt8(exactly: $0.reportType) }.flatMap(ReportType.init)
    }

    /// Proposes, in the name of `person`, a change of known keys at `now` (Unix seconds), and returns the proposal. With
    /// `isTrial` nothing is stored. `person` has 1 to 64 of a-z, 0-9, dot, hyphen and underscore, in any case. `reason` has
    /// 3 to 200 characters and at most 800 bytes, without line breaks and outer blanks, which are removed first; it must
    /// not tell who was warned or who warned.
    ///
    /// Throws `invalidPerson` or `invalidReason` for a text that breaks these rules; `typesAreCodes` for a change of the
    /// type where types are codes; `unknownWarning` when no key is known; `warningRevoked` when the warning was taken back;
    /// `olderRevision` when the type cannot change to this one; `warningNotPublished` when the type shall change and no key
    /// is public; `alreadyProposed` when a key belongs to an open proposal; `cryptography` when the library refuses; and
    /// `stateUnusable`, `stateDamaged`, `inUse` or `full` when the database fails.
    public func propose(
        _ change: WarningChange, of keys: WarningKeys, by person: String, reason: String, isTrial: Bool = false, now: Int64
    ) throws(AuthorityError) -> WarningProposal {
        let person = try Self.checked(person)
        let reason = String(reason.filter { !$0.isNewline }).trimmed
        guard Self.reasonCharacters.contains(reason.count), reason.utf8.count <= 800 else {
            throw AuthorityError(.invalidReason)
        }
        if change != .revoked, publishesCodes { throw AuthorityError(.typesAreCodes) }
        return try trial(isTrial) { () throws(AuthorityError) in
            try forgetProposals(now: now)
            let (found, warning) = try find(keys)
            // Only what is taken back has to do with hours at venues.
            var hours: [[UInt8]] = []
            if change == .revoked, let warning { hours = try traceKeys(of: warning) }
            guard !found.isEmpty || !hours.isEmpty else { throw AuthorityError(.unknownWarning) }
            let bar = try warning.map { (warning) throws(AuthorityError) in try self.bar(warning) }
            try database.run(
                "INSERT INTO proposal (time, person, type, reason, bar) VALUES (?, ?, ?, ?, ?)",
                [
                    .integer(now), .text(person), .integer(Int64(change.reportType)), .text(reason),
                    bar.map { .blob($0) } ?? .null,
                ])
            let number = database.lastRow
            for data in found {
                let other = try database.first("SELECT proposal FROM proposed WHERE data = ?", [.blob(data)])?.integer
                if let other { throw AuthorityError(.alreadyProposed, "number \(other)") }
            }
            for data in found {
                try database.run("INSERT INTO proposed VALUES (?, ?)", [.integer(number), .blob(data)])
            }
            if change == .revoked, let warning { try proposeCheckIns(of: warning, number) }
            try proposeTraceKeys(hours, number)
            let proposal = try judged(number)
            try note("warning-proposed", Self.detail(proposal, by: person), now: now)
            return proposal
        }
    }

    /// Confirms the proposal `number` in the name of a second `person` at `now` (Unix seconds), and returns it as it was
    /// decided. Public keys are taken back or changed with the next packages; waiting keys of a warning that is taken back
    /// never become public, and neither do its check-ins that wait, if the proposal named the warning by its handle; then its hours at venues go off the
    /// lists, too. With
    /// `isTrial` nothing is stored.
    ///
    /// Throws `invalidPerson` for a name that breaks the rules of ``propose(_:of:by:reason:isTrial:now:)``;
    /// `unknownProposal` when no such proposal is open; `samePerson` when `person` proposed it; `unknownWarning`,
    /// `warningRevoked`, `olderRevision` or `warningNotPublished` when the keys have changed since and nothing is left to
    /// do; and `stateUnusable`, `stateDamaged`, `inUse` or `full` when the database fails.
    public func confirm(
        _ number: Int64, by person: String, isTrial: Bool = false, now: Int64
    ) throws(AuthorityError) -> WarningProposal {
        let person = try Self.checked(person)
        return try trial(isTrial) { () throws(AuthorityError) in
            try forgetProposals(now: now)
            guard let proposer = try database.first("SELECT person FROM proposal WHERE id = ?", [.integer(number)])?.text
            else { throw AuthorityError(.unknownProposal, "number \(number)") }
            guard proposer != person else { throw AuthorityError(.samePerson) }
            let proposal = try judged(number)
            try database.run(
                """
                INSERT OR IGNORE INTO proposed SELECT ?1, c.data FROM proposed AS p JOIN companion AS c ON c.beside = p.data \
                WHERE p.proposal = ?1
                """, [.integer(number)])
            try revise(proposal.change, keysOf: number, now: now)
            try database.run(
                "INSERT OR IGNORE INTO barred SELECT bar, ? FROM proposal WHERE id = ? AND bar IS NOT NULL AND type = 5",
                [.integer(now), .integer(number)])
            try remove(number)
            try note("warning-confirmed", Self.detail(proposal, by: person), now: now)
            return proposal
        }
    }

    /// Drops the proposal `number` in the name of any `person` at `now` (Unix seconds). Throws `invalidPerson` for a name
    /// that breaks the rules, `unknownProposal` when no such proposal is open, and `stateUnusable`, `stateDamaged`, `inUse`
    /// or `full` when the database cannot be written.
    public func drop(_ number: Int64, by person: String, now: Int64) throws(AuthorityError) {
        let person = try Self.checked(person)
        try database.transaction { () throws(AuthorityError) in
            try forgetProposals(now: now)
            guard try database.first("SELECT 1 FROM proposal WHERE id = ?", [.integer(number)]) != nil else {
                throw AuthorityError(.unknownProposal, "number \(number)")
            }
            try remove(number)
            try note("warning-dropped", ["proposal": .int(number), "by": .string(person)], now: now)
        }
    }

    /// Returns the proposals of the last three days before `now` (Unix seconds) that wait for a second person, oldest
    /// first. Proposals with nothing left to do are left out. Throws `stateUnusable`, `stateDamaged`, `inUse` or `full`
    /// when the database cannot be read or written.
    public func openProposals(now: Int64) throws(AuthorityError) -> [WarningProposal] {
        // Whoever confirms meanwhile does so before or after.
        try database.snapshot { () throws(AuthorityError) in
            var numbers: [Int64] = []
            try database.run(
                "SELECT id FROM proposal WHERE time > ? ORDER BY id", [.integer(now - Self.proposalSeconds)]
            ) { row in if let number = row[0].integer { numbers.append(number) } }
            var proposals: [WarningProposal] = []
            for number in numbers {
                do throws(AuthorityError) { proposals.append(try verdict(number).proposal) } catch {
                    guard Self.endsOne.contains(error.code) else { throw error }
                }
            }
            return proposals
        }
    }

    /// What is wrong with one proposal, and not with the database.
    private static let endsOne: Set<AuthorityError.Code> = [
        .unknownProposal, .unknownWarning, .warningRevoked, .olderRevision, .warningNotPublished,
    ]

    /// In one transaction, of which nothing is kept when it is a trial.
    private func trial<Result>(
        _ isTrial: Bool, _ body: () throws(AuthorityError) -> Result
    ) throws(AuthorityError) -> Result {
        guard isTrial else { return try database.transaction(body) }
        var result: Result?
        do throws(AuthorityError) {
            try database.transaction { () throws(AuthorityError) -> Void in
                result = try body()
                throw AuthorityError(.stopped)
            }
        } catch { if result == nil { throw error } }
        guard let result else { throw AuthorityError(.stopped) }
        return result
    }

    /// The name as it is stored, so that "Anna" does not confirm what "anna" proposed.
    private static func checked(_ person: String) throws(AuthorityError) -> String {
        let name = person.lowercased()
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789.-_".utf8)
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(allowed.contains) else {
            throw AuthorityError(.invalidPerson)
        }
        return name
    }

    private static func detail(_ proposal: WarningProposal, by person: String) -> JSON.Object {
        [
            "proposal": .int(proposal.number), "change": .string(proposal.change.rawValue), "by": .string(person),
            "published": .int(Int64(proposal.published)), "waiting": .int(Int64(proposal.waiting)),
            "reason": .string(proposal.reason), "venueHours": .int(Int64(proposal.venueHours)),
        ]
    }

    // MARK: Finding

    func mark(_ key: ExportedKey, _ warning: WarningHandle?) throws(AuthorityError) -> AuthorityDatabase.Value {
        guard let warning else { return .null }
        do { return .blob(try warning.mark("vigil key", key.data.bytes)) } catch {
            throw AuthorityError(.cryptography, "\(error)")
        }
    }

    func bar(_ warning: WarningHandle) throws(AuthorityError) -> [UInt8] {
        do { return try warning.mark("vigil bar") } catch { throw AuthorityError(.cryptography, "\(error)") }
    }

    /// Whether the warning was taken back: what comes under its handle is not taken any more.
    func isBarred(_ warning: WarningHandle) throws(AuthorityError) -> Bool {
        try database.first("SELECT 1 FROM barred WHERE bar = ?", [.blob(try bar(warning))]) != nil
    }

    /// The keys that are meant and known here, and the warning they are of, where it was named by its handle.
    private func find(_ keys: WarningKeys) throws(AuthorityError) -> (keys: [[UInt8]], warning: WarningHandle?) {
        var found: [[UInt8]] = []
        switch keys {
        case .keys(let wanted):
            for data in wanted.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                if try database.first("SELECT 1 FROM known WHERE data = ?", [.blob(data)]) != nil { found.append(data) }
            }
            return (found, nil)
        case .handles(let handles):
            for handle in handles {
                // Nothing groups the keys of a warning, so every key is asked.
                try database.run("SELECT data, mark FROM known WHERE mark IS NOT NULL") { row in
                    guard let data = row[0].blob, let mark = row[1].blob else { return }
                    if (try? handle.mark("vigil key", data)) == mark { found.append(data) }
                }
                let hours = try traceKeys(of: handle)
                guard found.isEmpty, hours.isEmpty else { return (found, handle) }
                if try isBarred(handle) { throw AuthorityError(.warningRevoked) }
            }
            return ([], nil)
        }
    }

    // MARK: Judging

    private static let isProposed = "EXISTS (SELECT 1 FROM proposed AS p WHERE p.proposal = ? AND p.data = k.data)"

    /// What the proposal amounts to now; keys that it cannot change are not among its keys afterwards.
    private func judged(_ number: Int64) throws(AuthorityError) -> WarningProposal {
        let (proposal, idle) = try verdict(number)
        for data in idle {
            try database.run("DELETE FROM proposed WHERE proposal = ? AND data = ?", [.integer(number), .blob(data)])
        }
        return proposal
    }

    /// What the proposal amounts to now, and those of its keys that it cannot change. Writes nothing.
    private func verdict(_ number: Int64) throws(AuthorityError) -> (proposal: WarningProposal, idle: [[UInt8]]) {
        var row: [AuthorityDatabase.Value] = []
        try database.run("SELECT time, person, type, reason FROM proposal WHERE id = ?", [.integer(number)]) { row = $0 }
        guard row.count == 4, let time = row[0].integer, let person = row[1].text, let reason = row[3].text,
            let change = WarningChange.allCases.first(where: { Int64($0.reportType) == row[2].integer })
        else { throw AuthorityError(.unknownProposal, "number \(number)") }
        var published: [[UInt8]: ExportedKey] = [:]
        var places: [[UInt8]: Set<Int64>] = [:]
        try database.run(
            """
            SELECT k.region, k.data, k.start, k.period, k.level, k.type, k.onset, k.variant FROM released AS k \
            WHERE \(Self.isProposed)
            """, [.integer(number)]
        ) { row in
            guard let region = row[0].integer, let key = ExportedKey(columns: row[1...]) else { return }
            published[key.data.bytes] = key
            places[key.data.bytes, default: []].insert(region)
        }
        var moved: [[UInt8]: Set<Int64>] = [:]
        try database.run("SELECT k.data, k.type FROM revision AS k WHERE \(Self.isProposed)", [.integer(number)]) { row in
            if let data = row[0].blob, let type = row[1].integer { moved[data, default: []].insert(type) }
        }
        var waiting: [[UInt8]: Int64] = [:]
        try database.run("SELECT k.data, k.start FROM pending AS k WHERE \(Self.isProposed)", [.integer(number)]) { row in
            if let data = row[0].blob, let start = row[1].integer { waiting[data] = start }
        }
        func mayMove(_ key: ExportedKey, to type: ReportType) -> Bool {
            moved[key.data.bytes] == nil && publishedType(of: key)?.mayBecome(type) == true
        }
        let live: [ExportedKey]
        let hours = try proposedHours(number)
        if change == .revoked {
            live = published.values.filter { moved[$0.data.bytes]?.contains(5) != true }
            guard !live.isEmpty || !waiting.isEmpty || hours.count > 0 else {
                let isBarred =
                    try database.first(
                        "SELECT 1 FROM proposal AS o JOIN barred AS b ON b.bar = o.bar WHERE o.id = ?", [.integer(number)])
                    != nil
                throw AuthorityError(published.isEmpty && moved.isEmpty && !isBarred ? .unknownWarning : .warningRevoked)
            }
        } else {
            let type = UInt8(exactly: change.reportType).flatMap(ReportType.init) ?? .unknown
            live = published.values.filter { mayMove($0, to: type) }
            guard !published.isEmpty else {
                throw AuthorityError(waiting.isEmpty ? .unknownWarning : .warningNotPublished)
            }
            guard !live.isEmpty else {
                let isRevoked = published.keys.allSatisfy { moved[$0]?.contains(5) == true }
                throw AuthorityError(isRevoked ? .warningRevoked : .olderRevision)
            }
            waiting = [:]
        }
        let kept = Set(live.map(\.data.bytes)).union(waiting.keys)
        var all: [[UInt8]] = []
        try database.run("SELECT data FROM proposed WHERE proposal = ?", [.integer(number)]) { row in
            if let data = row[0].blob { all.append(data) }
        }
        var names: [Int64: String] = [:]
        try database.run("SELECT id, name FROM region") { row in
            if let region = row[0].integer, let name = row[1].text { names[region] = name }
        }
        let regions = Set(live.flatMap { places[$0.data.bytes] ?? [] }).compactMap { names[$0] }.sorted()
        let days = live.map { Int64($0.rollingStart) / 144 } + waiting.values.map { $0 / 144 } + hours.days
        let proposal = WarningProposal(
            number: number, time: time, person: person, change: change, reason: reason, published: live.count,
            waiting: waiting.count,
            believedByPhones: change == .revoked ? live.filter { mayMove($0, to: .revoked) }.count : live.count,
            regions: regions, firstDay: days.min() ?? 0, lastDay: days.max() ?? 0,
            venueHours: hours.count)
        return (proposal, all.filter { !kept.contains($0) })
    }

    // MARK: Deciding

    /// Decides the change of the keys that are proposed, where they are public. A key that is taken back is published with nothing but what
    /// it is recognised by.
    private func revise(_ change: WarningChange, keysOf number: Int64, now: Int64) throws(AuthorityError) {
        let attributes =
            change == .revoked ? "0, 5, NULL, NULL" : "level, \(change.reportType), \(Self.realOnset), variant"
        try database.run(
            """
            INSERT OR IGNORE INTO revision (region, since, hour, data, start, period, level, type, onset, variant, padding) \
            SELECT region, ?2, NULL, data, start, period, \(attributes), padding FROM released AS k \
            WHERE EXISTS (SELECT 1 FROM proposed AS p WHERE p.proposal = ?1 AND p.data = k.data)
            """, [.integer(number), .integer(Hour.containing(now))])
        guard change == .revoked else { return }
        try database.run("DELETE FROM pending AS k WHERE \(Self.isProposed)", [.integer(number)])
        try takeBackCheckIns(of: number)
        try takeBackTraceKeys(of: number)
    }

    /// Codes for what somebody stated about symptoms are not published.
    private static let realOnset = "CASE WHEN onset BETWEEN -14 AND 14 THEN onset END"

    /// Decides that keys of one region are taken back, whoever decided that.
    func revoke(_ keys: [[UInt8]], in region: Int64, now: Int64) throws(AuthorityError) {
        for data in keys {
            try database.run(
                """
                INSERT OR IGNORE INTO revision (region, since, hour, data, start, period, level, type, onset, variant, padding) \
                SELECT region, ?, NULL, data, start, period, 0, 5, NULL, NULL, padding FROM released \
                WHERE region = ? AND data = ?
                """, [.integer(Hour.containing(now)), .integer(region), .blob(data)])
        }
    }

    private func remove(_ number: Int64) throws(AuthorityError) {
        for table in ["proposed", "proposed_check_in", "proposed_trace_key"] {
            try database.run("DELETE FROM \(table) WHERE proposal = ?", [.integer(number)])
        }
        try database.run("DELETE FROM proposal WHERE id = ?", [.integer(number)])
    }

    private func forgetProposals(now: Int64) throws(AuthorityError) {
        let oldest: AuthorityDatabase.Value = .integer(now - Self.proposalSeconds)
        for table in ["proposed", "proposed_check_in", "proposed_trace_key"] {
            try database.run("DELETE FROM \(table) WHERE proposal IN (SELECT id FROM proposal WHERE time <= ?)", [oldest])
        }
        try database.run("DELETE FROM proposal WHERE time <= ?", [oldest])
    }

    // MARK: Publishing

    /// Notes that a random key stands beside a real one.
    func noteCompanion(_ companion: ExportedKey, beside key: ExportedKey) throws(AuthorityError) {
        try database.run(
            "INSERT OR IGNORE INTO companion VALUES (?, ?, ?)",
            [.blob(companion.data.bytes), .blob(key.data.bytes), .integer(Int64(key.rollingStart))])
    }

    /// The random keys beside these.
    func companions(of keys: Set<[UInt8]>) throws(AuthorityError) -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        for data in keys {
            try database.run("SELECT data FROM companion WHERE beside = ?", [.blob(data)]) { row in
                if let companion = row[0].blob { found.insert(companion) }
            }
        }
        return found
    }

    /// Whether changes wait that the package of `hour` may hold.
    func hasRevisions(_ region: Int64, upTo hour: Int64) throws(AuthorityError) -> Bool {
        try database.first(
            "SELECT 1 FROM revision WHERE region = ? AND hour IS NULL AND since <= ? LIMIT 1",
            [.integer(region), .integer(hour)]) != nil
    }

    /// Puts the changes that wait into the package of `hour`. They wait for nothing else: a false warning costs somebody every hour.
    func releaseRevisions(_ region: Int64, into hour: Int64) throws(AuthorityError) {
        try database.run(
            "UPDATE revision SET hour = ?2 WHERE region = ?1 AND hour IS NULL AND since <= ?2",
            [.integer(region), .integer(hour)])
    }

    /// Changes as packages of these hours have them. They are not encoded: what is taken back has no level, and types change only where they
    /// are no codes.
    func revisedKeys(_ region: Int64, hours: Range<Int64>) throws(AuthorityError) -> [ExportedKey] {
        var keys: [ExportedKey] = []
        try database.run(
            """
            SELECT data, start, period, level, type, onset, variant FROM revision \
            WHERE region = ? AND hour >= ? AND hour < ?
            """, [.integer(region), .integer(hours.lowerBound), .integer(hours.upperBound)]
        ) { row in
            guard var key = ExportedKey(columns: row[...]) else { return }
            key.isRevised = true
            keys.append(key)
        }
        return keys
    }

    /// Forgets what is about keys that nobody keeps sightings of any more.
    func forgetRevisions(keysBefore start: AuthorityDatabase.Value, now: Int64) throws(AuthorityError) {
        try database.run("DELETE FROM revision WHERE start < ?", [start])
        try database.run("DELETE FROM companion WHERE start < ?", [start])
        try database.run("DELETE FROM barred WHERE time < ?", [.integer(now - SubmittedKey.maximumAge)])
        try forgetProposals(now: now)
    }
}

extension String {
    fileprivate var trimmed: String {
        let inner = drop { $0.isWhitespace }
        guard let last = inner.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(inner[...last])
    }
}

/// A warning desk over an authority in the same process, or in a second process over the same folder. Use it on one thread
/// at a time.
public final class LocalWarningDesk: WarningDesk {
    private let authority: HealthAuthority

    /// Creates a desk over `authority`, which only this desk may use. Cannot fail.
    public init(authority: HealthAuthority) { self.authority = authority }

    private func asked<Result>(_ body: () throws(AuthorityError) -> Result) throws(WarningRefusal) -> Result {
        do throws(AuthorityError) { return try body() } catch {
            throw WarningRefusal(WarningRefusal.Code(rawValue: error.code.rawValue) ?? .failed, "\(error)")
        }
    }

    /// Proposes a change of the warning that `handles` may have, as
    /// ``HealthAuthority/propose(_:of:by:reason:isTrial:now:)`` does. Throws ``WarningRefusal`` with the code of the same
    /// name as the authority's error, or `failed` if there is none.
    public func propose(
        _ handles: [WarningHandle], _ change: WarningChange, by person: String, reason: String, now: Int64
    ) throws(WarningRefusal) -> WarningProposal {
        try asked { () throws(AuthorityError) in
            try authority.propose(change, of: .handles(handles), by: person, reason: reason, now: now)
        }
    }

    /// Confirms the proposal `number` at `now` (Unix seconds), as ``HealthAuthority/confirm(_:by:isTrial:now:)`` does.
    /// Throws ``WarningRefusal`` with the code of the same name as the authority's error, or `failed` if there is none.
    public func confirm(_ number: Int64, by person: String, now: Int64) throws(WarningRefusal) -> WarningProposal {
        try asked { () throws(AuthorityError) in try authority.confirm(number, by: person, now: now) }
    }

    /// Drops the proposal `number` at `now` (Unix seconds), as ``HealthAuthority/drop(_:by:now:)`` does. Throws
    /// ``WarningRefusal`` with the code of the same name as the authority's error, or `failed` if there is none.
    public func drop(_ number: Int64, by person: String, now: Int64) throws(WarningRefusal) {
        try asked { () throws(AuthorityError) in try authority.drop(number, by: person, now: now) }
    }

    /// Returns the proposals that wait at `now` (Unix seconds), as ``HealthAuthority/openProposals(now:)`` does. Throws
    /// ``WarningRefusal`` with the code `failed` when the database cannot be read.
    public func proposals(now: Int64) throws(WarningRefusal) -> [WarningProposal] {
        try asked { () throws(AuthorityError) in try authority.openProposals(now: now) }
    }

    /// The changes that can be proposed: `revoked` alone where published report types are codes for levels. Cannot fail.
    public var changes: [WarningChange] { authority.publishesCodes ? [.revoked] : WarningChange.allCases }
}
