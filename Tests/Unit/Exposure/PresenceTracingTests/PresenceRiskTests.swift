// SPDX-License-Identifier: Apache-2.0

import CivilTime
import ExposureRisk
import PresenceTracing
import Testing

@Suite struct PresenceRiskTests {
    private let day = UTCDay(number: 18_690)
    private let next = UTCDay(number: 18_691)

    private func match(_ minutes: Int64, level: UInt8, visit: Int = 1, _ day: UTCDay? = nil) -> PresenceMatch {
        PresenceMatch(visit: visit, day: day ?? self.day, minutes: minutes, level: level)
    }

    /// With the published parameters: ten weighted minutes are increased.
    @Test func levelsOfOneDay() {
        let table: [([PresenceMatch], PresenceRisk.Verdict)] = [
            ([match(10, level: 5)], .level(.increased)), ([match(9, level: 5)], .level(.low)),
            ([match(7, level: 7)], .level(.low)),
            ([match(8, level: 7)], .level(.increased)), ([match(16, level: 3)], .level(.low)),
            // 6 + 9.4: 0.6 · 1 + 9.4 is ten only when tenths are taken as tenths.
            ([match(1, level: 3), match(7, level: 7, visit: 2), match(1, level: 3, visit: 3)], .level(.increased)),
            ([match(5, level: 5), match(5, level: 5, visit: 2)], .level(.increased)),
            // Levels that the authority gives no weight.
            ([match(600, level: 1)], .nothing), ([match(600, level: 2), match(9, level: 5)], .level(.low)),
            ([match(0, level: 8)], .nothing),
            // More than a million minutes are in no range.
            ([match(700_000, level: 8)], .unknown), ([], .nothing),
        ]
        for (index, (matches, verdict)) in table.enumerated() {
            let risk = PresenceRisk(matches, .published)
            #expect(risk.days.map(\.verdict) == (matches.isEmpty ? [] : [verdict]), "row \(index)")
        }
    }

    /// A level that the parameters do not know is not worth nothing: it is not known what it is worth.
    @Test func whatCannotBeJudgedIsNotLow() {
        var parameters = PresenceRiskParameters.published
        parameters.transmissionRiskValueMapping[8] = nil
        func verdict(_ matches: [PresenceMatch]) -> PresenceRisk.Verdict? {
            PresenceRisk(matches, parameters).days.first?.verdict
        }
        #expect(verdict([match(60, level: 8)]) == .unknown)
        #expect(verdict([match(60, level: 8), match(5, level: 5, visit: 2)]) == .unknown)
        #expect(verdict([match(60, level: 8), match(10, level: 5, visit: 2)]) == .level(.increased))
        parameters.perDay = []
        #expect(verdict([match(5, level: 5)]) == .unknown)
    }

    @Test func visitsAndDaysAreJudgedApart() {
        let risk = PresenceRisk(
            [
                match(6, level: 5, visit: 2), match(5, level: 5, visit: 1), match(3, level: 5, visit: 1, next),
                match(20, level: 5, visit: 2, next),
            ].reversed(), .published)
        #expect(risk.days.map(\.normalizedTime) == [11, 23])
        #expect(risk.days.map(\.verdict) == [.level(.increased), .level(.increased)])
        #expect(risk.checkIns.map(\.visit) == [1, 2, 1, 2])
        #expect(risk.checkIns.map(\.normalizedTime) == [5, 6, 3, 20])
        #expect(risk.checkIns.map(\.verdict) == [.level(.low), .level(.low), .level(.low), .level(.increased)])
    }

    // MARK: With encounters

    private func encounters(_ level: RiskLevel?, _ days: [(UTCDay, RiskLevel?)]) -> RiskAssessment {
        RiskAssessment(
            model: .cwaSecond, unit: .weightedMinutes, level: level,
            days: days.map {
                RiskDay(
                    day: UInt32($0.0.number), verdict: RiskVerdict(score: 1, increasedFrom: 10, level: $0.1),
                    contributions: [])
            })
    }

    /// Encounters and visits of one day, and what is told: `nil` when it cannot be.
    @Test func theHigherOfBothCounts() {
        let visits: [(String, [PresenceMatch], RiskLevel?)] = [
            ("none", [], nil), ("nothing", [match(60, level: 1)], nil), ("low", [match(5, level: 5)], .low),
            ("increased", [match(60, level: 5)], .increased), ("unknown", [match(700_000, level: 8)], nil),
        ]
        let table: [(RiskLevel?, String, total: RiskLevel?, ofDay: RiskLevel?)] = [
            (.low, "none", .low, .low), (.low, "nothing", .low, .low), (.low, "low", .low, .low),
            (.low, "increased", .increased, .increased), (.low, "unknown", nil, nil),
            (.increased, "none", .increased, .increased),
            (.increased, "nothing", .increased, .increased), (.increased, "low", .increased, .increased),
            (.increased, "increased", .increased, .increased), (.increased, "unknown", .increased, .increased),
            (nil, "none", nil, nil), (nil, "nothing", nil, nil), (nil, "low", nil, nil),
            (nil, "increased", .increased, .increased),
            (nil, "unknown", nil, nil),
        ]
        for (met, name, total, ofDay) in table {
            let matches = visits.first { $0.0 == name }?.1 ?? []
            let joined = JoinedRisk(encounters: encounters(met, [(day, met)]), presence: PresenceRisk(matches, .published))
            #expect(joined.level == total, "\(String(describing: met)) \(name)")
            #expect(joined.days.map(\.level) == [ofDay], "\(String(describing: met)) \(name)")
            #expect(joined.mostRelevantDay == (total == .increased ? day : nil), "\(String(describing: met)) \(name)")
        }
        // Encounters that nobody judged are not low, on no day; a day without an encounter is judged by its visits.
        let low = PresenceRisk([match(5, level: 5)], .published)
        #expect(JoinedRisk(encounters: nil, presence: low).days.map(\.level) == [nil])
        #expect(JoinedRisk(encounters: encounters(.low, []), presence: low).days.map(\.level) == [.low])
        #expect(JoinedRisk(encounters: nil, presence: PresenceRisk([], .published)).level == nil)
        #expect(JoinedRisk(encounters: nil, presence: PresenceRisk([match(60, level: 5)], .published)).level == .increased)
    }

    @Test func theLatestIncreasedDayIsToldWhereverItComesFrom() {
        let visit = PresenceRisk([match(60, level: 5)], .published)
        let later = JoinedRisk(encounters: encounters(.increased, [(next, .increased)]), presence: visit)
        #expect(later.mostRelevantDay == next && later.days.map(\.day) == [day, next])
        let earlier = JoinedRisk(
            encounters: encounters(.increased, [(UTCDay(number: 18_680), .increased)]), presence: visit)
        #expect(earlier.mostRelevantDay == day)
    }
}
