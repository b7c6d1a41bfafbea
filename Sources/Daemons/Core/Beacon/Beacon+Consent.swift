// SPDX-License-Identifier: Apache-2.0

public import GAEN
import Logging
public import TimeTrust
public import Vault

extension Beacon {
    /// The time and the trust in it at `now`, by the boot clock; while the time is not known, its `time` is `nil`. Cannot
    /// fail.
    public func present(at now: BootInstant) -> TrustedTime.Now { time.now(at: now) }

    /// Enables the board after an agreement that is recorded: it beacons and listens as soon as the time is known. Stored
    /// before it takes effect; when the disk refuses, it takes effect all the same until the program ends, because the
    /// beacon comes first. Returns what the disk said; `nil` when it is stored, and when it was enabled before, stored or
    /// not.
    @discardableResult
    public func enable(at now: BootInstant) -> StorageFailure? {
        guard !isEnabled else { return nil }
        isEnabled = true
        changes += 1
        log.notice("enabled")
        let failure = store()
        if !isStopping { rotate(at: now) }
        obeyRadio(at: now)
        return failure
    }

    /// Disables the board: nothing is sent and nothing listened to from now on, whatever the disk says. Returns what the
    /// disk said; `nil` when it is stored, and when there was nothing to store.
    @discardableResult
    public func disable(at now: BootInstant) -> StorageFailure? {
        // Silent already, but the disk refused to know it: it is asked again.
        guard isEnabled else { return vault.isEnabled == true ? store() : nil }
        isEnabled = false
        changes += 1
        log.notice("disabled")
        goSilent(at: now)
        obeyRadio(at: now)
        return store()
    }

    /// Nothing is sent and nothing listened to until the program ends; nothing is stored of it.
    func fallSilent(at now: BootInstant) {
        isEnabled = false
        changes += 1
        goSilent(at: now)
        obeyRadio(at: now)
    }

    /// Hands out the own keys of the last 14 days for publication and makes today's harmless: it is cut off after what is on air now, which
    /// is durable before anything is handed out, and the next identifier is made at once, of a fresh key that begins where this one ends.
    ///
    /// Throws ``StorageFailure``, and everything is as it was; or `nil` instead of keys when the time is not known. Empty without own keys.
    public func releaseKeys(at now: BootInstant) throws -> [TemporaryExposureKey]? {
        let present = time.now(at: now)
        guard present.mayBroadcast, let civil = present.time, let interval = ENIN(unixSeconds: civil.seconds) else {
            return nil
        }
        var next = schedule
        let keys = next.release(at: interval, onAir: onAirInterval)
        do {
            try vault.store(next, time: time.snapshot, isEnabled: isEnabled)
        } catch {
            throw storage.failed(error, doing: "cutting off today's key", log)
        }
        schedule = next
        changes += 1
        storage.recovered(findings: vault.findings, log)
        if onAirInterval != nil, !isStopping { rotate(at: now) }
        obeyRadio(at: now)
        return keys
    }

    /// Hands out the own keys that were in use from `interval` on until the end of its day (UTC), which is over. Durable before anything is
    /// handed out: none of them is used again, whatever becomes of the clock.
    ///
    /// Throws ``StorageFailure``, and everything is as it was.
    func releaseRemainder(since interval: ENIN, at now: BootInstant) throws -> [TemporaryExposureKey] {
        guard let civil = time.now(at: now).time, let present = ENIN(unixSeconds: civil.seconds) else { return [] }
        var next = schedule
        next.retire(endedBy: present)
        if next != schedule {
            do { try vault.store(next, time: time.snapshot, isEnabled: isEnabled) } catch {
                throw storage.failed(error, doing: "retiring the key of a day that is over", log)
            }
            schedule = next
            changes += 1
            storage.recovered(findings: vault.findings, log)
        }
        return schedule.past.filter {
            $0.rollingStart >= interval && $0.rollingStart.day == interval.day && $0.end <= present
        }
    }

    /// The own keys that a match must never be of.
    func ownKeys(at now: BootInstant) -> [TemporaryExposureKey] {
        guard let civil = time.now(at: now).time, let interval = ENIN(unixSeconds: civil.seconds) else { return [] }
        return schedule.ownKeys(at: interval)
    }
}
