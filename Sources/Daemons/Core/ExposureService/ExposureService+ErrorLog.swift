// SPDX-License-Identifier: Apache-2.0

package import Donation
public import Interfaces
import Ledger
import SelfCheck
public import TimeTrust

/// Purposes besides donations, each by a consent of its own; and error logs.
extension ExposureService {
    /// What holds of a monthly purpose; `nil` if the authority does not ask for it, or not this wearer, and there is no consent.
    func monthly(_ purpose: MonthlyPurpose, isInvited: Bool = true) -> Donation1.Monthly? {
        let (book, terms) = (donations.book, donations.slot.terms)
        let errand = book[purpose]
        let isForOthers = terms.map { book.isForOthers(purpose, than: $0) } ?? false
        // Who has agreed stays invited.
        let isAsked = isInvited || errand != nil && !isForOthers
        let isOffered = isAsked && terms.map { !$0.keys(for: purpose).isEmpty } ?? false
        guard isOffered || errand != nil else { return nil }
        return Donation1.Monthly(
            isOffered: isOffered,
            consent: errand.map { .init(since: $0.consent.since, text: $0.consent.text) },
            begins: errand.map { $0.consent.since + DonationBook.pause }, isPrepared: errand?.hasToken ?? false,
            stopped: isForOthers ? .otherServers : errand?.stopped.map { $0 == .otherKey ? .otherKey : .deviceRefused },
            history: (errand?.history ?? []).map(Donation1.Past.init),
            responsible: terms?.responsible(for: purpose).map(Donation1.Responsible.init))
    }

    /// Notes the wearer's consent to a monthly purpose, given with the text of this version; 24 hours later it begins. Has no effect if there is one for the servers of the
    /// document; one for others is withdrawn by it. Other purposes stay as they are.
    ///
    /// - Throws: ``Refusal`` if the device is in a place, the time is not known, the document does not ask for this, or not this wearer, or the disk refuses.
    package func agree(to purpose: MonthlyPurpose, text: Int64, by caller: Caller, at now: BootInstant) throws(Refusal) {
        try roles.requirePerson()
        if purpose == .survey { try requireInvitation(at: now) }
        let time = try beacon.requireTime(at: now)
        try donations.agree(purpose, text: text, at: time) {
            try $0.audit(
                auditWriter.entry(
                    .consentGiven, caller, at: now,
                    ["purpose": purpose.rawValue, "presence": caller.presence, "text": "\(text)"]))
        }
        announce(.consentGiven)
    }

    /// Withdraws the consent to a monthly purpose, and erases all that came of it. Has no effect without one. Other purposes stay as they are.
    ///
    /// - Throws: ``Refusal`` if the device is in a place, or the disk refuses; nothing was erased then.
    package func withdraw(_ purpose: MonthlyPurpose, by caller: Caller, at now: BootInstant) throws(Refusal) {
        try roles.requirePerson()
        guard donations.book[purpose] != nil else { return }
        try donations.withdraw(purpose) {
            try $0.audit(auditWriter.entry(.consentWithdrawn, caller, at: now, ["purpose": purpose.rawValue]))
        }
        announce(.consentGiven)
    }

    // MARK: Error logs

    /// Returns the error log that would be sent, line by line. Throws ``Refusal`` if the device is in a place.
    public func errorLog() throws(Refusal) -> Donation1.ErrorLogReply {
        try roles.requirePerson()
        let errand = donations.book[.log]
        return Donation1.ErrorLogReply(
            lines: (errand?.seen ?? []).compactMap { seen in
                Donation1.Trouble(seen.trouble).map { .init(trouble: $0, day: seen.day) }
            }, released: (errand?.releasedTroubles ?? []).compactMap { Donation1.Trouble($0) })
    }

    /// Lets the error log with exactly these troubles go, which the wearer has read. The audit log has how many lines there were; which, only the book knows, and a withdrawal erases that.
    ///
    /// - Throws: ``Refusal`` if the device is in a place, the time is not known, the log is another one by now, or the disk refuses; nothing was let go then.
    public func releaseErrorLog(
        _ troubles: [Donation1.Trouble], by caller: Caller, at now: BootInstant
    ) throws(Refusal) {
        try roles.requirePerson()
        let time = try beacon.requireTime(at: now)
        // It would be erased, unsent, by the consent that is asked for.
        if let terms = donations.slot.terms, donations.book.isForOthers(.log, than: terms) {
            throw .logChanged(
                "Nothing was released: the health authority has changed what you agreed to. Agree again first.")
        }
        let known = Set(troubles.compactMap { DeviceTrouble(rawValue: $0.finding.rawValue) })
        let details = ["lines": "\(known.count)", "presence": caller.presence]
        guard known.count == troubles.count,
            try donations.release(
                known, at: time, { try $0.audit(auditWriter.entry(.errorLogReleased, caller, at: now, details)) })
        else {
            throw .logChanged(
                "Nothing was released: the log is empty, not the one that was shown, or another one is still to be sent. Look at it again."
            )
        }
    }

    /// Notes the troubles of now, if the wearer has agreed to error logs as the document has them. What the supervisor knows (plugins, partitions) is not among them: the core looks at itself.
    func noteTroubles(at now: BootInstant, _ time: Int64) throws(Refusal) {
        guard donations.book[.log] != nil else { return }
        // A consent that does not count is none.
        if let terms = donations.slot.terms, donations.book.isForOthers(.log, than: terms) { return }
        guard donations.mayLook(at: time) else { return }
        // Without the status a radio that is silent because it shall be is no trouble.
        let state = state(at: now)
        let status = Exposure1.Status(
            enabled: beacon.isEnabled, state: state, sentence: "", role: role,
            timeState: Exposure1.TimeState(rawValue: beacon.present(at: now).state.name) ?? .untrusted, matchCount: nil,
            matchedFileCount: 0, lastMatched: nil, matching: false, limit: .init(perDay: nil, used: 0, nextPermitted: nil))
        let isIntact = try reading { try ledger.verifyAudit().isIntact }
        let found = SelfCheck.run(
            CheckInputs(status: status, radio: radio(at: now), storage: storage(), auditIsIntact: isIntact, now: time))
        try donations.note(Set(found.compactMap { DeviceTrouble(rawValue: $0.finding.rawValue) }), at: time)
    }
}

extension Donation1.Trouble {
    /// The trouble of the interface for one of the book; `nil` if the self-check knows none by its word.
    init?(_ trouble: DeviceTrouble) {
        guard let finding = Finding(rawValue: trouble.rawValue) else { return nil }
        self.init(finding)
    }
}
