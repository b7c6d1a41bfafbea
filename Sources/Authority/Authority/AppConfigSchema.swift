// SPDX-License-Identifier: Apache-2.0

/// `ApplicationConfigurationAndroid`, second version: names and numbers of cwa-server's
/// `common/protocols/src/main/proto/.../v2/*.proto`. The parts a board without certificates and surveys has no use for are left
/// out. Ranges are the ones the apps' mappers enforce, where they do.
enum AppConfigSchema {
    private static let seconds: ClosedRange<Int64> = 1...1_800
    private static let weights: ClosedRange<Double> = 0...2.5
    private static let minutes: ClosedRange<Double> = 0...100_000
    private static let numbers: ClosedRange<Int64> = 0...Int64(Int32.max)

    static let range = MessageSchema(
        .init(1, "min", .double(minutes)), .init(2, "minExclusive", .bool), .init(3, "max", .double(minutes)),
        .init(4, "maxExclusive", .bool))

    private static let riskLevelMapping = MessageSchema(
        .init(1, "normalizedTimeRange", .message(range)),
        .init(2, "riskLevel", .enumeration(["UNSPECIFIED", "LOW", "HIGH"])))

    private static let levelEncoding = MessageSchema(
        .init(1, "infectiousnessOffsetStandard", .integer(0...8)), .init(2, "infectiousnessOffsetHigh", .integer(0...8)),
        .init(3, "reportTypeOffsetRecursive", .integer(0...8)), .init(4, "reportTypeOffsetSelfReport", .integer(0...8)),
        .init(5, "reportTypeOffsetConfirmedClinicalDiagnosis", .integer(0...8)),
        .init(6, "reportTypeOffsetConfirmedTest", .integer(0...8)))

    private static let riskCalculation = MessageSchema(
        .init(
            1, "minutesAtAttenuationFilters",
            .message(
                MessageSchema(
                    .init(1, "attenuationRange", .message(range)), .init(2, "dropIfMinutesInRange", .message(range)))),
            repeats: 16),
        .init(2, "trlFilters", .message(MessageSchema(.init(1, "dropIfTrlInRange", .message(range)))), repeats: 16),
        .init(
            3, "minutesAtAttenuationWeights",
            .message(
                MessageSchema(.init(1, "attenuationRange", .message(range)), .init(2, "weight", .double(0...100)))),
            repeats: 16),
        .init(4, "normalizedTimePerEWToRiskLevelMapping", .message(riskLevelMapping), repeats: 16),
        .init(5, "normalizedTimePerDayToRiskLevelMapping", .message(riskLevelMapping), repeats: 16),
        .init(6, "trlEncoding", .message(levelEncoding)),
        .init(7, "transmissionRiskLevelMultiplier", .double(0...100)),
        .init(
            8, "transmissionRiskValueMapping",
            .message(
                MessageSchema(
                    .init(1, "transmissionRiskLevel", .integer(0...8)), .init(2, "transmissionRiskValue", .double(0...100))
                )), repeats: 16),
        .init(9, "maxEncounterAgeInDays", .integer(0...14)))

    /// The revocations in it are those of `HealthAuthority.revokedPackages(now:)`; an operator cannot name them.
    static let keyDownload = MessageSchema(
        .init(3, "downloadTimeoutInSeconds", .integer(seconds)), .init(4, "overallTimeoutInSeconds", .integer(seconds)))

    private static let detection = MessageSchema(
        .init(1, "maxExposureDetectionsPerInterval", .integer(0...6)),
        .init(2, "overallTimeoutInSeconds", .integer(1...3_600)))

    private static let features = MessageSchema(
        .init(
            1, "appFeatures",
            .message(MessageSchema(.init(1, "label", .text(maximum: 100)), .init(2, "value", .integer(numbers)))),
            repeats: 100))

    // Ranges of the framework: developers.google.com, DiagnosisKeysDataMapping and DailySummariesConfig.
    private static let mapping = MessageSchema(
        .init(1, "daysSinceOnsetToInfectiousness", .integerMap(keys: -14...14, values: 0...2)),
        .init(2, "infectiousnessWhenDaysSinceOnsetMissing", .integer(0...2)),
        .init(3, "reportTypeWhenMissing", .integer(1...4)))

    private static let summaries = MessageSchema(
        .init(1, "attenuationBucketThresholdDb", .integer(0...255), repeats: 3),
        .init(2, "attenuationBucketWeights", .double(weights), repeats: 4),
        .init(3, "daysSinceExposureThreshold", .integer(0...14)),
        .init(4, "infectiousnessWeights", .doubleMap(keys: 1...2, values: weights)),
        .init(5, "minimumWindowScore", .double(0...1_000_000)),
        .init(6, "reportTypeWeights", .doubleMap(keys: 1...4, values: weights)))

    private static let hours: MessageSchema.Kind = .integer(0...8_760)
    private static let tests = MessageSchema(
        .init(
            1, "coronaRapidAntigenTestParameters",
            .message(
                MessageSchema(
                    .init(1, "hoursToDeemTestOutdated", hours), .init(2, "hoursSinceSampleCollectionToShowRiskCard", hours))
            )),
        .init(
            2, "coronaPCRTestParameters",
            .message(MessageSchema(.init(1, "hoursSinceTestRegistrationToShowRiskCard", hours)))))

    // Ranges of what was published: presence-tracing-parameters.yaml of cwa-server.
    private static let stay = MessageSchema(
        .init(1, "min", .double(longMinutes)), .init(2, "minExclusive", .bool), .init(3, "max", .double(longMinutes)),
        .init(4, "maxExclusive", .bool))
    private static let longMinutes: ClosedRange<Double> = 0...1_000_000
    private static let anything: ClosedRange<Double> = -1_000_000...1_000_000

    private static let stayLevel = MessageSchema(
        .init(1, "normalizedTimeRange", .message(stay)),
        .init(2, "riskLevel", .enumeration(["UNSPECIFIED", "LOW", "HIGH"])))

    private static let visitRisk = MessageSchema(
        .init(
            1, "transmissionRiskValueMapping",
            .message(
                MessageSchema(
                    .init(1, "transmissionRiskLevel", .integer(0...8)), .init(2, "transmissionRiskValue", .double(0...100))
                )), repeats: 16),
        .init(2, "normalizedTimePerCheckInToRiskLevelMapping", .message(stayLevel), repeats: 16),
        .init(3, "normalizedTimePerDayToRiskLevelMapping", .message(stayLevel), repeats: 16),
        .init(4, "maxCheckInAgeInDays", .integer(0...14)))

    private static let visitSubmission = MessageSchema(
        .init(
            1, "durationFilters", .message(MessageSchema(.init(1, "dropIfMinutesInRange", .message(stay)))), repeats: 16),
        .init(
            2, "aerosoleDecayLinearFunctions",
            .message(
                MessageSchema(
                    .init(1, "minutesRange", .message(stay)), .init(2, "slope", .double(anything)),
                    .init(3, "intercept", .double(anything)))), repeats: 16))

    private static let fakeCheckIns = MessageSchema(
        .init(1, "checkInSizesInBytes", .integer(0...4_096), repeats: 16),
        .init(2, "probabilityToFakeCheckInsIfNoCheckIns", .double(0...1)),
        .init(3, "probabilityToFakeCheckInsIfSomeCheckIns", .double(0...1)),
        .init(
            4, "numberOfFakeCheckInsFunctionParameters",
            .message(
                MessageSchema(
                    fields: [
                        .init(
                            1, "randomNumberRange",
                            .message(
                                MessageSchema(
                                    .init(1, "min", .double(anything)), .init(2, "minExclusive", .bool),
                                    .init(3, "max", .double(anything)), .init(4, "maxExclusive", .bool))))
                    ]
                        + ["p", "q", "r", "s", "t", "u", "a", "b", "c"].enumerated().map {
                            .init($0 + 2, $1, .double(anything))
                        })), repeats: 16))

    /// The rules for visits.
    private static let presence = MessageSchema(
        .init(1, "riskCalculationParameters", .message(visitRisk)),
        .init(2, "submissionParameters", .message(visitSubmission)),
        .init(3, "qrCodeErrorCorrectionLevel", .enumeration(["MEDIUM", "LOW", "QUANTILE", "HIGH"])),
        .init(4, "revokedTraceLocationVersions", .integer(numbers), repeats: 16),
        .init(5, "plausibleDeniabilityParameters", .message(fakeCheckIns)),
        .init(
            6, "qrCodeDescriptors",
            .message(
                MessageSchema(
                    .init(1, "regexPattern", .text(maximum: 1_000)), .init(2, "versionGroupIndex", .integer(0...9)),
                    .init(3, "encodedPayloadGroupIndex", .integer(0...9)),
                    .init(4, "payloadEncoding", .enumeration(["BASE32", "BASE64"])))), repeats: 16))

    /// The whole message.
    static let android = MessageSchema(
        .init(1, "minVersionCode", .integer(numbers)), .init(2, "latestVersionCode", .integer(numbers)),
        .init(3, "appFeatures", .message(features)), .init(4, "supportedCountries", .text(maximum: 3), repeats: 100),
        .init(5, "keyDownloadParameters", .message(keyDownload)),
        .init(6, "exposureDetectionParameters", .message(detection)),
        .init(7, "riskCalculationParameters", .message(riskCalculation)),
        .init(8, "diagnosisKeysDataMapping", .message(mapping)), .init(9, "dailySummariesConfig", .message(summaries)),
        .init(13, "presenceTracingParameters", .message(presence)), .init(14, "coronaTestParameters", .message(tests)))
}
