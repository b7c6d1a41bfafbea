// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import Matching
import RandomValues
import Testing

/// What docs/risk.md promises: more of it is never less.
@Suite struct PromiseTests {
    private func score(_ model: any RiskModel, _ windows: [ExposureWindow]) -> Double {
        model.assess(RiskEvidence(windows: windows), today: RiskSamples.today).days.map(\.verdict.score).max() ?? 0
    }

    private func score(_ model: any RiskModel, _ exposures: [ExposureV1]) -> Double {
        model.assess(RiskEvidence(exposures: exposures), today: RiskSamples.today).days.map(\.verdict.score).max() ?? 0
    }

    @Test(arguments: 1...40)
    func moreMinutesNeverScoreLess(_ seed: Int) throws {
        var generator = SeededGenerator(seed: seed)
        let scans = RiskSamples.randomScans(&generator) + [(50, 240)]
        let place = Int.random(in: 0..<scans.count, using: &generator)
        var longer = scans
        longer[place].seconds += 60
        for model in [DailySummariesModel(try Published.daily()) as any RiskModel, CWASecondModel(Published.cwaSecond())] {
            #expect(
                score(model, [RiskSamples.window(longer)]) >= score(model, [RiskSamples.window(scans)]), "\(model.name)")
        }
        let exposure = [600, 900, 300]
        var more = exposure
        more[seed % 3] += 300
        for model in [
            CWAFirstModel(try Published.cwaFirst()) as any RiskModel,
            NHSFirstModel(NHSFirstParameters(exposures: try Published.exposures())),
        ] {
            #expect(
                score(model, [RiskSamples.exposure(seconds: more)])
                    >= score(model, [RiskSamples.exposure(seconds: exposure)]), "\(model.name)")
        }
    }

    /// One more scan at the end is more time near somebody. The estimate of all the seconds before changes with it, so that NHS
    /// COVID-19's second model keeps this only for scans no weaker than those before.
    @Test(arguments: 1...40)
    func stayingAsNearNeverScoresLessWithTheSecondNHSModel(_ seed: Int) {
        var generator = SeededGenerator(seed: seed)
        let decibels = Int.random(in: 20...95, using: &generator)
        let model = NHSSecondModel(NHSSecondParameters())
        var last = 0.0
        for count in 1...10 {
            let scans = [(decibels: Int, seconds: Int)](repeating: (decibels, 180), count: count)
            let found = score(model, [RiskSamples.window(scans)])
            #expect(found >= last)
            last = found
        }
    }

    /// Where weights fall with the distance; those of March 2022 do not (0.8 below 63 dB and 1 above).
    @Test(arguments: 1...40)
    func nearerNeverScoresLess(_ seed: Int) throws {
        var generator = SeededGenerator(seed: seed)
        let scans = RiskSamples.randomScans(&generator) + [(60, 240)]
        let place = Int.random(in: 0..<scans.count, using: &generator)
        var nearer = scans
        nearer[place].decibels = max(0, nearer[place].decibels - .random(in: 1...40, using: &generator))
        for model in [
            DailySummariesModel(try Published.daily()) as any RiskModel, CWASecondModel(Published.cwaSecondOf2020()),
        ] {
            #expect(
                score(model, [RiskSamples.window(nearer)]) >= score(model, [RiskSamples.window(scans)]), "\(model.name)")
        }
    }

    /// The whole window nearer: NHS COVID-19's second model keeps it up to 92 dB. Beyond, where the estimate hangs on distances reflected
    /// at zero, a decibel nearer was measured to score 3.6 % less at worst.
    @Test(arguments: [1, 2, 3, 5, 7, 10], [180, 300])
    func nearerThroughoutNeverScoresLessWithTheSecondNHSModel(_ count: Int, _ seconds: Int) {
        let model = NHSSecondModel(NHSSecondParameters())
        var last = Double.infinity
        for decibels in 0...255 {
            let scans = [(decibels: Int, seconds: Int)](repeating: (decibels, seconds), count: count)
            let found = score(model, [RiskSamples.window(scans)])
            // At 0 dB there is no observation.
            if decibels > 1 { #expect(found <= last * (decibels <= 92 ? 1 + 1e-9 : 1.04), "\(decibels) dB") }
            last = found
        }
    }

    @Test(arguments: 1...20)
    func moreInfectiousNeverScoresLess(_ seed: Int) throws {
        var generator = SeededGenerator(seed: seed)
        let scans = RiskSamples.randomScans(&generator) + [(50, 300), (50, 300), (50, 300)]
        for model in try Published.models() where model.input == .windows {
            let scores = Infectiousness.allCases.map { score(model, [RiskSamples.window(scans, infectiousness: $0)]) }
            #expect(scores == scores.sorted(), "\(model.name)")
        }
        let first = NHSFirstModel(NHSFirstParameters(exposures: try Published.exposures()))
        let scores = (UInt8(0)...7).map { score(first, [RiskSamples.exposure(seconds: [600, 300, 0], level: $0)]) }
        #expect(scores == scores.sorted())
    }

    /// One more person met on the day.
    @Test(arguments: 1...40)
    func anotherWindowNeverScoresLess(_ seed: Int) throws {
        var generator = SeededGenerator(seed: seed)
        let evidence = RiskSamples.randomEvidence(&generator, count: 20)
        var more = evidence
        more.windows.append(RiskSamples.randomWindow(&generator))
        more.exposures.append(RiskSamples.randomExposure(&generator))
        for model in try Published.models() {
            let before = model.assess(evidence, today: RiskSamples.today)
            let after = model.assess(more, today: RiskSamples.today)
            // The sum has another grouping with another number in it.
            for day in before.days {
                let now = try #require(after.days.first { $0.day == day.day })
                #expect(now.verdict.score >= day.verdict.score * (1 - 1e-12), "\(model.name)")
            }
            #expect((after.level ?? .low) >= (before.level ?? .low))
        }
    }

    /// What docs/risk.md says is not promised, and how often it happens: 2 of 2,000 for a scan nearer, 26 % less at worst; none for
    /// a minute more.
    @Test func theSecondNHSModelSeldomScoresLessForOneScanNearerOrLonger() {
        var generator = SeededGenerator(seed: 2_007)
        let model = NHSSecondModel(NHSSecondParameters())
        var nearer = (lower: 0, worst: 0.0)
        var longer = (lower: 0, worst: 0.0)
        for _ in 0..<2_000 {
            let scans = (0..<Int.random(in: 2...8, using: &generator)).map { _ in
                (
                    decibels: Int.random(in: 40...90, using: &generator),
                    seconds: 60 * Int.random(in: 2...5, using: &generator)
                )
            }
            let before = score(model, [RiskSamples.window(scans)])
            let place = Int.random(in: 0..<scans.count, using: &generator)
            func compare(_ changed: [(decibels: Int, seconds: Int)], _ tally: inout (lower: Int, worst: Double)) {
                let share = score(model, [RiskSamples.window(changed)]) / before
                guard share < 1 - 1e-9 else { return }
                tally = (tally.lower + 1, max(tally.worst, 1 - share))
            }
            var changed = scans
            changed[place].decibels -= .random(in: 1...40, using: &generator)
            compare(changed, &nearer)
            changed = scans
            changed[place].seconds += 60
            compare(changed, &longer)
        }
        #expect(nearer.lower <= 10 && nearer.worst < 0.3, "\(nearer)")
        #expect(longer.lower <= 2 && longer.worst < 0.05, "\(longer)")
    }

    /// Two people of one day, and what they come to in whole hundredths of a minute: 9.00 is increased, although 0.6 + 6 × 1.4 is less than 9
    /// in binary, and 8.99 is not.
    @Test func theLimitIsReachedInTenthsAsOnPaper() throws {
        let model = CWASecondModel(Published.cwaSecond())
        let kinds: [(tenths: Int, type: ReportType, infectiousness: Infectiousness)] = [
            (6, .selfReport, .standard), (8, .selfReport, .high), (10, .clinicalDiagnosis, .standard),
            (12, .clinicalDiagnosis, .high), (14, .confirmedTest, .standard), (16, .confirmedTest, .high),
        ]
        var exact = 0
        for first in kinds {
            for second in kinds {
                for minutes in 1...12 {
                    for others in 1...10 {
                        // The second one at 0.1 of a minute's worth.
                        let hundredths = first.tenths * minutes * 10 + second.tenths * others
                        let windows = [
                            RiskSamples.window(
                                [(70, minutes * 60)], type: first.type, infectiousness: first.infectiousness),
                            RiskSamples.window(
                                [(75, others * 60)], type: second.type, infectiousness: second.infectiousness),
                        ]
                        let level = model.assess(RiskEvidence(windows: windows), today: RiskSamples.today).level
                        #expect(level == (hundredths >= 900 ? .increased : .low), "\(hundredths)")
                        if hundredths == 900 { exact += 1 }
                    }
                }
            }
        }
        #expect(exact == 10)
        #expect(8.999999.settled < 9 && Double.infinity.settled == .infinity)
    }
}
