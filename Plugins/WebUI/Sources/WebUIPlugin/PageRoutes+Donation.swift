// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Interfaces
import JSON
import Poster
import WebPages
import WebSafety

/// The wearer's consent to data donation.
extension PageRoutes {
    var donation: [Route] {
        [
            route(
                "/donate", Self.wearer, { showDonation($0, $1) },
                [
                    .agreeToDonation: { agreeToDonation($0, $1) },
                    .takeBackDonation: { incoming, _ in
                        call(incoming, Donation1.Method.setConsent, ["isAgreed": false], then: "/donate") {
                            showDonation($0, $1)
                        }
                    },
                ]),
            route(
                "/donate/log", Self.wearer, { showErrorLog($0, $1) },
                [
                    .agreeToLogs: { agreeToLogs($0, $1) },
                    .takeBackLogs: { incoming, _ in
                        call(
                            incoming, Donation1.Method.setConsent, ["isAgreed": false, "purpose": "log"],
                            then: "/donate/log"
                        ) { showErrorLog($0, $1) }
                    },
                    .releaseLog: { releaseLog($0, $1) },
                ]),
            route(
                "/donate/survey", Self.wearer, { showSurvey($0, $1) },
                [
                    .agreeToSurvey: { agreeToSurvey($0, $1) },
                    .takeBackSurvey: { incoming, _ in
                        call(
                            incoming, Donation1.Method.setConsent, ["isAgreed": false, "purpose": "survey"],
                            then: "/donate/survey"
                        ) { showSurvey($0, $1) }
                    },
                ]),
        ]
    }

    private func showDonation(
        _ incoming: IncomingRequest, _ notice: PageContext.Notice?, fault: WearerPages.DonationFault? = nil
    ) {
        let questions = [
            "donation": Self.question(Donation1.Method.getDonation), "preview": Self.question(Donation1.Method.getPreview),
            "survey": Self.question(Donation1.Method.getSurvey),
        ]
        renderer.show(incoming, questions, notice: notice, status: fault == nil && notice == nil ? 200 : 422) {
            replies, context in
            if let problem = replies.problem("donation"), problem.status == 401 { throw problem }
            let answer: WearerPages.DonationAnswer
            if let state = replies.get("donation", as: Donation1.DonationReply.self) {
                answer = .reply(state, preview: replies.get("preview"), survey: replies.get("survey"))
            } else {
                answer = Self.reason(replies.problem("donation"))
            }
            return WearerPages.donate(answer, fault: fault, context)
        }
    }

    private static func reason(_ problem: Problem?) -> WearerPages.DonationAnswer {
        guard let problem else { return .silent }
        if problem.error == "\(Donation1.name).WrongRole" { return .otherRole }
        return ["notAvailable", "notGranted"].contains(problem.code) ? .notThere : .silent
    }

    /// Agrees to the text, the servers and who is responsible for them, as the person has had them before them, and to nothing else.
    private func agreeToDonation(_ incoming: IncomingRequest, _ fields: FormFields) {
        guard fields.text("consent") == "yes" else { return showDonation(incoming, nil, fault: .noConsent) }
        ask(incoming, Donation1.Method.getDonation) { reply in
            let state = try? reply.decode(Donation1.DonationReply.self)
            guard let state, state.isOffered, let issuer = state.issuer, let server = state.server,
                fields.text("issuer") == issuer, fields.text("server") == server,
                fields.text("responsible") == state.responsible?.fingerprint ?? "",
                fields.text("text") == "\(Donation1.consentTextVersion)"
            else { return showDonation(incoming, nil, fault: .textChanged) }
            let parameters: JSON = ["isAgreed": true, "text": .int(Donation1.consentTextVersion)]
            call(incoming, Donation1.Method.setConsent, parameters, then: "/donate") { showDonation($0, $1) }
        } else: { problem in
            showDonation(incoming, PageRenderer.fault(problem))
        }
    }

    // MARK: Error logs

    private func showErrorLog(
        _ incoming: IncomingRequest, _ notice: PageContext.Notice?, fault: WearerPages.ErrorLogFault? = nil
    ) {
        let questions = [
            "donation": Self.question(Donation1.Method.getDonation), "log": Self.question(Donation1.Method.getErrorLog),
        ]
        renderer.show(incoming, questions, notice: notice, status: fault == nil && notice == nil ? 200 : 422) {
            replies, context in
            if let problem = replies.problem("donation"), problem.status == 401 { throw problem }
            let answer: WearerPages.ErrorLogAnswer
            if let state = replies.get("donation", as: Donation1.DonationReply.self) {
                answer = .reply(state, log: replies.get("log"))
            } else {
                answer = .none(Self.reason(replies.problem("donation")))
            }
            return WearerPages.errorLog(answer, fault: fault, context)
        }
    }

    /// Agrees to the text, the servers and who is responsible for them, as the person has had them before them, and to nothing else.
    private func agreeToLogs(_ incoming: IncomingRequest, _ fields: FormFields) {
        guard fields.text("consent") == "yes" else { return showErrorLog(incoming, nil, fault: .noConsent) }
        ask(incoming, Donation1.Method.getDonation) { reply in
            let state = try? reply.decode(Donation1.DonationReply.self)
            guard let state, state.log?.isOffered == true, let issuer = state.issuer, let server = state.server,
                fields.text("issuer") == issuer, fields.text("server") == server,
                fields.text("responsible") == state.log?.responsible?.fingerprint ?? "",
                fields.text("text") == "\(Donation1.logTextVersion)"
            else { return showErrorLog(incoming, nil, fault: .textChanged) }
            let parameters: JSON = [
                "isAgreed": true, "text": .int(Donation1.logTextVersion), "purpose": "log",
            ]
            call(incoming, Donation1.Method.setConsent, parameters, then: "/donate/log") { showErrorLog($0, $1) }
        } else: { problem in
            showErrorLog(incoming, PageRenderer.fault(problem))
        }
    }

    /// Lets the lines go that the person has had before them, and nothing else: the core compares.
    private func releaseLog(_ incoming: IncomingRequest, _ fields: FormFields) {
        guard fields.text("read") == "yes" else { return showErrorLog(incoming, nil, fault: .notRead) }
        let words = (fields.text("lines") ?? "").split(separator: ",").map(String.init)
        let troubles = words.compactMap { Donation1.Trouble(rawValue: $0) }
        guard !troubles.isEmpty, troubles.count == words.count, troubles.count <= Donation1.Trouble.allCases.count else {
            return showErrorLog(incoming, nil, fault: .logChanged)
        }
        let parameters: JSON = ["troubles": .array(troubles.map { .string($0.rawValue) })]
        ask(incoming, Donation1.Method.releaseErrorLog, parameters) { _ in
            incoming.exchange.send(RequestRouter.redirect("/donate/log", incoming.headers))
        } else: { problem in
            if problem.error == "\(Donation1.name).LogChanged" {
                return showErrorLog(incoming, nil, fault: .logChanged)
            }
            showErrorLog(incoming, PageRenderer.fault(problem))
        }
    }

    // MARK: Surveys

    private func showSurvey(
        _ incoming: IncomingRequest, _ notice: PageContext.Notice?, fault: WearerPages.SurveyFault? = nil
    ) {
        let questions = [
            "donation": Self.question(Donation1.Method.getDonation), "survey": Self.question(Donation1.Method.getSurvey),
        ]
        renderer.show(incoming, questions, notice: notice, status: fault == nil && notice == nil ? 200 : 422) {
            replies, context in
            for name in ["donation", "survey"] {
                if let problem = replies.problem(name), problem.status == 401 { throw problem }
            }
            let answer: WearerPages.SurveyAnswer
            if let state = replies.get("donation", as: Donation1.DonationReply.self),
                let survey = replies.get("survey", as: Donation1.SurveyReply.self)
            {
                answer = .reply(state, survey, drawing: survey.passwordLink.flatMap { try? QRCode($0) })
            } else {
                answer = .none(Self.reason(replies.problem("donation") ?? replies.problem("survey")))
            }
            return WearerPages.survey(answer, fault: fault, context)
        }
    }

    /// Agrees to the text, the servers, who is responsible for them and the survey, as the person has had them before them, and to nothing else.
    private func agreeToSurvey(_ incoming: IncomingRequest, _ fields: FormFields) {
        guard fields.text("consent") == "yes" else { return showSurvey(incoming, nil, fault: .noConsent) }
        ask(incoming, Donation1.Method.getDonation) { reply in
            let state = try? reply.decode(Donation1.DonationReply.self)
            guard let state, let issuer = state.issuer, let server = state.server,
                fields.text("issuer") == issuer, fields.text("server") == server,
                fields.text("text") == "\(Donation1.surveyTextVersion)"
            else { return showSurvey(incoming, nil, fault: .textChanged) }
            ask(incoming, Donation1.Method.getSurvey) { reply in
                let reply = try? reply.decode(Donation1.SurveyReply.self)
                guard let reply, let survey = reply.survey, reply.held?.isOffered == true else {
                    return showSurvey(incoming, nil, fault: .notInvited)
                }
                guard fields.text("responsible") == reply.held?.responsible?.fingerprint ?? "",
                    fields.text("survey") == survey.fingerprint
                else { return showSurvey(incoming, nil, fault: .textChanged) }
                let parameters: JSON = [
                    "isAgreed": true, "text": .int(Donation1.surveyTextVersion), "purpose": "survey",
                ]
                call(incoming, Donation1.Method.setConsent, parameters, then: "/donate/survey") { showSurvey($0, $1) }
            } else: { problem in
                showSurvey(incoming, PageRenderer.fault(problem))
            }
        } else: { problem in
            showSurvey(incoming, PageRenderer.fault(problem))
        }
    }
}
