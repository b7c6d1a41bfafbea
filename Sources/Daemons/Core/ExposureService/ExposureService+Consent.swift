// SPDX-License-Identifier: Apache-2.0

public import Interfaces
public import Ledger
import Logging
import Radio
public import TimeTrust
public import Vault

extension ExposureService {
    /// How long a consent is good for: long enough to walk from a page to a button, too short to be found lying about.
    static let ticketLife: Int64 = 15 * 60

    /// Records a person's agreement that this device takes part, and then enables the device, because nothing may be sent
    /// without a record of the agreement. Has no effect if the device is enabled already.
    ///
    /// - Throws: ``Refusal`` if the authority has ended its service, or the disk refuses; nothing is sent then.
    public func enable(by caller: Caller, at now: BootInstant) throws(Refusal) {
        guard !beacon.isEnabled else { return }
        if let words = warnings.serviceHasEnded(at: now) { throw .notEnabled(words) }
        try ledger.record {
            try $0.set(Self.enabledSetting, [1])
            try $0.audit(auditWriter.entry(.enabled, caller, at: now, ["presence": caller.presence]))
        }
        step("enable.recorded")
        beacon.enable(at: now)
        step("enable.done")
        announce(.enabled)
    }

    /// Withdraws the agreement to take part. The device first stops sending, even if the record then fails. Has no effect
    /// if the device is disabled, and that is stored and recorded.
    ///
    /// - Throws: ``Refusal`` if the disk refuses. The device has stopped sending all the same; the next call completes the
    ///   record.
    public func disable(by caller: Caller, at now: BootInstant) throws(Refusal) {
        // What an earlier call did not finish is finished by the next one: stored for good, and on record.
        let isStored = vault.isEnabled != true
        let isRecorded = (try? ledger.setting(Self.enabledSetting)) == [0]
        guard beacon.isEnabled || !isStored || !isRecorded else { return }
        if let failure = beacon.disable(at: now) { throw .storage(failure) }
        step("disable.silent")
        announce(.disabled)
        try ledger.record {
            try $0.set(Self.enabledSetting, [0])
            try $0.audit(auditWriter.entry(.disabled, caller, at: now, ["presence": caller.presence]))
        }
        step("disable.done")
    }

    /// Records a person's consent to one act, once. The ticket in the answer is valid for 15 minutes; its end (`expires`)
    /// is `nil` if the time is not known.
    ///
    /// If the board has a button for it, only the console can consent without a press: see ``presence(for:by:at:)``.
    ///
    /// - Throws: ``Refusal`` if the press is missing, too many consents are open, or the disk refuses.
    public func giveConsent(
        _ purpose: Device1.Purpose, by caller: Caller, at now: BootInstant
    ) throws(Refusal) -> Device1.GiveConsentReply {
        let presence = try presence(for: purpose, by: caller, at: now)
        // Without a time a ticket's end would mean nothing; a reset must be possible all the same.
        let time = beacon.present(at: now).time?.seconds
        let made = time ?? 0
        let expires = made + Self.ticketLife
        let text: String = try ledger.record { transaction in
            let ticket: Ticket
            do {
                ticket = try transaction.makeTicket(
                    purpose: purpose.rawValue, presence: presence, caller: caller.account, made: made, expires: expires)
            } catch let failure as LedgerFailure where failure.code == .tooMany {
                throw Refusal.tooManyConsents("Too many consents are open. They end by themselves within 15 minutes.")
            }
            try transaction.audit(
                auditWriter.entry(.consentGiven, caller, at: now, ["purpose": purpose.rawValue, "presence": presence]))
            return ticket.id
        }
        step("consent.done")
        announce(.consentGiven)
        return Device1.GiveConsentReply(ticket: text, expires: time == nil ? nil : expires)
    }

    /// Spends a ticket within `transaction`, or says why not.
    func redeem(
        _ ticket: String, for purpose: Device1.Purpose, _ transaction: LedgerTransaction, at now: BootInstant
    ) throws {
        let time = beacon.present(at: now).time?.seconds ?? 0
        do {
            _ = try transaction.redeemTicket(id: ticket, purpose: purpose.rawValue, at: time)
        } catch let failure as LedgerFailure {
            let again = "Ask the wearer to agree again."
            switch failure.code {
            case .ticketUnknown: throw Refusal.consentRefused("unknown", "Nobody has given this consent. \(again)")
            case .ticketSpent: throw Refusal.consentRefused("spent", "This consent was used already. \(again)")
            case .ticketExpired: throw Refusal.consentRefused("expired", "This consent is too old. \(again)")
            case .ticketPurpose:
                throw Refusal.consentRefused("otherPurpose", "This consent is for something else. \(again)")
            default: throw failure
            }
        }
    }

    /// Returns the audit entries with a higher sequence number than `after`, oldest first, at most 100,000, and the log's
    /// verdict on itself. `after` is `nil`, 0 or less for all of them; `caller` is `nil` for one that may see everything.
    ///
    /// A caller that may not learn of consents (``Caller/mayLearn(_:)``) does not get entries that concern only the wearer,
    /// because released keys mean that a person is ill. Its entries have numbers of their own, without gaps, and lost
    /// entries are counted separately for it.
    ///
    /// - Throws: ``Refusal`` if the disk cannot be read.
    public func audit(
        after: Int64?, for caller: Caller? = nil
    ) throws(Refusal) -> (records: [Device1.AuditEntry], verdict: AuditVerdict) {
        let after = UInt64(clamping: after ?? 0)
        let isWhole = caller?.mayLearn(.consents) ?? true
        return try reading {
            var verdict = try ledger.verifyAudit()
            let records: [AuditRecord]
            if isWhole {
                records = try ledger.auditEntries(after: after, limit: 100_000)
            } else {
                let common = try ledger.commonAuditEntries()
                verdict = AuditVerdict(
                    intact: common.records.count, firstBroken: verdict.firstBroken, dropped: common.dropped)
                records = common.records.filter { $0.sequence > after }
            }
            return (
                records.map {
                    Device1.AuditEntry(
                        sequence: Int64(clamping: $0.sequence), time: $0.entry.time, kind: $0.entry.kind,
                        actor: $0.entry.actor, details: $0.entry.details)
                }, verdict
            )
        }
    }

    /// Erases everything. From the beginning of the erasure ``wasReset`` is `true`, even if the disk then refuses, and the
    /// program has to end. The ticket is used up before; an interrupted erasure is completed at the next start.
    ///
    /// - Throws: ``Refusal`` if the ticket is unknown, used, expired or for another purpose, and nothing was erased then;
    ///   or if the disk refuses, before or during the erasure.
    ///
    /// - Parameter handOn: Whether the device is for somebody else from now on, and the wearer's secret ends; a technician's
    ///   reset always hands on.
    public func reset(
        ticket: String, handOn: Bool = false, by caller: Caller, at now: BootInstant
    ) throws(Refusal) {
        try ledger.record {
            try redeem(ticket, for: .reset, $0, at: now)
            try $0.audit(auditWriter.entry(.resetBegun, caller, at: now))
        }
        // The next wearer has another secret, which the technician may make once there is nothing left for it to protect.
        let isHandedOn = handOn || caller.session?.role == .technician
        try eraseAll(takingWearers: isHandedOn, at: now)
        if isHandedOn { signIn.access.forget(.wearer) }
    }

    /// As ``reset(ticket:by:at:)``, because the health authority has ended the service.
    func erase(by caller: Caller, at now: BootInstant) throws(Refusal) {
        try ledger.record { try $0.audit(auditWriter.entry(.resetBegun, caller, at: now)) }
        try eraseAll(takingWearers: false, at: now)
    }

    private func eraseAll(takingWearers: Bool, at now: BootInstant) throws(Refusal) {
        step("reset.begun")
        do throws(AccessRefusal) {
            try signIn.access.beginReset(takingWearers: takingWearers, time: auditWriter.time(at: now))
        } catch {
            // Nobody is handed a device that somebody else may sign in to. For all others the erasing counts for more than the note of it.
            guard !takingWearers else { throw .storage(error.reason) }
            log.error("that this device is reset cannot be kept", metadata: ["why": "\(error.reason)"])
        }
        cancelJobs()
        // Nothing of it is stored: a reset that is cut before it is noted must leave the wearer's choice as it was.
        beacon.fallSilent(at: now)
        eraseRecording()
        wasReset = true
        ledger.close()
        do { try vault.destroy() } catch { throw .storage(error) }
        step("reset.erased")
        log.notice("everything was erased")
    }
}

extension ExposureService {
    /// Whether the operator's agreement before the first start (`--enable`) counts as that of the person who has the
    /// device: `true` in a place, and for a person if the device was never reset and no record of a reset was damaged. A
    /// person who gets the device after a reset is asked again; in a place there is only the operator to ask.
    public var mayOperatorAgree: Bool {
        role == .place
            || signIn.access.isFirstLife && !vault.findings.contains { if case .wasReset = $0 { true } else { false } }
    }

    /// Setting that says, beside the vault, whether the device is enabled: a second witness for when the vault's store is damaged.
    static let enabledSetting = "enabled"

    /// Returns the wearer's choice to assume if the vault does not know it (`true` for enabled): on a new device nobody has
    /// agreed yet; if the vault's store was damaged, the ledger knows; if both were damaged, the device was in use, and the
    /// beacon continues. Cannot fail.
    public static func wasEnabled(_ vault: Vault, ledger: Ledger, isLedgerDamaged: Bool) -> Bool {
        if let stored = try? ledger.setting(enabledSetting) { return stored == [1] }
        let isVaultDamaged = vault.findings.contains { if case .setAside = $0 { true } else { false } }
        return isVaultDamaged && isLedgerDamaged
    }
}
