// SPDX-License-Identifier: Apache-2.0

/// The first start, in four steps that need no script and leave nothing behind until the last.
extension WearerPages {
    /// The number of steps of ``welcome(step:fault:_:)``: 4, because there are texts for as many.
    public static let welcomeSteps = 4

    /// Makes the page `/welcome?step=N`: the purpose of the device and how it works, terms and privacy, and the agreements.
    /// Cannot fail.
    ///
    /// - Parameters:
    ///   - step: The step, 1 to 4; a number outside counts as the nearest.
    ///   - fault: Whether the form was sent without both necessary agreements; only the last step shows it.
    public static func welcome(step: Int, fault: Bool, _ context: PageContext) -> Page {
        let step = min(max(step, 1), welcomeSteps)
        return Layout(context: context).page(title: context.t("welcome.title")) {
            el(
                .p, .class("steps"),
                text: context.t("welcome.step", ["n": "\(step)", "of": "\(welcomeSteps)"]))
            switch step {
            case 1: welcomeWhat(context)
            case 2: welcomeHow(context)
            case 3: welcomeTerms(context)
            default: welcomeAgree(fault, context)
            }
            el(.p, .class("actions")) {
                if step < welcomeSteps { stepLink(step + 1, context.t("welcome.next"), class: "button") }
                if step > 1 { stepLink(step - 1, context.t("welcome.back"), class: "button plain") }
            }
        }
    }

    private static func stepLink(_ step: Int, _ text: String, class name: String) -> HTML {
        Part.link(Link(page: ["welcome"], query: [("step", "\(step)")]), text, class: name)
    }

    @HTMLBuilder private static func welcomeWhat(_ context: PageContext) -> HTML {
        el(.h1, text: context.t("welcome.what-title"))
        el(.p, .class("lead"), text: context.t("welcome.what"))
        el(.p, text: context.t("welcome.voluntary"))
        Part.section("language", context.t("welcome.language")) {
            el(.ul, .class("shortcuts")) {
                context.languages.map { language in
                    el(.li) {
                        el(
                            .a, .href(Link(page: ["welcome"], query: [("language", language.rawValue)])),
                            .lang(language.tag),
                            language == context.language ? .currentPage : nil, text: language.ownName)
                    }
                }
            }
        }
    }

    @HTMLBuilder private static func welcomeHow(_ context: PageContext) -> HTML {
        el(.h1, text: context.t("welcome.how-title"))
        Part.list(TextFamily.welcome.members.map { context.t(.welcome, $0) }, class: "story", numbered: true)
        el(.p, text: context.t("welcome.never"))
    }

    @HTMLBuilder private static func welcomeTerms(_ context: PageContext) -> HTML {
        el(.h1, text: context.t("welcome.terms-title"))
        el(.p, .class("lead"), text: context.t("welcome.terms"))
        el(.details, .class("card")) {
            el(.summary, text: context.t("terms.title"))
            termsParagraphs(context)
        }
        el(.details, .class("card")) {
            el(.summary, text: context.t("privacy.title"))
            privacyParagraphs(context, level: .h2)
        }
    }

    @HTMLBuilder private static func welcomeAgree(_ fault: Bool, _ context: PageContext) -> HTML {
        el(.h1, text: context.t("welcome.agree-title"))
        el(.p, .class("lead"), text: context.t("welcome.agree"))
        if fault { Part.note(.warm, context.t("welcome.agree-fault")) }
        context.form(.agree, to: ["welcome"], class: "card") {
            Field.check("terms", context.t("welcome.agree-terms"), isRequired: true)
            Field.check(
                "beacon", context.t("welcome.agree-beacon"), hint: context.t("welcome.agree-beacon-hint"), isRequired: true)
            Field.check(
                "notifications", context.t("welcome.agree-notifications"),
                hint: context.t("welcome.agree-notifications-hint"), isOn: true)
            Field.submit(context.t("welcome.start"))
        }
        el(.p, .class("small"), text: context.t("welcome.later"))
    }
}
