// SPDX-License-Identifier: Apache-2.0

extension Exposure1 {
    public struct ReportTypeWeights: Codable, Sendable, Equatable {
        public var confirmedTest: Double
        public var confirmedClinicalDiagnosis: Double
        public var selfReport: Double

        public init(confirmedTest: Double, confirmedClinicalDiagnosis: Double, selfReport: Double) {
            self.confirmedTest = confirmedTest
            self.confirmedClinicalDiagnosis = confirmedClinicalDiagnosis
            self.selfReport = selfReport
        }
    }

    public struct DailySummariesConfiguration: Codable, Sendable, Equatable {
        public var attenuationThresholds: [Int]
        public var attenuationWeights: [Double]
        public var reportTypeWeights: ReportTypeWeights
        public var standardInfectiousnessWeight: Double
        public var highInfectiousnessWeight: Double
        public var minimumWindowScore: Double?
        public var daysSinceExposureThreshold: Int?

        public init(
            attenuationThresholds: [Int], attenuationWeights: [Double], reportTypeWeights: ReportTypeWeights,
            standardInfectiousnessWeight: Double, highInfectiousnessWeight: Double, minimumWindowScore: Double? = nil,
            daysSinceExposureThreshold: Int? = nil
        ) {
            self.attenuationThresholds = attenuationThresholds
            self.attenuationWeights = attenuationWeights
            self.reportTypeWeights = reportTypeWeights
            self.standardInfectiousnessWeight = standardInfectiousnessWeight
            self.highInfectiousnessWeight = highInfectiousnessWeight
            self.minimumWindowScore = minimumWindowScore
            self.daysSinceExposureThreshold = daysSinceExposureThreshold
        }
    }

    public struct DailySummariesCall: Codable, Sendable {
        public var configuration: DailySummariesConfiguration

        public init(configuration: DailySummariesConfiguration) { self.configuration = configuration }
    }

    public struct DailyScores: Codable, Sendable, Equatable {
        public var maximumScore: Double
        public var scoreSum: Double
        public var weightedDurationSum: Double

        public init(maximumScore: Double, scoreSum: Double, weightedDurationSum: Double) {
            self.maximumScore = maximumScore
            self.scoreSum = scoreSum
            self.weightedDurationSum = weightedDurationSum
        }
    }

    public struct DailySummary: Codable, Sendable, Equatable {
        public var day: Int
        public var total: DailyScores
        public var confirmedTest: DailyScores?
        public var confirmedClinicalDiagnosis: DailyScores?
        public var selfReport: DailyScores?

        public init(
            day: Int, total: DailyScores, confirmedTest: DailyScores?, confirmedClinicalDiagnosis: DailyScores?,
            selfReport: DailyScores?
        ) {
            self.day = day
            self.total = total
            self.confirmedTest = confirmedTest
            self.confirmedClinicalDiagnosis = confirmedClinicalDiagnosis
            self.selfReport = selfReport
        }
    }

    public struct DailySummariesReply: Codable, Sendable {
        public var dailySummaries: [DailySummary]

        public init(dailySummaries: [DailySummary]) { self.dailySummaries = dailySummaries }
    }

    public struct ExposureConfiguration: Codable, Sendable, Equatable {
        public var minimumRiskScore: Int
        public var attenuationScores: [Int]
        public var daysSinceLastExposureScores: [Int]
        public var durationScores: [Int]
        public var transmissionRiskScores: [Int]
        public var durationAtAttenuationThresholds: [Int]?

        public init(
            minimumRiskScore: Int, attenuationScores: [Int], daysSinceLastExposureScores: [Int], durationScores: [Int],
            transmissionRiskScores: [Int], durationAtAttenuationThresholds: [Int]? = nil
        ) {
            self.minimumRiskScore = minimumRiskScore
            self.attenuationScores = attenuationScores
            self.daysSinceLastExposureScores = daysSinceLastExposureScores
            self.durationScores = durationScores
            self.transmissionRiskScores = transmissionRiskScores
            self.durationAtAttenuationThresholds = durationAtAttenuationThresholds
        }
    }

    public struct ExposureConfigurationCall: Codable, Sendable {
        public var configuration: ExposureConfiguration

        public init(configuration: ExposureConfiguration) { self.configuration = configuration }
    }

    public struct ExposureSummary: Codable, Sendable, Equatable {
        public var daysSinceLastExposure: Int?
        public var matchedKeyCount: Int
        public var maximumRiskScore: Int
        public var summationRiskScore: Int
        public var attenuationDurationsInMinutes: [Int]

        public init(
            daysSinceLastExposure: Int?, matchedKeyCount: Int, maximumRiskScore: Int, summationRiskScore: Int,
            attenuationDurationsInMinutes: [Int]
        ) {
            self.daysSinceLastExposure = daysSinceLastExposure
            self.matchedKeyCount = matchedKeyCount
            self.maximumRiskScore = maximumRiskScore
            self.summationRiskScore = summationRiskScore
            self.attenuationDurationsInMinutes = attenuationDurationsInMinutes
        }
    }

    public struct SummaryReply: Codable, Sendable {
        public var summary: ExposureSummary

        public init(summary: ExposureSummary) { self.summary = summary }
    }

    public struct ExposureInformation: Codable, Sendable, Equatable {
        public var day: Int
        public var durationMinutes: Int
        public var attenuationValue: Int
        public var transmissionRiskLevel: Int
        public var totalRiskScore: Int
        public var attenuationDurationsInMinutes: [Int]

        public init(
            day: Int, durationMinutes: Int, attenuationValue: Int, transmissionRiskLevel: Int, totalRiskScore: Int,
            attenuationDurationsInMinutes: [Int]
        ) {
            self.day = day
            self.durationMinutes = durationMinutes
            self.attenuationValue = attenuationValue
            self.transmissionRiskLevel = transmissionRiskLevel
            self.totalRiskScore = totalRiskScore
            self.attenuationDurationsInMinutes = attenuationDurationsInMinutes
        }
    }

    public struct InformationReply: Codable, Sendable {
        public var information: [ExposureInformation]

        public init(information: [ExposureInformation]) { self.information = information }
    }

    public struct DiagnosisKeysDataMapping: Codable, Sendable, Equatable {
        public var daysSinceOnsetToInfectiousness: [Infectiousness]
        public var infectiousnessWhenDaysSinceOnsetMissing: Infectiousness
        public var reportTypeWhenMissing: ReportType

        public init(
            daysSinceOnsetToInfectiousness: [Infectiousness], infectiousnessWhenDaysSinceOnsetMissing: Infectiousness,
            reportTypeWhenMissing: ReportType
        ) {
            self.daysSinceOnsetToInfectiousness = daysSinceOnsetToInfectiousness
            self.infectiousnessWhenDaysSinceOnsetMissing = infectiousnessWhenDaysSinceOnsetMissing
            self.reportTypeWhenMissing = reportTypeWhenMissing
        }
    }

    public struct MappingReply: Codable, Sendable {
        public var mapping: DiagnosisKeysDataMapping
        public var changeableFrom: Int64?

        public init(mapping: DiagnosisKeysDataMapping, changeableFrom: Int64?) {
            self.mapping = mapping
            self.changeableFrom = changeableFrom
        }
    }

    public struct MappingCall: Codable, Sendable {
        public var mapping: DiagnosisKeysDataMapping

        public init(mapping: DiagnosisKeysDataMapping) { self.mapping = mapping }
    }
}
