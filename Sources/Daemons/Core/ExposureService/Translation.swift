// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
package import GAEN
package import Interfaces
import Matching

// Between what the rules work with and what travels. Nothing is decided here; what an interface must not carry has no place to go.

extension Exposure1.ReportType {
    /// `nil` for types that give no exposure.
    init?(_ type: ReportType) {
        switch type {
        case .confirmedTest: self = .confirmedTest
        case .clinicalDiagnosis: self = .confirmedClinicalDiagnosis
        case .selfReport: self = .selfReport
        case .unknown, .recursive, .revoked: return nil
        }
    }

    var value: ReportType {
        switch self {
        case .confirmedTest: .confirmedTest
        case .confirmedClinicalDiagnosis: .clinicalDiagnosis
        case .selfReport: .selfReport
        }
    }
}

extension Exposure1.Infectiousness {
    init(_ value: Infectiousness) {
        switch value {
        case .none: self = .none
        case .standard: self = .standard
        case .high: self = .high
        }
    }

    var value: Infectiousness {
        switch self {
        case .none: .none
        case .standard: .standard
        case .high: .high
        }
    }
}

extension Exposure1.CalibrationConfidence {
    init(_ value: CalibrationConfidence) {
        switch value {
        case .lowest: self = .lowest
        case .low: self = .low
        case .medium: self = .medium
        case .high: self = .high
        }
    }
}

extension Exposure1.ExposureWindow {
    init(_ window: ExposureWindow) {
        self.init(
            day: Int(window.day), reportType: Exposure1.ReportType(window.reportType) ?? .confirmedTest,
            infectiousness: .init(window.infectiousness), calibrationConfidence: .init(window.calibrationConfidence),
            scanInstances: window.scanInstances.map {
                Exposure1.ScanInstance(
                    typicalAttenuation: $0.typicalAttenuation, minAttenuation: $0.minimumAttenuation,
                    secondsSinceLastScan: $0.secondsSinceLastScan)
            })
    }
}

extension Exposure1.DailyScores {
    init(_ scores: ExposureScores) {
        self.init(
            maximumScore: scores.maximum, scoreSum: scores.sum, weightedDurationSum: scores.weightedDurationSum)
    }
}

extension Exposure1.DailySummariesConfiguration {
    /// `nil` when it breaks a rule.
    var checked: DailySummariesConfiguration? {
        DailySummariesConfiguration(
            attenuationThresholds: attenuationThresholds, attenuationWeights: attenuationWeights,
            reportTypeWeights: [
                0, reportTypeWeights.confirmedTest, reportTypeWeights.confirmedClinicalDiagnosis,
                reportTypeWeights.selfReport, 0, 0,
            ],
            infectiousnessWeights: [0, standardInfectiousnessWeight, highInfectiousnessWeight],
            minimumWindowScore: minimumWindowScore ?? 0, daysSinceExposureThreshold: daysSinceExposureThreshold ?? 0)
    }
}

extension Exposure1.ExposureConfiguration {
    /// `nil` when it breaks a rule.
    var checked: ExposureConfigurationV1? {
        let thresholds = durationAtAttenuationThresholds ?? []
        // Documents of authorities may have a minimum of 0; callers have Google's range, as the interface's text says.
        guard thresholds.isEmpty || thresholds.count == 2, (1...4_096).contains(minimumRiskScore) else { return nil }
        return ExposureConfigurationV1(
            minimumRiskScore: minimumRiskScore, attenuationScores: attenuationScores,
            daysScores: daysSinceLastExposureScores, durationScores: durationScores,
            transmissionRiskScores: transmissionRiskScores,
            durationThresholds: thresholds.isEmpty
                ? ExposureConfigurationV1.standardDurationThresholds : (low: thresholds[0], high: thresholds[1]))
    }
}

extension Exposure1.DiagnosisKeysDataMapping {
    /// Creates the interface's form of the core's mapping.
    package init(_ mapping: DiagnosisKeyMapping) {
        self.init(
            daysSinceOnsetToInfectiousness: mapping.infectiousness.map { .init($0) },
            infectiousnessWhenDaysSinceOnsetMissing: .init(mapping.infectiousnessWhenOnsetMissing),
            reportTypeWhenMissing: Exposure1.ReportType(mapping.reportTypeWhenMissing) ?? .confirmedTest)
    }

    /// `nil` when it breaks a rule.
    var checked: DiagnosisKeyMapping? {
        DiagnosisKeyMapping(
            infectiousness: daysSinceOnsetToInfectiousness.map(\.value),
            whenOnsetMissing: infectiousnessWhenDaysSinceOnsetMissing.value,
            reportTypeWhenMissing: reportTypeWhenMissing.value)
    }
}
