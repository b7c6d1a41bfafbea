// SPDX-License-Identifier: Apache-2.0

public import GAEN
import Logging
public import TimeTrust
public import Vault

extension Beacon {
    /// Returns the time, and how far it is trusted, at `now` on the boot clock; its `time` is `nil` while the time is not
    /// known. Cannot fail.
    public func present(at now: BootInstant) -> TrustedTime.Now { time.now(at: now) }

    /// Enables the board after an agreement was recorded: it sends and listens as soon as the time is known. The change is
    /// stored before it takes effect; if the disk refuses, it still takes effect until the program ends, because the beacon
    /// comes first. Returns the disk's failure; `nil` if the change is stored, or if the board was enabled before, stored
    /// or not.
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

    /// Disables the board: nothing is sent or heard from now on, whatever the disk does. Returns the disk's failure; `nil`
    /// if the change is stored, or there was nothing to store.
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

    /// Returns the board's own keys of the last 14 days for publication; `nil` if the time is not known, and an empty list
    /// if there are none. Before that, today's key is made harmless: it ends after the identifier on air, which is on disk
    /// before any key is returned, and the next identifier is made from a new key that begins there, when it is due.
    ///
    /// Not at once: identifiers stay for ten minutes at least, so one that ends early would tell whoever listens nearby that its sender is warning others.
    /// Whoever has the published keys so soon knows the identifiers that were sent before as well.
    ///
    /// - Throws: ``StorageFailure`` if the disk refuses; everything is then as it was.
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
        storage.recovered(.inPlace, room: vault.room, findings: vault.findings, log)
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
            storage.recovered(.inPlace, room: vault.room, findings: vault.findings, log)
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
