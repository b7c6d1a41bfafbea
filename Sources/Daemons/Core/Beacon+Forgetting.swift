// SPDX-License-Identifier: Apache-2.0

import GAEN
import TimeTrust
import Vault

extension Beacon {
    private static let retention: Duration = .seconds(Int64(TEKSchedule.retentionDays) * 86_400)

    /// Before which UTC day everything is certainly older than 14 days; `nil` while nothing is certain.
    ///
    /// By the time that is certainly past: signed, or the earlier of the plausible time and the newest verified file of keys. Or by the boot
    /// clock alone: what was written so long ago in this boot, or before it, is as old whatever the time is.
    func forgettableDay(at now: BootInstant) -> UInt32? {
        var days: [UInt32] = []
        if let past = time.now(at: now).certainlyPast(newestFileEnd), past.day > Int64(TEKSchedule.retentionDays) {
            days.append(UInt32(clamping: past.day) - TEKSchedule.retentionDays)
        }
        if let day = bootDays.firstRecent(within: Self.retention, at: now) { days.append(day) }
        return days.max()
    }

    /// Forgets own keys and sightings of before ``forgettableDay(at:)``.
    func forget(at now: BootInstant) {
        guard let day = forgettableDay(at: now) else { return }
        let before = schedule
        schedule.forgetExpired(at: ENIN((day + TEKSchedule.retentionDays) * ENIN.perDay))
        let forgetsKeys = schedule != before
        // What is sealed anew must not be what was to go.
        if forgetsKeys { store() }
        do { try vault.forget(before: day, sealsAnew: forgetsKeys) } catch {
            storageFailed(error, doing: "forgetting old days")
        }
    }

    /// Writes down which day it is taken for.
    func seeDay(at now: BootInstant) {
        guard let civil = time.now(at: now).time else { return }
        bootDays.see(UInt32(clamping: civil.day), at: now)
    }

    /// Goes on with what an earlier process of this boot has seen. What is of another boot, or from this one's future, is nothing.
    func takeUp(_ kept: (boot: BootIdentity, days: BootDays)?) {
        guard let kept, kept.boot == time.bootIdentity, kept.days.since <= bootDays.since,
            kept.days.uses.allSatisfy({ $0.last <= bootDays.since })
        else { return }
        bootDays = BootDays(since: kept.days.since, uses: kept.days.uses)
    }
}
