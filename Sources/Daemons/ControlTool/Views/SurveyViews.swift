// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Interfaces

/// A survey, how far it is, and its password.
enum SurveyViews {
    static func survey(_ reply: Donation1.SurveyReply, _ screen: Screen, now: Int64) -> String {
        guard let held = reply.held else {
            return screen.paragraph("You are not invited to a survey now. Nothing is sent for one.")
        }
        var text = ""
        if !held.isOffered { text += screen.paragraph("This survey is over, or you are not invited any more.") }
        let isStopped = held.stopped == .otherServers
        if let stopped = held.stopped {
            text += screen.paragraph(isStopped ? changed : DonationViews.sentence(stopped), .attention)
        }
        var pairs: [(String, String)] = []
        if let consent = held.consent {
            pairs.append(("Consent", "since \(Words.moment(consent.since)), to text \(consent.text)"))
            if let begins = held.begins, begins > now {
                pairs.append(("Begins", "\(Words.moment(begins)), \(Words.age(of: begins, at: now))"))
            }
            if !isStopped { pairs.append(("Password", sentence(reply.state ?? .waits))) }
        } else {
            pairs.append(("Consent", "none: no password is made, and nothing is sent"))
        }
        text += screen.list(pairs)
        if let survey = reply.survey { text += "\n" + facts(survey, held, screen) }
        if let password = reply.password {
            text += "\n"
            text += screen.paragraph(
                "Open the survey on another device that has a browser. Keep the password to yourself: whoever has it can answer in your place."
            )
            var way = [("Password", password), ("In one address", reply.passwordLink ?? "")]
            if let day = reply.lastDay { way.append(("Valid until", "the end of \(Words.day(Int(clamping: day))) (UTC)")) }
            text += screen.list(way)
        }
        if held.consent != nil {
            text += screen.paragraph("`vigil ctl donation withdraw-survey` takes the consent back.", .quiet)
        }
        if held.isOffered, held.consent == nil || isStopped {
            text += screen.paragraph("`vigil ctl donation agree-survey` shows the whole text before it asks.", .quiet)
        }
        return text
    }

    /// What the survey is. Names and sentences are of the health authority.
    static func facts(_ survey: Donation1.Survey, _ held: Donation1.Monthly?, _ screen: Screen) -> String {
        // The console speaks English; whoever reads another language better finds it here, too.
        let languages = survey.about.keys.sorted { ($0 == "en" ? "" : $0) < ($1 == "en" ? "" : $1) }
        let about = languages.map { ("About (\(ForeignText.line($0)))", ForeignText.line(survey.about[$0] ?? "")) }
        return screen.list(
            about + [
                ("Address", ForeignText.line(survey.link)),
                ("Run by", held?.responsible.map { ForeignText.line($0.recipients) } ?? "not known"),
                (
                    "Invited",
                    survey.invited == .everybody
                        ? "everybody who wears a device like this"
                        : "only people whose device told them of an increased risk"
                ),
            ])
    }

    private static let changed =
        "Your consent does not count at the moment: the health authority has changed the survey, the servers, who runs them, who gets the answers, or how long a password is valid. Nothing is sent for a survey, and an earlier password is not shown any more. Agree again if you are invited and want to (`vigil ctl donation agree-survey`)."

    private static func sentence(_ state: Donation1.SurveyState) -> String {
        switch state {
        case .waits: "not there yet: the device waits for a ticket, and for a day that is chosen at random"
        case .sent: "not there yet: the check value was sent, and the server has not answered"
        case .accepted: "ready, see below"
        case .refused:
            "none: the server did not accept the check value; withdraw and agree again to try it in a later month"
        case .expired: "expired and erased"
        }
    }
}
