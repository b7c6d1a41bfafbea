// SPDX-License-Identifier: Apache-2.0

extension Exposure1 {
    /// Factors that the seconds of an exposure are multiplied with, by how the infection was established.
    public struct ReportTypeWeights: Codable, Sendable, Equatable {
        /// The weight of an infection that a test confirmed, 0 to 2.5.
        public var confirmedTest: Double
        /// The weight of an infection that a clinician diagnosed, 0 to 2.5.
        public var confirmedClinicalDiagnosis: Double
        /// The weight for what people reported of themselves, 0 to 2.5.
        public var selfReport: Double

        /// Creates the parameters of a call of `GetDailySummaries`. Nothing is checked here: the core checks the weights
        /// when the call arrives. See the properties for units.
        public init(confirmedTest: Double, confirmedClinicalDiagnosis: Double, selfReport: Double) {
            self.confirmedTest = confirmedTest
            self.confirmedClinicalDiagnosis = confirmedClinicalDiagnosis
            self.selfReport = selfReport
        }
    }

    /// The rules by which windows become scores: Google's DailySummariesConfig. The core refuses values out of range with
    /// `InvalidParameter`.
    public struct DailySummariesConfiguration: Codable, Sendable, Equatable {
        /// Three limits of attenuation, each 0 to 255 dB and none below the one before: up to the first a scan is immediate, up to the second near,
        /// up to the third medium, each inclusive.
        public var attenuationThresholds: [Int]
        /// Four weights, each 0 to 2.5: for immediate, near, medium and all other scans.
        public var attenuationWeights: [Double]
        /// The weights by the evidence of the infection.
        public var reportTypeWeights: ReportTypeWeights
        /// The weight for standard infectiousness, 0 to 2.5.
        public var standardInfectiousnessWeight: Double
        /// The weight for high infectiousness, 0 to 2.5.
        public var highInfectiousnessWeight: Double
        /// The score below which windows are left out, in weighted seconds, 0 or more; `nil` counts as 0.
        public var minimumWindowScore: Double?
        /// The number of days ago beyond which windows are left out, 0 or more; 0 or `nil` leaves none out.
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

    /// Parameters of `GetDailySummaries`. A configuration that breaks a rule is refused with `InvalidParameter`; every call with `WrongRole` in a
    /// place, and with `TimeUnknown` without a time.
    public struct DailySummariesCall: Codable, Sendable {
        /// The weights and limits to score by.
        public var configuration: DailySummariesConfiguration

        /// Creates the parameters of a call of `GetDailySummaries`. Nothing is checked here: the core checks the values
        /// when the call arrives.
        public init(configuration: DailySummariesConfiguration) { self.configuration = configuration }
    }

    /// The scores of one day, in weighted seconds; 0 or more.
    public struct DailyScores: Codable, Sendable, Equatable {
        /// The highest score of a window, in weighted seconds; 0 without any.
        public var maximumScore: Double
        /// The sum of the windows' scores, in weighted seconds; 0 without any.
        public var scoreSum: Double
        /// The sum of the windows' seconds, weighted by attenuation only; 0 without any.
        public var weightedDurationSum: Double

        /// Creates a part of replies of the core. No value is checked. See the properties for units.
        public init(maximumScore: Double, scoreSum: Double, weightedDurationSum: Double) {
            self.maximumScore = maximumScore
            self.scoreSum = scoreSum
            self.weightedDurationSum = weightedDurationSum
        }
    }

    /// The scores of one day, by report type.
    public struct DailySummary: Codable, Sendable, Equatable {
        /// The UTC day, in days since 1970.
        public var day: Int
        /// The scores of all report types together: the highest maximum, and the sums. Zeros if the day has windows of which none reaches the
        /// minimum.
        public var total: DailyScores
        /// The scores of infections that a test confirmed; `nil` if no window of it counts.
        public var confirmedTest: DailyScores?
        /// Scores of what a clinician diagnosed; `nil` if no window of it counts.
        public var confirmedClinicalDiagnosis: DailyScores?
        /// Scores of what people reported of themselves; `nil` if no window of it counts.
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
        /// One entry for each day that has windows, oldest first; at most 16.
        public var dailySummaries: [DailySummary]

        /// Creates the reply of the core to `GetDailySummaries`. No value is checked.
        public init(dailySummaries: [DailySummary]) { self.dailySummaries = dailySummaries }
    }

    /// First-generation parameters: Google's ExposureConfiguration. The core refuses values out of range with `InvalidParameter`.
    public struct ExposureConfiguration: Codable, Sendable, Equatable {
        /// Scores below it become 0; 1 to 4096, as in Google's framework.
        public var minimumRiskScore: Int
        /// Eight scores, each 0 to 8, by attenuation: above 73, 63, 51, 33, 27, 15, 10 dB, and the rest.
        public var attenuationScores: [Int]
        /// Eight scores, each 0 to 8, by days since the exposure: 14, 12, 10, 8, 6, 4, 2 or more, and the rest.
        public var daysSinceLastExposureScores: [Int]
        /// Eight scores, each 0 to 8, by duration in minutes: 0, up to 5, 10, 15, 20, 25, 30, and more.
        public var durationScores: [Int]
        /// Eight scores, each 0 to 8, by transmission risk level 1 to 8. Level 0 scores 1, whatever is here.
        public var transmissionRiskScores: [Int]
        /// Two limits between the three attenuation durations, 0 to 255 dB, the second not below the first; `nil` or empty for 50 and 74.
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

    /// Parameters of `GetExposureSummary` and `GetExposureInformation`. A configuration that breaks a rule is refused with `InvalidParameter`; every
    /// call with `WrongRole` in a place, and with `TimeUnknown` without a time.
    public struct ExposureConfigurationCall: Codable, Sendable {
        /// The weights and limits to score by.
        public var configuration: ExposureConfiguration

        /// Creates the parameters of a call of either method. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(configuration: ExposureConfiguration) { self.configuration = configuration }
    }

    /// The summary of all exposures by the rules of the first generation.
    public struct ExposureSummary: Codable, Sendable, Equatable {
        /// Whole days of 24 hours since the key of the last exposure began, as a rule at midnight (UTC); 0 or more. `nil` without an exposure.
        public var daysSinceLastExposure: Int?
        /// The number of published people who were met and give an exposure under the mapping; 0 or more.
        public var matchedKeyCount: Int
        /// The highest score of an exposure, 0 to 4096; 0 without any.
        public var maximumRiskScore: Int
        /// The sum of the exposures' scores; 0 or more, without a limit.
        public var summationRiskScore: Int
        /// Three numbers: minutes below the first attenuation limit, between both, and from the second on; each 0 to 30.
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

    /// Reply of `GetExposureSummary`: what everything amounts to by the rules of the first generation.
    public struct SummaryReply: Codable, Sendable {
        /// All exposures together, in a few numbers.
        public var summary: ExposureSummary

        /// Creates the reply of the core to `GetExposureSummary`. No value is checked.
        public init(summary: ExposureSummary) { self.summary = summary }
    }

    /// One encounter by the rules of the first generation. It tells a day and no minute, and not who.
    public struct ExposureInformation: Codable, Sendable, Equatable {
        /// The UTC day of the encounter, in days since 1970: the day on which the person's key began.
        public var day: Int
        /// The duration in minutes, rounded: a multiple of 5, 5 to 30.
        public var durationMinutes: Int
        /// Attenuation in dB, weighted by time, rounded; 0 or more.
        public var attenuationValue: Int
        /// The transmission risk level that was published with the key, 0 to 8; 0 if none was.
        public var transmissionRiskLevel: Int
        /// The score of the encounter, 0 to 4096.
        public var totalRiskScore: Int
        /// Three numbers: minutes below the first attenuation limit, between both, and from the second on; each 0 to 30.
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

    /// Reply of `GetExposureInformation`: encounters by the rules of the first generation, in an order that says nothing.
    public struct InformationReply: Codable, Sendable {
        /// One page of encounters: as many as fit into 48 KiB of JSON.
        public var information: [ExposureInformation]

        /// Creates the reply of the core to `GetExposureInformation`. No value is checked.
        public init(information: [ExposureInformation]) { self.information = information }
    }

    /// The health authority's reading of what was published: Google's DiagnosisKeysDataMapping.
    public struct DiagnosisKeysDataMapping: Codable, Sendable, Equatable {
        /// The infectiousness of a person for the days -14 to 14 since the onset of symptoms in this order: 29 values.
        public var daysSinceOnsetToInfectiousness: [Infectiousness]
        /// The infectiousness of a person without a published onset, or with one outside of these days.
        public var infectiousnessWhenDaysSinceOnsetMissing: Infectiousness
        /// The report type that counts where none was published.
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

    /// Reply of `GetDiagnosisKeysDataMapping`: the mapping that holds now.
    public struct MappingReply: Codable, Sendable {
        /// The mapping that holds now; until somebody sets one, the mapping that comes with the device.
        public var mapping: DiagnosisKeysDataMapping
        /// The moment from which the mapping may be changed, Unix seconds; `nil` if it may be now, and while the time is
        /// not known (then a change is refused).
        public var changeableFrom: Int64?

        /// Creates the reply of the core to `GetDiagnosisKeysDataMapping`. No value is checked. See the properties for
        /// units and `nil`.
        public init(mapping: DiagnosisKeysDataMapping, changeableFrom: Int64?) {
            self.mapping = mapping
            self.changeableFrom = changeableFrom
        }
    }

    /// Parameters of `SetDiagnosisKeysDataMapping`. Refused with `InvalidParameter` if it breaks a rule, with `LimitReached` within seven days of the
    /// last change, with `TimeUnknown` without a time; what holds already costs nothing.
    public struct MappingCall: Codable, Sendable {
        /// The mapping that is to hold from now on, with 29 values for days.
        public var mapping: DiagnosisKeysDataMapping

        /// Creates the parameters of a call of `SetDiagnosisKeysDataMapping`. Nothing is checked here: the core checks the
        /// values when the call arrives.
        public init(mapping: DiagnosisKeysDataMapping) { self.mapping = mapping }
    }
}
