// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Glibc
import Ledger
import Matching
import Radio
import Simulation
import VirtualAir

/// An observer, a published person, a day: what was and what was found.
private struct Unit {
    let observer: Int
    let day: Int
    /// Seconds near each other with both boards on, by metres.
    var near: [Double: Double] = [:]
    /// The same whatever the boards did.
    var nearAnyway: [Double: Double] = [:]
    var scans: [ScanInstance] = []

    func seconds(within attenuation: Int) -> Int {
        scans.reduce(0) { $0 + ($1.typicalAttenuation <= attenuation ? $1.secondsSinceLastScan : 0) }
    }
    var seconds: Int { scans.reduce(0) { $0 + $1.secondsSinceLastScan } }
}

extension EncounterSimulation {
    static let standardThresholds = [(2.0, 5.0), (2, 15), (4, 15), (8, 5), (8, 15), (8, 30)].map {
        PeopleScenario.Threshold(metres: $0.0, minutes: $0.1)
    }
    /// Nearer than this for a whole scan period, nobody is missed by chance: the mean level is 27 dB above the sensitivity.
    private static let certainMetres = 8.0
    /// Seconds that a board may take to be on air and listening after a start.
    private static let startup = 10.0
    /// A little further or shorter than the threshold.
    private static let tolerance = 1.5

    func report() throws -> EncounterSimulationReport {
        let thresholds = scenario.thresholds ?? Self.standardThresholds
        let totals = participants.map(\.board.totals)
        var report = EncounterSimulationReport(
            people: participants.count, days: scenario.days, seed: scenario.seed ?? 1, diagnosed: publications.count,
            publishedKeys: publications.reduce(0) { $0 + $1.keys.count }, filesGiven: judgement.filesGiven,
            scans: totals.reduce(0) { $0 + $1.scans }, sightings: totals.reduce(0) { $0 + $1.storedIdentifiers },
            kills: population.events.filter { $0.what == .kill }.count,
            powerCuts: population.events.filter { $0.what != .kill }.count,
            matches: participants.reduce(0) { $0 + $1.answers.matches.count }, encounters: [], wearerDays: [],
            attenuationErrors: [], certain: 0, certainFound: 0,
            certainTold: 0, certainTakenBack: 0, interruptedCalls: judgement.interruptedCalls,
            shadowing: air.environment.shadowing, ladder: [:], checks: [])
        for total in totals { report.ladder.merge(total.ladder, uniquingKeysWith: +) }
        var judgement = judgement
        let units = units(thresholds, &report, &judgement)
        report.encounters = thresholds.map { row($0, units) }
        report.wearerDays = thresholds.map { wearerRow($0, units) }
        report.attenuationErrors = attenuationErrors(&judgement)
        judgeChanges(&judgement)
        judgeAnswers(&judgement)
        judgeBoards(&judgement)
        report.checks = judgement.checks
        return report
    }

    // MARK: Truth and findings

    private func units(
        _ thresholds: [PeopleScenario.Threshold], _ report: inout EncounterSimulationReport, _ judgement: inout Judgement
    ) -> [Unit] {
        let distances = Set(thresholds.flatMap { [$0.metres, $0.metres * Self.tolerance] })
        var units: [Unit] = []
        var missing: [String] = []
        var untold: [String] = []
        for (observer, one) in participants.enumerated() where one.member.profile.role == .person {
            func byOwner(_ matches: [Match]) -> [Int: [Match]] {
                Dictionary(grouping: matches) { match in
                    owners[match.key.data].map { $0.participant * 1_000 + $0.day } ?? -1
                }
            }
            let matches = byOwner(one.answers.matches)
            // Whose windows they are is asked of the reference, so that a match the core lost is missed.
            let expected = byOwner(reference?.matches(of: one.board) ?? one.answers.matches)
            for publication in publications where publication.participant != observer {
                let other = participants[publication.participant]
                let both = one.runs.intersection(other.runs)
                for day in 0...publication.diagnosis.day {
                    guard let (start, end) = bounds(of: publication, day: day) else { continue }
                    var unit = Unit(observer: observer, day: day)
                    for metres in distances {
                        let near = one.member.track.near(other.member.track, within: metres, from: start, to: end)
                        unit.near[metres] = near.intersection(both).total
                        unit.nearAnyway[metres] = near.total
                    }
                    let key = publication.participant * 1_000 + day
                    unit.scans = (matches[key] ?? []).flatMap { match in
                        Match(key: match.key, sightings: match.sightings).exposureWindows(under: .standard)
                    }.flatMap(\.scanInstances)
                    let period = one.member.profile.scan.period + one.member.profile.scan.duration
                    let certain = one.member.track.near(
                        other.member.track, within: Self.certainMetres, from: start, to: end)
                    if certain.intersection(both).longest >= Double(period.components.seconds) + Self.startup {
                        report.certain += 1
                        if unit.scans.isEmpty {
                            if !air.environment.isLuckNeeded {
                                missing.append("person \(one.member.id) near \(other.member.id) on day \(day)")
                            }
                        } else {
                            report.certainFound += 1
                        }
                        let owed = windows(of: expected[key] ?? [], one, from: one.answers.oldestDay)
                        if owed.count == 0 {
                            report.certainTakenBack += unit.scans.isEmpty ? 0 : 1
                        } else if one.answers.windows.without(owed) == nil {
                            untold.append("person \(one.member.id) near \(other.member.id) on day \(day)")
                        } else {
                            report.certainTold += 1
                        }
                    }
                    units.append(unit)
                }
            }
        }
        judgement.add(
            air.environment.isLuckNeeded
                ? "\(report.certainFound) of \(report.certain) within \(Int(Self.certainMetres)) m for a whole scan period know of it; in this air packets are lost at any distance, so nobody has to"
                : "everybody within \(Int(Self.certainMetres)) m of a published person for a whole scan period knows of it",
            missing.isEmpty ? nil : "\(missing.count) do not: \(missing.prefix(3).joined(separator: ", "))")
        judgement.add(
            "\(report.certainTold) of these are in the wearers' own answers, \(report.certainTakenBack) were revoked or are too long ago",
            untold.isEmpty ? nil : "\(untold.count) are not: \(untold.prefix(3).joined(separator: ", "))")
        return units
    }

    /// dB that a token at this distance should show.
    private func attenuation(metres: Double) -> Int {
        let announced = Double(Population.Member(id: 0, track: Track([])).profile.calibration.transmitPower)
        return Int((announced - air.environment.pathLoss.meanRSSI(metres: metres)).rounded())
    }

    private func row(_ threshold: PeopleScenario.Threshold, _ units: [Unit]) -> EncounterSimulationReport.Row {
        var row = EncounterSimulationReport.Row(
            metres: threshold.metres, minutes: threshold.minutes, attenuation: attenuation(metres: threshold.metres))
        let least = threshold.minutes * 60
        for unit in units {
            let near = unit.near[threshold.metres] ?? 0
            let found = Double(unit.seconds(within: row.attenuation)) >= least
            if near < least, unit.nearAnyway[threshold.metres] ?? 0 >= least { row.boardOff += 1 }
            if near >= least { row.real += 1 }
            if found { row.found += 1 }
            switch (near >= least, found) {
            case (true, true): row.right += 1
            case (true, false):
                let reason: String
                if unit.scans.isEmpty {
                    reason = "not heard"
                } else if Double(unit.seconds) < least {
                    reason = "scans counted less time"
                } else {
                    reason = "seemed further"
                }
                row.missed[reason, default: 0] += 1
            case (false, true):
                let reason: String
                if unit.near[threshold.metres * Self.tolerance] ?? 0 >= least {
                    reason = "a little further"
                } else if near >= least / Self.tolerance {
                    reason = "a little shorter"
                } else {
                    reason = "seemed nearer"
                }
                row.wrong[reason, default: 0] += 1
            case (false, false): break
            }
        }
        return row
    }

    private func wearerRow(_ threshold: PeopleScenario.Threshold, _ units: [Unit]) -> EncounterSimulationReport.Row {
        var row = EncounterSimulationReport.Row(
            metres: threshold.metres, minutes: threshold.minutes, attenuation: attenuation(metres: threshold.metres))
        let least = threshold.minutes * 60
        let firstDay = UInt32(air.epoch / 86_400)
        var truths: [Int: (near: Double, further: Double)] = [:]
        for unit in units {
            let key = unit.observer * 1_000 + unit.day
            truths[key, default: (0, 0)].near += unit.near[threshold.metres] ?? 0
            truths[key, default: (0, 0)].further += unit.near[threshold.metres * Self.tolerance] ?? 0
        }
        for (observer, participant) in participants.enumerated() where participant.member.profile.role == .person {
            // A revoked person was near all the same: this is about seeing, not about verdicts.
            let windows = participant.answers.matches.flatMap { match in
                Match(key: match.key, sightings: match.sightings).exposureWindows(under: .standard)
            }
            let seconds = Dictionary(grouping: windows, by: \.day).mapValues { windows in
                windows.flatMap(\.scanInstances).reduce(0) {
                    $0 + ($1.typicalAttenuation <= row.attenuation ? $1.secondsSinceLastScan : 0)
                }
            }
            for day in 0..<scenario.days {
                let truth = truths[observer * 1_000 + day] ?? (0, 0)
                let found = Double(seconds[firstDay + UInt32(day)] ?? 0) >= least
                if truth.near >= least { row.real += 1 }
                if found { row.found += 1 }
                switch (truth.near >= least, found) {
                case (true, true): row.right += 1
                case (true, false): row.missed["too little counted", default: 0] += 1
                case (false, true):
                    row.wrong[truth.further >= least ? "a little further" : "seemed nearer or longer", default: 0] += 1
                case (false, false): break
                }
            }
        }
        return row
    }

    private func attenuationErrors(_ judgement: inout Judgement) -> [EncounterSimulationReport.AttenuationError] {
        let edges = [1.0, 2, 4, 8, 16, .infinity]
        var sums = [(count: Int, sum: Double, squares: Double)](repeating: (0, 0, 0), count: edges.count)
        var strangest = 0.0
        for participant in participants {
            for match in participant.answers.matches {
                guard let owner = owners[match.key.data] else { continue }
                let other = participants[owner.participant].member
                // One value per scan, as windows have it.
                for scan in scans(of: match.sightings) {
                    guard let first = scan.first else { continue }
                    let time = Double(Int64(first.time) - air.epoch) - participant.member.clockError
                    let metres = participant.member.track.distance(to: other.track, at: time)
                    strangest = max(strangest, metres)
                    let level =
                        air.environment.pathLoss.meanRSSI(metres: metres) + Double(other.transmitPower) - other.bodyLoss
                        - participant.member.bodyLoss
                    let expected = Double(other.profile.calibration.transmitPower) - level
                    let measured = Double(scan.reduce(0) { $0 + $1.attenuation }) / Double(scan.count)
                    let place = edges.firstIndex { metres <= $0 } ?? edges.count - 1
                    sums[place].count += 1
                    sums[place].sum += measured - expected
                    sums[place].squares += (measured - expected) * (measured - expected)
                }
            }
        }
        let reach = reach
        judgement.add(
            "nobody was matched beyond radio reach (\(Int(reach)) m)",
            strangest <= reach ? nil : "somebody was, at \(Int(strangest)) m")
        return zip(edges, sums).filter { $0.1.count > 0 }.map { edge, sum in
            let mean = sum.sum / Double(sum.count)
            return EncounterSimulationReport.AttenuationError(
                metres: edge.isFinite ? edge : nil, scans: sum.count, mean: mean,
                deviation: max(0, sum.squares / Double(sum.count) - mean * mean).squareRoot())
        }
    }

    /// Metres that a packet can cross with the best of luck.
    private var reach: Double {
        let power = Double(participants.map(\.member.transmitPower).max() ?? 0)
        let body = participants.map(\.member.bodyLoss).min() ?? 0
        let loss = air.environment.pathLoss
        let margin =
            loss.rssiAtOneMetre + power - 2 * min(0, body) + air.environment.greatestGain - air.environment.sensitivity + 1
        return max(1, pow(10, margin / (10 * loss.exponent)))
    }

    private func scans(of sightings: [MatchedSighting]) -> [[MatchedSighting]] {
        sightings.reduce(into: []) { scans, sighting in
            if let last = scans.last?.last, sighting.time - last.time <= MatchingRules.sameScanSeconds {
                scans[scans.count - 1].append(sighting)
            } else {
                scans.append([sighting])
            }
        }
    }

    // MARK: Checks

    private func judgeChanges(_ judgement: inout Judgement) {
        for type in [ReportType.revoked, .confirmedTest, .clinicalDiagnosis] {
            let changes = judgement.changes.filter { $0.type == type }
            guard !changes.isEmpty else { continue }
            let wrong = changes.filter { !$0.isRight }
            let what = type == .revoked ? "a revocation takes back" : "a change to \(type) shows in"
            judgement.add(
                "\(what) what \(changes.count) observers had (\(changes.reduce(0) { $0 + $1.windowsBefore }) windows)",
                wrong.isEmpty ? nil : "not at \(wrong.count) of them")
        }
    }

    private func judgeAnswers(_ judgement: inout Judgement) {
        func add(_ claim: String, _ problems: [String]) {
            judgement.add(
                claim, problems.isEmpty ? nil : "\(problems.count) problems: \(problems.prefix(3).joined(separator: "; "))")
        }
        let told = participants.reduce(0) { $0 + $1.answers.windows.count }
        if reference != nil {
            add(
                "the core and the reference agree: \(told) windows at the end, compared \(judgement.comparisons) times",
                judgement.differences)
        }
        add(
            "another mapping reads the same matches anew (\(judgement.remapped) windows), and not twice in seven days "
                + "(\(judgement.refusedMappings) refused)", judgement.mappingProblems)
        if !judgement.releases.isEmpty {
            add(
                "a consent releases keys once (\(judgement.releases.count) releases)",
                judgement.releases.contains(false) ? ["they were given again"] : [])
        }
        if judgement.placeCalls > 0 {
            add(
                "a board that stands for a place refuses (\(judgement.placeCalls) calls)",
                judgement.placeAnswers > 0 ? ["\(judgement.placeAnswers) calls were answered"] : [])
        }
    }

    private func judgeBoards(_ judgement: inout Judgement) {
        var problems: [String] = room.isSpinning ? ["a board spins"] : []
        for participant in participants {
            let (board, name) = (participant.board, "person \(participant.member.id)'s board")
            if let failure = board.startFailure { problems.append("\(name) does not start: \(failure)") }
            if board.totals.lostScans > 0 { problems.append("\(name) lost \(board.totals.lostScans) scans") }
            if board.totals.worstRotationLateness > 1_000 { problems.append("\(name) rotated late") }
            for finding in board.totals.ledgerFindings where finding != .renewalFinished {
                problems.append("\(name): \(finding)")
            }
            if !board.powerRequests.isEmpty { problems.append("\(name) asked for a power cycle") }
        }
        judgement.add(
            "every board found itself sound (\(participants.reduce(0) { $0 + $1.board.lives }) starts)",
            problems.isEmpty ? nil : "\(problems.count) problems: \(problems.prefix(3).joined(separator: "; "))")
        let findings = witness.findings
        judgement.add(
            "nothing was on air that must not be (\(witness.figures.identifiers) identifiers)",
            findings.isEmpty
                ? nil : "\(findings.count) findings: \(findings.prefix(3).map(\.description).joined(separator: "; "))")
    }
}
