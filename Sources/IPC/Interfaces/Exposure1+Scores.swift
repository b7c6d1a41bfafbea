// SPDX-License-Identifier: Apache-2.0

extension Exposure1 {
    /// The factors for the seconds of an exposure by report type.
    public struct ReportTypeWeights: Codable, Sendable, Equatable {
        /// The weight of an infection that was confirmed by a test, 0 to 2.5.
        public var confirmedTest: Double
        /// The weight of an infection that a clinician diagnosed, 0 to 2.5.
        public var confirmedClinicalDiagnosis: Double
        /// The weight of an infection that the person reported, 0 to 2.5.
        public var selfReport: Double

        /// Creates the parameters of a call of `GetDailySummaries`. Nothing is checked here: the core checks the weights
        /// when the call arrives. See the properties for units.
        public init(confirmedTest: Double, confirmedClinicalDiagnosis: Double, selfReport: Double) {
            self.confirmedTest = confirmedTest
            self.confirmedClinicalDiagnosis = confirmedClinicalDiagnosis
            self.selfReport = selfReport
        }
    }

    /// The rules for calculating scores from windows: Google's DailySummariesConfig. The core refuses values out of range
    /// with `InvalidParameter`.
    public struct DailySummariesConfiguration: Codable, Sendable, Equatable {
        /// Three limits of attenuation, each 0 to 255 dB and not below the one before: a scan up to the first is immediate,
        /// up to the second near, and up to the third medium, all inclusive.
        public var attenuationThresholds: [Int]
        /// The four weights of immediate, near, medium and all other scans, each 0 to 2.5.
        public var attenuationWeights: [Double]
        /// The weights by report type.
        public var reportTypeWeights: ReportTypeWeights
        /// The weight for standard infectiousness, 0 to 2.5.
        public var standardInfectiousnessWeight: Double
        /// The weight for high infectiousness, 0 to 2.5.
        public var highInfectiousnessWeight: Double
        /// The score below which windows are excluded, in weighted seconds, 0 or more; `nil` counts as 0.
        public var minimumWindowScore: Double?
        /// The age in days beyond which windows are excluded, 0 or more; 0 or `nil` excludes none.
        public var daysSinceExposureThreshold: Int?

        /// Creates the parameters of a call of `GetDailySummaries`. Nothing is checked here: the core checks the values
        /// when the call arrives. See the properties for units and `nil`.
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

    /// Parameters of `GetDailySummaries`. Refused with `InvalidParameter` for a configuration that breaks a rule, with
    /// `WrongRole` in a place, and with `TimeUnknown` while the time is not known.
    public struct DailySummariesCall: Codable, Sendable {
        /// The weights and limits for the scores.
        public var configuration: DailySummariesConfiguration

        /// Creates the parameters of a call of `GetDailySummaries`. Nothing is checked here: the core checks the values
        /// when the call arrives.
        public init(configuration: DailySummariesConfiguration) { self.configuration = configuration }
    }

    /// The scores of a day, in weighted seconds; 0 or more.
    public struct DailyScores: Codable, Sendable, Equatable {
        /// The highest score of a window, in weighted seconds; 0 if there are no windows.
        public var maximumScore: Double
        /// The sum of the scores of all windows, in weighted seconds; 0 if there are no windows.
        public var scoreSum: Double
        /// The sum of the seconds of all windows, weighted by attenuation only; 0 if there are no windows.
        public var weightedDurationSum: Double

        /// Creates a part of replies of the core. No value is checked. See the properties for units.
        public init(maximumScore: Double, scoreSum: Double, weightedDurationSum: Double) {
            self.maximumScore = maximumScore
            self.scoreSum = scoreSum
            self.weightedDurationSum = weightedDurationSum
        }
    }

    /// The scores of a day, in total and by report type.
    public struct DailySummary: Codable, Sendable, Equatable {
        /// The UTC day, in days since 1970.
        public var day: Int
        /// The scores of all report types together: the highest maximum, and the sums. All zero if no window of the day
        /// reaches the minimum score.
        public var total: DailyScores
        /// The scores of infections that a test confirmed; `nil` if no such window counts.
        public var confirmedTest: DailyScores?
        /// The scores of infections that a clinician diagnosed; `nil` if no such window counts.
        public var confirmedClinicalDiagnosis: DailyScores?
        /// The scores of infections that people reported themselves; `nil` if no such window counts.
        public var selfReport: DailyScores?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
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

    /// Reply of `GetDailySummaries`: the days that have windows, oldest first.
    public struct DailySummariesReply: Codable, Sendable {
        /// The days that have windows, oldest first, at most 16.
        public var dailySummaries: [DailySummary]

        /// Creates the reply of the core to `GetDailySummaries`. No value is checked.
        public init(dailySummaries: [DailySummary]) { self.dailySummaries = dailySummaries }
    }

    /// The parameters of the first generation: Google's ExposureConfiguration. The core refuses values out of range with
    /// `InvalidParameter`.
    public struct ExposureConfiguration: Codable, Sendable, Equatable {
        /// The score below which scores become 0; 1 to 4096, as in Google's framework.
        public var minimumRiskScore: Int
        /// Eight scores, each 0 to 8, by attenuation: above 73, 63, 51, 33, 27, 15 and 10 dB, and for the rest.
        public var attenuationScores: [Int]
        /// Eight scores, each 0 to 8, by the days since the exposure: 14, 12, 10, 8, 6, 4, 2 or more, and for the rest.
        public var daysSinceLastExposureScores: [Int]
        /// Eight scores, each 0 to 8, by the duration in minutes: 0, up to 5, 10, 15, 20, 25 and 30, and for longer ones.
        public var durationScores: [Int]
        /// Eight scores, each 0 to 8, by the transmission risk level 1 to 8. Level 0 always has the score 1.
        public var transmissionRiskScores: [Int]
        /// The two limits between the three attenuation durations, 0 to 255 dB, the second not below the first; `nil` or
        /// empty for 50 and 74.
        public var durationAtAttenuationThresholds: [Int]?

        /// Creates the configuration for a request of results of the first generation. Nothing is checked here: the core
        /// checks the values when the call arrives. See the properties for units and `nil`.
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

    /// Parameters of `GetExposureSummary` and `GetExposureInformation`. Refused with `InvalidParameter` for a configuration
    /// that breaks a rule, with `WrongRole` in a place, and with `TimeUnknown` while the time is not known.
    public struct ExposureConfigurationCall: Codable, Sendable {
        /// The scores and limits of the first generation.
        public var configuration: ExposureConfiguration

        /// Creates the parameters of a call of either method. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(configuration: ExposureConfiguration) { self.configuration = configuration }
    }

    /// The summary of all exposures by the rules of the first generation.
    public struct ExposureSummary: Codable, Sendable, Equatable {
        /// The number of complete periods of 24 hours since the key of the last exposure began, normally at midnight (UTC);
        /// 0 or more. `nil` if there is no exposure.
        public var daysSinceLastExposure: Int?
        /// The number of published people who were met and whose keys give an exposure under the mapping; 0 or more.
        public var matchedKeyCount: Int
        /// The highest score of an exposure, 0 to 4096; 0 if there are none.
        public var maximumRiskScore: Int
        /// The sum of the scores of all exposures; 0 or more, without a limit.
        public var summationRiskScore: Int
        /// The minutes below the first attenuation limit, between both limits, and from the second limit on: three numbers,
        /// each 0 to 30.
        public var attenuationDurationsInMinutes: [Int]

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
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

    /// Reply of `GetExposureSummary`: the summary of all exposures by the rules of the first generation.
    public struct SummaryReply: Codable, Sendable {
        /// The summary of all exposures.
        public var summary: ExposureSummary

        /// Creates the reply of the core to `GetExposureSummary`. No value is checked.
        public init(summary: ExposureSummary) { self.summary = summary }
    }

    /// An encounter by the rules of the first generation. It reveals a day, but neither a time nor a person.
    public struct ExposureInformation: Codable, Sendable, Equatable {
        /// The UTC day on which the person's key began, in days since 1970.
        public var day: Int
        /// The duration in minutes, rounded: a multiple of 5, 5 to 30.
        public var durationMinutes: Int
        /// The attenuation in dB, averaged over time and rounded; 0 or more.
        public var attenuationValue: Int
        /// The transmission risk level that was published with the key, 0 to 8; 0 if none was.
        public var transmissionRiskLevel: Int
        /// The score of the encounter, 0 to 4096.
        public var totalRiskScore: Int
        /// The minutes below the first attenuation limit, between both limits, and from the second limit on: three numbers,
        /// each 0 to 30.
        public var attenuationDurationsInMinutes: [Int]

        /// Creates a part of replies of the core. No value is checked. See the properties for units.
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

    /// Reply of `GetExposureInformation`: the encounters by the rules of the first generation, in an order without meaning.
    public struct InformationReply: Codable, Sendable {
        /// One page of encounters. A page has at most 48 KiB of JSON.
        public var information: [ExposureInformation]

        /// Creates the reply of the core to `GetExposureInformation`. No value is checked.
        public init(information: [ExposureInformation]) { self.information = information }
    }

    /// The health authority's interpretation of published keys: Google's DiagnosisKeysDataMapping.
    public struct DiagnosisKeysDataMapping: Codable, Sendable, Equatable {
        /// The infectiousness of a person on the days -14 to 14 since the onset of symptoms, in this order: 29 values.
        public var daysSinceOnsetToInfectiousness: [Infectiousness]
        /// The infectiousness of a person without a published onset, or with one outside these days.
        public var infectiousnessWhenDaysSinceOnsetMissing: Infectiousness
        /// The report type for keys that were published without one.
        public var reportTypeWhenMissing: ReportType

        /// Creates a part of the core's reply, and of a call of `SetDiagnosisKeysDataMapping`. Nothing is checked here: the
        /// core checks the values when the call arrives.
        public init(
            daysSinceOnsetToInfectiousness: [Infectiousness], infectiousnessWhenDaysSinceOnsetMissing: Infectiousness,
            reportTypeWhenMissing: ReportType
        ) {
            self.daysSinceOnsetToInfectiousness = daysSinceOnsetToInfectiousness
            self.infectiousnessWhenDaysSinceOnsetMissing = infectiousnessWhenDaysSinceOnsetMissing
            self.reportTypeWhenMissing = reportTypeWhenMissing
        }
    }

    /// Reply of `GetDiagnosisKeysDataMapping`: the mapping in force.
    public struct MappingReply: Codable, Sendable {
        /// The mapping in force; until one is set, the mapping that comes with the device.
        public var mapping: DiagnosisKeysDataMapping
        /// The time from which the mapping may be changed, in Unix seconds; `nil` if it may be changed now, and while the
        /// time is not known, when a change is refused.
        public var changeableFrom: Int64?

        /// Creates the reply of the core to `GetDiagnosisKeysDataMapping`. No value is checked. See the properties for
        /// units and `nil`.
        public init(mapping: DiagnosisKeysDataMapping, changeableFrom: Int64?) {
            self.mapping = mapping
            self.changeableFrom = changeableFrom
        }
    }

    /// Parameters of `SetDiagnosisKeysDataMapping`. Refused with `InvalidParameter` for a mapping that breaks a rule, with
    /// `LimitReached` within seven days of the last change, and with `TimeUnknown` while the time is not known. Setting the
    /// mapping in force is not a change.
    public struct MappingCall: Codable, Sendable {
        /// The new mapping, with 29 values for days.
        public var mapping: DiagnosisKeysDataMapping

        /// Creates the parameters of a call of `SetDiagnosisKeysDataMapping`. Nothing is checked here: the core checks the
        /// values when the call arrives.
        public init(mapping: DiagnosisKeysDataMapping) { self.mapping = mapping }
    }
}
