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
    static let personal =
        [bookSetting, bodySetting, "donation.asked", DonorKey.setting] + MonthlyPurpose.allCases.map(monthSetting)

    /// The last day that a token was asked for, beside the book: a damaged one must not make this device ask for a key again.
    private static let askedSetting = personal[2]
    private static func monthSetting(_ purpose: MonthlyPurpose) -> String { "donation.asked." + purpose.rawValue }

    private let ledger: Ledger
    private(set) var slot: TermsSlot
    private(set) var book: DonationBook
    private var random = SystemRandomNumberGenerator()
    /// Whether nothing was done since the start.
    private var isFresh = true
    /// Whether the book could not be read: then nothing is done, and nothing is overwritten.
    private let isUnreadable: Bool
    /// The day before which nothing is left.
    private var tidiedBefore: Int64?
    /// When troubles were looked for last.
    private var lastLook: Int64?
    /// What was found damaged at the start, in sentences.
    let findings: [String]

    init(_ ledger: Ledger, trust: TrustStore) {
        self.ledger = ledger
        let (slot, finding) = TermsSlot.load(ledger, trust: trust)
        self.slot = slot
        var findings = [finding].compactMap { $0 }
        do {
            let kept = try ledger.setting(Self.bookSetting)
            let known = kept.flatMap { DonationBook(bytes: $0) }
            if kept != nil, known == nil { findings.append("what was kept of donations is damaged") }
            book = known ?? DonationBook()
            let asked = try ledger.setting(Self.askedSetting).flatMap { Int64(bytes: $0) }
            if let asked { book.remember(askedUntil: asked) }
            for purpose in MonthlyPurpose.allCases {
                let month = try ledger.setting(Self.monthSetting(purpose)).flatMap { Int64(bytes: $0) }
                if let month { book.remember(askedMonth: month, purpose) }
            }
            isUnreadable = false
        } catch {
            book = DonationBook()
            isUnreadable = true
            findings.append("what was kept of donations cannot be read: \(error)")
        }
        self.findings = findings
    }

    /// Keeps `changed` and acts on it from now on; `more` writes what belongs to it. Writes nothing if it is what is there. If it `erases`, what was there before
    /// cannot be opened any more, wherever it still stands on the flash. Throws ``Refusal`` if the disk refuses: then nothing has changed.
    private func keep(
        _ changed: DonationBook, always: Bool = false, erases: Bool = false,
        _ more: (LedgerTransaction) throws -> Void = { _ in }
    ) throws(Refusal) {
        guard !isUnreadable else { throw .storage("What was kept of donations cannot be read. Start the core again.") }
        guard always || changed != book else { return }
        func write(_ transaction: LedgerTransaction) throws {
            try transaction.set(Self.bookSetting, changed.isEmpty ? nil : try changed.bytes())
            if changed.askedUntil != book.askedUntil { try transaction.set(Self.askedSetting, changed.askedUntil?.bytes) }
            for purpose in MonthlyPurpose.allCases where changed.askedMonth(purpose) != book.askedMonth(purpose) {
                try transaction.set(Self.monthSetting(purpose), changed.askedMonth(purpose)?.bytes)
            }
            if changed.frozenDay == nil { try transaction.set(Self.bodySetting, nil) }
            try more(transaction)
        }
        if erases { try ledger.erased(write) } else { try ledger.record(write) }
        book = changed
    }

    /// Forgets what is of before `certain`, the day that has certainly come (days since 1970). Does nothing a second time for a day, also if the disk has refused: a full one would be
    /// asked with every scan.
    func tidy(before certain: Int64) throws(Refusal) {
        guard certain > tidiedBefore ?? 0, !isUnreadable else { return }
        tidiedBefore = certain
        var changed = book
        if changed.forget(before: certain) { try keep(changed) }
    }

    /// For another life of the device, whose ledger has none of it.
    func forgetAll() { book = DonationBook() }

    // MARK: Consent

    func agree(text: Int64, at now: Int64, _ more: (LedgerTransaction) throws -> Void) throws(Refusal) {
        guard let terms = slot.terms else {
            throw .termsRefused(
                "none", "The health authority does not ask for donations, so there are no servers to agree to.")
        }
        var changed = book
        changed.agree(text: text, terms, at: now)
        guard changed != book else { return }
        // A consent for other servers ends with it.
        try keep(changed, always: true, erases: book.consent != nil, more)
    }

    func withdraw(_ more: (LedgerTransaction) throws -> Void) throws(Refusal) {
        var changed = book
        changed.withdraw()
        try keep(changed, always: true, erases: true, more)
    }

    static let notAsked = Refusal.termsRefused(
        "none", "The health authority does not ask for this, so there is nothing to agree to.")

    /// Agrees to a monthly purpose, which the document has to ask for.
    func agree(
        _ purpose: MonthlyPurpose, text: Int64, at now: Int64, _ more: (LedgerTransaction) throws -> Void
    ) throws(Refusal) {
        guard let terms = slot.terms, !terms.keys(for: purpose).isEmpty else {
            throw Self.notAsked
        }
        var changed = book
        changed.agree(purpose, text: text, terms, at: now)
        guard changed != book else { return }
        try keep(changed, always: true, erases: book[purpose] != nil, more)
    }

    func withdraw(_ purpose: MonthlyPurpose, _ more: (LedgerTransaction) throws -> Void) throws(Refusal) {
        var changed = book
        changed.withdraw(purpose)
        try keep(changed, always: true, erases: true, more)
    }

    // MARK: Error logs

    /// Whether it is time to look for troubles: at most every ten minutes, because the whole audit log is read for it.
    func mayLook(at now: Int64) -> Bool {
        if let lastLook, (lastLook..<lastLook + 600).contains(now) { return false }
        lastLook = now
        return true
    }

    /// Notes the troubles of now, if the wearer has agreed to that.
    func note(_ troubles: Set<DeviceTrouble>, at now: Int64) throws(Refusal) {
        var changed = book
        if changed.note(troubles, at: now) { try keep(changed) }
    }

    /// Lets the log with exactly these troubles go, with what `more` writes in the same transaction. Returns whether that is so; nothing was written otherwise.
    func release(
        _ troubles: Set<DeviceTrouble>, at now: Int64, _ more: (LedgerTransaction) throws -> Void
    ) throws(Refusal) -> Bool {
        var changed = book
        guard changed.release(troubles, at: now) else { return false }
        try keep(changed, more)
        return true
    }

    /// Whether a document is new; it is on the disk then.
    func take(
        _ document: [UInt8], _ signatures: [UInt8], trust: TrustStore, time: Int64?,
        _ more: (LedgerTransaction, _ version: Int64) throws -> Void
    ) throws(Refusal) -> Bool {
        var changed = slot
        guard try changed.offer(document: document, signatures: signatures, trust: trust, time: time) else { return false }
        try ledger.record {
            try changed.store($0)
            try more($0, changed.terms?.version ?? 0)
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
        case request(day: Int64, DonationTerms, body: [UInt8])
        /// Also what a monthly purpose sends in the place of a donation.
        case donate(day: Int64, target: String, body: [UInt8], authorization: String)
    }

    /// What is to be done now, on the disk before it is returned. `facts` is asked for once a donation is composed.
    func work(at now: Int64, facts: () throws(Refusal) -> DonationFacts) throws(Refusal) -> Work {
        // Composing is followed by sending; each step writes once at most.
        for _ in 0..<3 {
            var changed = book
            if isFresh { changed.wake(at: now, using: &random) }
            isFresh = false
            let step: DonationBook.Step
            do { step = try changed.step(slot.terms, at: now, using: &random) } catch { throw .storage(error) }
            try keep(changed)
            guard let terms = slot.terms else { return .wait(until: nil) }
            switch step {
            case .wait(let until): return .wait(until: until)
            case .request(let day, let request): return .request(day: day, terms, body: request.encoded)
            case .coverRequest(let day, let request): return .request(day: day, terms, body: request)
            case .sendCover(let day):
                return .donate(
                    day: day, target: Self.target(terms), body: DonationCover.body,
                    authorization: DonationCover.authorization(using: &random))
            case .compose(let day):
                guard let content = changed.freeze(day, try facts(), terms, at: now, using: &random)
                else { return .wait(until: nil) }
                try keep(changed, always: true) { try $0.set(Self.bodySetting, content) }
            case .send(let day, let token):
                guard let content = try reading({ try ledger.setting(Self.bodySetting) }),
                    let body = DonationPadding.padded(content)
                else {
                    // Without what was frozen there is nothing to send: another content with this token would be a second donation.
                    changed.note(.lapsed, day: day, at: now, using: &random)
                    try keep(changed)
                    continue
                }
                return .donate(
                    day: day, target: Self.target(terms), body: body,
                    authorization: PrivateTokenScheme.authorization(token))
            case .sendErrand(let purpose, let day, let token, let content):
                guard let body = DonationPadding.padded(content) else { return .wait(until: nil) }
                return .donate(
                    day: day, target: terms.serverAddress + purpose.path, body: body,
                    authorization: PrivateTokenScheme.authorization(token))
            }
        }
        return .wait(until: now + 60)
    }

    private static func target(_ terms: DonationTerms) -> String { terms.serverAddress + "/version/v1/device/dat" }

    /// Evidence for the request that was handed out, bound to the issuer's nonce; `nil` if none of that day was. For cover it is as long, and names nobody.
    func evidence(
        day: Int64, nonce: [UInt8], hardware: String, version: String, at now: Int64
    ) throws(Refusal) -> [UInt8]? {
        do {
            guard let terms = slot.terms, let handedOut = try book.handedOut(day, terms) else { return nil }
            let key: DonorKey
            let request: [UInt8]
            switch handedOut {
            case .request(let known): (key, request) = (try self.key(), known.encoded)
            case .cover: (key, request) = (try DonorKey(using: &random), DonationCover.provenRequest)
            }
            let evidence = DeviceEvidence(
                issuedAt: now,
                nonce: DeviceEvidence.nonce(issuerNonce: nonce, requestDigest: SHA256.digest(of: request)),
                ueid: key.name, hardwareModel: Array(hardware.utf8), softwareVersion: version,
                // Nobody here can look; the issuer takes both for what the software says.
                bootWasVerified: false, debugStatus: .disabled, tier: .software)
            return try evidence.token(signedBy: key.key)
        } catch let refusal as Refusal { throw refusal } catch { throw .storage(error) }
    }

    /// Takes the issuer's answer to the request that was handed out. Returns whether it gave a token; `nil` if none of that day was.
    func takeToken(day: Int64, answer: [UInt8], at now: Int64) throws(Refusal) -> Bool? {
        do {
            guard let terms = slot.terms, try book.handedOut(day, terms) != nil else { return nil }
            var changed = book
            let isToken = try changed.take(answer, day: day, terms, at: now, using: &random)
            try keep(changed)
            return isToken
        } catch let refusal as Refusal { throw refusal } catch { throw .storage(error) }
    }

    /// Notes that the issuer gave no token for the request that was handed out. Returns whether there was one of that day.
    func noteRefusal(_ refusal: DonationBook.IssuerRefusal, day: Int64, at now: Int64) throws(Refusal) -> Bool {
        guard let terms = slot.terms else { return false }
        var changed = book
        guard changed.noteRefusal(refusal, day: day, terms, at: now, using: &random) else { return false }
        try keep(changed)
        return true
    }

    /// Notes what became of the donation of a day; `nil` if it has to be tried again. Returns whether one of that day was under way.
    func note(_ outcome: DonationBook.Outcome?, day: Int64, at now: Int64) throws(Refusal) -> Bool {
        var changed = book
        guard changed.note(outcome, day: day, at: now, using: &random) else { return false }
        try keep(changed)
        return true
    }
}
