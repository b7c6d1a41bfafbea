// SPDX-License-Identifier: Apache-2.0

import Interfaces
import SelfCheck

/// Error logs, as the wearer decides about them (docs/donation.md).
extension ControlSession {
    /// Shows what holds about error logs, and the log that would be sent, line by line. Nothing is sent.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, or the answer cannot be shown.
    public func showErrorLog() throws(ControlFailure) {
        let state = try link.ask(Donation1.Method.getDonation).read(Donation1.DonationReply.self)
        try show(link.ask(Donation1.Method.getErrorLog), as: Donation1.ErrorLogReply.self) {
            DonationViews.errorLog($0, state.log, screen, now: now())
        }
    }

    /// Shows the whole consent text about error logs, asks, and agrees to it.
    /// - Parameter isAgreed: Whether the person has agreed already (`--yes`) and is not asked again; the text is shown all the same, but not with JSON.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the person declines, or the answer cannot be shown;
    ///   `refused` if the health authority asks for nothing.
    public func agreeToErrorLogs(isAgreed: Bool) throws(ControlFailure) {
        let state = try link.ask(Donation1.Method.getDonation).read(Donation1.DonationReply.self)
        if let held = state.log, let consent = held.consent, held.stopped != .otherServers {
            return try say("You have agreed already, at \(Words.moment(consent.since)). Nothing was changed.")
        }
        guard state.log?.isOffered == true, let issuer = state.issuer, let server = state.server else {
            throw ControlFailure(
                .refused, "The health authority does not ask for error logs. There is nothing to agree to.")
        }
        let text = DonationConsentText.logText(issuer: issuer, server: server, state.log?.responsible, screen)
        if isAgreed, !isJSON { try show(text) }
        try person.agree(to: text, isAgreed: isAgreed)
        try requireSame(state)
        let call = Donation1.SetConsentCall(isAgreed: true, text: Donation1.logTextVersion, purpose: .log)
        try say(
            "Agreed. In the next 24 hours nothing is noted. No log is sent before you say so (`vigil ctl donation send-log`). `vigil ctl donation withdraw-log` takes it back at any time.",
            link.ask(Donation1.Method.setConsent, call))
    }

    /// Takes the consent to error logs back, without asking. Has no effect without one, and none on donations.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, or the answer cannot be shown.
    public func withdrawErrorLogs() throws(ControlFailure) {
        let call = Donation1.SetConsentCall(isAgreed: false, purpose: .log)
        try say(
            "There is no consent to error logs now. What was noted, the ticket, what was about to be sent and the list of what was sent are erased; what was sent stays with the donation server until it is deleted there.",
            link.ask(Donation1.Method.setConsent, call))
    }

    /// Shows the log line by line, asks, and lets go exactly these lines.
    /// - Parameter isAgreed: Whether the person has read the lines already (`--yes`); they are shown all the same, but not with JSON.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the person declines, or the answer cannot be shown;
    ///   `refused` if there is nothing to send, or the log is another one by now.
    public func sendErrorLog(isAgreed: Bool) throws(ControlFailure) {
        let log = try link.ask(Donation1.Method.getErrorLog).read(Donation1.ErrorLogReply.self)
        guard log.released.isEmpty else {
            throw ControlFailure(
                .refused, "A log that you have told the device to send has not left yet. Nothing was changed.")
        }
        guard !log.lines.isEmpty else {
            throw ControlFailure(.refused, "The device has noted no fault. There is nothing to send.")
        }
        let text =
            screen.paragraph("These lines are sent, without the days, and nothing else:")
            + DonationViews.lines(log.lines, screen)
        if isAgreed, !isJSON { try show(text) }
        try person.agree(to: text, isAgreed: isAgreed)
        try say(
            "The device will send this log, on a day to come, once there is a ticket.",
            link.ask(
                Donation1.Method.releaseErrorLog, Donation1.ReleaseErrorLogCall(troubles: log.lines.map(\.trouble))))
    }
}
