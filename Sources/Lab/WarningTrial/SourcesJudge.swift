// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// Compares what was told at one check of a scene with several authorities with what must be.
struct SourcesJudge {
    private let scene: SourcesScene
    private let check: SourcesScene.Check
    private let index: Int
    private let readings: [String]
    /// What those have at this check.
    private let chosen: [SourcesScene.Alternative]
    /// UTC day, counted from 1970.
    private let today: Int64
    private let tolerance: Double

    /// The table's word for a source that has switched itself off.
    private static let switchedOff = "switchedOff"

    /// Of the check number `index`; `readings` are the table's names of readings that take the place of its own.
    init(_ scene: SourcesScene, _ index: Int, readings: [String], today: Int64, tolerance: Double) {
        self.scene = scene
        self.index = index
        self.readings = readings
        check = scene.checks[index]
        chosen = readings.compactMap { scene.alt?[$0]?[index] }
        self.today = today
        self.tolerance = tolerance
    }

    /// Notes the word for the person, that of each source, and everything else that is not as the table has it.
    func compare(_ risk: Risk1.Risk, _ report: inout WarningTrial.Report) {
        let decided = SourcesReadings.told(scene, check: index)
        let right = decided.map { [$0] } ?? right(check.told.rawValue, chosen.map(\.told))
        report.note(risk.state.rawValue, right, place)
        for name in check.sources.keys.sorted() {
            if let word = check.sources[name] { compare(word, name, risk, &report) }
        }
        for word in risk.sources ?? [] where check.sources[word.name] == nil && scene.sources.contains(word.name) {
            // Of one that is not followed any more nothing is told but that nobody judges it.
            if word.state != .unknown { report.failures.append("\(place): \(word.name) told \(word.state.rawValue)") }
        }
        guard right == [check.told.rawValue], risk.state == check.told else { return }
        if let hasNews = SourcesReadings.hasNews(scene, check: index) ?? check.hasNews, !wasToldOtherwise,
            hasNews != risk.news
        {
            report.failures.append("\(place): \(risk.news ? "news" : "no news")")
        }
        if let numbers = check.numbers, let sources = risk.sources {
            let shown = sources.filter { $0.hasNumbers(of: risk) }.map(\.name)
            if Set(numbers).isDisjoint(with: shown) {
                report.failures.append("\(place): numbers of \(shown) and not \(numbers)")
            }
        }
    }

    /// Whether another reading has told something else before, from which news now would follow.
    private var wasToldOtherwise: Bool {
        readings.compactMap { scene.alt?[$0] }.contains { others in
            (0..<index).contains { others[$0].told != scene.checks[$0].told.rawValue }
        }
    }

    private var place: String { "\(scene.name), at \(check.time) s" }

    /// Each reading that was chosen takes the place of the table's own.
    private func right(_ told: String, _ others: [String]) -> [String] {
        let others = Set(others).subtracting([told])
        return others.isEmpty ? [told] : others.sorted()
    }

    private func compare(
        _ wanted: SourcesScene.Word, _ name: String, _ risk: Risk1.Risk, _ report: inout WarningTrial.Report
    ) {
        let found = Found(name, risk)
        let right = right(wanted.told, chosen.map { $0.sources[name] ?? wanted.told })
        // With one source its word is the person's, which was compared.
        guard let found else {
            report.failures.append("\(place): nothing is told of \(name)")
            return
        }
        if risk.sources != nil { report.note(found.told, right, "\(place), \(name)") }
        guard right == [wanted.told], found.told == wanted.told, ["low", "increased"].contains(wanted.told) else { return }
        for problem in problems(found.days, wanted, SourcesReadings.points(scene, name, check: index)) {
            report.failures.append("\(place), \(name): \(problem)")
        }
    }

    /// What a board says of one source.
    private struct Found {
        let told: String
        /// Day sums by the UTC day; without one where a model judges all together.
        let days: [Int64?: Double]

        init?(_ name: String, _ risk: Risk1.Risk) {
            let word = risk.sources?.first { $0.name == name }
            if risk.sources != nil, word == nil { return nil }
            told = word.map { $0.state == .off ? SourcesJudge.switchedOff : $0.state.rawValue } ?? risk.state.rawValue
            let verdicts = word?.days ?? risk.days
            if let combined = word == nil ? risk.combined : word?.combined {
                days = [nil: combined.score]
            } else {
                days = Dictionary(verdicts.map { (Int64($0.day), $0.verdict.score) }) { $1 }
            }
        }
    }

    /// Which sums are not the table's; `decided` takes the place of its best day's.
    private func problems(_ found: [Int64?: Double], _ wanted: SourcesScene.Word, _ decided: Double?) -> [String] {
        var right: [Int64?: Double] = [:]
        for day in wanted.days ?? [] where day.count == 2 { right[today - Int64(day[0])] = decided ?? day[1] }
        if found.keys.contains(nil) { right = [nil: wanted.points ?? 0] }
        return Set(right.keys).union(found.keys).compactMap { day in
            let (told, wanted) = (found[day] ?? 0, right[day] ?? 0)
            guard abs(told - wanted) > tolerance + wanted * 1e-6 else { return nil }
            return "\(day.map { "\(today - $0) days before" } ?? "together") \(told) points and not \(wanted)"
        }.sorted()
    }
}

extension Risk1.SourceWord {
    /// Whether the numbers beside the state are this source's.
    fileprivate func hasNumbers(of risk: Risk1.Risk) -> Bool {
        rules == risk.rules && days == risk.days && combined == risk.combined && mostRelevantDay == risk.mostRelevantDay
    }
}
