// SPDX-License-Identifier: Apache-2.0

public import Interfaces
public import Poster

/// A survey of the health authority, as the wearer decides about it (docs/donation.md).
extension WearerPages {
    /// The core's answer about surveys, or the reason why there is none.
    public enum SurveyAnswer: Sendable {
        /// The core has answered; `drawing` is the code of its link with the password, `nil` without one.
        case reply(Donation1.DonationReply, Donation1.SurveyReply, drawing: QRCode?)
        /// There is none.
        case none(DonationAnswer)
    }

    /// The reason why ``FormAction/agreeToSurvey`` agreed to nothing.
    public enum SurveyFault: Sendable, CaseIterable {
        /// The box was not ticked.
        case noConsent
        /// The text, the servers or the survey are other ones than the person has read.
        case textChanged
        /// The wearer is not invited any more.
        case notInvited
    }

    /// Makes the page `/donate/survey`: what holds, the password once there is one, the survey, and the consent text with its forms. Who is not invited and has agreed to nothing reads just
    /// that. Cannot fail.
    public static func survey(_ answer: SurveyAnswer, fault: SurveyFault? = nil, _ context: PageContext) -> Page {
        Layout(context: context).page(title: context.t("donate.survey-title"), place: .settings) {
            switch answer {
            case .reply(let state, let reply, let drawing):
                let isThere = reply.held != nil
                surveyHead(lead: isThere ? context.t("donate.survey-lead") : nil, context)
                if let fault { Part.note(.warm, context.t(key(fault))) }
                if let held = reply.held {
                    surveyParts(state, reply, held, drawing, context)
                } else {
                    el(.p, text: context.t("donate.survey-not-invited"))
                }
            case .none(let reason):
                surveyHead(lead: nil, context)
                switch reason {
                case .notThere: Part.note(.heed, context.t("donate.not-there"))
                case .otherRole: Part.note(.heed, context.t("donate.other-role"))
                default: Part.note(.heed, context.t("donate.silent"))
                }
            }
        }
    }

    private static func surveyHead(lead: String?, _ context: PageContext) -> HTML {
        Part.head(
            context.t("donate.survey-title"), lead: lead, back: (Link("/donate"), context.t("donate.title")))
    }

    private static func key(_ fault: SurveyFault) -> StaticString {
        switch fault {
        case .noConsent: "donate.fault"
        case .textChanged: "donate.fault-text"
        case .notInvited: "donate.survey-fault"
        }
    }

    private static func surveyParts(
        _ state: Donation1.DonationReply, _ reply: Donation1.SurveyReply, _ held: Donation1.Monthly, _ drawing: QRCode?,
        _ context: PageContext
    ) -> HTML {
        let isStopped = held.stopped == .otherServers
        let isAsked = held.isOffered && (held.consent == nil || isStopped)
        var parts: [HTML] = []
        if let stopped = held.stopped, held.isOffered {
            let text = isStopped ? context.t("donate.survey-changed") : context.t(.donationStop, stopped.rawValue)
            parts.append(Part.note(.warm, text))
        }
        parts.append(surveyStatePart(reply, held, context))
        if let password = reply.password { parts.append(wayPart(password, reply, drawing, context)) }
        if let survey = reply.survey { parts.append(surveyPart(survey, held, context)) }
        if held.isOffered { parts.append(surveyTextPart(state, held, reply.survey, context)) }
        if isAsked, let survey = reply.survey { parts.append(agreeToSurveyPart(state, held, survey, context)) }
        if held.consent != nil {
            parts.append(
                Part.section("withdraw", context.t("donate.withdraw-title")) {
                    el(.p, text: context.t("donate.survey-withdraw"))
                    // Elsewhere the consent text says it.
                    if !held.isOffered { el(.p, text: context.t("donate.survey-back.3")) }
                    keptDays(held.responsible, isSame: !isStopped, context)
                    context.form(.takeBackSurvey, to: ["donate", "survey"]) {
                        Field.submit(context.t("donate.withdraw-do"))
                    }
                })
        }
        return HTML(parts)
    }

    private static func surveyStatePart(
        _ reply: Donation1.SurveyReply, _ held: Donation1.Monthly, _ context: PageContext
    ) -> HTML {
        Part.section("state", context.t("donate.state-title")) {
            if !held.isOffered { el(.p, text: context.t("donate.survey-over")) }
            if let consent = held.consent {
                Part.facts(
                    [
                        (context.t("donate.since"), context.momentElement(consent.since)),
                        (context.t("donate.version"), HTML("\(consent.text)")),
                    ]
                        + (held.begins.map { $0 > context.now } ?? false
                            ? [(context.t("donate.survey-begins"), context.momentElement(held.begins ?? 0))] : [])
                        // Of another survey it is of no use.
                        + (held.stopped == .otherServers
                            ? []
                            : [
                                (
                                    context.t("donate.survey-password"),
                                    HTML(context.t(.surveyState, (reply.state ?? .waits).rawValue))
                                )
                            ]))
            } else {
                el(.p) { Part.badge(.still, context.t("donate.survey-none")) }
            }
        }
    }

    /// The address, the password and the code of both.
    private static func wayPart(
        _ password: String, _ reply: Donation1.SurveyReply, _ drawing: QRCode?, _ context: PageContext
    ) -> HTML {
        Part.section("way", context.t("donate.survey-open-title")) {
            el(.p, text: context.t("donate.survey-open"))
            Part.note(.heed, context.t("donate.survey-secret"))
            if let drawing { Part.code(drawing, context.t("donate.survey-code")) }
            Part.facts(
                [
                    (context.t("donate.survey-where"), HTML(reply.survey?.link ?? "?")),
                    (context.t("donate.survey-password"), HTML(password)),
                ]
                    + (reply.lastDay.map {
                        [(context.t("donate.survey-until"), HTML(context.longDay(Int(clamping: $0))))]
                    } ?? []))
        }
    }

    private static func surveyPart(
        _ survey: Donation1.Survey, _ held: Donation1.Monthly, _ context: PageContext
    ) -> HTML {
        Part.section("survey", context.t("donate.survey-about-title")) {
            Part.facts([
                (context.t("donate.survey-about"), subject(survey, context)),
                (context.t("donate.survey-operator"), HTML(held.responsible?.recipients ?? "?")),
                (context.t("donate.survey-where"), HTML(survey.link)),
                (context.t("donate.survey-whom"), HTML(context.t(.surveyInvited, survey.invited.rawValue))),
            ])
        }
    }

    /// What a survey is about, in the page's language where the document has that; a sentence in another one is marked, for eyes and for voices.
    @HTMLBuilder private static func subject(_ survey: Donation1.Survey, _ context: PageContext) -> HTML {
        let own = context.language
        let order = [own.rawValue, own.tag, "en"] + Language.allCases.map(\.rawValue) + survey.about.keys.sorted()
        if let name = order.first(where: { survey.about[$0] != nil }), let text = survey.about[name] {
            if name == own.rawValue {
                HTML(text)
            } else {
                if let language = Language(rawValue: name) {
                    el(.span, .class("small"), text: context.t(.onlyIn, language.rawValue))
                    " "
                }
                el(.bdi, .lang(Language(rawValue: name)?.tag ?? name), text: text)
            }
        }
    }

    private static func surveyTextPart(
        _ state: Donation1.DonationReply, _ held: Donation1.Monthly, _ survey: Donation1.Survey?, _ context: PageContext
    ) -> HTML {
        Part.section("text", context.t("donate.text-title")) {
            consentText(
                TextFamily.surveyParts, .surveyHeading, prefix: "donate.survey-", version: Donation1.surveyTextVersion,
                state, held.responsible,
                risk: survey?.invited == .increasedRisk ? context.t("donate.survey-learn-risk") : nil, context)
        }
    }

    private static func agreeToSurveyPart(
        _ state: Donation1.DonationReply, _ held: Donation1.Monthly, _ survey: Donation1.Survey, _ context: PageContext
    ) -> HTML {
        Part.section("agree", context.t("donate.agree-title")) {
            context.form(.agreeToSurvey, to: ["donate", "survey"]) {
                // What was read: agreed to is nothing else.
                el(.input, .type(.hidden), .name("text"), .value("\(Donation1.surveyTextVersion)"))
                el(.input, .type(.hidden), .name("issuer"), .value(state.issuer ?? ""))
                el(.input, .type(.hidden), .name("server"), .value(state.server ?? ""))
                el(.input, .type(.hidden), .name("responsible"), .value(held.responsible?.fingerprint ?? ""))
                el(.input, .type(.hidden), .name("survey"), .value(survey.fingerprint))
                Field.check(
                    "consent", context.t("donate.agree-check"), hint: context.t("donate.agree-hint"), isRequired: true)
                el(.p, .class("actions")) {
                    el(.button, .class("button"), .type(.submit), text: context.t("donate.agree-do"))
                    Part.link(Link("/settings"), context.t("donate.not-now"), class: "button plain")
                }
            }
        }
    }
}
