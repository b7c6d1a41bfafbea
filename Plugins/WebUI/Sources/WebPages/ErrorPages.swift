// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// The pages that replace one that cannot be shown: they say what happened, why, and what to do next.
public enum ErrorPages {
    /// The HTTP statuses that have a page of their own, because there are texts for them.
    public static let statuses = [400, 401, 403, 404, 405, 413, 429, 500, 503]

    /// Returns the page of a status; that of 500 for a status without one.
    ///
    /// - Parameters:
    ///   - status: The HTTP status, which is shown at the foot of the page.
    ///   - detail: The board's own English sentence, which only technicians see; `nil` for none.
    ///   - wait: The number of seconds until the next try; `nil` if it is not known.
    public static func page(_ status: Int, detail: String? = nil, wait: Int64? = nil, _ context: PageContext) -> Page {
        let known = statuses.contains(status) ? status : 500
        return Layout(context: context).page(title: context.t(.errorTitle, "\(known)")) {
            Part.head(context.t(.errorTitle, "\(known)"), lead: context.t(.errorWhy, "\(known)"))
            Part.section("next", context.t("error.next-title")) {
                el(.p, text: context.t(.errorNext, "\(known)"))
                if let wait { el(.p, text: context.t("error.wait", ["span": context.span(wait)])) }
                if known >= 500, context.device == .person, !context.isTechnician {
                    el(.p, text: context.t("today.still-applies"))
                }
                if let detail, context.isTechnician { Part.english(detail, in: context) }
                el(.p, .class("actions")) {
                    Part.link(Link("/"), context.t("error.home"), class: "button")
                    if known == 401 || known == 403 {
                        Part.link(Link("/sign-in"), context.t("layout.sign-in"), class: "button plain")
                    }
                    if known >= 500 { Part.link(Link("/hotlines"), context.t("today.call"), class: "button plain") }
                    Part.link(Link("/help"), context.t("nav.help"), class: "button plain")
                }
            }
            el(.p, .class("small"), text: context.t("error.number", ["n": "\(status)"]))
        }
    }
}
