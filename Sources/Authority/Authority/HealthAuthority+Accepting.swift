// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import KeyExport
import SQLiteFile
public import Verification

extension HealthAuthority {
    /// Takes keys, and the check-ins of the same submission, at `now` (Unix seconds). Each key is checked by
    /// itself, and each plain check-in by ``CheckInFilter``; the accepted ones are durable when this returns. The
    /// same check-in with the same keys is taken once. `source` names where the keys came from, for the audit. With
    /// `warning` the keys can be found again by that handle; if that warning was taken back, every key and check-in
    /// is refused as `takenBack`. With `nil` they cannot be found by a handle.
    ///
    /// Throws `unknownRegion` when a key names a region that is not served, `inUse`, `full`, `stateUnusable` or
    /// `stateDamaged` when the database fails, and `cryptography` when the library refuses. After an error no key
    /// was taken.
    public func accept(
        _ keys: [SubmittedKey], checkIns: SubmittedCheckIns = SubmittedCheckIns(), source: String,
        warning: WarningHandle? = nil, now: Int64
    ) throws(AuthorityError) -> AcceptanceReport {
        for key in keys {
            if let unknown = key.regions?.first(where: { !settings.regions.contains($0) }) {
                throw AuthorityError(.unknownRegion, unknown)
            }
        }
        return try database.transaction { () throws(AuthorityError) in
            try take(keys, checkIns, source, warning, now: now)
        }
    }

    /// In a transaction.
    private func take(
        _ keys: [SubmittedKey], _ checkIns: SubmittedCheckIns, _ source: String, _ warning: WarningHandle?, now: Int64
    ) throws(AuthorityError) -> AcceptanceReport {
        let regions = try regions(now: now)
        var report = AcceptanceReport()
        let isTakenBack = try warning.map { (warning) throws(AuthorityError) in try isBarred(warning) } ?? false
        for submitted in keys {
            if isTakenBack {
                report.refused[.takenBack, default: 0] += 1
                continue
            }
            if let flaw = SubmittedKey.flaw(submitted.key, now: now) {
                report.refused[flaw, default: 0] += 1
                continue
            }
            guard let key = settings.publishing.stored(submitted.key) else {
                report.refused[.neitherLevelNorOnset, default: 0] += 1
                continue
            }
            try database.run(
                "INSERT OR IGNORE INTO known (data, start, mark) VALUES (?, ?, ?)",
                [.blob(key.data.bytes), .integer(Int64(key.rollingStart)), try mark(key, warning)])
            guard database.changes == 1 else {
                report.known += 1
                continue
            }
            report.accepted += 1
            let wanted = regions.filter { submitted.regions?.contains($0.name) ?? true }
            try insert(key, isPadding: false, regions: wanted.map(\.number), now: now)
            for _ in 1..<max(1, settings.publishing.paddingMultiplier) {
                // The same random key in each of its regions, as a real one.
                var generator = SystemRandomNumberGenerator()
                var companion = key
                companion.data = Block(
                    low: .random(in: 0 ... .max, using: &generator), high: .random(in: 0 ... .max, using: &generator))
                try insert(companion, isPadding: true, regions: wanted.map(\.number), now: now)
                try noteCompanion(companion, beside: key)
            }
        }
        try accept(checkIns, beside: keys, isTakenBack: isTakenBack, warning: warning, report: &report, now: now)
        try tally(report, source: source, now: now)
        return report
    }

    private func insert(_ key: ExportedKey, isPadding: Bool, regions: [Int64], now: Int64) throws(AuthorityError) {
        let hour = Self.firstHour(of: key, rules: settings.publishing, now: now)
        for region in regions {
            try database.run(
                "INSERT OR IGNORE INTO pending VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [.integer(region), .integer(hour)] + key.columns(isPadding: isPadding))
        }
    }

    /// The first hour whose package may hold a key that is handed in now: not before it came, and not before its period has been
    /// over for the waiting time, rounded up to a full hour.
    static func firstHour(of key: ExportedKey, rules: PublishingRules, now: Int64) -> Int64 {
        let end = (Int64(key.rollingStart) + Int64(key.rollingPeriod)) * ENIN.seconds + rules.expiryMinutes * 60
        return max(Hour.containing(now), Hour.containing(end + Hour.seconds - 1))
    }
}

extension ExportedKey {
    func columns(isPadding: Bool) -> [AuthorityDatabase.Value] {
        [
            .blob(data.bytes), .integer(Int64(rollingStart)), .integer(Int64(rollingPeriod)),
            .integer(Int64(transmissionRiskLevel)), .integer(Int64(reportType)),
            hasOnset ? .integer(Int64(daysSinceOnset)) : .null, hasVariant ? .integer(Int64(variantOfConcern)) : .null,
            .integer(isPadding ? 1 : 0),
        ]
    }

    /// From the columns data to variant.
    init?(columns: ArraySlice<AuthorityDatabase.Value>) {
        self.init()
        let values = Array(columns)
        guard values.count >= 7, let data = values[0].blob.flatMap({ Block($0) }) else { return nil }
        self.data = data
        dataByteCount = 16
        rollingStart = Int32(truncatingIfNeeded: values[1].integer ?? 0)
        rollingPeriod = Int32(truncatingIfNeeded: values[2].integer ?? 0)
        transmissionRiskLevel = Int32(truncatingIfNeeded: values[3].integer ?? 0)
        reportType = Int32(truncatingIfNeeded: values[4].integer ?? 0)
        if let onset = values[5].integer {
            hasOnset = true
            daysSinceOnset = Int32(truncatingIfNeeded: onset)
        }
        if let variant = values[6].integer {
            hasVariant = true
            variantOfConcern = Int32(truncatingIfNeeded: variant)
        }
    }
}
