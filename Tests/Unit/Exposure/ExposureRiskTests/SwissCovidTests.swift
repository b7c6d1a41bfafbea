// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import Matching
import Testing

/// SwissCovid's rule (spec rules-and-nhs 7), and classes of exposure (8).
@Suite struct SwissCovidTests {
    private func verdicts(_ windows: [ExposureWindow], _ parameters: SwissCovidParameters = .init()) -> [RiskDay] {
        SwissCovidModel(parameters).assess(RiskEvidence(windows: windows), today: RiskSamples.today).days
    }

    @Test func windowsOfADayAreAddedBeforeRounding() throws {
        let day = verdicts([301, 299, 241].map { RiskSamples.window([(50, $0)]) })
        #expect(day.map(\.verdict.score) == [15] && day.map(\.verdict.level) == [.increased])
        let short = verdicts([301, 299, 240].map { RiskSamples.window([(50, $0)]) })
        #expect(short.map(\.verdict.score) == [14] && short.map(\.verdict.level) == [.low])
    }

    @Test func thresholdsBelongToWhatIsFurther() {
        #expect(verdicts([RiskSamples.window([(54, 900)])]).first?.verdict.score == 15)
        #expect(verdicts([RiskSamples.window([(55, 900)])]).first?.verdict.score == 7.5)
        #expect(verdicts([RiskSamples.window([(62, 1_800)])]).first?.verdict.score == 15)
        #expect(verdicts([RiskSamples.window([(63, 9_000)])]).first?.verdict.score == 0)
    }

    @Test func daysAreNotAddedAndTheTenthCounts() {
        let scans = [(decibels: 50, seconds: 600)]
        let two = verdicts([RiskSamples.window(scans), RiskSamples.window(day: RiskSamples.today - 2, scans)])
        #expect(two.allSatisfy { $0.verdict.level == .low } && two.count == 2)
        let long = [(decibels: 50, seconds: 900)]
        #expect(
            verdicts([RiskSamples.window(day: RiskSamples.today - 10, long)]).map(\.verdict.level) == [.increased])
        let old = verdicts([RiskSamples.window(day: RiskSamples.today - 11, long)])
        #expect(old.map(\.verdict.level) == [nil] && old.first?.contributions.map(\.outcome) == [.tooOld])
    }

    @Test func numbersThatWarnNobodyAreProblems() {
        var parameters = SwissCovidParameters()
        parameters.higherThreshold = 55
        parameters.factorLow = 0
        parameters.factorHigh = 0
        parameters.triggerThreshold = 0
        #expect(parameters.problems.map(\.path) == ["higherThreshold", "factorLow", "triggerThreshold"])
    }

    // MARK: Classes of exposure

    private func daily(_ classes: [ExposureClass], _ windows: [ExposureWindow]) throws -> RiskAssessment {
        var parameters = try Published.daily()
        parameters.classes = classes
        #expect(parameters.problems == [])
        return DailySummariesModel(parameters).assess(RiskEvidence(windows: windows), today: RiskSamples.today)
    }

    @Test func anyLimitOfAnyClassSufficesAndTheGravestCounts() throws {
        var grave = ExposureClass()
        grave.confirmedTestPerDaySum = 2_700
        var light = ExposureClass()
        light.selfReportPerDaySum = 1
        let near = [(decibels: Int, seconds: Int)](repeating: (30, 300), count: 12)
        let tested = RiskSamples.window(day: RiskSamples.today - 5, near)
        let reported = RiskSamples.window([(30, 300)], type: .selfReport)
        let both = try daily([grave, light], [tested, reported])
        #expect(both.level == .increased && both.mostRelevantDay == RiskSamples.today - 5)
        #expect(both.days.map(\.verdict.level) == [.increased, .increased])
        let one = try daily([grave, light], [reported])
        #expect(one.mostRelevantDay == RiskSamples.today - 1 && one.level == .increased)
        let short = try daily([grave], [RiskSamples.window([(30, 300)]), reported])
        #expect(short.level == .low && short.mostRelevantDay == nil)
        #expect(short.days.first?.verdict.increasedFrom == 2_700)
    }

    @Test func classesThatAreAllOffAreAProblem() throws {
        var parameters = try Published.daily()
        parameters.classes = [ExposureClass(), ExposureClass()]
        #expect(parameters.problems.map(\.path) == ["classes"])
        parameters.classes[0].perDaySum = -1
        #expect(parameters.problems.map(\.path) == ["classes[0].perDaySumERVThreshold"])
    }

    /// 0.1 × 6 + 0.3 × 48 comes out below 15 in binary, and a warning must not hang on that.
    @Test func whoReachesTheLimitIsWarned() {
        var parameters = SwissCovidParameters()
        (parameters.factorLow, parameters.factorHigh) = (0.1, 0.3)
        #expect(SwissCovidModel(parameters).weightedMinutes([360, 48 * 60, 0]) == 15)
    }
}
