// SPDX-License-Identifier: Apache-2.0

public import GAEN
import Interfaces
import Ledger
public import TimeTrust

extension BlackBox {
    /// The own keys of the last 14 days, once per consent.
    ///
    /// The ticket is spent and the release on record before the keys are read; today's key is cut off on the disk before they are handed
    /// out. So a cut anywhere on the way releases nothing twice, and nothing that could still be used.
    public func takeKeys(
        ticket: String, by caller: Caller, at now: BootInstant
    ) throws(Refusal) -> [TemporaryExposureKey] {
        try requirePerson()
        _ = try requireTime(at: now)
        try record {
            try redeem(ticket, for: .releaseKeys, $0, at: now)
            try $0.audit(entry(.releaseBegun, caller, at: now))
        }
        step("release.spent")
        let keys: [TemporaryExposureKey]
        do {
            guard let released = try appliance.releaseKeys(at: now) else {
                throw Refusal.timeUnknown(appliance.present(at: now).sentence)
            }
            keys = released
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw .storage(error)
        }
        step("release.cutOff")
        do {
            _ = try ledger.write { try $0.audit(entry(.keysReleased, caller, at: now, ["count": "\(keys.count)"])) }
        } catch {
            // The beginning is on record; the caller gets what the wearer agreed to.
            complain(error, doing: "recording a release")
        }
        step("release.done")
        announce(.keysReleased)
        return keys
    }
}
