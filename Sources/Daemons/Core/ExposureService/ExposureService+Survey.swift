// SPDX-License-Identifier: Apache-2.0

import Donation
public import Interfaces
public import TimeTrust

/// Surveys, to which the signed document invites some wearers (docs/donation.md).
extension ExposureService {
    /// Returns the survey to which the wearer is invited, and the password once it is good; nothing for who is not invited and has agreed to none. It has a secret, which nothing else of the
    /// core gives away.
    ///
    /// - Throws: ``Refusal`` if the device is in a place, or the disk cannot be read.
    public func survey(at now: BootInstant) throws(Refusal) -> Donation1.SurveyReply {
        try roles.requirePerson()
        let (book, terms) = (donations.book, donations.slot.terms)
        guard let held = monthly(.survey, isInvited: try isInvited(at: now)) else { return Donation1.SurveyReply() }
        var reply = Donation1.SurveyReply(held: held, survey: terms?.survey.map(Donation1.Survey.init))
        switch book.surveyState(at: beacon.present(at: now).time?.seconds) {
        case nil: break
        case .waits?: reply.state = .waits
        case .sent?: reply.state = .sent
        case .refused?: reply.state = .refused
        case .expired?: reply.state = .expired
        case .accepted(let password, let lastDay)?:
            (reply.state, reply.lastDay) = (.accepted, lastDay)
            // For another survey it opens nothing.
            guard held.stopped != .otherServers, let survey = terms?.survey else { break }
            (reply.password, reply.passwordLink) = (password.text, survey.address(with: password))
        }
        return reply
    }

    /// Whether the document has a survey that invites this wearer now.
    private func isInvited(at now: BootInstant) throws(Refusal) -> Bool {
        guard let survey = donations.slot.terms?.survey else { return false }
        return survey.invites(isIncreased: try warnings.risk(at: now).state == .increased)
    }

    /// Throws the ``Refusal`` of a document without surveys unless the wearer is invited.
    func requireInvitation(at now: BootInstant) throws(Refusal) {
        guard try isInvited(at: now) else { throw DonationDesk.notAsked }
    }
}

extension Donation1.Survey {
    init(_ survey: DonationTerms.Survey) {
        let invited: Invited =
            switch survey.invited {
            case .everybody: .everybody
            case .increasedRisk: .increasedRisk
            }
        self.init(link: survey.link, about: survey.about, invited: invited)
    }
}
