// SPDX-License-Identifier: Apache-2.0

public import Interfaces
import KeyExport
public import KeyIntake
import Ledger
import Matching
public import TimeTrust

/// What files of keys bring, kept.
extension ExposureService {
    /// Stores the results of a run in one transaction, all of them or none: matches, the files, how fresh they are, and the
    /// audit entry. In the answer, the numbers of matches are `nil` for a caller that may read no results.
    ///
    /// - Throws: ``Refusal`` if the time is not known or the disk refuses; nothing was stored then.
    public func commit(
        _ result: IntakeResult, _ terms: ProvideTerms = .none, by caller: Caller, at now: BootInstant
    ) throws(Refusal) -> Exposure1.ProvideResult {
        let time = try beacon.requireTime(at: now)
        let notes = try reading { try freshness.notes(of: result) }
        let fresh = try reading {
            try freshness.next(with: notes, terms, by: caller.name, at: time) { name in
                source(named: name).flatMap { $0.isStandard ? nil : $0.name }
            }
        }
        step("provide.verified")
        let matched = result.files.filter { $0.outcome == .matched }
        let end = retention.provenEnd(result, now: time)
        let (new, changed) = try ledger.record { transaction in
            try freshness.store(fresh, transaction)
            let outcome = try transaction.keep(result.files, day: UInt32(clamping: time / 86_400))
            guard !matched.isEmpty else { return outcome }
            let authorities = Set(matched.flatMap { $0.export?.authorities ?? [""] })
            for riskSource in warnings.state.sources where authorities.contains(riskSource.source.export.name) {
                try transaction.set(RiskSource.lastMatchedSetting(riskSource.source), time.bytes)
            }
            if let end { try retention.store(provenEnd: end, transaction) }
            try transaction.audit(
                auditWriter.entry(
                    .filesMatched, caller, at: now,
                    ["files": "\(result.files.count)", "keys": "\(result.statistics.keys)"]))
            return outcome
        }
        freshness.adopt(fresh)
        if let end { retention.adopt(provenEnd: end) }
        step("provide.committed")
        announce(.filesProvided)
        if new + changed > 0 { announce(.matchesChanged) }
        return Exposure1.ProvideResult(
            files: zip(result.files, notes).map { Self.told($0, $1?.period) },
            newMatchCount: caller.reading == .nothing ? nil : new,
            changedMatchCount: caller.reading == .nothing ? nil : changed,
            refusedKeyCount: result.flaws.values.reduce(0, +),
            knownUntilSeconds: terms.source.flatMap { fresh.until($0, by: caller.name, at: time) },
            knownDays: terms.source.map { fresh.days($0, by: caller.name, at: time).map { Int($0) } })
    }

    private static func told(_ file: IntakeFile, _ period: ExportPeriod?) -> Exposure1.ProvidedFile {
        let region = period?.region ?? file.summary?.region ?? ""
        return Exposure1.ProvidedFile(
            name: file.name, outcome: file.outcome == .matched ? .matched : .repeated,
            keyCount: Int(clamping: (file.summary?.keyCount ?? 0) + (file.summary?.revisedKeyCount ?? 0)),
            startSeconds: period?.start, endSeconds: period?.end, regionName: region.isEmpty ? nil : region)
    }
}
