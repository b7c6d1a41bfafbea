// SPDX-License-Identifier: Apache-2.0

public import GAEN
import Interfaces
import Ledger
public import TimeTrust

extension ExposureService {
    /// The own keys of the last 14 days, once per consent; empty if there are none.
    ///
    /// The ticket is spent and the release on record before the keys are read; today's key is cut off on the disk before
    /// they are handed out. So a cut anywhere on the way releases nothing twice, and nothing that could still be used.
    ///
    /// - Throws: ``Refusal``: the device stands in a place, the time is not known, the ticket does not hold, or the disk
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

    /// The rest of the day of the release that `ticket` was spent on; `nil` when that ticket has nothing left, and when the disk cannot be read.
    /// Whether it is too early or too late to take it is not looked at.
    public func remainder(of ticket: String) -> ReleaseRemainder? {
        guard let stored = try? ledger.setting(ReleaseRemainder.setting), let known = ReleaseRemainder(bytes: stored),
            known.ticket == ticket
        else { return nil }
        return known
    }

    /// The own keys of the rest of the day on which `ticket` was spent, by the same consent: once, within 24 hours of the first ones, when that day
    /// is over. They were used after the first ones were cut off, and are used no more. Empty if none were used.
    ///
    /// Like the first time, the right to it is spent and on record before a key is read.
    ///
    /// - Throws: ``Refusal``: the device stands in a place, the time is not known, it is too early or too late, nothing is
    ///   left by this ticket, or the disk refuses.
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
