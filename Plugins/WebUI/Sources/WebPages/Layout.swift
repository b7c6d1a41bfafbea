// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// A finished page, ready to be sent.
public struct Page: Sendable, Equatable {
    /// The whole document, from the doctype to the end.
    public let html: String

    /// The whole document in UTF-8, as it goes out with `Content-Type: text/html; charset=utf-8`.
    public var bytes: [UInt8] { Array(html.utf8) }
}

/// What all pages have around them.
struct Layout {
    let context: PageContext

    /// Where a page belongs, for the navigation to say "you are here".
    enum Place: Equatable {
        case today, history, tests, settings, help, other
        case tech(TechnicianArea)
    }

    func page(title: String, place: Place = .other, @HTMLBuilder _ content: () -> HTML) -> Page {
        let isTech = if case .tech = place { true } else { false }
        let document = el(.html, .lang(context.language.tag)) {
            head(title: title, script: true)
            el(.body, .class(isTech ? "tech" : "wearer")) {
                el(.a, .class("skip"), .href(.here("content")), text: context.t("layout.skip"))
                header(isTech: isTech)
                navigation(place)
                el(.main, .id("content"), .tabindex(-1)) {
                    notice
                    content()
                }
                footer
            }
        }
        return Page(html: HTML.document(document).markup)
    }

    /// A page for a display that nobody touches: no navigation, no links, no forms, nothing to scroll.
    func screen(title: String, @HTMLBuilder _ content: () -> HTML) -> Page {
        let document = el(.html, .lang(context.language.tag)) {
            head(title: title)
            el(.body, .class("screen")) { el(.main, content: content) }
        }
        return Page(html: HTML.document(document).markup)
    }

    private func head(title: String, script: Bool = false) -> HTML {
        el(.head) {
            el(.meta, .charset)
            el(.meta, .meta(.viewport), .content("width=device-width, initial-scale=1"))
            el(.meta, .meta(.colorScheme), .content("light dark"))
            el(.meta, .meta(.referrer), .content("same-origin"))
            el(.meta, .meta(.robots), .content("noindex"))
            el(.title, text: title + " – " + siteName)
            el(.link, .rel(.stylesheet), .href(Link("/style.css")))
            if script { el(.script, .script(Link("/live.js")), .deferred) }
        }
    }

    private var siteName: String { context.siteName ?? context.t("layout.name") }

    private func header(isTech: Bool) -> HTML {
        el(.header, .class("top")) {
            el(.a, .class("brand"), .href(Link(isTech ? "/tech" : "/"))) {
                brandMark
                el(.span, text: siteName)
            }
            switch context.reader {
            case .nobody:
                if context.path != "/sign-in" {
                    el(.a, .class("quiet"), .href(Link("/sign-in"))) {
                        Icon.lock.html
                        el(.span, text: context.t("layout.sign-in"))
                    }
                }
            case .wearer, .technicianReadOnly, .technician:
                context.form(.signOut, class: "inline") {
                    el(.button, .class("quiet"), .type(.submit)) {
                        Icon.person.html
                        el(.span, text: context.t("layout.sign-out"))
                    }
                }
            }
        }
    }

    /// Two people with a little space between them.
    private var brandMark: HTML {
        el(.svg, .class("mark"), .viewBox(32, 32), .ariaHidden, .notFocusable) {
            el(.circle, .shape(.cx, 16), .shape(.cy, 16), .shape(.r, 15), .class("mark-ring"))
            el(.circle, .shape(.cx, 10), .shape(.cy, 16), .shape(.r, 4), .class("mark-one"))
            el(.circle, .shape(.cx, 22), .shape(.cy, 16), .shape(.r, 4), .class("mark-two"))
        }
    }

    @HTMLBuilder private var notice: HTML {
        if let notice = context.notice {
            el(
                .div, .class(notice.kind == .good ? "notice good" : "notice fault"),
                .role(notice.kind == .good ? "status" : "alert")
            ) {
                (notice.kind == .good ? Icon.check : Icon.warning).html
                el(.p, notice.isEnglish && context.language != .english ? .lang("en") : nil, text: notice.text)
            }
        }
    }

    private func navigation(_ place: Place) -> HTML {
        if case .tech(let area) = place { return technicianNavigation(area) }
        var entries: [(Place, Icon, String, Link)] = [(.today, .house, context.t("nav.today"), Link("/"))]
        if context.device == .person, context.reader == .wearer {
            entries.append((.history, .history, context.t("nav.history"), Link("/history")))
            entries.append((.tests, .test, context.t("nav.tests"), Link("/tests")))
            entries.append((.settings, .settings, context.t("nav.settings"), Link("/settings")))
        }
        entries.append((.help, .help, context.t("nav.help"), Link("/help")))
        if context.isTechnician { entries.append((.other, .radio, context.t("nav.tech"), Link("/tech"))) }
        return el(.nav, .class("main-nav"), .label(context.t("nav.label"))) {
            el(.ul) {
                entries.map { entry in
                    el(.li) {
                        el(.a, .href(entry.3), entry.0 == place && place != .other ? .currentPage : nil) {
                            entry.1.html
                            el(.span, text: entry.2)
                        }
                    }
                }
            }
        }
    }

    private func technicianNavigation(_ area: TechnicianArea) -> HTML {
        el(.nav, .class("tech-nav"), .label(context.t("nav.tech-label"))) {
            el(.ul) {
                TechnicianArea.allCases.map { entry in
                    el(.li) {
                        el(
                            .a, .href(entry.link), entry == area ? .currentPage : nil,
                            text: context.t(TechnicianArea.family, entry.rawValue))
                    }
                }
            }
        }
    }

    private var footer: HTML {
        el(.footer) {
            el(.nav, .label(context.t("footer.label"))) {
                el(.ul) {
                    footerLink(Link("/hotlines"), context.t("footer.hotlines"))
                    if context.reader == .wearer, context.device == .person {
                        footerLink(Link("/proof"), context.t("footer.proof"))
                        footerLink(Link("/data"), context.t("footer.data"))
                    }
                    footerLink(Link("/terms"), context.t("footer.terms"))
                    footerLink(Link("/privacy"), context.t("footer.privacy"))
                    footerLink(Link("/imprint"), context.t("footer.imprint"))
                }
            }
            languageChoice
            el(.p, .class("small"), text: context.t("footer.promise"))
        }
    }

    private func footerLink(_ link: Link, _ text: String) -> HTML { el(.li) { el(.a, .href(link), text: text) } }

    /// Links, so that it works without a form, a session or a script: `?language=` is remembered by the server.
    private var languageChoice: HTML {
        el(.nav, .class("languages"), .label(context.t("footer.languages"))) {
            el(.ul) {
                context.languages.map { language in
                    el(.li) {
                        el(
                            .a, .href(Link(page: pathParts, query: [("language", language.rawValue)])), .lang(language.tag),
                            language == context.language ? .currentPage : nil, text: language.ownName)
                    }
                }
            }
        }
    }

    private var pathParts: [String] { context.path.split(separator: "/").map(String.init) }
}
