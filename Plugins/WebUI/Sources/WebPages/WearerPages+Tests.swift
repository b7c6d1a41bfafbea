// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// Tests, and warnings that follow from them.
extension WearerPages {
    /// An entry on `/tests` that was refused. The entered text is kept only for a hotline's number, because a code may
    /// contain more than people know.
    public struct EntryFault: Sendable {
        /// The fields of the page that a person can fill in.
        public enum Field: Sendable { case teleTAN, code, dateOfBirth }

        /// The field of the refused entry.
        public var field: Field
        /// The entered text, which is shown again for ``Field/teleTAN`` only, at most 40 characters, not checked
        /// here; empty for a code.
        public var typed: String

        /// Creates a fault of these values, unchecked; see the properties. Cannot fail.
        public init(field: Field, typed: String) {
            self.field = field
            self.typed = typed
        }
    }

    /// Makes the page `/tests`: the entered tests, newest first, and a form for another one. Cannot fail.
    ///
    /// - Parameters:
    ///   - reply: The tests in the order of their entry; `nil` if the plugin does not answer or is not installed.
    ///   - fault: The fault of the last entry; `nil` if there is none.
    public static func tests(_ reply: Diagnosis1.TestsReply?, fault: EntryFault? = nil, _ context: PageContext) -> Page {
        Layout(context: context).page(title: context.t("tests.title"), place: .tests) {
            Part.head(context.t("tests.title"), lead: context.t("tests.lead"))
            if let reply {
                if let fault {
                    Part.note(.warm, context.t(fault.field == .teleTAN ? "tests.tan-fault" : "tests.code-fault"))
                }
                testList(reply, context)
                Part.section("tan", context.t("tests.tan-title")) {
                    el(.p, text: context.t("tests.tan-lead"))
                    if let seconds = reply.teleTANSeconds {
                        el(.p, text: context.t("tests.tan-good", ["span": context.span(seconds)]))
                    }
                    nextSlot(reply.nextExchange, context)
                    context.form(.enterTeleTAN, to: ["tests"]) {
                        Field.line(
                            "typed", context.t("tests.tan-label"), hint: context.t("tests.tan-hint"),
                            error: fault?.field == .teleTAN ? context.t("tests.tan-error") : nil,
                            value: fault?.field == .teleTAN ? fault?.typed : nil, .maxlength(40), .autocomplete("off"),
                            .noCorrection,
                            isRequired: true)
                        Field.submit(context.t("tests.tan-send"))
                    }
                }
                Part.section("code", context.t("tests.code-title")) {
                    el(.p, text: context.t("tests.code-lead"))
                    context.form(.enterCode, to: ["tests"]) {
                        Field.area(
                            "code", context.t("tests.code-label"), hint: context.t("tests.code-hint"),
                            error: fault?.field == .code ? context.t("tests.code-error") : nil, rows: 3, maxlength: 4_096)
                        // Few codes need it: who was not asked for it need not read about it.
                        el(.details, fault?.field == .dateOfBirth ? .open : nil) {
                            el(.summary, text: context.t("tests.birth-title"))
                            Field.line(
                                "dateOfBirth", context.t("tests.birth-label"), hint: context.t("tests.birth-hint"),
                                error: fault?.field == .dateOfBirth ? context.t("tests.birth-error") : nil, type: .date,
                                .autocomplete("off"))
                        }
                        Field.submit(context.t("tests.code-send"))
                    }
                }
                el(.p, .class("small"), text: context.t("tests.hidden"))
            } else {
                Part.note(.heed, context.t("tests.not-there"))
                Part.onward(Link("/hotlines"), context.t("today.call"))
            }
        }
    }

    @HTMLBuilder private static func testList(_ reply: Diagnosis1.TestsReply, _ context: PageContext) -> HTML {
        Part.section("list", context.t("tests.list")) {
            if reply.tests.isEmpty {
                el(.p, text: context.t("tests.none"))
            } else {
                el(.ul, .class("rows")) {
                    reply.tests.reversed().map { test in
                        el(.li) {
                            el(.a, .href(Link(page: ["tests", "\(test.number)"]))) {
                                el(.strong, text: context.t(.testKind, test.kind.rawValue))
                                el(
                                    .span,
                                    text: context.t(
                                        "tests.entered", ["date": context.shortDay(dayNumber(of: test.entered))]))
                            }
                            el(.span) {
                                testBadge(test, context)
                                if test.news { Part.badge(.heed, context.t("tests.new")) }
                            }
                        }
                    }
                }
            }
        }
    }

    private static func testBadge(_ test: Diagnosis1.Test, _ context: PageContext) -> HTML {
        let tone: Tone =
            switch test.state {
            case .registering, .waiting: .still
            case .ready: .heed
            case .refused: .warm
            }
        return Part.badge(tone, context.t(.testState, test.state.rawValue))
    }

    /// The content of `/tests/N`: one test, and its result if the wearer asked for it.
    public struct TestDetails: Sendable {
        /// The test itself, without its result.
        public var test: Diagnosis1.Test
        /// The result, only in the answer to ``FormAction/showResult``; otherwise `nil`.
        public var result: Diagnosis1.Result?
        /// The time of the next exchange with the servers, in Unix seconds; `nil` if none is planned.
        public var nextExchange: Int64?
        /// The number of seconds for which a hotline's number is valid; `nil` if it is not known.
        public var teleTANSeconds: Int64?

        /// Creates the content; a value is `nil` if it is not known or does not apply.
        ///
        /// - Parameters:
        ///   - nextExchange: The time of the next exchange, in Unix seconds.
        ///   - teleTANSeconds: The number of seconds for which a hotline's number is valid.
        public init(
            test: Diagnosis1.Test, result: Diagnosis1.Result?, nextExchange: Int64?, teleTANSeconds: Int64? = nil
        ) {
            self.test = test
            self.result = result
            self.nextExchange = nextExchange
            self.teleTANSeconds = teleTANSeconds
        }
    }

    /// Makes the page `/tests/N`: the state of the test, with the result only if `model` has it. Cannot fail.
    public static func test(_ model: TestDetails, _ context: PageContext) -> Page {
        let test = model.test
        let path = ["tests", "\(test.number)"]
        return Layout(context: context).page(title: context.t(.testKind, test.kind.rawValue), place: .tests) {
            Part.head(
                context.t(.testKind, test.kind.rawValue),
                lead: context.t("tests.entered-on", ["date": context.longDay(dayNumber(of: test.entered))]),
                back: (Link("/tests"), context.t("tests.back")))
            // That there is an answer is no news to whoever reads it, and one that says nothing is none.
            if model.result == nil || test.state != .ready {
                Part.section("how", context.t("tests.how")) {
                    el(.p) { testBadge(test, context) }
                    if let refusal = test.refusal {
                        el(.p, text: context.t(.testRefusal, refusal.rawValue))
                    } else {
                        el(.p, text: context.t(.testMeaning, test.state.rawValue))
                    }
                    if test.state == .registering || test.state == .waiting { nextSlot(model.nextExchange, context) }
                    // Who has a code of a hotline knows the result.
                    if model.result == nil, test.state == .waiting || test.state == .registering && !test.byTelephone {
                        recommendations(for: Diagnosis1.Result.pending.rawValue, .resultNext, context)
                    }
                    if test.state == .registering, test.byTelephone, let seconds = model.teleTANSeconds {
                        el(.p, text: context.t("tests.tan-good", ["span": context.span(seconds)]))
                        el(.p) {
                            el(.span, text: context.t("tests.tan-until") + " ")
                            context.momentElement(test.entered + seconds)
                        }
                    }
                    if test.state == .refused { Part.onward(Link("/hotlines"), context.t("today.call")) }
                }
            }
            if let result = model.result {
                resultPart(result, test, context)
            } else if test.state == .ready {
                Part.section("ask", context.t("result.there")) {
                    el(.p, text: context.t("result.ready-for-it"))
                    context.form(.showResult, to: path) { Field.submit(context.t("result.show")) }
                }
            }
            if let warning = test.warning {
                Part.section("warning", context.t("warn.state-title")) {
                    el(.p, text: context.t(.warningState, warning.rawValue))
                    Part.onward(Link(page: path + ["warn"]), context.t("warn.to-state"))
                }
            }
            Part.section("forget", context.t("tests.forget-title")) {
                el(.p, text: context.t("tests.forget"))
                context.form(.forgetTest, to: path) { Field.submit(context.t("tests.forget-do"), class: "button plain") }
            }
        }
    }

    private static func resultPart(_ result: Diagnosis1.Result, _ test: Diagnosis1.Test, _ context: PageContext) -> HTML {
        let look: (class: String, icon: Icon) =
            switch result {
            case .negative: ("calm", .check)
            case .positive: ("warm", .warning)
            case .pending: ("still", .clock)
            case .invalid, .redeemed: ("still", .question)
            }
        return HTML([
            el(.section, .class("state " + look.class), .labelledBy("result-word"), .role("status")) {
                el(.div, .class("sign")) { look.icon.html }
                el(.div) {
                    el(.h2, .id("result-word"), .class("word"), text: context.t(.resultWord, result.rawValue))
                    el(.p, .class("sentence"), text: context.t(.resultMeaning, result.rawValue))
                }
            },
            Part.section("next", context.t("result.next-title")) {
                recommendations(for: result.rawValue, .resultNext, context)
                el(.p, .class("actions")) {
                    if result == .positive, test.warning == nil {
                        Part.link(
                            Link(page: ["tests", "\(test.number)", "warn"]), context.t("result.warn"), class: "button")
                    }
                    Part.link(Link("/hotlines"), context.t("today.call"), class: "button plain")
                }
            },
        ])
    }

    /// When something is sent next: the same moments every day, whatever anybody does.
    static func nextSlot(_ next: Int64?, _ context: PageContext) -> HTML {
        if let next, context.timeIsKnown {
            return el(.p, text: context.t("tests.next-slot", ["span": context.span(max(60, next - context.now))]))
        }
        return el(.p, text: context.t("tests.no-slot"))
    }
}
