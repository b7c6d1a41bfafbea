// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import Donation
import Enrolment
public import Interfaces
import Ledger
import Matching
import PrivacyPass
import Radio
public import TimeTrust

/// Data donation: what `org.vigil.donation1` asks for.
extension ExposureService {
    /// The most encounters of a preview.
    private static let previewed = 100

    /// Returns what holds. Throws ``Refusal`` if the device is in a place.
    public func donation(at now: BootInstant) throws(Refusal) -> Donation1.DonationReply {
        try roles.requirePerson()
        let (book, terms) = (donations.book, donations.slot.terms)
        let time = beacon.present(at: now).time?.seconds
        return Donation1.DonationReply(
            isOffered: terms != nil, issuer: terms?.issuerName, server: terms?.origin,
            lastKeyDay: terms?.lastDay?.number,
            consent: book.consent.map { .init(since: $0.since, text: $0.text) },
            begins: book.consent.map { $0.since + DonationBook.pause },
            next: time.flatMap { book.nextDonation(at: $0) }, preparedDays: time.map { book.tokenCount(at: $0) } ?? 0,
            stopped: terms.map { book.isForOthers(than: $0) } == true
                ? .otherServers : book.stopped.map { $0 == .otherKey ? .otherKey : .deviceRefused },
            history: book.history.map(Donation1.Past.init), log: monthly(.log),
            responsible: terms?.responsible().map(Donation1.Responsible.init), documentVersion: terms?.version,
            documentMark: donations.slot.fingerprint)
    }

    /// Returns what a donation of now would have in it. Throws ``Refusal`` if the device is in a place, the time is not known, or the disk cannot be read.
    public func donationPreview(at now: BootInstant) throws(Refusal) -> Donation1.PreviewReply {
        let facts = try donationFacts(at: now)
        let time = try beacon.requireTime(at: now)
        var windows = facts.windows
        // After a consent: what is still to be donated. Before, an example.
        if donations.book.consent != nil { windows = donations.book.undonated(windows, at: time) }
        let epsilon =
            donations.slot.terms.map { donations.book.epsilon(isIncreased: facts.isIncreased, $0) }
            ?? DonationTerms.largestEpsilon
        let truth = RandomisedResponse(categories: 2, epsilon: epsilon)?.keepProbability ?? 1
        return Donation1.PreviewReply(
            isIncreased: facts.isIncreased, truth: truth,
            windows: windows.sorted { $0.day < $1.day }.prefix(Self.previewed).map(Donation1.Window.init),
            count: windows.count)
    }

    /// Notes the wearer's consent to donate, given with the text of this version; 24 hours later it begins. Has no effect if there is one for the
    /// servers of the document; one for others is withdrawn by it.
    ///
    /// - Throws: ``Refusal`` if the device is in a place, the time is not known, there is no document, or the disk refuses.
    public func agreeToDonate(text: Int64, by caller: Caller, at now: BootInstant) throws(Refusal) {
        try roles.requirePerson()
        let time = try beacon.requireTime(at: now)
        try donations.agree(text: text, at: time) {
            try $0.audit(
                auditWriter.entry(
                    .consentGiven, caller, at: now,
                    ["purpose": "donation", "presence": caller.presence, "text": "\(text)"]))
        }
        announce(.consentGiven)
    }

    /// Withdraws the consent, and erases tokens, what was noted and what is under way. Has no effect without a consent.
    ///
    /// - Throws: ``Refusal`` if the device is in a place, or the disk refuses; nothing was erased then.
    public func withdrawDonation(by caller: Caller, at now: BootInstant) throws(Refusal) {
        try roles.requirePerson()
        guard donations.book.consent != nil else { return }
        try donations.withdraw {
            try $0.audit(auditWriter.entry(.consentWithdrawn, caller, at: now, ["purpose": "donation"]))
        }
        announce(.consentGiven)
    }

    /// Returns the device's name for the issuer of tokens, and the public half of its key; both are made by the first call.
    ///
    /// - Throws: ``Refusal`` if the device is in a place, or the disk refuses.
    public func donor() throws(Refusal) -> Donation1.DonorReply {
        try roles.requirePerson()
        let key = try donations.key()
        return Donation1.DonorReply(
            name: Base64.string(key.name), publicHalf: Base64.string(key.key.verificationKey.subjectPublicKeyInfo))
    }

    /// Returns a request to enter the device's key for evidence with a registration authority; without one unless the device is a person's, takes part and has
    /// a document about donations. The consent to donate makes no difference. The key is made by the first call.
    ///
    /// - Throws: ``Refusal`` if the disk refuses.
    public func donorKeyRequest() throws(Refusal) -> Donation1.EnrolmentRequestReply {
        guard roles.isPerson, beacon.isEnabled, donations.slot.terms != nil else { return .init(request: nil) }
        let key = try donations.key()
        do throws(EnrolmentError) {
            return .init(request: Base64.string(try EvidenceKeyRequest(key: key.key).encoded))
        } catch { throw .storage(error) }
    }

    /// Takes the authority's signed document about donations; document and signatures are in Base64. It is on disk before it takes effect.
    ///
    /// - Throws: ``Refusal`` if it is not Base64, not signed, not valid or older than the present one, or the disk refuses.
    public func takeDonationTerms(
        _ document: String, approvals: String, by caller: Caller, at now: BootInstant
    ) throws(Refusal) -> Donation1.TakeTermsReply {
        guard let document = Base64.bytes(document), let approvals = Base64.bytes(approvals) else {
            throw .termsRefused("notBase64", "The document or its signatures are not Base64.")
        }
        // The validity of keys is judged by what is certain; without that, as of always.
        let isNew = try donations.take(
            document, approvals, trust: trust, time: beacon.present(at: now).earliest?.seconds
        ) {
            try $0.audit(
                auditWriter.entry(.contentTaken, caller, at: now, ["content": "donation", "version": "\($1)"]))
        }
        return Donation1.TakeTermsReply(version: donations.slot.terms?.version ?? 0, changed: isNew)
    }

    // MARK: Carrying

    /// Returns what is to be done now, on the disk before it is returned, or when to ask again.
    ///
    /// - Throws: ``Refusal`` if the time is not known, or the disk refuses. In a place there is nothing to be done.
    public func donationStep(at now: BootInstant) throws(Refusal) -> Donation1.StepReply {
        let nothing = Donation1.StepReply(seconds: 86_400)
        // Without a consent there is cover to be sent.
        guard mayCarry, donations.slot.terms != nil else { return nothing }
        let time = try beacon.requireTime(at: now)
        try tidyDonations(at: now)
        try noteTroubles(at: now, time)
        let work = try donations.work(at: time) { () throws(Refusal) in try donationFacts(at: now) }
        step("donation.step")
        switch work {
        case .wait(nil): return nothing
        case .wait(let until?): return Donation1.StepReply(seconds: min(max(1, until - time), 86_400))
        case .request(let day, let terms, let body):
            return Donation1.StepReply(
                step: .init(
                    kind: .request, day: day, target: terms.issuerAddress + "/token-request", body: Base64.string(body)),
                seconds: 1)
        case .donate(let day, let target, let body, let authorization):
            return Donation1.StepReply(
                step: .init(
                    kind: .donate, day: day, target: target, body: Base64.string(body), authorization: authorization),
                seconds: 1)
        }
    }

    /// Returns evidence for the request of a day, as the value of `Authorization`. `nonce` has 32 bytes. `nil` if no token of that day is asked for.
    ///
    /// - Throws: ``Refusal`` if the time is not known, or the disk refuses.
    public func issuanceEvidence(day: Int64, nonce: [UInt8], at now: BootInstant) throws(Refusal) -> String? {
        guard mayCarry else { return nil }
        let time = try beacon.requireTime(at: now)
        return try donations.evidence(
            day: day, nonce: nonce, hardware: beacon.profile.name, version: Release.version, at: time
        ).map { EvidenceScheme.authorization($0) }
    }

    /// Takes what the issuer has said to the request of a day: a blind signature, or `nil` and why there is none. Returns whether it gave a token; `nil` if
    /// none of that day is asked for.
    ///
    /// - Throws: ``Refusal`` if the time is not known, or the disk refuses.
    public func takeToken(
        day: Int64, answer: [UInt8]?, refusal: Donation1.IssuerRefusal?, at now: BootInstant
    ) throws(Refusal) -> Bool? {
        guard mayCarry else { return nil }
        let time = try beacon.requireTime(at: now)
        // No line in the log: a technician would read that somebody donates. The wearer's page says it.
        if let answer { return try donations.takeToken(day: day, answer: answer, at: time) }
        let why: DonationBook.IssuerRefusal =
            switch refusal {
            case .notThisDay?: .notThisDay
            case .notYet?: .notYet
            case .deviceRefused?: .deviceRefused
            case .unreachable?, nil: .unreachable
            }
        return try donations.noteRefusal(why, day: day, at: time) ? false : nil
    }

    /// Notes what became of the donation of a day; `nil` if it is to be tried again. Returns whether one of that day was under way.
    ///
    /// - Throws: ``Refusal`` if the time is not known, or the disk refuses.
    public func endDonation(
        day: Int64, outcome: Donation1.EndDonationCall.Outcome?, at now: BootInstant
    ) throws(Refusal) -> Bool {
        guard mayCarry else { return false }
        let time = try beacon.requireTime(at: now)
        return try donations.note(outcome.map { $0 == .taken ? .taken : .refused }, day: day, at: time)
    }

    /// Whether what is kept is that of this life of the device.
    private var mayCarry: Bool { roles.isPerson && !roleHasChanged && !wasReset }

    /// Forgets what is certainly too old.
    func tidyDonations(at now: BootInstant) throws(Refusal) {
        guard let day = beacon.forgettableDay(at: now), mayCarry else { return }
        try donations.tidy(before: Int64(day) + Int64(MatchingRules.keyRetentionDays))
    }

    /// What there is to donate at `now`.
    private func donationFacts(at now: BootInstant) throws(Refusal) -> DonationFacts {
        DonationFacts(
            isIncreased: try warnings.risk(at: now).state == .increased,
            windows: try windows(at: now).map(DonatedWindow.init))
    }
}

extension Donation1.Responsible {
    init(_ responsible: DonationTerms.Responsible) {
        self.init(
            issuer: responsible.issuer, server: responsible.server, recipients: responsible.recipients,
            keptDays: responsible.keptDays)
    }
}

extension Donation1.Past {
    init(_ past: DonationBook.Past) {
        self.init(
            day: past.day, outcome: past.outcome == .taken ? .taken : past.outcome == .refused ? .refused : .lapsed)
    }
}

extension DonatedWindow {
    fileprivate init(_ window: Exposure1.ExposureWindow) {
        let report: Report =
            switch window.reportType {
            case .confirmedTest: .confirmedTest
            case .confirmedClinicalDiagnosis: .clinicalDiagnosis
            case .selfReport: .selfReport
            }
        let confidence =
            switch window.calibrationConfidence {
            case .lowest: 0
            case .low: 1
            case .medium: 2
            case .high: 3
            }
        self.init(
            day: Int64(window.day), report: report, isHighlyInfectious: window.infectiousness == .high,
            confidence: confidence,
            scans: window.scanInstances.map {
                Scan(typical: $0.typicalAttenuation, least: $0.minAttenuation, seconds: $0.secondsSinceLastScan)
            })
    }
}

extension Donation1.Window {
    fileprivate init(_ window: DonatedWindow) {
        let report: Exposure1.ReportType =
            switch window.report {
            case .confirmedTest: .confirmedTest
            case .clinicalDiagnosis: .confirmedClinicalDiagnosis
            case .selfReport: .selfReport
            }
        self.init(
            day: window.day, reportType: report, infectiousness: window.isHighlyInfectious ? .high : .standard,
            confidence: Int(window.confidence),
            scans: window.scans.map { .init(typical: $0.typical, least: $0.least, minutes: $0.minutes) })
    }
}
