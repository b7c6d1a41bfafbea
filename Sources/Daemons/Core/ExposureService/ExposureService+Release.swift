// SPDX-License-Identifier: Apache-2.0

public import GAEN
import Interfaces
import Ledger
public import TimeTrust

extension ExposureService {
    /// Returns the device's own keys of the last 14 days, once for each consent; empty if there are none.
    ///
    /// The ticket is used up and the release is on record before the keys are read, and today's key is ended on the disk
    /// before they are returned. A power cut at any point therefore releases nothing twice, and nothing that is still in
    /// use.
    ///
    /// - Throws: ``Refusal`` if the device is in a place, the time is not known, the ticket is not valid, or the disk
    ///   refuses.
    public func takeKeys(
        ticket: String, by caller: Caller, at now: BootInstant
    ) throws(Refusal) -> [TemporaryExposureKey] {
        try roles.requirePerson()
        let seconds = try beacon.requireTime(at: now)
        let remainder = ReleaseRemainder(ticket: ticket, released: seconds)
        try ledger.record {
            try redeem(ticket, for: .releaseKeys, $0, at: now)
            try $0.set(ReleaseRemainder.setting, remainder.bytes)
            try $0.audit(auditWriter.entry(.releaseBegun, caller, at: now))
        }
        step("release.spent")
        let keys: [TemporaryExposureKey]
        do {
            guard let released = try beacon.releaseKeys(at: now) else {
                throw Refusal.timeUnknown(beacon.present(at: now).sentence)
            }
            keys = released
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw .storage(error)
        }
        step("release.cutOff")
        do {
            _ = try ledger.write {
                try $0.audit(auditWriter.entry(.keysReleased, caller, at: now, ["count": "\(keys.count)"]))
                try $0.set(ReleaseRemainder.setting, remainder.after(keys).bytes)
            }
        } catch {
            // The beginning is on record; the caller gets what the wearer agreed to.
            complain(error, doing: "recording what was done")
        }
        step("release.done")
        announce(.keysReleased)
        return keys
    }

    /// Returns the rest of the day of the release for which `ticket` was used; `nil` if that ticket gives no right to one,
    /// and if the disk cannot be read. Whether it is too early or too late to take the keys is not checked.
    public func remainder(of ticket: String) -> ReleaseRemainder? {
        guard let stored = try? ledger.setting(ReleaseRemainder.setting), let known = ReleaseRemainder(bytes: stored),
            known.ticket == ticket
        else { return nil }
        return known
    }

    /// Returns the device's own keys for the rest of the day on which `ticket` was used, under the same consent: once,
    /// after the end of that day and within 24 hours of the first keys. They were used after the first keys had ended, and
    /// are used no more. Empty if none was used.
    ///
    /// As with the first keys, the right to them is used up and recorded before a key is read.
    ///
    /// - Throws: ``Refusal`` if the device is in a place, the time is not known, it is too early or too late, this ticket
    ///   gives no right to keys any more, or the disk refuses.
    public func takeRemainder(
        ticket: String, by caller: Caller, at now: BootInstant
    ) throws(Refusal) -> [TemporaryExposureKey] {
        try roles.requirePerson()
        let seconds = try beacon.requireTime(at: now)
        guard let remainder = remainder(of: ticket) else {
            throw .consentRefused("spent", "Nothing is left to release by this consent. Ask the wearer to agree again.")
        }
        guard seconds >= remainder.after else {
            throw .tooEarly(
                nextPermitted: remainder.after, "The day of that release is not over. Ask again after midnight (UTC).")
        }
        guard seconds < remainder.until else {
            throw .consentRefused(
                "expired", "That consent was given more than 24 hours ago. Ask the wearer to agree again.")
        }
        try ledger.record {
            try $0.set(ReleaseRemainder.setting, nil)
            try $0.audit(auditWriter.entry(.releaseBegun, caller, at: now, ["part": "remainder"]))
        }
        step("remainder.spent")
        let keys: [TemporaryExposureKey]
        do { keys = try beacon.releaseRemainder(since: remainder.interval, at: now) } catch { throw .storage(error) }
        step("remainder.cutOff")
        auditWriter.note(.keysReleased, caller, at: now, ["count": "\(keys.count)", "part": "remainder"])
        step("remainder.done")
        announce(.keysReleased)
        return keys
    }
}
