// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Interfaces

/// Why a day is what it is, for whoever wore the device: what was measured, what the rules make of it, and how sure that is. The wording is
/// what somebody who had never seen the device misunderstood least (docs/risk.md).
enum RiskExplanation {
    static func text(
        _ risk: Risk1.Risk, _ contributions: [Risk1.Contribution], _ rules: Risk1.Rules, today: Int, _ screen: Screen
    ) -> String {
        var text = ""
        for day in risk.days {
            let parts = contributions.filter { $0.day == day.day }
            text +=
                "\n"
                + screen.tint(
                    "\(Words.day(day.day)) (\(age(today - day.day))): \(verdict(day.verdict, rules.unit))",
                    day.verdict.level == .increased ? .bad : .strong) + "\n"
            text += screen.paragraph(people(day, parts.count))
            for part in parts { text += self.part(part, rules, screen) }
            if parts.filter({ $0.outcome == .counted }).count > 1,
                rules.model == .cwaSecond || rules.model == .dailySummaries
            {
                text += screen.paragraph("    Together \(points(day.verdict.score, rules.unit)).")
            }
        }
        guard !risk.days.isEmpty else {
            return "\n"
                + screen.paragraph("No encounter of the last 14 days is known with anybody who reported an infection.")
        }
        return text + "\n"
            + screen.paragraph(
                "How near is an estimate from the loss of a radio signal: walls and bodies change it, and the true distance may be half or twice of what it seems."
            )
            + screen.paragraph(
                "Who it was and where, this device does not know; at what time, it does not show, to protect them. Nobody is told about you.",
                .quiet)
    }

    // MARK: A day

    private static func age(_ days: Int) -> String {
        switch days {
        case ..<0: "by this device's clock in the future"
        case 0: "today"
        case 1: "yesterday"
        default: "\(days) days ago"
        }
    }

    private static func people(_ day: Risk1.Day, _ entries: Int) -> String {
        let least = day.encounters.map { max(1, $0.low + $0.increased) } ?? 1
        let whose =
            entries > least ? " The entries below may be of one person or of several: this device cannot tell." : ""
        return "At least \(Words.count(least, "person", "people")) who reported an infection.\(whose)"
    }

    static func verdict(_ verdict: Risk1.Verdict, _ unit: Risk1.Unit) -> String {
        let score = points(verdict.score, unit)
        guard verdict.level != nil else {
            return verdict.score > 0 ? "\(score), too little to be called a risk" : "nothing of it counts by the rules"
        }
        guard let limit = verdict.increasedFrom else { return "\(score)" }
        return "\(score); the warning begins at \(points(limit, unit, isExact: false))"
    }

    // MARK: One entry

    private static func part(_ part: Risk1.Contribution, _ rules: Risk1.Rules, _ screen: Screen) -> String {
        let bands = part.bands.filter { $0.seconds > 0 }
        var times = bands.map { "\(minutes($0.seconds)) \(distance($0))" }
        if times.isEmpty { times = ["no time that was measured"] }
        let isCounted = part.outcome == .counted
        var lines = ["  • " + times.joined(separator: ", ")]
        if isCounted {
            lines.append("    " + sum(part, bands, rules))
        } else {
            lines.append("    Not counted: \(reason(part)).")
        }
        lines.append("    " + about(part).joined(separator: " "))
        return lines.map { screen.wrapped($0, indent: 4).joined(separator: "\n") + "\n" }.joined()
    }

    /// The arithmetic, where the model has one that a person can follow.
    private static func sum(_ part: Risk1.Contribution, _ bands: [Risk1.Band], _ rules: Risk1.Rules) -> String {
        let score = points(part.score, rules.unit)
        let enough = part.level == .increased ? ", by itself enough for the warning" : ""
        if let metres = part.estimatedDistance {
            return
                "Estimated distance over that time: \(Terminal.fixed(metres, 1)) m, which with a weight of \(Terminal.fixed(part.factor, 2)) for how infectious the person was gives \(score)\(enough)."
        }
        let seconds = bands.reduce(0) { $0 + Double($1.seconds) * $1.weight }
        let product = seconds * part.factor / (rules.unit == .weightedMinutes ? 60 : 1)
        guard rules.unit != .points, abs(product - part.score) <= max(part.score / 100, 0.01) else {
            return "By the rules this gives \(score)\(enough)."
        }
        let counted = bands.filter { $0.weight > 0 }
        let terms = counted.map { "\(time($0.seconds, rules.unit)) × \(Terminal.fixed($0.weight, 2))" }
        let whole = terms.count == 1 ? terms[0] : "(\(terms.joined(separator: " + ")))"
        if terms.isEmpty { return "None of this time is near enough to count: \(score)." }
        return "\(whole) for nearness × \(Terminal.fixed(part.factor, 2)) for how infectious = \(score)\(enough)."
    }

    private static func about(_ part: Risk1.Contribution) -> [String] {
        var about: [String] = []
        if let type = part.reportType { about.append("The other person: \(words(type)).") }
        if let infectiousness = part.infectiousness {
            let degree =
                switch infectiousness {
                case .none: "not infectious"
                case .standard: "somewhat infectious"
                case .high: "very infectious"
                }
            about.append("Estimated for that day: \(degree).")
        } else if let level = part.transmissionRiskLevel {
            about.append("How infectious that day, as reported: level \(level) of 8.")
        }
        if let confidence = part.calibrationConfidence {
            let degree =
                switch confidence {
                case .lowest: "not known"
                case .low: "roughly known"
                case .medium: "fairly well known"
                case .high: "well known"
                }
            about.append("How strongly their device sends is \(degree).")
        }
        return about
    }

    private static func reason(_ part: Risk1.Contribution) -> String {
        switch part.outcome {
        case .counted: "it counts"
        case .tooShort: "too short a time near enough"
        case .levelFiltered: "the rules leave out people reported as this infectious"
        case .notCounted:
            part.infectiousness == Risk1.Infectiousness.none
                ? "by the rules the person was not infectious on that day" : "the rules do not count reports of this kind"
        case .tooOld: "longer ago than the rules look"
        case .belowMinimum: "too little to be called an encounter by the rules"
        case .empty: "nothing was measured"
        }
    }

    private static func words(_ type: Risk1.ReportType) -> String {
        switch type {
        case .unknown: "did not say how the infection was found"
        case .confirmedTest: "reported a positive test"
        case .confirmedClinicalDiagnosis: "was diagnosed by a doctor"
        case .selfReport: "reported it without a proof"
        }
    }

    // MARK: Numbers

    /// What points are not.
    static func meaning(_ unit: Risk1.Unit) -> String {
        let what =
            switch unit {
            case .weightedMinutes: "minutes near somebody, made more or less by how near and how infectious"
            case .weightedSeconds: "seconds near somebody, made more or less by how near and how infectious"
            case .points: "the health authority's own measure"
            }
        return "Points are \(what); they are no time, and no chance of being infected."
    }

    static func points(_ value: Double, _ unit: Risk1.Unit, isExact: Bool = true) -> String {
        let digits = unit == .weightedSeconds ? 0 : isExact ? 2 : 1
        return "\(Terminal.fixed(value, digits)) points"
    }

    private static func minutes(_ seconds: Int) -> String {
        let text = Terminal.fixed(Double(seconds) / 60, 1)
        return "\(text.hasSuffix(".0") ? String(text.dropLast(2)) : text) min"
    }

    private static func time(_ seconds: Int, _ unit: Risk1.Unit) -> String {
        unit == .weightedSeconds ? "\(seconds) s" : minutes(seconds)
    }

    private static func distance(_ band: Risk1.Band) -> String {
        switch (band.from, band.below) {
        case (nil, nil), (0?, nil): "at any distance"
        case (nil, let below?), (0?, let below?): "near (signal loss below \(Terminal.fixed(below, 0)) dB)"
        case (let from?, nil): "far off (from \(Terminal.fixed(from, 0)) dB)"
        case (let from?, let below?): "further off (\(Terminal.fixed(from, 0)) to \(Terminal.fixed(below, 0)) dB)"
        }
    }
}
