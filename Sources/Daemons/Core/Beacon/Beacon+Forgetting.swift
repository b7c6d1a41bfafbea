// SPDX-License-Identifier: Apache-2.0

import GAEN
import TimeTrust
import Vault

extension Beacon {
    /// Before which UTC day everything is certainly older than 14 days; `nil` while nothing is certain.
    func forgettableDay(at now: BootInstant) -> UInt32? { time.forgettableDay(at: now) }

    /// Forgets own keys and sightings of before ``forgettableDay(at:)``.
    func forget(at now: BootInstant) {
        guard let day = forgettableDay(at: now) else { return }
        let before = schedule
        schedule.forgetExpired(at: ENIN((day + TEKSchedule.retentionDays) * ENIN.perDay))
        let forgetsKeys = schedule != before
        // What is sealed anew must not be what was to go.
        if forgetsKeys { store() }
        do { try vault.forget(before: day, sealsAnew: forgetsKeys) } catch {
            _ = storage.failed(error, doing: "forgetting old days", log)
        }
    }
}
