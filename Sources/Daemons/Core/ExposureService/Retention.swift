// SPDX-License-Identifier: Apache-2.0

import GAEN
import KeyExport
import KeyIntake
import Ledger
import Logging
import TimeTrust

/// Forgets what is older than 14 days, and keeps what says by which times old things may go (docs/decisions/0030).
final class Retention {
    /// Unix seconds up to which verified files of keys prove the time to have come, as far as the board's own clock agreed.
    private static let fileEndSetting = "newestFileEnd"
    private static let bootDaysSetting = "bootDays"

    private let ledger: Ledger
    private let beacon: Beacon
    private let log: Logger
    /// Days since 1970; nothing of before is there.
    private var forgottenBefore: UInt32 = 0
    /// The day for which it was kept which days there were.
    private var savedDay: UInt32?

    /// Takes up what was kept before, and tells `beacon`.
    init(_ ledger: Ledger, beacon: Beacon, log: Logger) {
        self.ledger = ledger
        self.beacon = beacon
        self.log = log
        let kept = (try? ledger.setting(Self.fileEndSetting)).flatMap(Int64.init(bytes:))
        beacon.time.newestFileEnd = kept.map { UnixTime(seconds: $0) }
        if let stored = try? ledger.setting(Self.bootDaysSetting) { beacon.time.takeUp(BootDaysCoding.decode(stored)) }
        savedDay = beacon.time.days.current
    }

    // MARK: What files prove

    /// What the files of a call prove about the time, in Unix seconds, if that is news: the newest signed end of their periods, and no more
    /// than `now`. A file that claims to be of the future proves nothing about it.
    func provenEnd(_ result: IntakeResult, now: Int64) -> Int64? {
        let ends = result.files.filter { $0.outcome == .matched }.compactMap { $0.summary?.endTimestamp }
        guard let newest = ends.max() else { return nil }
        let proven = min(Int64(clamping: newest), now)
        guard proven >= TrustedTime.Limits.earliest.seconds else { return nil }
        return proven > beacon.time.newestFileEnd?.seconds ?? 0 ? proven : nil
    }

    /// Writes ``provenEnd(_:now:)``; it holds from ``adopt(provenEnd:)`` on.
    func store(provenEnd end: Int64, _ transaction: LedgerTransaction) throws {
        try transaction.set(Self.fileEndSetting, end.bytes)
    }

    /// The transaction is durable that ``store(provenEnd:_:)`` was part of.
    func adopt(provenEnd end: Int64) { beacon.time.newestFileEnd = UnixTime(seconds: end) }

    // MARK: Forgetting

    /// Forgets what is certainly older than 14 days, in vault and ledger, and keeps what the next process needs to know for it. What the disk
    /// refuses is said in the log.
    func forgetIfDue(at now: BootInstant) {
        saveBootDays()
        correctFileEnd(at: now)
        guard let day = beacon.forgettableDay(at: now), day > forgottenBefore else { return }
        forgottenBefore = day
        beacon.forget(at: now)
        attempt("forgetting old days") { try ledger.forget(before: day) }
    }

    /// Once a day.
    private func saveBootDays() {
        let days = beacon.time.days
        guard days.current != savedDay else { return }
        savedDay = days.current
        let bytes = BootDaysCoding.encode(days, of: beacon.time.bootIdentity)
        attempt("keeping which days there were") { try ledger.write { try $0.set(Self.bootDaysSetting, bytes) } }
    }

    /// What a false clock and a false file agreed on holds until the authority's time says otherwise.
    private func correctFileEnd(at now: BootInstant) {
        let present = beacon.present(at: now)
        guard present.state == .authenticated, let time = present.time, let bound = present.uncertainty,
            let kept = beacon.time.newestFileEnd, kept > time.advanced(by: bound), let earliest = present.earliest
        else { return }
        beacon.time.newestFileEnd = earliest
        attempt("correcting what files prove about the time") {
            try ledger.write { try $0.set(Self.fileEndSetting, earliest.seconds.bytes) }
        }
    }

    private func attempt(_ what: String, _ body: () throws -> Void) {
        do { try body() } catch { log.error("\(error)", metadata: ["while": "\(what)"]) }
    }
}
