// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import Matching
public import RiskStudy
import VirtualAir

extension EncounterSimulation {
    /// What has to be true for a case to be expected increased: a close contact as most authorities defined it in 2020 (15 minutes
    /// within 2 m; ECDC, CDC).
    private static let contact = (metres: 2.0, minutes: 15.0)
    /// Further away than this all the day, and not heard: no case.
    private static let farthest = 8.0

    /// Returns what the boards found, by observer, published person and day, with the truth by geometry; only the
    /// laboratory knows whose key was met. Call it after ``run(progress:)``; before, it has no cases.
    ///
    /// A person whose diagnosis was taken back is included, because the dataset is about what was received.
    public func windowsDataset() -> StudyDataset {
        var cases: [StudyCase] = []
        for (observer, one) in participants.enumerated() where !one.isPlace {
            var matches: [Int: [Match]] = [:]
            for match in one.answers.matches {
                guard let owner = owners[match.key.data] else { continue }
                matches[owner.participant * 1_000 + owner.day, default: []].append(match)
            }
            for publication in publications where publication.participant != observer {
                let other = participants[publication.participant]
                for day in 0...publication.diagnosis.day {
                    guard let (start, end) = bounds(of: publication, day: day) else { continue }
                    func minutes(within metres: Double) -> Double {
                        let near = one.member.track.near(other.member.track, within: metres, from: start, to: end).total
                        return (near / 6).rounded() / 10
                    }
                    let found = matches[publication.participant * 1_000 + day] ?? []
                    let windows = found.flatMap(windows(of:))
                    let near = minutes(within: Self.contact.metres)
                    let around = minutes(within: Self.farthest)
                    guard !windows.isEmpty || around > 0 else { continue }
                    let truth = StudyTruth(
                        metres: Self.contact.metres, minutes: near,
                        geometry: "\(around == around.rounded() ? "\(Int(around))" : "\(around)") min within 8 m",
                        expected: near >= Self.contact.minutes ? .increased : .low)
                    let exposures = found.flatMap(exposures(of:))
                    cases.append(
                        StudyCase(
                            name: "\(name(of: one)) met \(name(of: other)) on day \(day)", truth: truth,
                            windows: windows.sorted(by: Self.precedes), exposures: exposures.isEmpty ? nil : exposures))
                }
            }
        }
        return StudyDataset(
            about:
                "Simulated by vigil-lab simulate, seed \(scenario.seed ?? 1): people and their radio's physics are made up.",
            licence: "CC0-1.0", cases: cases)
    }

    /// The seconds of the air in which a published person's key of a day was good, by the clock of whose key it is.
    func bounds(of publication: Publication, day: Int) -> (start: Double, end: Double)? {
        let error = participants[publication.participant].member.clockError
        let start = max(0, Double(day) * 86_400 - error)
        let end = min(Double(day + 1) * 86_400 - error, publication.end)
        return end > start ? (start, end) : nil
    }

    /// The person's name where it can be in a dataset and is no other's; the number else.
    private func name(of participant: Participant) -> String {
        let number = "person \(participant.member.id)"
        guard let name = participant.member.name, !name.isEmpty, !name.hasPrefix("person "),
            name.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }), participants.count(where: { $0.member.name == name }) == 1
        else { return number }
        return name
    }

    private var firstDay: Int { Int(air.epoch / 86_400) }

    private func windows(of match: Match) -> [StudyWindow] {
        let onset = match.key.daysSinceOnset.flatMap { DiagnosisKeyMapping.days.contains($0) ? $0 : nil }
        // As published first, whatever became of it.
        let published = Match(key: match.key, sightings: match.sightings)
        return published.exposureWindows(under: .standard).map { window in
            StudyWindow(
                day: Int(window.day) - firstDay, reportType: window.reportType, daysSinceOnset: onset,
                transmissionRiskLevel: Self.level(of: match),
                calibrationConfidence: window.calibrationConfidence, scanInstances: window.scanInstances)
        }
    }

    /// What models of the first generation look at; nothing when the key was published without a level.
    private func exposures(of match: Match) -> [StudyExposure] {
        guard let level = Self.level(of: match) else { return [] }
        return match.stretchesV1().map { stretch in
            StudyExposure(
                day: Int(match.key.rollingStart.day) - firstDay, transmissionRiskLevel: level,
                calibrationConfidence: match.sightings.first?.confidence ?? .lowest,
                periods: stretch.periods.map { .init(attenuation: $0.attenuation, seconds: $0.seconds) })
        }
    }

    private static func level(of match: Match) -> UInt8? {
        (1...8).contains(match.key.transmissionRiskLevel) ? match.key.transmissionRiskLevel : nil
    }

    /// An order without times.
    private static func precedes(_ left: StudyWindow, _ right: StudyWindow) -> Bool {
        if left.day != right.day { return left.day < right.day }
        return left.scanInstances.lexicographicallyPrecedes(right.scanInstances) { one, other in
            (one.minimumAttenuation, one.typicalAttenuation, one.secondsSinceLastScan)
                < (other.minimumAttenuation, other.typicalAttenuation, other.secondsSinceLastScan)
        }
    }
}
