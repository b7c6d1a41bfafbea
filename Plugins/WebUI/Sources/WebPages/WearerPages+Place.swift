// SPDX-License-Identifier: Apache-2.0

/// A device in a place: what it does here, and what it does not know.
extension WearerPages {
    static func place(_ model: Today, _ context: PageContext) -> Page {
        let state = TodayState(status: model.status, risk: nil)
        return Layout(context: context).page(title: context.t("place.title"), place: .today) {
            el(.h1, text: context.t("place.title"))
            el(.p, .class("lead"), text: context.t("place.lead"))
            el(.div, .live("today"), .polite) { placeCard(state, context) }
            placeDoes(isOff: state == .placeOff, context)
            Part.section("you", context.t("place.you-title")) {
                el(.p, text: context.t("place.you"))
                Part.onward(Link("/help"), context.t("place.help"))
                if context.isTechnician { Part.onward(Link("/tech/places"), context.t("places.title")) }
            }
        }
    }

    /// What the device does and does not do in a place.
    @HTMLBuilder static func placeDoes(isOff: Bool = false, _ context: PageContext) -> HTML {
        Part.section("does", context.t(isOff ? "place.does-title-off" : "place.does-title")) {
            Part.list(TextFamily.placeDoes.members.map { context.t(.placeDoes, $0) }, class: "ticks")
        }
        Part.section("does-not", context.t("place.does-not-title")) {
            Part.list(TextFamily.placeDoesNot.members.map { context.t(.placeDoesNot, $0) }, class: "crosses")
        }
    }

    static func placeCard(_ state: TodayState, _ context: PageContext) -> HTML {
        el(.section, .class("state " + state.look.class), .labelledBy("state-word")) {
            el(.div, .class("sign")) { state.look.icon.html }
            el(.div) {
                el(.h2, .id("state-word"), .class("word"), text: context.t(.stateWord, state.rawValue))
                el(.p, .class("sentence"), text: context.t(.stateSentence, state.rawValue))
                el(.p, text: context.t(.stateAdvice, state.rawValue))
            }
        }
    }
}
