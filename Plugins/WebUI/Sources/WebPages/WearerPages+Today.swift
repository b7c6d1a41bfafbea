// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import Interfaces

/// The pages of the wearer, and those of a device in a place, which everybody may see.
public enum WearerPages {
    /// The content of the first page, `/`: status, risk, freshness and activity.
    public struct Today: Sendable {
        /// The core's status of the device.
        public var status: Exposure1.Status
        /// The wearer's risk; `nil` on a device in a place, and if the core does not answer.
        public var risk: Risk1.Risk?
        /// The freshness of the keys, from the sync plugin; `nil` in a place, and if the plugin does not answer.
        public var freshness: Sync1.Freshness?
        /// The device's hourly record of at least the last 24 hours, oldest first. Empty in a place; `nil` if the core does
        /// not answer.
        public var evidence: [Device1.EvidenceHour]?
        /// Whether there is news of a test that the wearer has not seen; `false` if the plugin does not answer.
        public var testNews: Bool
        /// The warnings about visits; `nil` where visits cannot be entered.
        public var visitWarnings: VisitWarnings?

        /// Creates the content of these values, unchecked; see the properties for `nil` and for order.
        public init(
            status: Exposure1.Status, risk: Risk1.Risk?, freshness: Sync1.Freshness?, evidence: [Device1.EvidenceHour]?,
            testNews: Bool, visitWarnings: VisitWarnings? = nil
        ) {
            self.status = status
            self.risk = risk
            self.freshness = freshness
            self.evidence = evidence
            self.testNews = testNews
            self.visitWarnings = visitWarnings
        }
    }

    /// Makes the page `/`: the state in one sentence, one colour, one shape and one word; the advice; its age; and a sign
    /// that the device works. For a device in a place: what it does there, and what it does not know.
    ///
    /// A person's state is not shown without a sign-in: the server sends other readers to `/sign-in`. A place has nothing
    /// personal.
    public static func today(_ model: Today, _ context: PageContext) -> Page {
        if model.status.role == .place { return place(model, context) }
        let state = TodayState(status: model.status, risk: model.risk, visits: model.visitWarnings)
        return Layout(context: context).page(title: context.t("today.title"), place: .today) {
            todayBody(model, state, context)
        }
    }

    /// Returns the card with the state of ``today(_:_:)``, without the advice and the rest below it, as markup in UTF-8,
    /// for a live event named `today`.
    public static func todayFragment(_ model: Today, _ context: PageContext) -> [UInt8] {
        let state = TodayState(status: model.status, risk: model.risk, visits: model.visitWarnings)
        return Array(
            (model.status.role == .place ? placeCard(state, context) : stateCard(model, state, context)).markup.utf8)
    }

    @HTMLBuilder private static func todayBody(_ model: Today, _ state: TodayState, _ context: PageContext) -> HTML {
        el(.h1, .class("unseen"), text: context.t("today.title"))
        news(model, state, context)
        el(.div, .live("today"), .polite) { stateCard(model, state, context) }
        advice(model, state, context)
        el(.div, .class("pair")) {
            freshness(model, context)
            proofLine(model, context)
        }
        Part.section("ask", context.t("today.more")) {
            el(.ul, .class("shortcuts")) {
                // With increased risk the two are buttons above.
                if state != .increased { shortcut(Link("/why"), .question, context.t("today.why")) }
                shortcut(Link("/tests"), .test, context.t("today.test"))
                if model.visitWarnings != nil { shortcut(Link("/visits"), .list, context.t("today.visits")) }
                shortcut(Link("/history"), .history, context.t("today.history"))
                if state != .increased { shortcut(Link("/hotlines"), .phone, context.t("today.call")) }
            }
        }
    }

    private static func shortcut(_ link: Link, _ icon: Icon, _ text: String) -> HTML {
        el(.li) {
            el(.a, .href(link)) {
                icon.html
                el(.span, text: text)
            }
        }
    }

    @HTMLBuilder private static func news(
        _ model: Today, _ state: TodayState, _ context: PageContext
    ) -> HTML {
        if model.risk?.news == true {
            Part.note(.heed) {
                el(.p, text: context.t("today.news"))
                context.buttonForm(.acknowledge, context.t("today.seen"), class: "button small")
            }
        }
        if model.testNews {
            Part.note(.heed) {
                el(.p, text: context.t("today.test-news"))
                el(.p) { Part.link(Link("/tests"), context.t("today.to-tests")) }
            }
        }
        let said: StaticString? =
            switch model.visitWarnings?.news {
            case .news: "today.visit-news"
            case .kept: "today.visit-kept"
            case .unknown: "today.visit-unknown"
            case nil, .some(.none): nil
            }
        let isBehind = model.visitWarnings?.isBehind == true
        if said != nil || isBehind || model.visitWarnings?.isLost == true {
            Part.note(.heed) {
                if let said {
                    el(.p) {
                        context.t(said)
                        if model.visitWarnings?.news != .unknown, let relation = relation(state) {
                            " "
                            context.t(relation)
                        }
                    }
                }
                if isBehind { el(.p, text: context.t("visits.unfetched")) }
                if model.visitWarnings?.isLost == true { el(.p, text: context.t("visits.lost")) }
                el(.p) { Part.link(Link("/visits"), context.t("today.to-visits")) }
            }
        }
    }

    /// How the advice about a visit stands to what is said below it; `nil` where nothing is advised there.
    private static func relation(_ state: TodayState) -> StaticString? {
        switch state {
        case .low: "today.visit-low"
        case .increased, .unjudged: "today.visit-both"
        default: nil
        }
    }

    private static func stateCard(_ model: Today, _ state: TodayState, _ context: PageContext) -> HTML {
        el(.section, .class("state " + state.look.class), .labelledBy("state-word")) {
            el(.div, .class("sign")) { state.look.icon.html }
            el(.div) {
                el(.h2, .id("state-word"), .class("word"), text: context.t(.stateWord, state.rawValue))
                sentences(state, model.risk, model.visitWarnings, context).map { el(.p, .class("sentence"), text: $0) }
                takenBack(model.risk, state, context)
                notKnown(model.risk, context)
                if let day = relevantDay(state, model.risk, model.visitWarnings) {
                    el(.p, text: context.t("today.day", ["date": context.dayName(day)]))
                }
                if let day = toldDay(state, model.risk) {
                    el(.p, text: context.t("today.told"))
                    el(.p, text: context.t("today.day", ["date": context.dayName(day)]))
                }
                if state == .ended, let erase = model.risk?.eraseFrom {
                    el(.p, text: context.t("today.erase", ["date": context.longDay(dayNumber(of: erase))]))
                }
                if state == .increased || state == .unjudged, model.status.state != .active {
                    el(.p, text: context.t(model.status.state == .disabled ? "today.also-off" : "today.also-trouble"))
                }
            }
        }
    }

    /// What was told and is not true any more, and what follows from that for the person.
    @HTMLBuilder static func takenBack(_ risk: Risk1.Risk?, _ state: TodayState, _ context: PageContext) -> HTML {
        let taken = risk?.takenBack ?? []
        taken.map { el(.p, text: context.t("today.taken-back", ["date": context.longDay($0.day)])) }
        if !taken.isEmpty {
            el(.p, text: context.t(state == .increased ? "today.taken-back-stands" : "today.taken-back-advice"))
        }
    }

    /// For which of several authorities nothing can be said, beside what another one says.
    @HTMLBuilder private static func notKnown(_ risk: Risk1.Risk?, _ context: PageContext) -> HTML {
        let open: [Risk1.SourceState] = [.unknown, .outdated, .paused, .ended]
        let names = (risk?.sources ?? []).filter { open.contains($0.state) }.map { name(of: $0, context) }
        if !names.isEmpty, risk?.state == .low || risk?.state == .increased {
            el(.p, text: context.t("today.not-known-for", ["names": names.joined(separator: ", ")]))
        }
    }

    /// What people call an authority, in their language if somebody has said it.
    static func name(of source: Risk1.SourceWord, _ context: PageContext) -> String {
        source.title[context.language.rawValue] ?? source.title[context.language.tag] ?? source.title["en"]
            ?? (source.name == "authority" ? context.t("sources.standard") : source.name)
    }

    /// What leads to the state: encounters, visits, or both.
    static func sentences(
        _ state: TodayState, _ risk: Risk1.Risk?, _ visits: VisitWarnings?, _ context: PageContext
    ) -> [String] {
        let own = context.t(.stateSentence, state.rawValue)
        switch state {
        case .increased where visits?.increasedDay != nil:
            return (risk?.state == .increased ? [own] : []) + [context.t("today.visit-increased")]
        case .unjudged where visits?.isUnjudged == true:
            return (WholeRisk.isUnjudged(risk) ? [own] : []) + [context.t("today.visit-unjudged")]
        default: return [own]
        }
    }

    /// The latest day, of encounters and visits, with increased risk, or of what cannot be judged as far as its day is known.
    private static func relevantDay(_ state: TodayState, _ risk: Risk1.Risk?, _ visits: VisitWarnings?) -> Int? {
        switch state {
        case .increased:
            let met = risk?.state == .increased ? risk?.mostRelevantDay : nil
            return [met, visits?.increasedDay].compactMap { $0 }.max()
        case .unjudged: return visits?.days.filter { $0.value == .unknown }.keys.max()
        default: return nil
        }
    }

    /// Whether a warning of before is not shown in this state, although its advice still applies.
    private static func hidesWarnings(_ state: TodayState) -> Bool {
        [.unknown, .outdated, .paused, .ended, .off, .timeUnknown, .radioTrouble, .stopping].contains(state)
    }

    /// The day of a warning of before that this state hides, as far as the core knows it.
    private static func toldDay(_ state: TodayState, _ risk: Risk1.Risk?) -> Int? {
        hidesWarnings(state) ? risk?.told : nil
    }

    /// The authority's words where it has any for this state, our own otherwise.
    private static func advice(_ model: Today, _ state: TodayState, _ context: PageContext) -> HTML {
        Part.section("advice", context.t("today.what-to-do")) {
            recommendations(for: state.rawValue, .stateAdvice, context)
            if toldDay(state, model.risk) != nil {
                el(.p, text: context.t("today.told-advice"))
                recommendations(for: TodayState.increased.rawValue, .stateAdvice, context)
            } else if hidesWarnings(state) {
                el(.p, text: context.t("today.earlier"))
            }
            switch state {
            case .increased, .unjudged:
                el(.p, .class("actions")) {
                    Part.link(Link("/hotlines"), context.t("today.call"), class: "button")
                    Part.link(Link("/why"), context.t("today.why"), class: "button plain")
                }
            case .off:
                el(.p, .class("actions")) { Part.link(Link("/settings"), context.t("today.to-settings"), class: "button") }
            case _ where toldDay(state, model.risk) != nil:
                el(.p, .class("actions")) { Part.link(Link("/hotlines"), context.t("today.call"), class: "button") }
            default: HTML.nothing
            }
        }
    }

    /// The authority's words for that state where it has any in whatever language, else the pages' own: no two languages of one device
    /// advise differently.
    @HTMLBuilder static func recommendations(for state: String, _ family: TextFamily, _ context: PageContext) -> HTML {
        let key = family.prefix + "." + state
        if let words = context.content?.recommendations(for: state, inPlaceOf: key, for: context.language) {
            foreign(words, context) { words.value.count == 1 ? el(.p, text: words.value[0]) : Part.list(words.value) }
            source(context)
        } else {
            el(.p, text: context.t(family, state))
        }
    }

    /// Words of the authority; those in another language than the page's are marked, for eyes and for voices.
    @HTMLBuilder static func foreign<Value>(
        _ part: AuthorityContent.Part<Value>, _ context: PageContext, _ content: () -> HTML
    ) -> HTML {
        if part.language == context.language {
            content()
        } else {
            el(.p, .class("small"), text: context.t(.onlyIn, part.language.rawValue))
            el(.div, .lang(part.language.tag), content: content)
        }
    }

    /// Who says so.
    static func source(_ context: PageContext) -> HTML? {
        let publisher = context.content?.editions(for: context.language).compactMap(\.value.publisher).first
        return publisher.map { el(.p, .class("small"), text: context.t("content.source", ["name": $0])) }
    }

    private static func freshness(_ model: Today, _ context: PageContext) -> HTML {
        Part.section("fresh", context.t("today.fresh"), class: "card slim") {
            if let compared = model.risk?.lastMatched ?? model.status.lastMatched {
                el(.p) {
                    context.t("today.compared", ["ago": context.ago(compared)])
                }
                el(.p, .class("small")) { context.momentElement(compared) }
            } else {
                el(.p, text: context.t("today.never-compared"))
            }
            if let newest = newest(model) {
                el(.p, .class("small")) {
                    context.t("today.newest")
                    " "
                    context.momentElement(newest)
                }
            }
            if model.freshness?.sources.contains(where: { $0.problem != nil }) == true {
                Part.note(.heed, context.t("today.sync-problem"))
            }
        }
    }

    /// Up to when the published warnings are known: of several sources the one that is furthest behind, and never later than the last check.
    private static func newest(_ model: Today) -> Int64? {
        let sources = (model.freshness?.sources ?? []).filter { $0.kind != .folder }
        guard let newest = sources.compactMap(\.newestEnd).min() else { return nil }
        return min(newest, model.risk?.lastMatched ?? model.status.lastMatched ?? newest)
    }

    private static func proofLine(_ model: Today, _ context: PageContext) -> HTML {
        let day = (model.evidence ?? []).filter { $0.start > context.now - UTCDay.seconds || !context.timeIsKnown }.suffix(
            24)
        let hours = day.filter { $0.secondsOnAir > 0 && $0.scanCount > 0 }.count
        return Part.section("works", context.t("today.works"), class: "card slim") {
            if model.evidence == nil {
                el(.p, text: context.t("today.hours-unknown"))
            } else {
                el(.p, text: hours == 0 ? context.t("today.no-hours") : context.t("today.hours", counting: Int64(hours)))
            }
            Part.onward(Link("/proof"), context.t("today.proof"))
        }
    }
}
