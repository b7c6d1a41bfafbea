// SPDX-License-Identifier: Apache-2.0

/// The messages of the Corona-Warn-App's configurations as tables: field numbers, names and types
/// (spec cwa-protocols 3, 7.1, 8.3; cwa-server `common/protocols`, Apache-2.0).
package enum ConfigSchema {
    /// The type of a field.
    package indirect enum Kind: Sendable {
        case integer, double, bool, string, bytes
        /// An enumeration: the names of its values, by number from 0.
        case choice([String])
        case message(String)
        case map(Kind)
        case repeated(Kind)
    }

    /// One field of a message.
    package struct Field: Sendable {
        /// The field's name in protobuf's JSON mapping.
        package let name: String
        /// The field's type; a value of another type makes the message malformed.
        package let kind: Kind
    }

    /// The tables, by the name of the message, then by the number of the field.
    package static let messages: [String: [UInt32: Field]] = {
        var all: [String: [UInt32: Field]] = [:]
        for (message, fields) in [applications, parameters, risk, presence, donation, firstGeneration].joined() {
            all[message] = Dictionary(uniqueKeysWithValues: fields.map { ($0.0, Field(name: $0.1, kind: $0.2)) })
        }
        return all
    }()

    typealias Messages = [(String, [(UInt32, String, Kind)])]

    static func many(_ message: String) -> Kind { .repeated(.message(message)) }

    private static let applications: Messages = [
        (
            "ApplicationConfigurationAndroid",
            [
                (1, "minVersionCode", .integer), (2, "latestVersionCode", .integer),
                (3, "appFeatures", .message("AppFeatures")),
                (4, "supportedCountries", .repeated(.string)),
                (5, "keyDownloadParameters", .message("KeyDownloadParametersAndroid")),
                (6, "exposureDetectionParameters", .message("ExposureDetectionParametersAndroid")),
                (7, "riskCalculationParameters", .message("RiskCalculationParameters")),
                (8, "diagnosisKeysDataMapping", .message("DiagnosisKeysDataMapping")),
                (9, "dailySummariesConfig", .message("DailySummariesConfig")),
                (10, "eventDrivenUserSurveyParameters", .message("SurveyParameters")),
                (11, "privacyPreservingAnalyticsParameters", .message("AnalyticsParameters")),
                (12, "errorLogSharingParameters", .message("ErrorLogParameters")),
                (13, "presenceTracingParameters", .message("PresenceTracingParameters")),
                (14, "coronaTestParameters", .message("CoronaTestParameters")),
                (15, "dgcParameters", .message("DGCParameters")),
                (16, "selfReportParameters", .message("SelfReportParameters")),
            ]
        ),
        (
            "ApplicationConfigurationIOS",
            [
                (1, "minVersion", .message("SemanticVersion")), (2, "latestVersion", .message("SemanticVersion")),
                (3, "appFeatures", .message("AppFeatures")), (4, "supportedCountries", .repeated(.string)),
                (5, "keyDownloadParameters", .message("KeyDownloadParametersIOS")),
                (6, "exposureDetectionParameters", .message("ExposureDetectionParametersIOS")),
                (7, "riskCalculationParameters", .message("RiskCalculationParameters")),
                (8, "exposureConfiguration", .message("ExposureConfiguration")),
                (9, "eventDrivenUserSurveyParameters", .message("SurveyParameters")),
                (10, "privacyPreservingAnalyticsParameters", .message("AnalyticsParameters")),
                (11, "errorLogSharingParameters", .message("ErrorLogParameters")),
                (12, "presenceTracingParameters", .message("PresenceTracingParameters")),
                (13, "coronaTestParameters", .message("CoronaTestParameters")),
                (14, "dgcParameters", .message("DGCParameters")),
                (15, "selfReportParameters", .message("SelfReportParameters")),
            ]
        ),
        // The first generation, `/version/v1/configuration/country/DE/app_config`.
        (
            "ApplicationConfiguration",
            [
                (1, "minRiskScore", .integer), (2, "riskScoreClasses", .message("RiskScoreClassification")),
                (3, "exposureConfig", .message("RiskScoreParameters")),
                (4, "attenuationDuration", .message("AttenuationDuration")),
                (5, "appVersion", .message("ApplicationVersionConfiguration")), (6, "appFeatures", .message("AppFeatures")),
                (7, "supportedCountries", .repeated(.string)),
                (8, "iosKeyDownloadParameters", .message("KeyDownloadParametersIOS")),
                (9, "androidKeyDownloadParameters", .message("KeyDownloadParametersAndroid")),
                (10, "iosExposureDetectionParameters", .message("ExposureDetectionParametersIOS")),
                (11, "androidExposureDetectionParameters", .message("ExposureDetectionParametersAndroid")),
            ]
        ),
    ]

    private static let parameters: Messages = [
        ("AppFeatures", [(1, "appFeatures", many("AppFeature"))]),
        ("AppFeature", [(1, "label", .string), (2, "value", .integer)]),
        (
            "KeyDownloadParametersAndroid",
            [
                (1, "revokedDayPackages", many("DayPackageMetadata")),
                (2, "revokedHourPackages", many("HourPackageMetadata")),
                (3, "downloadTimeoutInSeconds", .integer), (4, "overallTimeoutInSeconds", .integer),
                (5, "revokedTraceWarningPackages", many("TraceWarningPackageMetadata")),
            ]
        ),
        (
            "KeyDownloadParametersIOS",
            [
                (1, "revokedDayPackages", many("DayPackageMetadata")),
                (2, "revokedHourPackages", many("HourPackageMetadata")),
                (3, "revokedTraceWarningPackages", many("TraceWarningPackageMetadata")),
            ]
        ),
        ("DayPackageMetadata", [(1, "region", .string), (2, "date", .string), (3, "etag", .string)]),
        (
            "HourPackageMetadata",
            [(1, "region", .string), (2, "date", .string), (3, "hour", .integer), (4, "etag", .string)]
        ),
        ("TraceWarningPackageMetadata", [(1, "etag", .string)]),
        (
            "ExposureDetectionParametersAndroid",
            [(1, "maxExposureDetectionsPerInterval", .integer), (2, "overallTimeoutInSeconds", .integer)]
        ),
        ("ExposureDetectionParametersIOS", [(1, "maxExposureDetectionsPerInterval", .integer)]),
        (
            "DiagnosisKeysDataMapping",
            [
                (1, "daysSinceOnsetToInfectiousness", .map(.integer)),
                (2, "infectiousnessWhenDaysSinceOnsetMissing", .integer), (3, "reportTypeWhenMissing", .integer),
            ]
        ),
        (
            "ExposureConfiguration",
            [
                (1, "infectiousnessForDaysSinceOnsetOfSymptoms", .map(.integer)), (2, "reportTypeNoneMap", .integer),
                (3, "attenuationDurationThresholds", .repeated(.integer)), (4, "immediateDurationWeight", .double),
                (5, "mediumDurationWeight", .double), (6, "nearDurationWeight", .double),
                (7, "otherDurationWeight", .double), (8, "daysSinceLastExposureThreshold", .integer),
                (9, "infectiousnessStandardWeight", .double), (10, "infectiousnessHighWeight", .double),
                (11, "reportTypeConfirmedTestWeight", .double),
                (12, "reportTypeConfirmedClinicalDiagnosisWeight", .double),
                (13, "reportTypeSelfReportedWeight", .double), (14, "reportTypeRecursiveWeight", .double),
            ]
        ),
        (
            "DailySummariesConfig",
            [
                (1, "attenuationBucketThresholdDb", .repeated(.integer)),
                (2, "attenuationBucketWeights", .repeated(.double)), (3, "daysSinceExposureThreshold", .integer),
                (4, "infectiousnessWeights", .map(.double)), (5, "minimumWindowScore", .double),
                (6, "reportTypeWeights", .map(.double)),
            ]
        ),
        (
            "CoronaTestParameters",
            [
                (1, "coronaRapidAntigenTestParameters", .message("CoronaRapidAntigenTestParameters")),
                (2, "coronaPCRTestParameters", .message("CoronaPCRTestParameters")),
            ]
        ),
        (
            "CoronaRapidAntigenTestParameters",
            [(1, "hoursToDeemTestOutdated", .integer), (2, "hoursSinceSampleCollectionToShowRiskCard", .integer)]
        ),
        ("CoronaPCRTestParameters", [(1, "hoursSinceTestRegistrationToShowRiskCard", .integer)]),
        (
            "DGCParameters",
            [
                (1, "testCertificateParameters", .message("DGCTestCertificateParameters")),
                (2, "expirationThresholdInDays", .integer), (3, "blockListParameters", .message("DGCBlocklistParameters")),
                (4, "reissueServicePublicKeyDigest", .bytes),
            ]
        ),
        (
            "DGCTestCertificateParameters",
            [(1, "waitAfterPublicKeyRegistrationInSeconds", .integer), (2, "waitForRetryInSeconds", .integer)]
        ),
        ("DGCBlocklistParameters", [(1, "blockedUvciChunks", many("DGCBlockedUVCIChunk"))]),
        ("DGCBlockedUVCIChunk", [(1, "indices", .repeated(.integer)), (2, "hash", .bytes)]),
    ]

    static let range: Kind = .message("Range")

    private static let risk: Messages = [
        (
            "RiskCalculationParameters",
            [
                (1, "minutesAtAttenuationFilters", many("MinutesAtAttenuationFilter")),
                (2, "trlFilters", many("TrlFilter")),
                (3, "minutesAtAttenuationWeights", many("MinutesAtAttenuationWeight")),
                (4, "normalizedTimePerEWToRiskLevelMapping", many("NormalizedTimeToRiskLevelMapping")),
                (5, "normalizedTimePerDayToRiskLevelMapping", many("NormalizedTimeToRiskLevelMapping")),
                (6, "trlEncoding", .message("TransmissionRiskLevelEncoding")),
                (7, "transmissionRiskLevelMultiplier", .double),
                (8, "transmissionRiskValueMapping", many("TransmissionRiskValueMapping")),
                (9, "maxEncounterAgeInDays", .integer),
            ]
        ),
        ("Range", [(1, "min", .double), (2, "minExclusive", .bool), (3, "max", .double), (4, "maxExclusive", .bool)]),
        ("MinutesAtAttenuationFilter", [(1, "attenuationRange", range), (2, "dropIfMinutesInRange", range)]),
        ("TrlFilter", [(1, "dropIfTrlInRange", range)]),
        ("MinutesAtAttenuationWeight", [(1, "attenuationRange", range), (2, "weight", .double)]),
        (
            "NormalizedTimeToRiskLevelMapping",
            [(1, "normalizedTimeRange", range), (2, "riskLevel", .choice(["UNSPECIFIED", "LOW", "HIGH"]))]
        ),
        (
            "TransmissionRiskLevelEncoding",
            [
                (1, "infectiousnessOffsetStandard", .integer), (2, "infectiousnessOffsetHigh", .integer),
                (3, "reportTypeOffsetRecursive", .integer), (4, "reportTypeOffsetSelfReport", .integer),
                (5, "reportTypeOffsetConfirmedClinicalDiagnosis", .integer), (6, "reportTypeOffsetConfirmedTest", .integer),
            ]
        ),
        ("TransmissionRiskValueMapping", [(1, "transmissionRiskLevel", .integer), (2, "transmissionRiskValue", .double)]),
    ]
}
