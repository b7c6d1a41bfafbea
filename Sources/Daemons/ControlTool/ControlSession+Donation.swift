// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Interfaces
import JSON

/// Data donation, as the wearer decides about it (docs/donation.md).
extension ControlSession {
    /// Shows whether the health authority asks for donations, what the wearer agreed to, when the next donation is sent, and what was sent.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func showDonation() throws(ControlFailure) {
        try show(link.ask(Donation1.Method.getDonation), as: Donation1.DonationReply.self) {
            DonationViews.state($0, screen, now: now())
        }
    }

    /// Shows what a donation of now would have in it, field by field. Nothing is sent.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func previewDonation() throws(ControlFailure) {
        let hasConsent = try link.ask(Donation1.Method.getDonation).read(Donation1.DonationReply.self).consent != nil
        try show(link.ask(Donation1.Method.getPreview), as: Donation1.PreviewReply.self) {
            DonationViews.preview($0, isExample: !hasConsent, screen)
        }
    }

    /// Shows the whole consent text, asks, and agrees to donations with the text's version.
    /// - Parameter isAgreed: Whether the person has agreed already (`--yes`) and is not asked again; the text is shown all the same, but not with JSON.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown; `refused` if the health authority asks for nothing.
    public func agreeToDonation(isAgreed: Bool) throws(ControlFailure) {
        let state = try link.ask(Donation1.Method.getDonation).read(Donation1.DonationReply.self)
        if let consent = state.consent, state.stopped != .otherServers {
            return try say("You have agreed already, at \(Words.moment(consent.since)). Nothing was changed.")
        }
        guard state.isOffered, let issuer = state.issuer, let server = state.server else {
            throw ControlFailure(
                .refused,
                "The health authority does not ask for donations: this device has no signed document about them, which names the servers. There is nothing to agree to."
            )
        }
        let text = DonationConsentText.text(issuer: issuer, server: server, state.responsible, screen)
        if isAgreed, !isJSON { try show(text) }
        try person.agree(to: text, isAgreed: isAgreed)
        try requireSame(state)
        let call = Donation1.SetConsentCall(isAgreed: true, text: Donation1.consentTextVersion)
        try say(
            "Agreed. In the next 24 hours no donation is sent. `vigil ctl donation withdraw` takes it back at any time.",
            link.ask(Donation1.Method.setConsent, call))
    }

    /// That the document still names whom the person has read of: reading takes minutes.
    func requireSame(_ read: Donation1.DonationReply) throws(ControlFailure) {
        let now = try link.ask(Donation1.Method.getDonation).read(Donation1.DonationReply.self)
        guard now.issuer == read.issuer, now.server == read.server, now.responsible == read.responsible,
            now.log?.responsible == read.log?.responsible
        else {
            throw Self.textChanged
        }
    }

    static var textChanged: ControlFailure {
        ControlFailure(
            .refused, "Nothing was agreed to: the health authority has changed the text meanwhile. Read it again.")
    }

    /// Takes the consent back, without asking: that is to be as easy as agreeing. Has no effect without a consent.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func withdrawDonation() throws(ControlFailure) {
        let reply = try link.ask(Donation1.Method.setConsent, Donation1.SetConsentCall(isAgreed: false))
        try say(
            "There is no consent to donations now. No more donations are sent. Tickets for donations, what was about to be sent and the list of what was sent are erased; what was sent stays with the donation server until it is deleted there.",
            reply)
    }

    /// Shows the device's name and the public half of its key, both in Base64, on one line: for the operator of the issuer. Both are made if there are none.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func showDonor() throws(ControlFailure) {
        try show(link.ask(Donation1.Method.getDonor), as: Donation1.DonorReply.self) {
            ForeignText.line($0.name, limit: 100) + " " + ForeignText.line($0.publicHalf, limit: 1_000) + "\n"
        }
    }
}
