// SPDX-License-Identifier: Apache-2.0

public import Interfaces
public import Ledger
import Logging
import Radio
public import TimeTrust
import Vault

/// Whose device it is: a person's, or a place's, which collects nothing (docs/core.md).
extension ExposureService {
    /// Sets the role of the device. A change of the role begins another life of the device: data of the former life
    /// is destroyed as by a reset, here (sightings, own keys, matches, consents, paired devices, the audit log, the
    /// wearer's choices, secret and sessions) and, because the life gets another name at the next start, by the
    /// supervisor the data of plugins (``roleHasChanged``). Data of the board and the operator stays: authorities
    /// and their rules, time, technicians' secrets, calibration. Has no effect if the device has the role already
    /// and nothing is left of a person in a place.
    ///
    /// The change is recorded first, for a place with the number of days destroyed; a change that a power cut
    /// interrupts is completed at the next start. A device that becomes a person's begins like a new one and is
    /// disabled: the consent for a place does not count for a person.
    ///
    /// - Throws: ``Refusal`` if the disk refuses; another call then completes the change.
    public func setRole(_ role: Exposure1.Role, by caller: Caller, at now: BootInstant) throws(Refusal) {
        let isNew = role != self.role
        // Asked again, it finishes what the disk refused the first time.
        guard isNew || role == .place && beacon.holdsPersonalThings else { return }
        if isNew, role == .person, beacon.isEnabled { try disable(by: caller, at: now) }
        if isNew {
            var details = ["role": role.rawValue]
            cancelJobs()
            if role == .place { details["destroyedDays"] = "\(vault.days.count)" }
            try beginLife(as: role, isChosen: true, auditWriter.entry(.roleChanged, caller, at: now, details))
            step("role.recorded")
        }
        defer { if isNew { announce(.roleChanged) } }
        do { try beacon.stand(for: role.profileRole, at: now) } catch { throw .storage(error) }
        step("role.done")
    }

    /// What was kept for the former role is forgotten, but for the vault's own; ``roleHasChanged`` from here on.
    ///
    /// - Parameter isChosen: Whether somebody has chosen the role, and not the profile: that is kept.
    private func beginLife(as role: Exposure1.Role, isChosen: Bool, _ entry: AuditEntry) throws(Refusal) {
        // First: whoever was the wearer may not sign in to the next life, wherever the power goes.
        do throws(AccessRefusal) { try signIn.access.beginReset(takingWearers: true, time: entry.time) } catch {
            throw .storage(error.reason)
        }
        do {
            let forgotten = [RiskRecord.setting, Self.preferencesSetting, ReleaseRemainder.setting] + DonationDesk.personal
            try ledger.beginLife(forgetting: forgotten) {
                if isChosen { try roles.store(role, $0) }
                try $0.set(RoleState.livedSetting, role.bytes)
                try $0.set(Self.endedLifeSetting, Array(signIn.access.life.utf8))
                try $0.audit(entry)
            }
        } catch { throw .storage(error) }
        roleHasChanged = true
        eraseRecording()
        roles.assume(nil)
        donations.forgetAll()
        attention = Attention()
        warnings.state.record = RiskRecord()
        warnings.state.forgetJudgements()
        signIn.access.forget(.wearer)
        announcer.tell(.sessionsEnded)
    }

    /// Setting that names the life that a change of role has ended.
    private static let endedLifeSetting = "life.ended"

    /// Returns whether a change of role has ended the life of the device with this name (given as bytes), so that it needs
    /// another name before anything asks for it. `false` for an empty name, and if the disk cannot be read.
    public static func hasEnded(life name: [UInt8], by ledger: Ledger) -> Bool {
        !name.isEmpty && (try? ledger.setting(endedLifeSetting)) == name
    }

    /// Another profile made it another role's while the program did not run: the same as if somebody had changed it.
    private func settleProfile() {
        let lived = (try? ledger.setting(RoleState.livedSetting)).flatMap { Exposure1.Role(bytes: $0) }
        guard lived != role else { return }
        do {
            guard lived != nil else { return try ledger.write { try $0.set(RoleState.livedSetting, role.bytes) } }
            let now = BootInstant(nanoseconds: 0)
            let profile = Caller(name: "profile", reading: .nothing, spool: nil, presence: "operator")
            // Who agreed for a place agreed for nobody's identifiers.
            if role == .person, beacon.isEnabled { beacon.disable(at: now) }
            let entry = auditWriter.entry(.roleChanged, profile, at: now, ["role": role.rawValue])
            try beginLife(as: role, isChosen: false, entry)
        } catch { complain(error, doing: "beginning as another role's device") }
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
        settleProfile()
        do { try beacon.begin(as: role.profileRole) } catch {
            complain(error, doing: "destroying what was kept for a person")
        }
    }
}
