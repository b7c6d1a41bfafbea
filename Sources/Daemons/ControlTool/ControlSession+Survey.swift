// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Interfaces

/// Surveys, as the wearer decides about them (docs/donation.md).
extension ControlSession {
    /// Shows the survey to which the wearer is invited, how far it is, and the password once there is one, which is secret.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, or the answer cannot be shown.
    public func showSurvey() throws(ControlFailure) {
        try show(link.ask(Donation1.Method.getSurvey), as: Donation1.SurveyReply.self) {
            SurveyViews.survey($0, screen, now: now())
        }
    }

    /// Shows the survey and the whole consent text about it, asks, and agrees to it.
    /// - Parameter isAgreed: Whether the person has agreed already (`--yes`) and is not asked again; the text is shown all the same, but not with JSON.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the person declines, or the answer cannot be shown;
    ///   `refused` if the wearer is not invited.
    public func agreeToSurvey(isAgreed: Bool) throws(ControlFailure) {
        let state = try link.ask(Donation1.Method.getDonation).read(Donation1.DonationReply.self)
        let reply = try link.ask(Donation1.Method.getSurvey).read(Donation1.SurveyReply.self)
        if let held = reply.held, let consent = held.consent, held.stopped != .otherServers {
            return try say("You have agreed already, at \(Words.moment(consent.since)). Nothing was changed.")
        }
        guard reply.held?.isOffered == true, let survey = reply.survey, let issuer = state.issuer, let server = state.server
        else { throw ControlFailure(.refused, "You are not invited to a survey. There is nothing to agree to.") }
        let text =
            SurveyViews.facts(survey, reply.held, screen) + "\n"
            + DonationConsentText.surveyText(
                issuer: issuer, server: server, reply.held?.responsible, survey.invited, screen)
        if isAgreed, !isJSON { try show(text) }
        try person.agree(to: text, isAgreed: isAgreed)
        try requireSame(state)
        let now = try link.ask(Donation1.Method.getSurvey).read(Donation1.SurveyReply.self)
        guard now.survey == survey, now.held?.responsible == reply.held?.responsible else { throw Self.textChanged }
        let call = Donation1.SetConsentCall(isAgreed: true, text: Donation1.surveyTextVersion, purpose: .survey)
        try say(
            "Agreed. In the next 24 hours nothing is asked for; the password can take four weeks (`vigil ctl donation survey`). `vigil ctl donation withdraw-survey` takes it back at any time.",
            link.ask(Donation1.Method.setConsent, call))
    }

    /// Takes the consent to a survey back, without asking. Has no effect without one, and none on other purposes.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, or the answer cannot be shown.
    public func withdrawSurvey() throws(ControlFailure) {
        let call = Donation1.SetConsentCall(isAgreed: false, purpose: .survey)
        try say(
            "There is no consent to a survey now. The password, the ticket and what was about to be sent are erased. The check value that was sent stays with the donation server until it is deleted there, and answers with whoever runs the survey.",
            link.ask(Donation1.Method.setConsent, call))
    }
}
