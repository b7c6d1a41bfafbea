// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// Warning others: what leaves the device, what does not, and a consent that stands alone.
extension WearerPages {
    /// The content of `/tests/N/warn`: the form for a warning, or its outcome.
    public struct Warn: Sendable {
        /// The reason why the form for a warning is shown again.
        public enum Fault: Sendable {
            /// The box was not ticked: nothing was sent.
            case noConsent
            /// The statement wants a day, and it is missing or not 0 to 21 days ago.
            case noDay
            /// This device has a button, and it must be pressed.
            case buttonNeeded
            /// People who were met today would not be warned after this statement. `days` are those on which people would be, as numbers of days
            /// ago; empty if nobody would be warned. It has to be agreed to once more.
            case notToday(days: [Int])

            /// Whether the person was told already whom the statement does not reach, as far as there was anything to tell.
            var wasTold: Bool {
                switch self {
                case .noConsent, .noDay: false
                case .buttonNeeded, .notToday: true
                }
            }
        }

        /// The test that the warning belongs to.
        public var test: Diagnosis1.Test
        /// The time of the next exchange with the servers, in Unix seconds; `nil` if none is planned.
        public var nextExchange: Int64?
        /// The statement about symptoms that was chosen before, if the form is shown again; `nil` the first time.
        public var chosen: Diagnosis1.Symptoms?
        /// Whether the form's box for publication by other countries' authorities has a tick; `false` if not set: a box that is ticked beforehand is no consent (GDPR, recital 32).
        public var federation: Bool
        /// The reason why the form is shown again; `nil` the first time.
        public var fault: Fault?
        /// The outcome of ``FormAction/withdraw``: `true` if nothing was sent and nothing will be, `false` if it was too
        /// late; `nil` in other answers. For a warning that was sent already, it concerns the rest of its day.
        public var withdrawn: Bool?

        /// Creates the content; values that do not apply are `nil`.
        ///
        /// - Parameters:
        ///   - nextExchange: The time of the next exchange, in Unix seconds.
        ///   - chosen: The earlier choice, if the form is shown again.
        public init(
            test: Diagnosis1.Test, nextExchange: Int64?, chosen: Diagnosis1.Symptoms? = nil, federation: Bool = false,
            fault: Fault? = nil, withdrawn: Bool? = nil
        ) {
            self.test = test
            self.nextExchange = nextExchange
            self.chosen = chosen
            self.federation = federation
            self.fault = fault
            self.withdrawn = withdrawn
        }
    }

    /// Makes the page `/tests/N/warn`: before the consent the form, afterwards the state of the warning, with a way to
    /// withdraw it as long as that is possible. Cannot fail.
    public static func warn(_ model: Warn, _ context: PageContext) -> Page {
        let path = ["tests", "\(model.test.number)"]
        return Layout(context: context).page(title: context.t("warn.title"), place: .tests) {
            Part.head(context.t("warn.title"), back: (Link(page: path), context.t("warn.back")))
            if let withdrawn = model.withdrawn {
                let isRest = model.test.warning == .sent
                Part.note(
                    withdrawn ? .calm : .heed,
                    withdrawn
                        ? context.t(isRest ? "warn.rest-withdrawn" : "warn.withdrawn") : context.t("warn.too-late"))
                Part.onward(Link("/tests"), context.t("tests.back"))
            } else if let warning = model.test.warning {
                Part.section("state", context.t("warn.state-title")) {
                    el(.p, .class("lead"), text: context.t(.warningState, warning.rawValue))
                    if let visits = model.test.visits { visitsPart(visits, model.test.noVisits, warning, context) }
                    if warning == .agreed || warning == .prepared {
                        nextSlot(model.nextExchange, context)
                        el(.p, text: context.t("warn.can-withdraw"))
                        context.form(.withdraw, to: path + ["warn"]) {
                            Field.submit(context.t("warn.withdraw"), class: "button plain")
                        }
                    }
                    if warning == .sent { el(.p, text: context.t("warn.thanks")) }
                    if warning == .ended { Part.onward(Link("/hotlines"), context.t("today.call")) }
                }
                if let remainder = model.test.remainder, warning != .ended { rest(remainder, model.test, path, context) }
            } else {
                warnForm(model, path, context)
            }
        }
    }

    /// How many visits go along; while it can be mended, why one may be missing.
    @HTMLBuilder private static func visitsPart(
        _ count: Int, _ reason: Diagnosis1.NoVisits?, _ warning: Diagnosis1.Warning, _ context: PageContext
    ) -> HTML {
        el(.p, text: count == 0 ? context.t("warn.visits-none") : context.t("warn.visits", counting: Int64(count)))
        if warning == .prepared {
            el(
                .p, .class("small"),
                text: reason.map { context.t(.noVisits, $0.rawValue) } ?? context.t("warn.visits-why"))
        }
    }

    /// The hours of that day after the keys were taken, and what becomes of them.
    private static func rest(
        _ remainder: Diagnosis1.Remainder, _ test: Diagnosis1.Test, _ path: [String], _ context: PageContext
    ) -> HTML {
        Part.section("rest", context.t("warn.rest-title")) {
            if let from = test.remainderFrom, let to = test.remainderTo {
                el(.p) {
                    context.momentElement(from)
                    el(.span, text: " – ")
                    context.momentElement(to)
                }
            }
            el(.p, text: context.t(.remainder, remainder.rawValue))
            if test.warning == .sent, remainder == .waiting || remainder == .prepared {
                context.form(.withdraw, to: path + ["warn"]) {
                    Field.submit(context.t("warn.rest-withdraw"), class: "button plain")
                }
            }
        }
    }

    @HTMLBuilder private static func warnForm(_ model: Warn, _ path: [String], _ context: PageContext) -> HTML {
        el(.p, .class("lead"), text: context.t("warn.lead"))
        switch model.fault {
        case .noConsent: Part.note(.warm, context.t("warn.fault-consent"))
        case .noDay: Part.note(.warm, context.t("warn.fault-day"))
        case .buttonNeeded: Part.note(.heed, context.t("warn.fault-button"))
        case .notToday(let days):
            Part.note(.heed) {
                if days.isEmpty {
                    el(.p, text: context.t("warn.reach-nobody"))
                } else {
                    el(.p, text: context.t("warn.reach-days"))
                    Part.list(days.map { dayAgo($0, context) })
                }
                el(.p, text: context.t("warn.reach-again"))
            }
        case nil: HTML.nothing
        }
        el(.div, .class("pair")) {
            Part.section("sent", context.t("warn.sent-title")) {
                Part.list(TextFamily.sent.members.map { context.t(.sent, $0) }, class: "ticks")
            }
            Part.section("not-sent", context.t("warn.not-sent-title")) {
                Part.list(TextFamily.notSent.members.map { context.t(.notSent, $0) }, class: "crosses")
            }
        }
        context.form(.warn, to: path + ["warn"], class: "card") {
            // What was asked of the button was said before: whom the answer does not reach is not said a second time.
            if let chosen = model.chosen, model.fault?.wasTold == true {
                el(.input, .type(.hidden), .name(Self.toldField), .value(told(chosen)))
            }
            el(.h2, text: context.t("warn.symptoms-title"))
            el(.p, text: context.t("warn.symptoms-why"))
            Field.radios(
                "statement", context.t("warn.symptoms-question"),
                options: Diagnosis1.Statement.allCases.map { ($0.rawValue, context.t(.symptoms, $0.rawValue)) },
                selected: (model.chosen?.statement ?? .noStatement).rawValue)
            Field.choice(
                "daysAgo", context.t("warn.day"), options: [("", context.t("warn.day-none"))] + days(context),
                selected: model.chosen?.daysAgo.map { "\($0)" } ?? "", hint: context.t("warn.day-hint"))
            el(.h2, text: context.t("warn.federation-title"))
            Field.check(
                "federation", context.t("warn.federation"), hint: context.t("warn.federation-hint"), isOn: model.federation)
            el(.h2, text: context.t("warn.consent-title"))
            Field.check("consent", context.t("warn.consent"), hint: context.t("warn.consent-hint"), isRequired: true)
            el(.p, .class("actions")) {
                el(.button, .class("button"), .type(.submit), text: context.t("warn.send"))
                Part.link(Link(page: path), context.t("warn.not-now"), class: "button plain")
            }
        }
    }

    private static func days(_ context: PageContext) -> [(value: String, text: String)] {
        (0...21).map { ago in ("\(ago)", dayAgo(ago, context)) }
    }

    private static func dayAgo(_ ago: Int, _ context: PageContext) -> String {
        context.timeIsKnown ? context.dayName(context.today - ago) : context.t("ago.days", counting: Int64(ago))
    }

    /// The name of a hidden field in the form for a warning, our choice. Its value is ``told(_:)`` of the statement for
    /// which the person was told that people met today would not be warned.
    public static let toldField = "told"

    /// Returns the value of the form's field ``toldField``: the statement's raw value, followed by a dash and the number of
    /// days ago if it has one. Cannot fail.
    public static func told(_ symptoms: Diagnosis1.Symptoms) -> String {
        symptoms.daysAgo.map { "\(symptoms.statement.rawValue)-\($0)" } ?? symptoms.statement.rawValue
    }
}
