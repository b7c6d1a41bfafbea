// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Donation
import Interfaces
import PrivacyPass
import VarlinkSocket

/// `org.vigil.donation1`.
extension CoreInterfaces {
    func donation(_ method: Donation1.Method, _ call: IncomingCall, _ caller: Caller) throws {
        let now = clock()
        switch method {
        case .getDonation: call.reply(try service.donation(at: now))
        case .getPreview: call.reply(try service.donationPreview(at: now))
        case .setConsent:
            let wish = try call.decode(Donation1.SetConsentCall.self)
            let purpose: MonthlyPurpose? =
                switch wish.purpose {
                case .donation?, nil: nil
                case .log?: .log
                case .survey?: .survey
                }
            if wish.isAgreed {
                guard let text = wish.text, text >= 1 else { throw Self.invalid("text") }
                if let purpose {
                    try service.agree(to: purpose, text: text, by: caller, at: now)
                } else {
                    try service.agreeToDonate(text: text, by: caller, at: now)
                }
            } else if let purpose {
                try service.withdraw(purpose, by: caller, at: now)
            } else {
                try service.withdrawDonation(by: caller, at: now)
            }
            call.reply(Nothing())
        case .getErrorLog: call.reply(try service.errorLog())
        case .releaseErrorLog:
            let release = try call.decode(Donation1.ReleaseErrorLogCall.self)
            guard release.troubles.count <= Donation1.Trouble.allCases.count else { throw Self.invalid("troubles") }
            try service.releaseErrorLog(release.troubles, by: caller, at: now)
            call.reply(Nothing())
        case .getSurvey: call.reply(try service.survey(at: now))
        case .getDonor: call.reply(try service.donor())
        case .getEnrolmentRequest: call.reply(try service.donorKeyRequest())
        case .takeTerms:
            let offer = try call.decode(Donation1.TakeTermsCall.self)
            call.reply(
                try service.takeDonationTerms(offer.document, approvals: offer.approvals, by: caller, at: now))
        case .getStep: call.reply(try service.donationStep(at: now))
        case .signEvidence:
            let wish = try call.decode(Donation1.SignEvidenceCall.self)
            guard let nonce = Base64.bytes(wish.challenge), nonce.count == EvidenceScheme.nonceByteCount else {
                throw Self.invalid("challenge")
            }
            guard let field = try service.issuanceEvidence(day: wish.day, nonce: nonce, at: now) else {
                throw Self.noSuchStep
            }
            call.reply(Donation1.EvidenceReply(authorization: field))
        case .takeToken:
            let said = try call.decode(Donation1.TakeTokenCall.self)
            // Whatever the issuer sent is judged by its key, not by its form.
            let answer = said.answer.map { Base64.bytes($0) ?? [] }
            guard
                let isToken = try service.takeToken(day: said.day, answer: answer, refusal: said.refusal, at: now)
            else { throw Self.noSuchStep }
            call.reply(Donation1.TakeTokenReply(isToken: isToken))
        case .endDonation:
            let end = try call.decode(Donation1.EndDonationCall.self)
            guard try service.endDonation(day: end.day, outcome: end.outcome, at: now) else { throw Self.noSuchStep }
            call.reply(Nothing())
        }
    }

    private static let noSuchStep = CallFailure("\(Donation1.name).NoSuchStep")
}
