// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DeviceEvidence
import Donation
import Ledger
import PrivacyPass
import Trust

/// Data donation on this device (docs/donation.md): the wearer's consent, tokens and what is under way, kept in the ledger before they are acted on. Whose
/// device it is, and who asks, the owner decides. Used on the core's thread. Times are in Unix seconds.
final class DonationDesk {
    static let bookSetting = "donation"
    /// What is frozen, without padding.
    static let bodySetting = "donation.body"
    /// The settings that belong to the wearer: a change of role takes them.
    static let personal = [bookSetting, bodySetting, DonorKey.setting]

    private let ledger: Ledger
    private(set) var slot: TermsSlot
    private(set) var book: DonationBook
    private var random = SystemRandomNumberGenerator()
    /// What was found damaged at the start, in sentences.
    let findings: [String]

    init(_ ledger: Ledger, trust: TrustStore) {
        self.ledger = ledger
        let (slot, finding) = TermsSlot.load(ledger, trust: trust)
        self.slot = slot
        var findings = [finding].compactMap { $0 }
        let kept = (try? ledger.setting(Self.bookSetting)) ?? nil
        book = kept.flatMap { DonationBook(bytes: $0) } ?? DonationBook()
        if kept != nil, book == DonationBook() {
            findings.append("what was kept of donations is damaged: the wearer has to agree again")
        }
        self.findings = findings
    }

    /// Keeps `changed` and acts on it from now on; `more` writes what belongs to it. Throws ``Refusal`` if the disk refuses: then nothing has changed.
    private func keep(
        _ changed: DonationBook, _ more: (LedgerTransaction) throws -> Void = { _ in }
    ) throws(Refusal) {
        try ledger.record {
            try $0.set(Self.bookSetting, try changed.bytes())
            if changed.frozenDay == nil { try $0.set(Self.bodySetting, nil) }
            try more($0)
        }
        book = changed
    }

    // MARK: Consent

    func agree(text: Int64, at now: Int64, _ more: (LedgerTransaction) throws -> Void) throws(Refusal) {
        var changed = book
        changed.agree(text: text, at: now, using: &random)
        try keep(changed, more)
    }

    func withdraw(_ more: (LedgerTransaction) throws -> Void) throws(Refusal) {
        var changed = book
        changed.withdraw()
        try keep(changed, more)
    }

    /// Whether a document is new; it is on the disk then.
    func take(
        _ document: [UInt8], _ signatures: [UInt8], trust: TrustStore, time: Int64?,
        _ more: (LedgerTransaction) throws -> Void
    ) throws(Refusal) -> Bool {
        var changed = slot
        guard try changed.offer(document: document, signatures: signatures, trust: trust, time: time) else { return false }
        try ledger.record {
            try changed.store($0)
            try more($0)
        }
        slot = changed
        return true
    }

    /// The device's name and key, made if there is none yet.
    func key() throws(Refusal) -> DonorKey {
        if let kept = try reading({ try ledger.setting(DonorKey.setting) }), let key = DonorKey(bytes: kept) { return key }
        do {
            let key = try DonorKey(using: &random)
            try ledger.record { try $0.set(DonorKey.setting, key.bytes) }
            return key
        } catch let refusal as Refusal { throw refusal } catch { throw .storage(error) }
    }

    // MARK: Carrying

    /// One thing to be done.
    enum Work {
        case wait(until: Int64?)
        case request(day: Int64, DonationTerms, TokenRequest)
        case donate(day: Int64, DonationTerms, body: [UInt8], Token)
    }

    /// What is to be done now, on the disk before it is returned. `facts` is asked for once a donation is composed.
    func work(at now: Int64, facts: () throws(Refusal) -> DonationFacts) throws(Refusal) -> Work {
        // Composing is followed by sending; each step writes once at most.
        for _ in 0..<3 {
            var changed = book
            let step: DonationBook.Step
            do { step = try changed.step(slot.terms, at: now, using: &random) } catch { throw .storage(error) }
            if changed != book { try keep(changed) }
            switch step {
            case .wait(let until): return .wait(until: until)
            case .request(let day, let request):
                guard let terms = slot.terms else { return .wait(until: nil) }
                return .request(day: day, terms, request)
            case .compose(let day):
                guard let terms = slot.terms,
                    let content = changed.freeze(
                        day, try facts(), terms, configuration: slot.tag, at: now, using: &random)
                else { return .wait(until: nil) }
                try keep(changed) { try $0.set(Self.bodySetting, content) }
            case .send(let day, let token):
                guard let terms = slot.terms, let content = try reading({ try ledger.setting(Self.bodySetting) }),
                    let body = DonationPadding.padded(content)
                else {
                    // Without what was frozen there is nothing to send: another content with this token would be a second donation.
                    changed.note(.lapsed, day: day, at: now, using: &random)
                    try keep(changed)
                    continue
                }
                return .donate(day: day, terms, body: body, token)
            }
        }
        return .wait(until: now + 60)
    }

    /// Evidence for the request of a day, bound to the issuer's nonce; `nil` if no token of that day is asked for.
    func evidence(
        day: Int64, nonce: [UInt8], hardware: String, version: String, at now: Int64
    ) throws(Refusal) -> [UInt8]? {
        do {
            guard let terms = slot.terms, book.consent != nil, let pending = try book.pending(day, terms) else {
                return nil
            }
            let key = try key()
            let evidence = DeviceEvidence(
                issuedAt: now,
                nonce: DeviceEvidence.nonce(
                    issuerNonce: nonce, requestDigest: SHA256.digest(of: pending.request.encoded)),
                ueid: key.name, hardwareModel: Array(hardware.utf8), softwareVersion: version,
                bootWasVerified: false, debugStatus: .disabled, tier: .software)
            return try evidence.token(signedBy: key.key)
        } catch let refusal as Refusal { throw refusal } catch { throw .storage(error) }
    }

    /// Takes the issuer's answer to the request of a day. Returns whether it gave a token; `nil` if none of that day is asked for.
    func takeToken(day: Int64, answer: [UInt8]) throws(Refusal) -> Bool? {
        do {
            guard let terms = slot.terms, try book.pending(day, terms) != nil else { return nil }
            var changed = book
            let isToken = try changed.take(answer, day: day, terms)
            try keep(changed)
            return isToken
        } catch let refusal as Refusal { throw refusal } catch { throw .storage(error) }
    }

    func noteRefusal(_ refusal: DonationBook.IssuerRefusal, day: Int64, at now: Int64) throws(Refusal) {
        guard let terms = slot.terms else { return }
        var changed = book
        changed.noteRefusal(refusal, day: day, terms, at: now, using: &random)
        try keep(changed)
    }

    /// Notes what became of the donation of a day; `nil` if it has to be tried again. Returns whether one of that day was under way.
    func note(_ outcome: DonationBook.Outcome?, day: Int64, at now: Int64) throws(Refusal) -> Bool {
        guard book.frozenDay == day else { return false }
        var changed = book
        changed.note(outcome, day: day, at: now, using: &random)
        try keep(changed)
        return true
    }
}
