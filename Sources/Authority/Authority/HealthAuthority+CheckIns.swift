// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Cryptography
import KeyExport
import PresenceTracing
import SQLiteFile
import Verification

/// Keeping the check-ins of submissions until their hour is published.
extension HealthAuthority {
    /// Takes them, in the transaction of the keys they came with; `beside` are those. The same submission adds its check-ins once, and two people at
    /// one table stay two: plain ones are told apart by the handle of the warning, which is not stored and stays the same on another day, or else by
    /// the keys; encrypted ones by themselves, because their vector is random, so that nobody can hand in again what is public.
    func accept(
        _ checkIns: SubmittedCheckIns, beside keys: [SubmittedKey], isTakenBack: Bool, warning: WarningHandle?,
        report: inout AcceptanceReport, now: Int64
    ) throws(AuthorityError) {
        guard !checkIns.isEmpty else { return }
        guard !isTakenBack else {
            report.filteredCheckIns[.takenBack] = checkIns.plain.count + checkIns.reports.count
            return
        }
        // What is published at an early hour under way is complete; the next one takes what comes later.
        let hour = max(Hour.containing(now), (try closedTraceHour() ?? .min) + 1)
        let salt = try salt(warning, keys)
        let origin = Origin(warning: warning, hour: hour, proposal: try openRevocation(of: warning))
        let filter = CheckInFilter(
            isReadableTaken: settings.checkIns.areReadableOnesTaken,
            values: checkIns.plain.isEmpty ? [:] : try checkInWeights())
        for checkIn in checkIns.plain {
            if let reason = filter.reason(checkIn, now: now) {
                report.filteredCheckIns[reason, default: 0] += 1
                continue
            }
            let row = CheckInRow(hash: checkIn.location.hash, record: checkIn.record)
            try insert(row, of: [1] + checkIn.encoded, salt, origin, &report)
        }
        for checkIn in checkIns.reports {
            try insert(CheckInRow(report: checkIn), of: [2] + checkIn.encoded, [], origin, &report)
        }
    }

    /// What the check-ins of one submission have in common.
    private struct Origin {
        let warning: WarningHandle?
        let hour: Int64
        /// Somebody has proposed to take the warning back.
        let proposal: Int64?
    }

    private func salt(_ warning: WarningHandle?, _ keys: [SubmittedKey]) throws(AuthorityError) -> [UInt8] {
        guard let warning else { return SHA256.digest(of: keys.flatMap(\.key.data.bytes)) }
        do { return try warning.mark("vigil check-ins") } catch { throw AuthorityError(.cryptography, "\(error)") }
    }

    /// With random ones beside it, as many as beside a key: whoever counts warnings of a place learns less of how many people warned.
    private func insert(
        _ row: CheckInRow, of content: [UInt8], _ salt: [UInt8], _ origin: Origin, _ report: inout AcceptanceReport
    ) throws(AuthorityError) {
        let id = SHA256.digest(of: salt + content)
        guard try insert(row, id: id, origin, isPadding: false) else {
            report.knownCheckIns += 1
            return
        }
        report.checkIns += 1
        for number in 1..<max(1, settings.publishing.paddingMultiplier) {
            let fake = SHA256.digest(of: id + Array("\(number)".utf8))
            try insert(row.elsewhere(), id: fake, origin, isPadding: true)
        }
    }

    @discardableResult
    private func insert(
        _ row: CheckInRow, id: [UInt8], _ origin: Origin, isPadding: Bool
    ) throws(AuthorityError) -> Bool {
        let mark: AuthorityDatabase.Value
        do { mark = try origin.warning.map { .blob(try $0.mark("vigil check-in", id)) } ?? .null } catch {
            throw AuthorityError(.cryptography, "\(error)")
        }
        try database.run(
            "INSERT OR IGNORE INTO check_in (version, hour, id, hash, start, period, level, report, mark, padding) "
                + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [.integer(row.version), .integer(origin.hour), .blob(id)] + row.columns + [mark, .integer(isPadding ? 1 : 0)])
        guard database.changes == 1 else { return false }
        if let proposal = origin.proposal { try propose(id, proposal) }
        return true
    }

    // MARK: Taking back

    private func propose(_ id: [UInt8], _ proposal: Int64) throws(AuthorityError) {
        try database.run("INSERT OR IGNORE INTO proposed_check_in VALUES (?, ?)", [.integer(proposal), .blob(id)])
    }

    /// Notes which of the check-ins that wait are of a warning; nothing else groups them, so each is asked.
    func proposeCheckIns(of warning: WarningHandle, _ proposal: Int64) throws(AuthorityError) {
        var found: [[UInt8]] = []
        try database.run(
            "SELECT id, mark FROM check_in WHERE hour > ? AND mark IS NOT NULL", [.integer(try closedTraceHour() ?? .min)]
        ) { row in
            guard let id = row[0].blob, let mark = row[1].blob else { return }
            if (try? warning.mark("vigil check-in", id)) == mark { found.append(id) }
        }
        for id in found { try propose(id, proposal) }
    }

    /// The proposal to take this warning back that is open.
    func openRevocation(of warning: WarningHandle?) throws(AuthorityError) -> Int64? {
        guard let warning else { return nil }
        return try database.first("SELECT id FROM proposal WHERE bar = ? AND type = 5", [.blob(try bar(warning))])?.integer
    }

    /// Check-ins of a proposal that is confirmed never become public; those that are stay.
    func takeBackCheckIns(of proposal: Int64) throws(AuthorityError) {
        try database.run(
            "DELETE FROM check_in WHERE hour > ? AND id IN (SELECT id FROM proposed_check_in WHERE proposal = ?)",
            [.integer(try closedTraceHour() ?? .min), .integer(proposal)])
    }

    /// The weight of each level by the rules that are public; those of the Corona-Warn-App where there are none for visits.
    private func checkInWeights() throws(AuthorityError) -> [Int: Double] {
        guard let published = try published(PublicConfiguration.self),
            let configuration = try? PublicConfiguration(operatorsText: published.source),
            let message = AppConfiguration(configuration.appConfigBytes(revoked: [], number: nil)),
            let parameters = PresenceTracingParameters(message.content)
        else { return PresenceRiskParameters.published.transmissionRiskValueMapping }
        return parameters.risk.transmissionRiskValueMapping
    }
}

/// A check-in as the database has it: a plain one, or an encrypted one.
struct CheckInRow {
    private let content: Content

    private enum Content {
        case plain(TraceWarningPackage.Warning)
        case report(ProtectedReport)
    }

    init(hash: [UInt8], record: CheckInRecord) { content = .plain(.init(locationIDHash: hash, record: record)) }
    init(report: ProtectedReport) { content = .report(report) }

    /// From the columns hash to report.
    init?(_ columns: ArraySlice<AuthorityDatabase.Value>) {
        let values = Array(columns)
        guard values.count >= 5 else { return nil }
        if let bytes = values[4].blob {
            guard let report = try? ProtectedReport(decoding: bytes) else { return nil }
            content = .report(report)
            return
        }
        guard let hash = values[0].blob, hash.count == LocationID.byteCount, let start = values[1].integer,
            let period = values[2].integer, let level = values[3].integer,
            let record = CheckInRecord(start: start, period: period, level: level)
        else { return nil }
        content = .plain(.init(locationIDHash: hash, record: record))
    }

    /// 1 for plain ones, 2 for encrypted ones, as in the addresses of packages.
    var version: Int64 {
        switch content {
        case .plain: 1
        case .report: 2
        }
    }

    var plain: TraceWarningPackage.Warning? { if case .plain(let warning) = content { warning } else { nil } }
    var report: ProtectedReport? { if case .report(let report) = content { report } else { nil } }

    /// From hash to report.
    var columns: [AuthorityDatabase.Value] {
        switch content {
        case .plain(let warning):
            [
                .blob(warning.locationIDHash), .integer(Int64(warning.record.start)),
                .integer(Int64(warning.record.period)),
                .integer(Int64(warning.record.level)), .null,
            ]
        case .report(let report): [.null, .null, .null, .null, .blob(report.encoded)]
        }
    }

    /// One like it at a venue that does not exist.
    func elsewhere() -> CheckInRow {
        var generator = SystemRandomNumberGenerator()
        func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255, using: &generator) } }
        switch content {
        case .plain(let warning): return CheckInRow(hash: random(LocationID.byteCount), record: warning.record)
        case .report(let report):
            let fake = try? ProtectedReport(
                locationIDHash: random(report.locationIDHash.count),
                initializationVector: random(report.initializationVector.count),
                encryptedRecord: random(report.encryptedRecord.count), messageCode: random(report.messageCode.count))
            return CheckInRow(report: fake ?? report)
        }
    }
}
