// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import Testing

@Suite struct ProblemTests {
    @Test func whatWasPublishedHasNoProblems() throws {
        #expect(Published.cwaSecond().problems == [])
        #expect(Published.cwaSecondOf2020().problems == [])
        #expect(try Published.cwaFirst().problems == [])
        #expect(NHSSecondParameters().problems == [])
        #expect(NHSFirstParameters(exposures: try Published.exposures()).problems == [])
        #expect(try Published.daily().problems == [])
        #expect(SwissCovidParameters().problems == [])
    }

    @Test func everyProblemIsFoundInOnePass() {
        var parameters = NHSSecondParameters()
        parameters.sampleResolution = 0
        parameters.covariance = .nan
        parameters.kappa = -3
        parameters.infectiousnessWeights = [0, -1]
        parameters.contactCaseDays = -1
        #expect(
            parameters.problems.map(\.path) == [
                "sampleResolution", "covariance", "kappa", "infectiousnessWeights", "infectiousnessWeights[1]",
                "contactCaseDays",
            ])
        #expect(parameters.problems.first?.sentence == "is 0.0; a number from 0.1 to 60 is needed")
    }

    @Test func missingBoundsAreFound() {
        var parameters = Published.cwaSecond()
        parameters.normalizedTimePerDayToRiskLevelMapping[1].normalizedTimeRange.max = 0
        #expect(
            parameters.problems.map(\.path) == [
                "normalizedTimePerDayToRiskLevelMapping[1].normalizedTimeRange",
                "normalizedTimePerDayToRiskLevelMapping",
            ])
    }

    @Test func overlapsAndGapsAreFound() {
        var parameters = Published.cwaSecond()
        parameters.normalizedTimePerDayToRiskLevelMapping[0].normalizedTimeRange.max = 8
        parameters.normalizedTimePerEWToRiskLevelMapping[1].normalizedTimeRange.min = 7
        parameters.minutesAtAttenuationWeights[1].attenuationRange.min = 62
        #expect(
            parameters.problems.map(\.path) == [
                "minutesAtAttenuationWeights[1].attenuationRange",
                "normalizedTimePerEWToRiskLevelMapping[1].normalizedTimeRange",
                "normalizedTimePerDayToRiskLevelMapping[1].normalizedTimeRange",
            ])
    }

    /// Both ends inclusive at the same number: it is in two ranges. Both exclusive: in none.
    @Test func touchingEndsMustBelongToOne() {
        var parameters = Published.cwaSecond()
        parameters.normalizedTimePerDayToRiskLevelMapping[0].normalizedTimeRange.maxExclusive = false
        #expect(parameters.problems.count == 1)
        parameters = Published.cwaSecond()
        parameters.normalizedTimePerDayToRiskLevelMapping[1].normalizedTimeRange.minExclusive = true
        #expect(parameters.problems.count == 1)
    }

    @Test func levelsMustBeOneToEight() {
        var parameters = Published.cwaSecond()
        parameters.trlEncoding.reportTypeOffsetConfirmedTest = 7
        parameters.transmissionRiskValueMapping[9] = 1
        #expect(
            parameters.problems.map(\.path) == ["trlEncoding", "transmissionRiskValueMapping[9].transmissionRiskLevel"])
    }

    @Test func aConfigurationThatWarnsNobodyIsAProblem() {
        var parameters = Published.cwaSecond()
        parameters.normalizedTimePerDayToRiskLevelMapping.removeLast()
        #expect(!parameters.problems.isEmpty)
        parameters = Published.cwaSecond()
        parameters.minutesAtAttenuationWeights = []
        #expect(!parameters.problems.isEmpty)
        parameters = Published.cwaSecondOf2020()
        parameters.transmissionRiskLevelMultiplier = 0
        #expect(!parameters.problems.isEmpty)
        #expect(!CWASecondParameters().problems.isEmpty)
    }

    @Test func classesMustHoldEveryScore() throws {
        var parameters = try Published.cwaFirst()
        parameters.classes[1].min = 16
        #expect(parameters.problems.map(\.path) == ["classes[1].min"])
        parameters = try Published.cwaFirst()
        parameters.classes[0].min = 1
        #expect(parameters.problems.map(\.path) == ["classes[0].min"])
        parameters = try Published.cwaFirst()
        // 2 x 5 x 1 x 8 / 50 x 45 minutes.
        parameters.classes[1].max = 71.9
        #expect(parameters.problems.map(\.path) == ["classes[1].max"])
        parameters.classes[1].max = 72
        #expect(parameters.problems == [])
        parameters.classes.removeLast()
        #expect(!parameters.problems.isEmpty)
        parameters.divisor = 0
        #expect(parameters.problems.contains { $0.path == "divisor" })
    }
}
