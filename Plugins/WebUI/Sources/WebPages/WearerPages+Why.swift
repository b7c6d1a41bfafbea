// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import Interfaces

/// Why the device says what it says.
extension WearerPages {
    /// The content of `/why`: the risk, and the encounters and rules that lead to it.
    public struct Why: Sendable {
        /// The core's status of the device.
        public var status: Exposure1.Status
        /// The wearer's risk, from the core.
        public var risk: Risk1.Risk
        /// The encounters that count, of all days or of ``day``; empty if there are none, and if the core does not answer.
        public var contributions: [Risk1.Contribution]
        /// The day that is shown, in days since 1970 (`/why?day=N`); `nil` for all.
        public var day: Int?
        /// The warnings about visits; `nil` where visits cannot be entered.
        public var visitWarnings: VisitWarnings?

        /// Creates the content of these values.
        ///
        /// - Parameter day: The day in days since 1970; `nil` for all days.
        public init(
            status: Exposure1.Status, risk: Risk1.Risk, contributions: [Risk1.Contribution], day: Int?,
            visitWarnings: VisitWarnings? = nil
        ) {
            self.status = status
            self.risk = risk
            self.contributions = contributions
            self.day = day
            self.visitWarnings = visitWarnings
        }
    }

    /// Makes the page `/why`: the days, their numbers and the limit; for a single day, the parts of its number. Cannot
    /// fail.
    public static func why(_ model: Why, _ context: PageContext) -> Page {
        let state = TodayState(status: model.status, risk: model.risk, visits: model.visitWarnings)
        return Layout(context: context).page(title: context.t("why.title")) {
            if let day = model.day {
                whyDay(day, model, context)
            } else {
                Part.head(
                    context.t("why.title"),
                    lead: sentences(state, model.risk, model.visitWarnings, context).joined(separator: " "),
                    back: (Link("/"), context.t("why.back")))
                if model.risk.takenBack?.isEmpty == false {
                    Part.note(.heed) { takenBack(model.risk, state, context) }
                }
                whyDays(model, context)
                whyVisits(model, context)
                whySources(model, context)
                whyMeaning(model, context)
            }
        }
    }

    @HTMLBuilder private static func whyDays(_ model: Why, _ context: PageContext) -> HTML {
        if let unjudged = model.risk.unjudged {
            Part.section("unjudged", context.t("why.unjudged-title")) {
                el(.p, text: context.t("why.unjudged", counting: Int64(unjudged)))
            }
        }
        if model.risk.days.isEmpty, model.risk.unjudged == nil {
            Part.section("none", context.t("why.days")) { el(.p, text: context.t("why.no-days")) }
        } else if !model.risk.days.isEmpty {
            Part.section("days", context.t("why.days")) {
                el(.p, text: context.t("why.days-lead"))
                whyChart(model, context)
                Part.table(
                    context.t("why.table"),
                    columns: [context.t("why.day"), context.t("why.score"), context.t("why.verdict")],
                    rows: model.risk.days.reversed().map { day in
                        [
                            Part.link(Link(page: ["why"], query: [("day", "\(day.day)")]), context.dayName(day.day)),
                            HTML(context.number(day.verdict.score)), levelBadge(day.verdict.level, context),
                        ]
                    })
                if let limit = model.risk.days.compactMap(\.verdict.increasedFrom).first {
                    el(.p, text: context.t("why.limit", ["n": context.number(limit)]))
                }
                if let combined = model.risk.combined {
                    el(.p) {
                        context.t("why.combined", ["n": context.number(combined.score)])
                        " "
                        levelBadge(combined.level, context)
                    }
                }
            }
        }
    }

    /// Days with warnings about visits, where there are levels.
    @HTMLBuilder private static func whyVisits(_ model: Why, _ context: PageContext) -> HTML {
        if let warnings = model.visitWarnings, !warnings.days.isEmpty || warnings.isUnknown || warnings.isCut {
            Part.section("visits", context.t("why.visits")) {
                if warnings.isIncomplete { el(.p, text: context.t("today.visit-unknown")) }
                if warnings.isLost { el(.p, text: context.t("visits.lost")) }
                if warnings.isCut { el(.p, text: context.t("why.visits-cut")) }
                if !warnings.days.isEmpty {
                    el(.p, text: context.t("why.visits-lead"))
                    Part.table(
                        context.t("why.visits"), columns: [context.t("why.day"), context.t("why.verdict")],
                        rows: warnings.days.sorted { $0.key > $1.key }.map { day, level in
                            [
                                Part.link(Link(page: ["why"], query: [("day", "\(day)")]), context.dayName(day)),
                                visitBadge(level, context),
                            ]
                        })
                }
                Part.onward(Link("/visits"), context.t("today.to-visits"))
            }
        }
    }

    /// What each authority says, where several are followed.
    @HTMLBuilder private static func whySources(_ model: Why, _ context: PageContext) -> HTML {
        if let sources = model.risk.sources, !sources.isEmpty {
            Part.section("sources", context.t("sources.title")) {
                el(.p, text: context.t("sources.lead"))
                sources.map { whySource($0, model, context) }
            }
        }
    }

    private static func whySource(_ source: Risk1.SourceWord, _ model: Why, _ context: PageContext) -> HTML {
        let isShown = source.rules != nil && source.rules == model.risk.rules && source.days == model.risk.days
        let tone: Tone = source.state == .increased ? .warm : source.state == .low ? .calm : .still
        return el(.article, .class("card"), .labelledBy("source-\(source.name)")) {
            el(.h3, .id("source-\(source.name)"), text: name(of: source, context))
            el(.p) { Part.badge(tone, context.t(.sourceWord, source.state.rawValue)) }
            el(.p, text: context.t(.sourceSentence, source.state.rawValue))
            if let unjudged = source.unjudged { el(.p, text: context.t("why.unjudged", counting: Int64(unjudged))) }
            (source.takenBack ?? []).map {
                el(.p, text: context.t("sources.taken-back", ["date": context.longDay($0.day)]))
            }
            if isShown, !source.days.isEmpty {
                el(.p, text: context.t("sources.shown"))
            } else if !source.days.isEmpty {
                Part.table(
                    context.t("why.table"),
                    columns: [context.t("why.day"), context.t("why.score"), context.t("why.verdict")],
                    rows: source.days.reversed().map { day in
                        [
                            HTML(context.dayName(day.day)), HTML(context.number(day.verdict.score)),
                            levelBadge(day.verdict.level, context),
                        ]
                    })
            }
            if let compared = source.lastMatched {
                el(.p, .class("small"), text: context.t("today.compared", ["ago": context.ago(compared)]))
            }
        }
    }

    private static func whyChart(_ model: Why, _ context: PageContext) -> HTML {
        let days = model.risk.days.suffix(14)
        return BarChart(
            id: "why-chart", title: context.t("why.chart-title"), description: context.t("why.chart-text"),
            bars: days.map { day in
                BarChart.Bar(
                    label: "\(UTCDay(number: day.day).date.day)", value: day.verdict.score,
                    style: day.verdict.level == .increased ? .warm : .calm, mark: day.verdict.level == .increased)
            }, limit: days.compactMap(\.verdict.increasedFrom).first
        ).html
    }

    static func levelBadge(_ level: Risk1.Level?, _ context: PageContext) -> HTML {
        let tone: Tone = level == .increased ? .warm : level == .low ? .calm : .still
        return Part.badge(tone, context.t(.levelWord, level?.rawValue ?? "none"))
    }

    private static func whyMeaning(_ model: Why, _ context: PageContext) -> HTML {
        Part.section("meaning", context.t("why.meaning-title")) {
            el(.p, text: context.t("why.meaning"))
            el(.p, text: context.t("why.not-infected"))
            el(.p, text: context.t("why.never-who"))
            if let rules = model.risk.rules {
                el(
                    .p, .class("small"),
                    text: context.t(
                        "why.rules", ["n": context.number(rules.version), "unit": context.t(.unit, rules.unit.rawValue)]))
            }
        }
    }

    private static func visitBadge(_ level: Checkin1.Level, _ context: PageContext) -> HTML {
        let state: TodayState =
            switch level {
            case .low: .low
            case .increased: .increased
            case .unknown: .unjudged
            }
        return Part.badge(level == .low ? .still : .warm, context.t(.stateWord, state.rawValue))
    }

    /// The day's verdict, of encounters and visits together; with visits it may be another one than that of its number.
    private static func dayBadge(_ day: Int, _ model: Why, _ context: PageContext) -> HTML {
        let (encounters, visits) = (model.risk.levels[day] ?? nil, model.visitWarnings)
        let areKnown = Self.areKnown(model.risk)
        return switch visits?.level(of: day, encounters: encounters, areKnown: areKnown) {
        case nil: levelBadge(encounters, context)
        case .low: levelBadge(.low, context)
        case .increased: levelBadge(.increased, context)
        case .unknown:
            Part.badge(
                .heed,
                context.t(
                    .stateWord,
                    (visits?.isUnknown == true || !areKnown && model.risk.unjudged == nil ? TodayState.unknown : .unjudged)
                        .rawValue))
        }
    }

    /// Whether a day without judged encounters has none that could count.
    private static func areKnown(_ risk: Risk1.Risk) -> Bool {
        (risk.state == .low || risk.state == .increased) && risk.unjudged == nil
    }

    /// What visits add on this day.
    @HTMLBuilder private static func whyDayVisits(_ day: Int, _ warnings: VisitWarnings, _ context: PageContext) -> HTML {
        if warnings.days[day] != nil || warnings.isUnknown || warnings.isCut {
            Part.section("visits", context.t("why.visits")) {
                if warnings.isIncomplete { el(.p, text: context.t("today.visit-unknown")) }
                if warnings.isLost { el(.p, text: context.t("visits.lost")) }
                if warnings.isCut { el(.p, text: context.t("why.visits-cut")) }
                if let level = warnings.days[day] {
                    el(.p, text: context.t("why.day-visits"))
                    el(.p) { visitBadge(level, context) }
                }
                Part.onward(Link("/visits"), context.t("today.to-visits"))
            }
        }
    }

    @HTMLBuilder private static func whyDay(_ day: Int, _ model: Why, _ context: PageContext) -> HTML {
        Part.head(context.longDay(day), back: (Link("/why"), context.t("why.all-days")))
        let known = model.risk.days.first { $0.day == day }
        if known != nil || model.visitWarnings?.level(of: day, encounters: nil, areKnown: true) != nil {
            Part.section("sum", context.t("why.sum")) {
                el(.p) { dayBadge(day, model, context) }
                if let known {
                    el(.p, text: context.t("why.day-score", ["n": context.number(known.verdict.score)]))
                    if let limit = known.verdict.increasedFrom {
                        el(.p, text: context.t("why.limit", ["n": context.number(limit)]))
                    }
                }
            }
        }
        if let warnings = model.visitWarnings { whyDayVisits(day, warnings, context) }
        if model.risk.takenBack?.contains(where: { $0.day == day }) == true {
            Part.note(.heed, context.t("why.taken-back"))
        }
        let contributions = model.contributions.filter { $0.day == day }
        Part.section("parts", context.t("why.parts"), class: "plain") {
            if contributions.isEmpty {
                el(.p, text: context.t("why.no-parts"))
            } else {
                el(.p, text: context.t("why.parts-lead"))
                shown(contributions).map { contribution($0 + 1, contributions[$0], context) }
                if contributions.count > mostParts {
                    el(.p, text: context.t("why.more", counting: Int64(contributions.count - mostParts)))
                }
            }
        }
    }

    /// The most parts of a day on one page: each takes 800 bytes or so, and a page has 60 KiB with what it loads.
    static let mostParts = 30

    /// The indices of the parts that are shown, in their order: if there are too many, those that count most.
    private static func shown(_ parts: [Risk1.Contribution]) -> [Int] {
        func weight(_ part: Risk1.Contribution) -> Double { part.outcome == .counted ? part.score : -1 }
        return parts.indices.sorted { (weight(parts[$1]), $0) < (weight(parts[$0]), $1) }.prefix(mostParts).sorted()
    }

    private static func contribution(_ number: Int, _ part: Risk1.Contribution, _ context: PageContext) -> HTML {
        let minutes = part.bands.reduce(0) { $0 + $1.seconds } / 60
        return el(.article, .class("card"), .labelledBy("part-\(number)")) {
            el(.h3, .id("part-\(number)"), text: context.t("why.part", ["n": "\(number)"]))
            el(.p, text: context.t(.outcome, part.outcome.rawValue))
            Part.facts(facts(part, minutes: minutes, context))
        }
    }

    private static func facts(_ part: Risk1.Contribution, minutes: Int, _ context: PageContext) -> [(String, HTML)] {
        var facts: [(String, HTML)] = [
            (context.t("why.minutes"), HTML(context.t("span.minutes", counting: Int64(minutes))))
        ]
        if part.bands.count > 1 {
            // The first band is the nearest; what is called near is the nearer half of those that were heard at all.
            let near = part.bands.prefix(part.bands.count / 2).reduce(0) { $0 + $1.seconds } / 60
            facts.append((context.t("why.near"), HTML(context.t("span.minutes", counting: Int64(near)))))
        }
        if let distance = part.estimatedDistance {
            facts.append((context.t("why.distance"), HTML(context.t("why.metres", ["n": context.number(distance)]))))
        }
        if let report = part.reportType {
            facts.append((context.t("why.report-title"), HTML(context.t(.reportType, report.rawValue))))
        }
        if let infectious = part.infectiousness {
            facts.append((context.t("why.infectious-title"), HTML(context.t(.infectiousness, infectious.rawValue))))
        }
        if let confidence = part.calibrationConfidence {
            facts.append((context.t("why.confidence-title"), HTML(context.t(.confidence, confidence.rawValue))))
        }
        if part.outcome == .counted { facts.append((context.t("why.score"), HTML(context.number(part.score)))) }
        return facts
    }
}
