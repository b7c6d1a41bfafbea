// SPDX-License-Identifier: Apache-2.0

/// The messages that other plugins act on, and the first generation's.
extension ConfigSchema {
    static let presence: Messages = [
        (
            "PresenceTracingParameters",
            [
                (1, "riskCalculationParameters", .message("PresenceTracingRiskCalculationParameters")),
                (2, "submissionParameters", .message("PresenceTracingSubmissionParameters")),
                (3, "qrCodeErrorCorrectionLevel", .choice(["MEDIUM", "LOW", "QUANTILE", "HIGH"])),
                (4, "revokedTraceLocationVersions", .repeated(.integer)),
                (5, "plausibleDeniabilityParameters", .message("PresenceTracingPlausibleDeniabilityParameters")),
                (6, "qrCodeDescriptors", many("PresenceTracingQRCodeDescriptor")),
            ]
        ),
        (
            "PresenceTracingRiskCalculationParameters",
            [
                (1, "transmissionRiskValueMapping", many("TransmissionRiskValueMapping")),
                (2, "normalizedTimePerCheckInToRiskLevelMapping", many("NormalizedTimeToRiskLevelMapping")),
                (3, "normalizedTimePerDayToRiskLevelMapping", many("NormalizedTimeToRiskLevelMapping")),
                (4, "maxCheckInAgeInDays", .integer),
            ]
        ),
        (
            "PresenceTracingSubmissionParameters",
            [
                (1, "durationFilters", many("DurationFilter")),
                (2, "aerosoleDecayLinearFunctions", many("AerosoleDecayFunctionLinear")),
            ]
        ),
        ("DurationFilter", [(1, "dropIfMinutesInRange", range)]),
        ("AerosoleDecayFunctionLinear", [(1, "minutesRange", range), (2, "slope", .double), (3, "intercept", .double)]),
        (
            "PresenceTracingPlausibleDeniabilityParameters",
            [
                (1, "checkInSizesInBytes", .repeated(.integer)), (2, "probabilityToFakeCheckInsIfNoCheckIns", .double),
                (3, "probabilityToFakeCheckInsIfSomeCheckIns", .double),
                (4, "numberOfFakeCheckInsFunctionParameters", many("NumberOfFakeCheckInsFunctionParameters")),
            ]
        ),
        (
            "NumberOfFakeCheckInsFunctionParameters",
            [(1, "randomNumberRange", range)]
                + ["p", "q", "r", "s", "t", "u", "a", "b", "c"].enumerated().map { (UInt32($0 + 2), $1, .double) }
        ),
        (
            "PresenceTracingQRCodeDescriptor",
            [
                (1, "regexPattern", .string), (2, "versionGroupIndex", .integer), (3, "encodedPayloadGroupIndex", .integer),
                (4, "payloadEncoding", .choice(["BASE32", "BASE64"])),
            ]
        ),
    ]

    static let donation: Messages = [
        ("SurveyParameters", [(1, "common", .message("SurveyParametersCommon")), (2, "ppac", .message("AccessControl"))]),
        (
            "SurveyParametersCommon",
            [
                (1, "otpQueryParameterName", .string), (2, "surveyOnHighRiskEnabled", .bool),
                (3, "surveyOnHighRiskUrl", .string),
            ]
        ),
        (
            "AnalyticsParameters",
            [(1, "common", .message("AnalyticsParametersCommon")), (2, "ppac", .message("AccessControl"))]
        ),
        (
            "AnalyticsParametersCommon",
            [
                (1, "probabilityToSubmit", .double), (2, "probabilityToSubmitExposureWindows", .double),
                (3, "hoursSinceTestRegistrationToSubmitTestResultMetadata", .integer),
                (4, "hoursSinceTestResultToSubmitKeySubmissionMetadata", .integer),
                (5, "plausibleDeniabilityParameters", .message("AnalyticsPlausibleDeniabilityParameters")),
            ]
        ),
        ("AnalyticsPlausibleDeniabilityParameters", [(1, "probabilityOfFakeKeySubmission", .double)]),
        ("ErrorLogParameters", [(1, "common", .message("Nothing")), (2, "ppac", .message("AccessControl"))]),
        ("Nothing", []),
        (
            "SelfReportParameters",
            [(1, "common", .message("SelfReportParametersCommon")), (2, "ppac", .message("AccessControl"))]
        ),
        (
            "SelfReportParametersCommon",
            [
                (1, "timeSinceOnboardingInHours", .integer), (2, "timeBetweenSubmissionsInDays", .integer),
                (3, "plausibleDeniabilityParameters", .message("SelfReportPlausibleDeniabilityParameters")),
            ]
        ),
        (
            "SelfReportPlausibleDeniabilityParameters",
            [(1, "minRequestPaddingBytes", .integer), (2, "maxRequestPaddingBytes", .integer)]
        ),
        (
            "AccessControl",
            [
                (1, "requireBasicIntegrity", .bool), (2, "requireCTSProfileMatch", .bool),
                (3, "requireEvaluationTypeBasic", .bool), (4, "requireEvaluationTypeHardwareBacked", .bool),
            ]
        ),
    ]

    private static let level: Kind = .choice(
        ["UNSPECIFIED", "LOWEST", "LOW", "LOW_MEDIUM", "MEDIUM", "MEDIUM_HIGH", "HIGH", "VERY_HIGH", "HIGHEST"].map {
            "RISK_LEVEL_" + $0
        })

    private static func levels(_ names: [String]) -> [(UInt32, String, Kind)] {
        names.enumerated().map { (UInt32($0 + 1), $1, level) }
    }

    static let firstGeneration: Messages = [
        ("RiskScoreClassification", [(1, "riskClasses", many("RiskScoreClass"))]),
        ("RiskScoreClass", [(1, "label", .string), (2, "min", .integer), (3, "max", .integer), (4, "url", .string)]),
        (
            "RiskScoreParameters",
            [
                (1, "transmission", .message("TransmissionRiskParameters")), (2, "transmissionWeight", .double),
                (3, "duration", .message("DurationRiskParameters")), (4, "durationWeight", .double),
                (5, "daysSinceLastExposure", .message("DaysSinceLastExposureRiskParameters")), (6, "daysWeight", .double),
                (7, "attenuation", .message("AttenuationRiskParameters")), (8, "attenuationWeight", .double),
            ]
        ),
        ("TransmissionRiskParameters", levels((1...8).map { "appDefined\($0)" })),
        (
            "DurationRiskParameters",
            levels([
                "eq0Min", "gt0Le5Min", "gt5Le10Min", "gt10Le15Min", "gt15Le20Min", "gt20Le25Min", "gt25Le30Min", "gt30Min",
            ])
        ),
        (
            "DaysSinceLastExposureRiskParameters",
            levels([
                "ge14Days", "ge12Lt14Days", "ge10Lt12Days", "ge8Lt10Days", "ge6Lt8Days", "ge4Lt6Days", "ge2Lt4Days",
                "ge0Lt2Days",
            ])
        ),
        (
            "AttenuationRiskParameters",
            levels([
                "gt73Dbm", "gt63Le73Dbm", "gt51Le63Dbm", "gt33Le51Dbm", "gt27Le33Dbm", "gt15Le27Dbm", "gt10Le15Dbm",
                "le10Dbm",
            ])
        ),
        (
            "AttenuationDuration",
            [
                (1, "thresholds", .message("Thresholds")), (2, "weights", .message("Weights")),
                (3, "defaultBucketOffset", .integer), (4, "riskScoreNormalizationDivisor", .integer),
            ]
        ),
        ("Thresholds", [(1, "lower", .integer), (2, "upper", .integer)]),
        ("Weights", [(1, "low", .double), (2, "mid", .double), (3, "high", .double)]),
        (
            "ApplicationVersionConfiguration",
            [(1, "ios", .message("ApplicationVersionInfo")), (2, "android", .message("ApplicationVersionInfo"))]
        ),
        (
            "ApplicationVersionInfo",
            [(1, "latest", .message("SemanticVersion")), (2, "min", .message("SemanticVersion"))]
        ),
        ("SemanticVersion", [(1, "major", .integer), (2, "minor", .integer), (3, "patch", .integer)]),
    ]
}
