// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import Matching
import Testing

@Suite struct ExtremeTests {
    private func check(_ found: RiskAssessment, _ name: RiskModelName, sourceLocation: SourceLocation = #_sourceLocation) {
        for day in found.days {
            #expect(day.verdict.score.isFinite, "\(name)", sourceLocation: sourceLocation)
            for contribution in day.contributions {
                #expect(contribution.score.isFinite, "\(name)", sourceLocation: sourceLocation)
                #expect(contribution.estimatedDistance?.isFinite != false, sourceLocation: sourceLocation)
            }
        }
    }

    @Test func nothingIsLow() throws {
        for model in try Published.models() {
            let found = model.assess(RiskEvidence(), today: RiskSamples.today)
            #expect(found.level == .low)
            #expect(found.days.isEmpty)
            #expect(found.mostRelevantDay == nil)
        }
    }

    @Test(arguments: [0, 1, 254, 255, -1, Int.max, Int.min + 1])
    func everyAttenuationHasAnAnswer(_ decibels: Int) throws {
        for model in try Published.models() {
            for count in [0, 1, 2, 10] {
                let scans = [(decibels: Int, seconds: Int)](repeating: (decibels, 180), count: count)
                check(
                    model.assess(RiskEvidence(windows: [RiskSamples.window(scans)]), today: RiskSamples.today), model.name)
            }
        }
    }

    @Test(arguments: [0, -1, -86_160, 300, 86_400, Int.max, Int.min])
    func everyNumberOfSecondsHasAnAnswer(_ seconds: Int) throws {
        for model in try Published.models() {
            let window = RiskSamples.window([(50, 120), (50, seconds), (50, 180)])
            let found = model.assess(RiskEvidence(windows: [window]), today: RiskSamples.today)
            check(found, model.name)
            if seconds <= 0, model.input == .windows {
                let without = RiskSamples.window([(50, 120), (50, 0), (50, 180)])
                let other = model.assess(RiskEvidence(windows: [without]), today: RiskSamples.today)
                #expect(found.days.map(\.verdict) == other.days.map(\.verdict), "a clock set back adds nothing")
            }
        }
    }

    @Test func thousandsOfScansEnd() throws {
        let window = RiskSamples.window([(decibels: Int, seconds: Int)](repeating: (55, 300), count: 5_000))
        for model in try Published.models() {
            check(model.assess(RiskEvidence(windows: [window]), today: RiskSamples.today), model.name)
        }
    }

    @Test func thousandsOfWindowsOfADayEnd() throws {
        let windows = [ExposureWindow](repeating: RiskSamples.window([(55, 300), (60, 300)]), count: 3_000)
        for model in try Published.models() {
            check(model.assess(RiskEvidence(windows: windows), today: RiskSamples.today), model.name)
        }
    }

    @Test func daysToComeAreAsToday() throws {
        let scans = [(decibels: 50, seconds: 300), (50, 300), (50, 300), (50, 300)]
        for model in try Published.models() {
            func verdict(_ day: UInt32, today: UInt32) -> RiskVerdict? {
                model.assess(
                    RiskEvidence(
                        windows: [RiskSamples.window(day: day, scans)],
                        exposures: [RiskSamples.exposure(day: min(day, 1_000_000), seconds: [1_800, 0, 0])]), today: today
                ).days.first?.verdict
            }
            let expected = verdict(RiskSamples.today, today: RiskSamples.today)
            #expect(expected != nil)
            #expect(verdict(RiskSamples.today + 3, today: RiskSamples.today) == expected)
            #expect(verdict(0, today: 0) == expected)
            if model.input == .windows { #expect(verdict(.max, today: 0) == expected) }
        }
    }

    @Test func gapsOfDaysStayGaps() throws {
        let windows = [1, 9].map { RiskSamples.window(day: RiskSamples.today - $0, [(50, 300), (50, 300), (50, 300)]) }
        for model in try Published.models() where model.input == .windows {
            let found = model.assess(RiskEvidence(windows: windows), today: RiskSamples.today)
            #expect(found.days.map(\.day) == [RiskSamples.today - 9, RiskSamples.today - 1])
        }
    }

    /// A part of a day that is too large to compute must not leave the rest of the day low.
    @Test func aDayWithAPartBeyondNumbersIsNotLow() {
        var parameters = Published.cwaSecond()
        parameters.minutesAtAttenuationWeights[0].weight = 1e308
        let rest = RiskSamples.window([(65, 250)])
        let (vast, far) = (RiskSamples.window([(50, 300)]), RiskSamples.window(day: RiskSamples.today - 2, [(65, 250)]))
        func found(_ windows: [ExposureWindow]) -> RiskAssessment {
            CWASecondModel(parameters).assess(RiskEvidence(windows: windows), today: RiskSamples.today)
        }
        #expect(found([rest]).days.map(\.verdict.level) == [.low] && found([rest]).level == .low)
        #expect(found([rest, vast]).days.map(\.verdict.level) == [nil] && found([rest, vast]).level == nil)
        // Other days are judged, and a day that is increased without that part stays so.
        #expect(found([far, vast]).days.map(\.verdict.level) == [.low, nil])
        let near = RiskSamples.window([(65, 1_200)])
        #expect(found([near, vast]).days.map(\.verdict.level) == [.increased] && found([near, vast]).level == .increased)
        // Windows of which each can be computed, and the sum cannot.
        parameters.normalizedTimePerEWToRiskLevelMapping[1].normalizedTimeRange.max = .greatestFiniteMagnitude
        parameters.minutesAtAttenuationWeights[0].weight = 5e305
        #expect(found([vast]).days.map(\.contributions.first?.outcome) == [.counted])
        let sum = found([ExposureWindow](repeating: vast, count: 200))
        #expect(sum.days.map(\.verdict.level) == [nil] && sum.level == nil)
    }

    /// Numbers that are none must not calm anybody: no level, and nothing that cannot be shown.
    @Test(arguments: [Double.nan, .infinity, -.infinity, 0, -1, 1e308, -1e308, .leastNonzeroMagnitude])
    func parametersThatAreNoNumbersHaveADefinedAnswer(_ bad: Double) throws {
        let evidence = RiskEvidence(
            windows: [RiskSamples.window([(50, 300), (70, 300), (60, 300)])],
            exposures: [RiskSamples.exposure(seconds: [900, 300, 300])])
        let numbers: [WritableKeyPath<NHSSecondParameters, Double>] = [
            \.sampleResolution, \.expectedDistance, \.minimumDistance, \.weightCoefficient, \.intercept, \.covariance,
            \.wavelength, \.pathLossFactor, \.referenceDeviceLoss, \.initialMean, \.initialCovariance, \.alpha, \.beta,
            \.kappa, \.riskThreshold,
        ]
        for path in numbers {
            for type in [NHSSecondParameters.ObservationType.log, .gen] {
                var parameters = NHSSecondParameters()
                parameters.observationType = type
                parameters[keyPath: path] = bad
                check(NHSSecondModel(parameters).assess(evidence, today: RiskSamples.today), .nhsSecond)
                if !bad.isFinite { #expect(!parameters.problems.isEmpty, "\(path)") }
            }
        }
        var weights = NHSSecondParameters()
        weights.infectiousnessWeights = [bad, bad, bad]
        let nhs = NHSSecondModel(weights).assess(evidence, today: RiskSamples.today)
        if !bad.isFinite { #expect(nhs.level == nil) }

        let cwa: [WritableKeyPath<CWASecondParameters, Double>] = [
            \.minutesAtAttenuationWeights[0].weight, \.minutesAtAttenuationWeights[0].attenuationRange.min,
            \.minutesAtAttenuationWeights[0].attenuationRange.max,
            \.normalizedTimePerDayToRiskLevelMapping[1].normalizedTimeRange.min,
            \.normalizedTimePerDayToRiskLevelMapping[1].normalizedTimeRange.max,
            \.normalizedTimePerEWToRiskLevelMapping[0].normalizedTimeRange.min,
        ]
        for path in cwa {
            var parameters = Published.cwaSecond()
            parameters[keyPath: path] = bad
            let found = CWASecondModel(parameters).assess(evidence, today: RiskSamples.today)
            #expect(found.days.allSatisfy { $0.verdict.score.isFinite })
            if !bad.isFinite { #expect(!parameters.problems.isEmpty, "\(path)") }
        }
        for path in [\CWAFirstParameters.divisor, \.offset, \.capMinutes, \.weights[0], \.classes[1].min] {
            var parameters = try Published.cwaFirst()
            parameters[keyPath: path] = bad
            let found = CWAFirstModel(parameters).assess(evidence, today: RiskSamples.today)
            #expect(found.combined?.score.isFinite == true)
            if !bad.isFinite { #expect(!parameters.problems.isEmpty, "\(path)") }
        }
        for path in [\NHSFirstParameters.riskThreshold, \.sigma, \.durationBucketWeights[0]] {
            var parameters = NHSFirstParameters(exposures: try Published.exposures())
            parameters[keyPath: path] = bad
            let found = NHSFirstModel(parameters).assess(evidence, today: RiskSamples.today)
            #expect(found.days.allSatisfy { $0.verdict.score.isFinite })
            if !bad.isFinite { #expect(!parameters.problems.isEmpty, "\(path)") }
        }
    }

    @Test func tooShortListsCountNothing() {
        var parameters = NHSSecondParameters()
        parameters.infectiousnessWeights = []
        let found = NHSSecondModel(parameters).assess(
            RiskEvidence(windows: [RiskSamples.window([(50, 300), (50, 300)])]), today: RiskSamples.today)
        #expect(found.days.first?.verdict.score == 0)
    }
}
