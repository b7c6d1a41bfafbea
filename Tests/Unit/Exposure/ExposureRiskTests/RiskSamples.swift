// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import Matching
import RandomValues

/// Random evidence and the published parameters, for all suites of this target.
enum RiskSamples {
    static let today: UInt32 = 20_000

    static func window(
        day: UInt32 = today - 1, _ scans: [(decibels: Int, seconds: Int)], type: ReportType = .confirmedTest,
        infectiousness: Infectiousness = .high, confidence: CalibrationConfidence = .high
    ) -> ExposureWindow {
        ExposureWindow(
            day: day, firstSighting: day &* 86_400, reportType: type, infectiousness: infectiousness,
            calibrationConfidence: confidence,
            scanInstances: scans.map {
                ScanInstance(
                    typicalAttenuation: $0.decibels, minimumAttenuation: $0.decibels, secondsSinceLastScan: $0.seconds)
            })
    }

    static func randomScans(_ generator: inout SeededGenerator) -> [(decibels: Int, seconds: Int)] {
        (0..<Int.random(in: 0...8, using: &generator)).map { _ in
            (.random(in: 20...95, using: &generator), 60 * .random(in: 0...5, using: &generator))
        }
    }

    static func randomWindow(_ generator: inout SeededGenerator) -> ExposureWindow {
        window(
            day: today - .random(in: 0...15, using: &generator), randomScans(&generator),
            type: ReportType.allCases.randomElement(using: &generator) ?? .confirmedTest,
            infectiousness: Infectiousness.allCases.randomElement(using: &generator) ?? .high,
            confidence: CalibrationConfidence.allCases.randomElement(using: &generator) ?? .high)
    }

    static func exposure(
        day: UInt32 = today - 1, seconds: [Int], level: UInt8 = 6, riskScore: Int = 60
    ) -> ExposureV1 {
        ExposureV1(
            keyStart: ENIN(day * ENIN.perDay), duration: 1_800, attenuation: 50, attenuationDurations: seconds,
            transmissionRiskLevel: level, riskScore: riskScore)
    }

    static func randomExposure(_ generator: inout SeededGenerator) -> ExposureV1 {
        exposure(
            day: today - .random(in: 0...15, using: &generator),
            seconds: (0..<3).map { _ in 300 * .random(in: 0...6, using: &generator) },
            level: .random(in: 0...8, using: &generator), riskScore: .random(in: 0...100, using: &generator))
    }

    static func randomEvidence(_ generator: inout SeededGenerator, count: Int) -> RiskEvidence {
        RiskEvidence(
            windows: (0..<count).map { _ in randomWindow(&generator) },
            exposures: (0..<count).map { _ in randomExposure(&generator) })
    }
}

/// Parameters as they were published.
enum Published {
    static func exposures(minimum: Int = 11) throws -> ExposureConfigurationV1 {
        guard
            let result = ExposureConfigurationV1(
                minimumRiskScore: minimum, attenuationScores: [0, 2, 2, 2, 2, 2, 2, 2],
                daysScores: [5, 5, 5, 5, 5, 5, 5, 5], durationScores: [0, 0, 0, 1, 1, 1, 1, 1],
                transmissionRiskScores: [0, 0, 3, 4, 5, 6, 7, 8], durationThresholds: (low: 55, high: 63))
        else { throw Missing() }
        return result
    }

    static func cwaFirst() throws -> CWAFirstParameters {
        var result = CWAFirstParameters(exposures: try exposures())
        result.classes = [.init(level: .low, min: 0, max: 15), .init(level: .increased, min: 15, max: 9_999)]
        return result
    }

    private static func range(_ min: Double, _ max: Double) -> CWASecondParameters.Range {
        .init(min: min, max: max, maxExclusive: true)
    }

    /// Corona-Warn-App, March 2022.
    static func cwaSecond() -> CWASecondParameters {
        var result = CWASecondParameters()
        result.minutesAtAttenuationWeights = [
            .init(attenuationRange: range(0, 63), weight: 0.8), .init(attenuationRange: range(63, 73), weight: 1),
            .init(attenuationRange: range(73, 79), weight: 0.1),
        ]
        result.normalizedTimePerEWToRiskLevelMapping = [
            .init(normalizedTimeRange: range(0, 9), riskLevel: .low),
            .init(normalizedTimeRange: range(9, 9_999), riskLevel: .increased),
        ]
        result.normalizedTimePerDayToRiskLevelMapping = [
            .init(normalizedTimeRange: range(5, 9), riskLevel: .low),
            .init(normalizedTimeRange: range(9, 99_999), riskLevel: .increased),
        ]
        result.transmissionRiskValueMapping = [1: 0, 2: 0, 3: 0.6, 4: 0.8, 5: 1, 6: 1.2, 7: 1.4, 8: 1.6]
        result.maxEncounterAgeInDays = 10
        return result
    }

    /// Corona-Warn-App, November 2020: with filters, and weights that fall with the distance.
    static func cwaSecondOf2020() -> CWASecondParameters {
        var result = CWASecondParameters()
        result.minutesAtAttenuationFilters = [
            .init(attenuationRange: range(0, 73), dropIfMinutesInRange: range(0, 10))
        ]
        result.trlFilters = [.init(min: 1, max: 2)]
        result.minutesAtAttenuationWeights = [
            .init(attenuationRange: range(0, 55), weight: 1), .init(attenuationRange: range(55, 63), weight: 0.5),
        ]
        let mapping: [CWASecondParameters.LevelMapping] = [
            .init(normalizedTimeRange: range(0, 15), riskLevel: .low),
            .init(normalizedTimeRange: .init(min: 15, max: 9_999), riskLevel: .increased),
        ]
        result.normalizedTimePerEWToRiskLevelMapping = mapping
        result.normalizedTimePerDayToRiskLevelMapping = mapping
        result.transmissionRiskLevelMultiplier = 0.2
        return result
    }

    static func daily() throws -> DailySummariesParameters {
        guard
            let summaries = DailySummariesConfiguration(
                attenuationThresholds: [55, 63, 75], attenuationWeights: [1.5, 1, 0.5, 0],
                reportTypeWeights: [0, 1, 0.8, 0.6, 0.3, 0], infectiousnessWeights: [0, 0.6, 1],
                minimumWindowScore: 60, daysSinceExposureThreshold: 14)
        else { throw Missing() }
        return DailySummariesParameters(summaries: summaries)
    }

    static func models() throws -> [any RiskModel] {
        [
            DailySummariesModel(try daily()), CWAFirstModel(try cwaFirst()), CWASecondModel(cwaSecond()),
            CWASecondModel(cwaSecondOf2020()), NHSFirstModel(NHSFirstParameters(exposures: try exposures())),
            NHSSecondModel(NHSSecondParameters()), SwissCovidModel(SwissCovidParameters()),
        ]
    }

    struct Missing: Error {}
}
