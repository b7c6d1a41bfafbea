// SPDX-License-Identifier: Apache-2.0

import Interfaces

extension TechnicianPages {
    /// Makes the page `/reset` as a technician sees it: what is erased and what stays when the device is for somebody else,
    /// and a word to type (``WearerPages/resetWord(_:)``). Cannot fail.
    ///
    /// - Parameter fault: Whether another word was typed just now.
    public static func handOn(fault: Bool, _ context: PageContext) -> Page {
        page(.access, context, lead: context.t("tech.hand-on.lead"), title: context.t("tech.hand-on.title")) {
            Part.section("lost", context.t("reset.lost-title")) {
                el(.p, text: context.t("tech.hand-on.lost"))
                el(.p, text: context.t("tech.hand-on.kept"))
            }
            Part.section("after", context.t("reset.after-title")) { el(.p, text: context.t("tech.hand-on.after")) }
            technicianOnly(context) {
                context.form(.reset, to: ["reset"], class: "card danger") {
                    Field.line(
                        "word", context.t("reset.type", ["word": WearerPages.resetWord(context.texts)]),
                        hint: context.t("reset.hint"), error: fault ? context.t("reset.fault") : nil, .autocomplete("off"),
                        .noCorrection, .noCapitals, isRequired: true)
                    el(.p, .class("actions")) {
                        el(.button, .class("button danger"), .type(.submit), text: context.t("reset.do"))
                        Part.link(Link("/tech/access"), context.t("reset.not"), class: "button plain")
                    }
                }
            }
        }
    }

    /// How often the device was erased, when the last time was, and whether that was to hand it on.
    static func life(_ storage: Device1.Storage, _ context: PageContext) -> HTML {
        Part.section("life", context.t("tech.storage.life")) {
            Part.facts([
                (
                    context.t("tech.storage.life-number"),
                    HTML(storage.life.map { context.number(Int($0) - 1) } ?? context.t("tech.storage.life-unknown"))
                ),
                (
                    context.t("tech.storage.erased"),
                    storage.erased.map(context.momentElement)
                        ?? HTML(context.t(storage.life == 1 ? "tech.never" : "tech.storage.life-unknown"))
                ),
                (
                    context.t("tech.storage.handed-on"),
                    storage.handedOn.map { word($0, context) } ?? HTML("–")
                ),
            ])
            el(.p, .class("small"), text: context.t("tech.storage.life-meaning"))
        }
    }
}
