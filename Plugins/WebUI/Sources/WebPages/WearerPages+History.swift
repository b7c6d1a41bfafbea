// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import Interfaces

/// What the device did, day by day, and the proof that it works.
extension WearerPages {
    /// Makes the page `/history`: the 14 days up to today, or up to the latest hour of `evidence` if the time is
    /// not known, with the number of hours of each in which the device sent and listened, the days with an
    /// encounter that counts, and those for which a warning was taken back. Cannot fail.
    ///
    /// - Parameters:
    ///   - evidence: The hours of these days, in any order; other hours are ignored. `nil` if the core does not answer: then
    ///     nothing is said of any hour or day.
    ///   - risk: The wearer's risk; `nil` if it cannot be read, and then no day shows an encounter.
    public static func history(evidence: [Device1.EvidenceHour]?, risk: Risk1.Risk?, _ context: PageContext) -> Page {
        guard let evidence else {
            return Layout(context: context).page(title: context.t("history.title"), place: .history) {
                Part.head(context.t("history.title"), lead: context.t("history.lead"))
                Part.note(.heed, context.t("today.hours-unknown"))
            }
        }
        let last =
            context.timeIsKnown ? context.today : evidence.map { dayNumber(of: $0.start) }.max() ?? context.today
        let days = (0..<14).map { last - 13 + $0 }
        var hours: [Int: Int] = [:]
        for hour in evidence where hour.scanCount > 0 && hour.secondsOnAir > 0 {
            hours[dayNumber(of: hour.start), default: 0] += 1
        }
        let levels = risk?.levels ?? [:]
        let takenBack = Set((risk?.takenBack ?? []).map(\.day))
        // Before that the device was switched off or somebody else's; nothing was missed then.
        let first = [hours.keys.min(), levels.keys.min(), takenBack.min(), last].compactMap(\.self).min() ?? last
        return Layout(context: context).page(title: context.t("history.title"), place: .history) {
            Part.head(context.t("history.title"), lead: context.t("history.lead"))
            Part.section("chart", context.t("history.chart")) {
                BarChart(
                    id: "history-chart", title: context.t("history.chart-title"),
                    description: context.t("history.chart-text"),
                    bars: days.map { day in
                        BarChart.Bar(
                            label: "\(UTCDay(number: day).date.day)", value: Double(min(24, hours[day] ?? 0)),
                            style: levels[day] == .increased ? .warm : .calm, mark: levels[day] == .increased)
                    }, labelEvery: 1, top: 24
                ).html
                el(.ul, .class("legend")) {
                    el(.li) { Part.badge(.calm, context.t("history.active")) }
                    el(.li) { Part.badge(.warm, context.t("history.marked")) }
                }
            }
            Part.table(
                context.t("history.table"),
                columns: [context.t("history.day"), context.t("history.hours"), context.t("history.risk")],
                rows: days.filter { $0 >= first }.reversed().map { day in
                    [
                        levels[day] == nil && !takenBack.contains(day)
                            ? HTML(context.tinyDay(day))
                            : Part.link(Link(page: ["why"], query: [("day", "\(day)")]), context.tinyDay(day)),
                        HTML(hoursText(min(24, hours[day] ?? 0), isToday: day == last, context)),
                        historyVerdict(levels[day], isTakenBack: takenBack.contains(day), context),
                    ]
                }, isNarrow: true)
            el(.p, .class("small"), text: context.t("history.note"))
            Part.onward(Link("/proof"), context.t("today.proof"))
        }
    }

    /// The level of a day with an encounter, and whether a warning for it was taken back.
    @HTMLBuilder private static func historyVerdict(
        _ level: Risk1.Level??, isTakenBack: Bool, _ context: PageContext
    ) -> HTML {
        if isTakenBack { Part.badge(.heed, context.t("history.taken-back")) }
        if let level {
            if isTakenBack { " " }
            levelBadge(level, context)
        } else if !isTakenBack {
            HTML(context.t("history.no-encounter"))
        }
    }

    private static func hoursText(_ hours: Int, isToday: Bool, _ context: PageContext) -> String {
        hours == 0
            ? context.t("history.gap")
            : isToday
                ? context.t("history.so-far", counting: Int64(hours)) : context.t("span.hours", counting: Int64(hours))
    }

    /// Makes the page `/proof`: evidence that the device really sends and receives, in counts only. Cannot fail.
    ///
    /// - Parameters:
    ///   - evidence: The hours of at least the last day, oldest first; shown are those that began within the last
    ///     24 hours, or the last 24 if the time is not known. `nil` if the core does not answer.
    ///   - radio: The state of the radio; `nil` if the core does not answer.
    public static func proof(evidence: [Device1.EvidenceHour]?, radio: Device1.Radio?, _ context: PageContext) -> Page {
        let hours = Array(
            (evidence ?? []).filter { $0.start > context.now - UTCDay.seconds || !context.timeIsKnown }.suffix(24))
        return Layout(context: context).page(title: context.t("proof.title")) {
            Part.head(context.t("proof.title"), lead: context.t("proof.lead"), back: (Link("/"), context.t("why.back")))
            el(.div, .live("proof"), .polite) { proofNow(radio, context) }
            Part.section("day", context.t("proof.day")) {
                if hours.isEmpty {
                    el(.p, text: context.t(evidence == nil ? "today.hours-unknown" : "today.no-hours"))
                } else {
                    BarChart(
                        id: "proof-chart", title: context.t("proof.chart-title"),
                        description: context.t("proof.chart-text"),
                        bars: hours.map { hour in
                            BarChart.Bar(
                                label: "\(hour.start / 3_600 % 24)", value: Double(hour.scanCount),
                                style: hour.scanCount > 0 ? .accent : .empty)
                        }, labelEvery: 4
                    ).html
                    Part.facts([
                        (
                            context.t("proof.hours"),
                            HTML(context.number(hours.filter { $0.secondsOnAir > 0 && $0.scanCount > 0 }.count))
                        ),
                        (context.t("proof.scans"), HTML(context.number(hours.reduce(0) { $0 + $1.scanCount }))),
                        (
                            context.t("proof.heard"),
                            HTML(context.number(hours.reduce(0) { $0 + $1.exposureNotificationCount }))
                        ),
                        (context.t("proof.changes"), HTML(context.number(hours.reduce(0) { $0 + $1.rotationCount }))),
                    ])
                }
            }
            if !hours.isEmpty {
                el(.details) {
                    el(.summary, text: context.t("proof.by-hour"))
                    Part.table(
                        context.t("proof.by-hour"),
                        columns: [
                            context.t("proof.hour"), context.t("proof.scans"), context.t("proof.heard"),
                            context.t("proof.on-air"),
                        ],
                        rows: hours.reversed().map { hour in
                            [
                                HTML(context.moment(hour.start)), HTML(context.number(hour.scanCount)),
                                HTML(context.number(hour.exposureNotificationCount)),
                                HTML(context.span(Int64(clamping: hour.secondsOnAir))),
                            ]
                        }, captionIsHidden: true)
                }
            }
            el(.p, .class("small"), text: context.t("proof.note"))
        }
    }

    /// Returns the counts of ``proof(evidence:radio:_:)`` as markup in UTF-8, for a live event named `proof`. `radio` is
    /// `nil` if the core does not answer.
    public static func proofFragment(radio: Device1.Radio?, _ context: PageContext) -> [UInt8] {
        Array(proofNow(radio, context).markup.utf8)
    }

    private static func proofNow(_ radio: Device1.Radio?, _ context: PageContext) -> HTML {
        Part.section("now", context.t("proof.now")) {
            if let radio {
                el(.ul, .class("marks")) {
                    el(.li) {
                        Part.badge(radio.onAir ? .calm : .still, context.t(radio.onAir ? "proof.sends" : "proof.silent"))
                    }
                    el(.li) {
                        Part.badge(
                            radio.scanning ? .calm : .still, context.t(radio.scanning ? "proof.listens" : "proof.deaf"))
                    }
                }
                if radio.scanCount > 0 {
                    el(.p, text: context.t("proof.last-scan", counting: Int64(radio.lastScanSenderCount)))
                }
                if let seconds = radio.secondsToRotation {
                    el(.p, text: context.t("proof.next-change", ["span": context.span(seconds)]))
                }
            } else {
                el(.p, text: context.t("proof.unknown"))
            }
        }
    }
}
