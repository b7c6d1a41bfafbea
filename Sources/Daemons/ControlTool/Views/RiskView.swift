// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Interfaces

/// What the person is told, drawn over the days, and why.
enum RiskView {
    private static let barWidth = 30

    static func text(
        _ risk: Risk1.Risk, visits: VisitWarnings? = nil, contributions: [Risk1.Contribution]?, today: Int,
        _ screen: Screen
    ) -> String {
        let (whole, met) = (WholeRisk(risk, visits: visits), WholeRisk(risk, visits: nil))
        var text =
            whole == met
            ? screen.paragraph("\(heading(met)). \(risk.sentence)", tone(met))
            : screen.paragraph("\(heading(whole)), from encounters and visits together.", tone(whole))
                + screen.paragraph("Encounters alone: \(heading(met).lowercased()). \(risk.sentence)")
        if let visits { text += VisitViews.share(visits, screen) }
        if risk.news {
            text += screen.paragraph(
                "This is new since somebody last noted having seen it (`vigil ctl risk --seen`).", .attention)
        }
        if let told = risk.told {
            text += screen.paragraph(
                "This device has warned of an increased risk before, for \(Words.day(told)). Nothing is judged now, which does not end that warning: its advice still applies, counted from that day.",
                .attention)
        }
        if let unjudged = risk.unjudged {
            text += screen.paragraph(
                "\(Words.count(unjudged, "warning")) that \(unjudged == 1 ? "concerns" : "concern") this device cannot be judged by these rules.",
                .attention)
        }
        if let taken = risk.takenBack, !taken.isEmpty { text += self.takenBack(taken, risk.state, screen) }
        if let sources = risk.sources, !sources.isEmpty { text += self.sources(sources, screen) }
        guard let rules = risk.rules else { return text }
        if (risk.sources?.count ?? 0) > 1,
            let shown = risk.sources?.first(where: { $0.rules == rules && $0.days == risk.days })
        {
            text += screen.paragraph("The days and numbers below are those of \(name(shown)).")
        }
        text += "\n" + chart(risk, rules, today, screen)
        if let combined = risk.combined {
            text += screen.paragraph("All days together: \(RiskExplanation.verdict(combined, rules.unit)).")
        }
        if let fallback = rules.fallback { text += screen.paragraph("Note: \(fallback)", .attention) }
        if let contributions {
            text += RiskExplanation.text(risk, contributions, rules, today: today, screen)
        } else if !risk.days.isEmpty {
            text += screen.paragraph("`vigil ctl risk --explain` says why.")
        }
        return text
    }

    /// What each authority says, where several are followed.
    private static func sources(_ sources: [Risk1.SourceWord], _ screen: Screen) -> String {
        var text = screen.paragraph(
            "This device follows \(Words.count(sources.count, "health authority", "health authorities")). Each judges by its own rules; their numbers are never added."
        )
        for source in sources {
            var line = "• \(name(source)): \(word(source.state))."
            if let day = source.mostRelevantDay, source.state == .increased { line += " It counts from \(Words.day(day))." }
            if let unjudged = source.unjudged {
                line += " \(Words.count(unjudged, "warning")) of it nobody can judge."
            }
            for taken in source.takenBack ?? [] { line += " Taken back: its warning for \(Words.day(taken.day))." }
            if source.state != .low, source.state != .increased { line += " \(source.sentence)" }
            let quiet = [
                source.rules.map { "model \($0.model.rawValue), version \($0.version)" },
                source.lastMatched.map { "compared last \(Words.moment($0))" },
            ].compactMap { $0 }.joined(separator: ", ")
            if !quiet.isEmpty { line += " (\(quiet))" }
            text += screen.paragraph(line, tone(source.state))
        }
        return text
    }

    private static func name(_ source: Risk1.SourceWord) -> String {
        source.title["en"] ?? (source.name == "authority" ? "Health authority of this device" : source.name)
    }

    private static func word(_ state: Risk1.SourceState) -> String {
        switch state {
        case .low: "low risk"
        case .increased: "increased risk"
        case .unknown: "not known"
        case .outdated: "out of date"
        case .paused: "paused"
        case .ended: "ended"
        case .off: "off"
        }
    }

    private static func tone(_ state: Risk1.SourceState) -> Screen.Tone? {
        switch state {
        case .increased: .bad
        case .low, .off: nil
        case .unknown, .outdated, .paused, .ended: .attention
        }
    }

    /// What was told and is not true any more, day by day.
    private static func takenBack(_ taken: [Risk1.TakenBack], _ state: Risk1.State, _ screen: Screen) -> String {
        var text = ""
        for entry in taken {
            text += screen.paragraph(
                "Taken back: the warning for \(Words.day(entry.day)). Whoever had published it withdrew it; this device learned of it \(Words.moment(entry.learned)).",
                .attention)
        }
        return text
            + screen.paragraph(
                state == .increased
                    ? "The warning that stands counts as before: go on following the health authority's advice."
                    : "What that warning asked of you no longer applies, unless a doctor or the health office has told you something else. If you feel ill, have a test."
            )
    }

    private static func heading(_ risk: WholeRisk) -> String {
        switch risk {
        case .low: "Low risk"
        case .increased: "Increased risk"
        case .unjudged: "Cannot be judged"
        case .unknown: "Not known"
        case .outdated: "Out of date"
        case .inactive: "Switched off"
        case .paused: "Paused"
        case .ended: "Ended"
        }
    }

    private static func tone(_ risk: WholeRisk) -> Screen.Tone {
        switch risk {
        case .low: .good
        case .increased: .bad
        case .unknown, .inactive: .strong
        case .unjudged, .outdated, .paused, .ended: .attention
        }
    }

    // MARK: The chart

    /// A bar for each of the last 15 days; the mark shows from where on the risk is increased.
    private static func chart(_ risk: Risk1.Risk, _ rules: Risk1.Rules, _ today: Int, _ screen: Screen) -> String {
        let days = Dictionary(risk.days.map { ($0.day, $0) }) { first, _ in first }
        let limits = risk.days.compactMap(\.verdict.increasedFrom).filter { $0 > 0 }
        let top = max((risk.days.map(\.verdict.score) + limits.map { $0 * 1.2 }).max() ?? 1, 1e-9)
        var text = ""
        for day in (today - 14)...today {
            let found = days[day]
            let score = found?.verdict.score ?? 0
            let filled = score > 0 ? max(1, Int((score / top * Double(barWidth)).rounded())) : 0
            let mark = (found?.verdict.increasedFrom ?? limits.first).map { Int(($0 / top * Double(barWidth)).rounded()) }
            var bar = ""
            for column in 0..<barWidth {
                bar += column < filled ? column == mark ? "▓" : "█" : column == mark ? "┊" : " "
            }
            let words =
                found.map {
                    RiskExplanation.points(score, rules.unit, isExact: false)
                        + ($0.verdict.level.map { ", \($0.rawValue)" } ?? "")
                } ?? "-"
            let line = "\(Words.day(day))  \(bar)  \(words)"
            text += screen.tint(line, found?.verdict.level == .increased ? .bad : found == nil ? .quiet : nil) + "\n"
        }
        let limit =
            limits.first.map {
                " The warning begins where the line ┊ is, at \(RiskExplanation.points($0, rules.unit, isExact: false))."
            } ?? ""
        let age = [
            risk.assessed.map { "worked out \(Words.moment($0))" },
            risk.lastMatched.map { "reports of infections compared last \(Words.moment($0))" },
        ].compactMap { $0 }.joined(separator: ", ")
        return text
            + screen.paragraph(
                "Days begin at midnight UTC; - is a day without a known encounter.\(limit) \(RiskExplanation.meaning(rules.unit))"
            )
            + screen.paragraph(
                "By the health authority's rules (model \(rules.model.rawValue), version \(rules.version))\(age.isEmpty ? "" : "; \(age)").",
                .quiet)
    }
}
