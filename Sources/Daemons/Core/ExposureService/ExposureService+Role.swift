// SPDX-License-Identifier: Apache-2.0

public import Interfaces
import Ledger
import Logging
import Radio
public import TimeTrust
import Vault

/// Whose device it is: a person's, or a place's, which collects nothing (docs/core.md).
extension ExposureService {
    /// Whose risk the device stands for from now on. What was found for the other role is forgotten.
    ///
    /// For a place everything that was kept for a person is destroyed: sightings, own keys, matches, paired devices. On record first, with how many days
    /// there were; a cut on the way is finished at the next start. Back to a person it begins as a new device does, with nothing of before: whoever has it
    /// agrees anew, because who agreed for a place agreed for nobody's identifiers.
    public func setRole(_ role: Exposure1.Role, by caller: Caller, at now: BootInstant) throws(Refusal) {
        let isNew = role != self.role
        // Asked again, it finishes what the disk refused the first time.
        guard isNew || role == .place && beacon.holdsPersonalThings else { return }
        if isNew, role == .person, beacon.isEnabled { try disable(by: caller, at: now) }
        if isNew {
            var details = ["role": role.rawValue]
            if role == .place {
                cancelJobs()
                details["destroyedDays"] = "\(vault.days.count)"
            }
            try ledger.record {
                try roles.store(role, $0)
                try $0.forgetAllMatches()
                if role == .place { for name in try ledger.pairedNames() { try $0.removePaired(name: name) } }
                try $0.set(RiskRecord.setting, nil)
                try $0.audit(auditWriter.entry(.roleChanged, caller, at: now, details))
            }
            step("role.recorded")
            roles.assume(nil)
            warnings.state.record = RiskRecord()
            warnings.state.forgetJudgements()
        }
        defer { if isNew { announce(.roleChanged) } }
        do { try beacon.stand(for: role.profileRole, at: now) } catch { throw .storage(error) }
        step("role.done")
    }

    /// Tells the beacon its role at the start, and finishes what a cut has interrupted. Earlier firmware kept sightings and keys at places, too: they
    /// go.
    ///
    /// Where the ledger was lost and the profile is a place's, what the vault holds decides: a place holds nothing, so it was a person's, and
    /// a damaged ledger must not cost fourteen days.
    func settleRole(isRemembered: Bool) {
        if !roles.isStored, !isRemembered, role == .place, beacon.holdsPersonalThings {
            log.warning("the ledger was lost: this device keeps a person's keys and goes on as a person's")
            roles.assume(.person)
            do { try ledger.write { try roles.store(.person, $0) } } catch {
                complain(error, doing: "keeping the role")
            }
        }
        do { try beacon.begin(as: role.profileRole) } catch {
            complain(error, doing: "destroying what was kept for a person")
        }
    }
}
