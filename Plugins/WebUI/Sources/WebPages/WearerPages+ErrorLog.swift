// SPDX-License-Identifier: Apache-2.0

public import Interfaces
import SelfCheck

/// Error logs, as the wearer decides about them (docs/donation.md).
extension WearerPages {
    /// The core's answer about error logs, or the reason why there is none.
    public enum ErrorLogAnswer: Sendable {
        /// The core has answered; the log is `nil` if it said nothing of that.
        case reply(Donation1.DonationReply, log: Donation1.ErrorLogReply?)
        /// There is none.
        case none(DonationAnswer)
    }

    /// The reason why a form about error logs changed nothing.
    public enum ErrorLogFault: Sendable, CaseIterable {
        /// The box of the consent was not ticked.
        case noConsent
        /// The text, or the servers in it, are other ones than the person has read.
        case textChanged
        /// The box under the lines was not ticked.
        case notRead
        /// The log is not the one that the person has read.
        case logChanged
    }

    /// Makes the page `/donate/log`: what holds, the log line by line with the form to let it go, what was sent, and the consent text with its forms. Cannot fail.
    public static func errorLog(
        _ answer: ErrorLogAnswer, fault: ErrorLogFault? = nil, _ context: PageContext
    ) -> Page {
        Layout(context: context).page(title: context.t("donate.log-title"), place: .settings) {
            Part.head(
                context.t("donate.log-title"), lead: isInvitation(answer) ? context.t("donate.log-lead") : nil,
                back: (Link("/donate"), context.t("donate.title")))
            switch answer {
            case .reply(let state, let log):
                if let fault { Part.note(.warm, context.t(key(fault))) }
                let held = state.log ?? Donation1.Monthly()
                // Where nothing is asked for there is nothing to agree to again.
                if let stopped = held.stopped, held.isOffered {
                    Part.note(.warm, context.t(.donationStop, stopped.rawValue))
                }
                logStatePart(held, context)
                if held.consent != nil {
                    linesPart(log, held, context)
                    historyPart(held.history, "donate.log-history-title", none: "donate.log-history-none", context)
                }
                if held.isOffered { logTextPart(state, context) }
                if isInvitation(answer) { agreeToLogsPart(state, context) }
                if held.consent != nil {
                    Part.section("withdraw", context.t("donate.withdraw-title")) {
                        el(.p, text: context.t("donate.log-withdraw"))
                        // Elsewhere the consent text says it.
                        if !held.isOffered { el(.p, text: context.t("donate.log-back.3")) }
                        keptDays(held.responsible, isSame: held.stopped != .otherServers, context)
                        context.form(.takeBackLogs, to: ["donate", "log"]) {
                            Field.submit(context.t("donate.withdraw-do"))
                        }
                    }
                }
            case .none(.notThere): Part.note(.heed, context.t("donate.not-there"))
            case .none(.otherRole): Part.note(.heed, context.t("donate.other-role"))
            case .none: Part.note(.heed, context.t("donate.silent"))
            }
        }
    }

    /// Whether the page asks for a consent.
    private static func isInvitation(_ answer: ErrorLogAnswer) -> Bool {
        guard case .reply(let state, _) = answer, let held = state.log, held.isOffered else { return false }
        return held.consent == nil || held.stopped == .otherServers
    }

    private static func key(_ fault: ErrorLogFault) -> StaticString {
        switch fault {
        case .noConsent: "donate.fault"
        case .textChanged: "donate.fault-text"
        case .notRead: "donate.log-fault-read"
        case .logChanged: "donate.log-fault-changed"
        }
    }

    private static func logStatePart(_ held: Donation1.Monthly, _ context: PageContext) -> HTML {
        Part.section("state", context.t("donate.state-title")) {
            if !held.isOffered { el(.p, text: context.t("donate.log-not-offered")) }
            if let consent = held.consent {
                if !held.isOffered { el(.p, text: context.t("donate.left")) }
                Part.facts(
                    [
                        (context.t("donate.since"), context.momentElement(consent.since)),
                        (context.t("donate.version"), HTML("\(consent.text)")),
                    ]
                        + (held.isOffered ? whatComes(held, context) : []))
            } else if held.isOffered {
                el(.p) { Part.badge(.still, context.t("donate.log-none")) }
            }
        }
    }

    private static func whatComes(_ held: Donation1.Monthly, _ context: PageContext) -> [(String, HTML)] {
        (held.begins.map { $0 > context.now } ?? false
            ? [(context.t("donate.log-begins"), context.momentElement(held.begins ?? 0))] : [])
            + [
                (
                    context.t("donate.log-prepared"),
                    HTML(context.t(held.isPrepared ? "donate.log-prepared-yes" : "donate.log-prepared-no"))
                )
            ]
    }

    /// The words of the self-check for a trouble; the technician's pages have the same.
    private static func title(_ trouble: Donation1.Trouble, _ context: PageContext) -> String {
        context.t(.findingTitle, trouble.finding.rawValue)
    }

    private static func linesPart(
        _ log: Donation1.ErrorLogReply?, _ held: Donation1.Monthly, _ context: PageContext
    ) -> HTML {
        Part.section("lines", context.t("donate.log-lines-title")) {
            if let log {
                let rest = log.lines.filter { !log.released.contains($0.trouble) }
                if held.stopped == .otherServers || !held.isOffered, !log.lines.isEmpty {
                    el(.p, text: context.t("donate.log-lines-stopped"))
                    table(log.lines, context)
                } else if !log.released.isEmpty {
                    Part.note(.heed, context.t("donate.log-released"))
                    Part.list(log.released.map { title($0, context) })
                    if !rest.isEmpty {
                        el(.p, text: context.t("donate.log-lines-later"))
                        table(rest, context)
                    }
                } else if rest.isEmpty {
                    let isEarly = held.begins.map { $0 > context.now } ?? false
                    el(.p, text: context.t(isEarly ? "donate.log-lines-early" : "donate.log-lines-none"))
                } else {
                    if held.history.last?.outcome == .refused { Part.note(.heed, context.t("donate.log-refused")) }
                    el(.p, text: context.t("donate.log-lines"))
                    table(rest, context)
                    releasePart(rest, context)
                }
            } else {
                el(.p, text: context.t("donate.silent"))
            }
        }
    }

    private static func table(_ lines: [Donation1.LogLine], _ context: PageContext) -> HTML {
        Part.table(
            context.t("donate.log-lines-title"),
            columns: [context.t("donate.log-trouble"), context.t("donate.log-seen")],
            rows: lines.map { [HTML(title($0.trouble, context)), HTML(context.longDay(Int(clamping: $0.day)))] },
            captionIsHidden: true)
    }

    private static func releasePart(_ lines: [Donation1.LogLine], _ context: PageContext) -> HTML {
        context.form(.releaseLog, to: ["donate", "log"]) {
            // What was read: nothing else is sent.
            el(
                .input, .type(.hidden), .name("lines"),
                .value(lines.map(\.trouble.rawValue).joined(separator: ",")))
            Field.check(
                "read", context.t("donate.log-send-check"), hint: context.t("donate.log-send-hint"), isRequired: true)
            Field.submit(context.t("donate.log-send-do"))
        }
    }

    private static func logTextPart(_ state: Donation1.DonationReply, _ context: PageContext) -> HTML {
        Part.section("text", context.t("donate.text-title")) {
            consentText(
                TextFamily.logParts, .logHeading, prefix: "donate.log-", version: Donation1.logTextVersion, state,
                state.log?.responsible, troubles: Donation1.Trouble.allCases.map { title($0, context) }, context)
        }
    }

    private static func agreeToLogsPart(_ state: Donation1.DonationReply, _ context: PageContext) -> HTML {
        Part.section("agree", context.t("donate.agree-title")) {
            context.form(.agreeToLogs, to: ["donate", "log"]) {
                // What was read: agreed to is nothing else.
                el(.input, .type(.hidden), .name("text"), .value("\(Donation1.logTextVersion)"))
                el(.input, .type(.hidden), .name("issuer"), .value(state.issuer ?? ""))
                el(.input, .type(.hidden), .name("server"), .value(state.server ?? ""))
                el(.input, .type(.hidden), .name("responsible"), .value(state.log?.responsible?.fingerprint ?? ""))
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
