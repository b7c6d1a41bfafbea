// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Interfaces

/// Windows, scores and the mapping.
enum ExposureViews {
    static func windows(_ windows: [Exposure1.ExposureWindow], _ screen: Screen) -> String {
        guard !windows.isEmpty else { return "No exposure window in the last 14 days.\n" }
        var table = TextTable(
            "Day (UTC)", "#Time", "#Nearest", "#Typical", "#Scans", "Infectious", "Signal known", "Established by")
        for window in windows.sorted(by: { $0.day < $1.day }) {
            let scans = window.scanInstances
            let seconds = scans.reduce(Int64(0)) { saturated($0, Int64($1.secondsSinceLastScan)) }
            table.add([
                Words.day(window.day), Words.duration(seconds), scans.map(\.minAttenuation).min().map { "\($0) dB" } ?? "-",
                mean(scans.map(\.typicalAttenuation)).map { "\($0) dB" } ?? "-", "\(scans.count)",
                "\(window.infectiousness.rawValue)",
                window.calibrationConfidence.rawValue, words(window.reportType),
            ])
        }
        return table.text(screen)
            + "\n\(Words.count(windows.count, "window")): each up to half an hour near one person who published. The order says nothing.\n"
    }

    static func daily(_ days: [Exposure1.DailySummary], _ screen: Screen) -> String {
        guard !days.isEmpty else {
            return "No day of the last 14 has an exposure window that counts under this configuration.\n"
        }
        var table = TextTable("Day (UTC)", "Established by", "#Score", "#Highest", "#Time near")
        for day in days {
            func add(_ name: String, _ kind: String, _ scores: Exposure1.DailyScores, _ tone: Screen.Tone? = nil) {
                table.add(
                    [
                        name, kind, Words.minutes(scores.scoreSum), Words.minutes(scores.maximumScore),
                        Words.minutes(scores.weightedDurationSum),
                    ],
                    tone)
            }
            add(Words.day(day.day), "all together", day.total, .strong)
            let parts: [(Exposure1.ReportType, Exposure1.DailyScores?)] = [
                (.confirmedTest, day.confirmedTest), (.confirmedClinicalDiagnosis, day.confirmedClinicalDiagnosis),
                (.selfReport, day.selfReport),
            ]
            for case (let type, let scores?) in parts { add("", words(type), scores) }
        }
        return table.text(screen)
            + "\nWeighted minutes: the sum and the highest single window; time near is weighted by attenuation only. By the phones' own weights or those of --config, not by the health authority's rules: `vigil ctl risk` has those.\n"
    }

    static func summary(_ summary: Exposure1.ExposureSummary, _ screen: Screen) -> String {
        screen.list([
            ("Published people met", Terminal.grouped(summary.matchedKeyCount)),
            ("Last exposure", summary.daysSinceLastExposure.map { "\(Words.count($0, "day")) ago" } ?? "none"),
            ("Highest risk score", Terminal.grouped(summary.maximumRiskScore)),
            ("Sum of risk scores", Terminal.grouped(summary.summationRiskScore)),
            ("Near, between, far", minutes(summary.attenuationDurationsInMinutes)),
        ])
    }

    static func information(_ list: [Exposure1.ExposureInformation], _ screen: Screen) -> String {
        guard !list.isEmpty else { return "No encounter in the last 14 days.\n" }
        var table = TextTable("Day (UTC)", "#Minutes", "#Attenuation", "#Risk level", "#Risk score", "Near, between, far")
        for item in list.sorted(by: { $0.day < $1.day }) {
            table.add([
                Words.day(item.day), "\(item.durationMinutes)", "\(item.attenuationValue) dB",
                "\(item.transmissionRiskLevel)",
                Terminal.grouped(item.totalRiskScore), minutes(item.attenuationDurationsInMinutes),
            ])
        }
        return table.text(screen)
    }

    static func mapping(_ reply: Exposure1.MappingReply, _ screen: Screen, now: Int64) -> String {
        let mapping = reply.mapping
        let runs = days(mapping.daysSinceOnsetToInfectiousness)
        return screen.list(
            runs.map { ("Day \($0.0)", $0.1) } + [
                ("No onset published", mapping.infectiousnessWhenDaysSinceOnsetMissing.rawValue),
                ("No report type", "counts as \(words(mapping.reportTypeWhenMissing))"),
                (
                    "May be changed",
                    reply.changeableFrom.map { "from \(Words.moment($0)), \(Words.age(of: $0, at: now))" }
                        ?? "now (once in seven days)"
                ),
            ])
    }

    /// Days since the onset with the same infectiousness, together: ("-14 to -3", "none").
    private static func days(_ list: [Exposure1.Infectiousness]) -> [(String, String)] {
        var runs: [(first: Int, last: Int, value: Exposure1.Infectiousness)] = []
        for (index, value) in list.prefix(29).enumerated() {
            if let last = runs.last, last.value == value {
                runs[runs.count - 1].last = index - 14
            } else {
                runs.append((index - 14, index - 14, value))
            }
        }
        func signed(_ number: Int) -> String { number > 0 ? "+\(number)" : "\(number)" }
        return runs.map {
            ($0.first == $0.last ? signed($0.first) : "\(signed($0.first)) to \(signed($0.last))", $0.value.rawValue)
        }
    }

    static func words(_ type: Exposure1.ReportType) -> String {
        switch type {
        case .confirmedTest: "a confirmed test"
        case .confirmedClinicalDiagnosis: "a clinical diagnosis"
        case .selfReport: "a self-report"
        }
    }

    private static func minutes(_ list: [Int]) -> String { list.prefix(3).map { "\($0)" }.joined(separator: ", ") + " min" }

    private static func saturated(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }

    private static func mean(_ list: [Int]) -> Int? {
        guard !list.isEmpty else { return nil }
        let mean = list.reduce(0.0) { $0 + Double($1) } / Double(list.count)
        return Int(exactly: mean.rounded())
    }
}
