// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// What can be read at any time, by anybody.
extension WearerPages {
    /// Makes the page `/help`: how the device works, questions and answers, and the authority's links if there are any; in a place what the device does there.
    /// Cannot fail.
    public static func help(_ context: PageContext) -> Page {
        Layout(context: context).page(title: context.t("help.title"), place: .help) {
            // A person's device sends and keeps numbers; one in a place does neither.
            if context.device == .place {
                Part.head(context.t("help.title"), lead: context.t("place.lead"))
                placeDoes(context)
                Part.section("you", context.t("place.you-title")) { el(.p, text: context.t("place.you")) }
            } else {
                Part.head(context.t("help.title"), lead: context.t("help.lead"))
                howItWorks(context)
            }
            links(context)
            Part.onward(Link("/hotlines"), context.t("today.call"))
        }
    }

    @HTMLBuilder private static func howItWorks(_ context: PageContext) -> HTML {
        Part.section("how", context.t("welcome.how-title")) {
            Part.list(TextFamily.welcome.members.map { context.t(.welcome, $0) }, class: "story", numbered: true)
            el(.p, text: context.t("welcome.never"))
        }
        Part.section("questions", context.t("help.questions"), class: "plain") {
            TextFamily.question.members.map { number in
                el(.details, .class("card")) {
                    el(.summary, text: context.t(.question, number))
                    el(.p, text: context.t(.answer, number))
                }
            }
        }
    }

    @HTMLBuilder private static func links(_ context: PageContext) -> HTML {
        let links = context.content?.list(\.links, for: context.language)
        let usable = links?.value.compactMap { link in Link(https: link.address).map { (link.title, $0) } } ?? []
        if let links, !usable.isEmpty {
            Part.section("links", context.t("help.links")) {
                el(.p, .class("small"), text: context.t("help.links-note"))
                foreign(links, context) {
                    el(.ul) {
                        usable.map { link in el(.li) { el(.a, .href(link.1), .external, .noReferrer, text: link.0) } }
                    }
                }
            }
        }
    }

    /// Makes the page `/hotlines`: telephone numbers with their hours and purposes, or a note that the authority has named
    /// none. Cannot fail. The number for emergencies, 112, is always shown.
    public static func hotlines(_ context: PageContext) -> Page {
        let hotlines = context.content?.list(\.hotlines, for: context.language)
        return Layout(context: context).page(title: context.t("hotlines.title")) {
            Part.head(context.t("hotlines.title"), lead: context.t("hotlines.lead"))
            if let hotlines {
                foreign(hotlines, context) {
                    HTML(hotlines.value.enumerated().map { index, hotline in hotlineCard(index, hotline, context) })
                }
                source(context)
            } else {
                Part.note(.heed, context.t("hotlines.none"))
            }
            Part.section("emergency", context.t("hotlines.emergency-title"), class: "card warm-edge") {
                el(.p, text: context.t("hotlines.emergency"))
                el(.p, .class("actions")) {
                    if let link = Link(telephone: "112") {
                        el(.a, .class("button"), .href(link)) {
                            Icon.phone.html
                            el(.span, text: "112")
                        }
                    }
                }
            }
            el(.p, .class("small"), text: context.t("hotlines.never-ask"))
        }
    }

    private static func hotlineCard(_ index: Int, _ hotline: AuthorityContent.Hotline, _ context: PageContext) -> HTML {
        let title = hotline.title ?? context.known(.hotline, hotline.topic) ?? hotline.topic
        return el(.section, .class("card"), .labelledBy("hotline-\(index)")) {
            el(.h2, .id("hotline-\(index)"), text: title)
            if hotline.title != nil, let topic = context.known(.hotline, hotline.topic), topic != title {
                el(.p, text: topic)
            }
            el(.p, .class("actions")) {
                if let link = Link(telephone: hotline.number) {
                    el(.a, .class("button"), .href(link)) {
                        Icon.phone.html
                        el(.span, text: hotline.number)
                    }
                } else {
                    el(.strong, text: hotline.number)
                }
            }
            el(.p) {
                Icon.clock.html
                " "
                hotline.hours
            }
            if let note = hotline.note { el(.p, .class("small"), text: note) }
        }
    }

    /// Makes the page `/terms`: the authority's terms of use if there are any, otherwise the pages' own. Cannot fail.
    public static func terms(_ context: PageContext) -> Page {
        Layout(context: context).page(title: context.t("terms.title")) {
            Part.head(context.t("terms.title"))
            el(.div, .class("prose")) { termsParagraphs(context) }
        }
    }

    @HTMLBuilder static func termsParagraphs(_ context: PageContext) -> HTML {
        if let words = context.content?.list(\.terms, for: context.language) {
            foreign(words, context) { HTML(words.value.map { el(.p, text: $0) }) }
        } else {
            TextFamily.terms.members.map { el(.p, text: context.t(.terms, $0)) }
        }
    }

    /// Makes the page `/privacy`: how data are used, in the authority's text if there is one, otherwise in the pages' own; in a place in the pages' own, because the
    /// authority's is about people's devices.
    /// Cannot fail.
    public static func privacy(_ context: PageContext) -> Page {
        Layout(context: context).page(title: context.t("privacy.title")) {
            if context.device == .place {
                Part.head(context.t("privacy.title"), lead: context.t("place.lead"))
                el(.div, .class("prose")) {
                    TextFamily.placePrivacy.members.map { number in
                        HTML([
                            el(.h2, text: context.t(.privacyHeading, number)),
                            el(.p, text: context.t(.placePrivacy, number)),
                        ])
                    }
                }
            } else {
                Part.head(context.t("privacy.title"), lead: context.t("privacy.lead"))
                el(.div, .class("prose")) { privacyParagraphs(context, level: .h2) }
            }
        }
    }

    @HTMLBuilder static func privacyParagraphs(_ context: PageContext, level: Tag) -> HTML {
        if let words = context.content?.list(\.privacy, for: context.language) {
            foreign(words, context) { HTML(words.value.map { el(.p, text: $0) }) }
        } else {
            TextFamily.privacyPart.members.map { number in
                HTML([
                    el(level, text: context.t(.privacyHeading, number)), el(.p, text: context.t(.privacyPart, number)),
                ])
            }
        }
    }

    /// Makes the page `/imprint`: the responsible authority, from its content, or a note that the content does not name it.
    /// Cannot fail.
    public static func imprint(_ context: PageContext) -> Page {
        let lines = context.content?.list(\.publication, for: context.language)
        return Layout(context: context).page(title: context.t("imprint.title")) {
            Part.head(context.t("imprint.title"))
            Part.section("publisher", context.t("imprint.publisher")) {
                if let lines {
                    foreign(lines, context) { el(.div, .class("lines")) { lines.value.map { el(.p, text: $0) } } }
                } else {
                    el(.p, text: context.t("imprint.none"))
                }
            }
            Part.section("software", context.t("imprint.software")) {
                el(.p, text: context.t("imprint.about"))
                el(.p, text: context.t("imprint.licence"))
                el(.p, text: context.t("imprint.reviewed"))
            }
        }
    }

    /// The content of `/sign-in`: the roles to choose from, and why it is shown.
    public struct SignIn: Sendable {
        /// The reason why the sign-in form is shown again.
        public enum Reason: Sendable {
            /// The secret is not that of the role.
            case wrong
            /// The session has ended: sign in again.
            case ended
            /// The secret was changed, which ended the session: sign in with the new one.
            case changed
        }

        /// The roles that have a secret, and so can be chosen, in this order; `nobody` is left out. Empty if there are
        /// none.
        public var roles: [PageContext.Reader]
        /// The role that is selected at first, one of ``roles``; `nil` for the first role.
        public var chosen: PageContext.Reader?
        /// The reason why the form is shown again; `nil` the first time.
        public var reason: Reason?
        /// The number of seconds until another try is accepted; 0 for at once.
        public var wait: Int64

        /// Creates the content; `chosen` and `reason` are `nil` when the page is opened.
        ///
        /// - Parameter wait: The number of seconds until another try is accepted; 0 for at once.
        public init(roles: [PageContext.Reader], chosen: PageContext.Reader? = nil, reason: Reason? = nil, wait: Int64 = 0)
        {
            self.roles = roles
            self.chosen = chosen
            self.reason = reason
            self.wait = wait
        }
    }

    /// Makes the page `/sign-in`: a form for a role and its secret, with the reason why it is shown again. Cannot fail.
    public static func signIn(_ model: SignIn, _ context: PageContext) -> Page {
        let roles = model.roles.filter { $0 != .nobody }
        let chosen = model.chosen ?? roles.first
        return Layout(context: context).page(title: context.t("sign-in.title")) {
            Part.head(context.t("sign-in.title"), lead: context.t("sign-in.lead"))
            if model.reason == .ended { Part.note(.heed, context.t("sign-in.ended")) }
            if model.reason == .changed { Part.note(.calm, context.t("sign-in.changed")) }
            if model.wait > 0 { Part.note(.heed, context.t("sign-in.wait", ["span": context.span(model.wait)])) }
            if roles.isEmpty {
                Part.note(.heed, context.t("sign-in.no-roles"))
            } else {
                context.form(.signIn, to: ["sign-in"], class: "card") {
                    if roles.count == 1 {
                        // There is nothing to choose.
                        el(.input, .type(.hidden), .name("role"), .value(roles[0].rawValue))
                    } else {
                        Field.radios(
                            "role", context.t("sign-in.role"),
                            options: roles.map { ($0.rawValue, context.t(.reader, $0.rawValue)) },
                            selected: chosen?.rawValue)
                    }
                    Field.line(
                        "secret", context.t("sign-in.secret"), hint: context.t("sign-in.hint"),
                        error: model.reason == .wrong ? context.t("sign-in.wrong") : nil, type: .password,
                        .autocomplete("current-password"), .maxlength(256), .revealed(context.t("layout.reveal")),
                        isRequired: true)
                    Field.submit(context.t("sign-in.do"))
                }
                Part.section("lost", context.t("sign-in.lost-title"), class: "card slim") {
                    el(.p, text: context.t("sign-in.lost"))
                }
            }
        }
    }

    /// Makes the page `/signed-out`, which follows after signing out. Cannot fail.
    public static func signedOut(_ context: PageContext) -> Page {
        Layout(context: context).page(title: context.t("signed-out.title")) {
            Part.head(context.t("signed-out.title"), lead: context.t("signed-out.lead"))
            el(.p, .class("actions")) { Part.link(Link("/sign-in"), context.t("signed-out.again"), class: "button") }
        }
    }
}
