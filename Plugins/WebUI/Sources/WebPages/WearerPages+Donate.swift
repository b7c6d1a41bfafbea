// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// Data donation, as the wearer decides about it (docs/donation.md).
extension WearerPages {
    /// The core's answer about donations, or the reason why there is none, as far as the page distinguishes reasons.
    public enum DonationAnswer: Sendable {
        /// The core has answered; the preview is `nil` if there is none now, such as while the time is not known, and `survey` if the core says nothing of surveys to this page.
        case reply(Donation1.DonationReply, preview: Donation1.PreviewReply?, survey: Donation1.SurveyReply? = nil)
        /// The operator has not granted it to the page.
        case notThere
        /// The device stands for a place.
        case otherRole
        /// The core does not answer now, or not as the interface says.
        case silent
    }

    /// The reason why ``FormAction/agreeToDonation`` agreed to nothing.
    public enum DonationFault: Sendable, CaseIterable {
        /// The box was not ticked.
        case noConsent
        /// The text, or the servers in it, are other ones than the person has read.
        case textChanged
    }

    /// Makes the page `/donate`: what holds, what would be sent, what was sent, and the consent text. Without a consent there is a form to agree, but only
    /// below the whole text and the preview; with one there is a form to take it back, and both with one for other servers. Cannot fail.
    public static func donate(
        _ answer: DonationAnswer, fault: DonationFault? = nil, _ context: PageContext
    ) -> Page {
        Layout(context: context).page(title: context.t("donate.title"), place: .settings) {
            Part.head(
                context.t("donate.title"), lead: isInvitation(answer) ? context.t("donate.lead") : nil,
                back: (Link("/settings"), context.t("off.back")))
            switch answer {
            case .reply(let state, let preview, let survey):
                switch fault {
                case .noConsent?: Part.note(.warm, context.t("donate.fault"))
                case .textChanged?: Part.note(.warm, context.t("donate.fault-text"))
                case nil: HTML.nothing
                }
                // Without a document none of its reasons holds.
                if let stopped = state.stopped, state.isOffered {
                    Part.note(.warm, context.t(.donationStop, stopped.rawValue))
                }
                if state.isOutOfKeys(at: context.now) { Part.note(.warm, context.t("donate.no-keys")) }
                statePart(state, survey, context)
                // With a consent for other servers: one for these is asked for.
                let isAsked = isInvitation(answer)
                if isAsked { textPart(state, context) }
                if state.isOffered {
                    previewPart(preview, isExample: state.consent == nil, context)
                }
                if isAsked, preview != nil { agreePart(state, context) }
                if state.consent != nil {
                    historyPart(state.history, "donate.history-title", none: "donate.history-none", context)
                    withdrawPart(state, survey, context)
                    if state.isOffered, !isAsked { textPart(state, context) }
                }
                Part.section("others", context.t("donate.others-title")) {
                    el(.p) { Part.link(Link("/donate/log"), context.t("donate.log-link")) }
                    if survey?.held != nil {
                        el(.p) { Part.link(Link("/donate/survey"), context.t("donate.survey-link")) }
                    }
                }
            case .notThere: Part.note(.heed, context.t("donate.not-there"))
            case .otherRole: Part.note(.heed, context.t("donate.other-role"))
            case .silent: Part.note(.heed, context.t("donate.silent"))
            }
        }
    }

    /// Whether the page asks for a consent, so that "if you agree" is what its reader may do.
    private static func isInvitation(_ answer: DonationAnswer) -> Bool {
        guard case .reply(let state, _, _) = answer else { return false }
        return state.isOffered && (state.consent == nil || state.stopped == .otherServers)
    }

    private static func statePart(
        _ state: Donation1.DonationReply, _ survey: Donation1.SurveyReply?, _ context: PageContext
    ) -> HTML {
        Part.section("state", context.t("donate.state-title")) {
            if !state.isOffered { el(.p, text: context.t("donate.not-offered")) }
            if let consent = state.consent {
                Part.facts(facts(consent, state, context))
                if !state.isOffered { el(.p, text: context.t("donate.left")) }
            } else if state.isOffered {
                el(.p) { Part.badge(.still, context.t("donate.none")) }
                othersStay(state, survey, context)
            }
            if let version = state.documentVersion, let digest = state.documentMark {
                el(.p, text: context.t("donate.document", ["version": "\(version)", "digest": digest]))
            }
        }
    }

    private static func facts(
        _ consent: Donation1.Consent, _ state: Donation1.DonationReply, _ context: PageContext
    ) -> [(String, HTML)] {
        var facts = [
            (context.t("donate.since"), context.momentElement(consent.since)),
            (context.t("donate.version"), HTML("\(consent.text)")),
        ]
        // Without a document nothing is sent, whatever is there.
        guard state.isOffered else { return facts }
        if let begins = state.begins, begins > context.now {
            facts.append((context.t("donate.begins"), context.momentElement(begins)))
        }
        if state.stopped != .otherServers {
            facts.append(
                (
                    context.t("donate.next"),
                    state.next.map { context.momentElement($0) } ?? HTML(context.t("donate.next-unknown"))
                ))
        }
        facts.append(
            (
                context.t("donate.prepared"),
                HTML(
                    state.preparedDays == 0
                        ? context.t("donate.prepared-none")
                        : context.t("donate.prepared-days", counting: Int64(state.preparedDays)))
            ))
        return facts
    }

    /// Without it a wearer of logs, or of a survey, would read that nothing but empty messages leaves.
    private static func othersStay(
        _ state: Donation1.DonationReply, _ survey: Donation1.SurveyReply?, _ context: PageContext
    ) -> HTML {
        HTML([
            state.log?.consent == nil ? HTML.nothing : el(.p, text: context.t("donate.log-stays")),
            survey?.held?.consent == nil ? HTML.nothing : el(.p, text: context.t("donate.survey-stays")),
        ])
    }

    private static func withdrawPart(
        _ state: Donation1.DonationReply, _ survey: Donation1.SurveyReply?, _ context: PageContext
    ) -> HTML {
        Part.section("withdraw", context.t("donate.withdraw-title")) {
            el(.p, text: context.t("donate.withdraw"))
            if state.isOffered {
                othersStay(state, survey, context)
            } else {
                // Elsewhere the consent text says it.
                el(.p, text: context.t("donate.back.3"))
            }
            keptDays(state.responsible, isSame: state.stopped != .otherServers, context)
            context.form(.takeBackDonation, to: ["donate"]) { Field.submit(context.t("donate.withdraw-do")) }
        }
    }

    /// For how long what was sent is kept, as it was agreed to; nothing if the document does not say, or says otherwise by now.
    static func keptDays(_ responsible: Donation1.Responsible?, isSame: Bool, _ context: PageContext) -> HTML {
        guard isSame, let responsible else { return HTML.nothing }
        return el(.p, text: context.t("donate.withdraw-days", ["days": "\(responsible.keptDays)"]))
    }

    /// What became of what was to be sent, under the heading `title`; or the text `none` if nothing of this purpose was.
    static func historyPart(
        _ history: [Donation1.Past], _ title: StaticString, none: StaticString, _ context: PageContext
    ) -> HTML {
        Part.section("sent", context.t(title)) {
            if history.isEmpty {
                el(.p, text: context.t(none))
            } else {
                Part.table(
                    context.t(title),
                    columns: [context.t("donate.day"), context.t("donate.history-what")],
                    rows: history.reversed().map { past in
                        [
                            HTML(context.longDay(Int(clamping: past.day))),
                            HTML(context.t(.donationOutcome, past.outcome.rawValue)),
                        ]
                    }, captionIsHidden: true)
            }
        }
    }

    // MARK: Consent

    /// The consent text of this version, with the names of the servers.
    private static func textPart(_ state: Donation1.DonationReply, _ context: PageContext) -> HTML {
        Part.section("text", context.t("donate.text-title")) {
            consentText(
                TextFamily.donationParts, .donationHeading, prefix: "donate.", version: Donation1.consentTextVersion, state,
                state.responsible, context)
        }
    }

    /// The paragraphs of a consent text under their headings. `troubles` stand in the part of what is sent, before its last paragraph; `responsible`
    /// is said after the names of the servers, or else where to ask. `risk` is what else others learn, after the first paragraph of that part. The last line leads to numbers to call.
    static func consentText(
        _ parts: [TextFamily], _ heading: TextFamily, prefix: String, version: Int64, _ state: Donation1.DonationReply,
        _ responsible: Donation1.Responsible?, troubles: [String] = [], risk: String? = nil, _ context: PageContext
    ) -> HTML {
        let names = ["issuer": state.issuer ?? "?", "server": state.server ?? "?"]
        let sections = parts.map { family in
            let name = String(family.prefix.dropFirst(prefix.utf8.count))
            var texts = family.members.map { context.t(family, $0, names) }
            if name == "who" { texts.append(who(responsible, prefix, context)) }
            if name == "sent" { texts.insert(contentsOf: troubles, at: texts.count - 1) }
            if name == "learn", let risk { texts.insert(risk, at: 1) }
            return HTML([
                el(.h3, text: context.t(heading, name)),
                name == "sent"
                    ? Part.list(texts, class: "ticks")
                    : name == "not-sent"
                        ? Part.list(texts, class: "crosses") : HTML(texts.map { el(.p, text: $0) }),
            ])
        }
        return HTML(
            [el(.p, .class("small"), text: context.t("donate.text-version", ["version": "\(version)"]))] + sections
                + [
                    el(.p) {
                        context.t("donate.ask") + " "
                        Part.link(Link("/hotlines"), context.t("hotlines.title"))
                    }
                ])
    }

    private static func who(
        _ responsible: Donation1.Responsible?, _ prefix: String, _ context: PageContext
    ) -> String {
        let (ask, told): (StaticString, StaticString) =
            switch prefix {
            case "donate.log-": ("donate.log-who-ask", "donate.log-who-told")
            case "donate.survey-": ("donate.survey-who-ask", "donate.survey-who-told")
            default: ("donate.who-ask", "donate.who-told")
            }
        guard let responsible else { return context.t(ask) }
        return context.t(
            told,
            [
                "issuerOperator": responsible.issuer, "serverOperator": responsible.server,
                "recipients": responsible.recipients, "days": "\(responsible.keptDays)",
            ])
    }

    private static func agreePart(_ state: Donation1.DonationReply, _ context: PageContext) -> HTML {
        Part.section("agree", context.t("donate.agree-title")) {
            context.form(.agreeToDonation, to: ["donate"]) {
                // What was read: agreed to is nothing else.
                el(.input, .type(.hidden), .name("text"), .value("\(Donation1.consentTextVersion)"))
                el(.input, .type(.hidden), .name("issuer"), .value(state.issuer ?? ""))
                el(.input, .type(.hidden), .name("server"), .value(state.server ?? ""))
                el(.input, .type(.hidden), .name("responsible"), .value(state.responsible?.fingerprint ?? ""))
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
