// SPDX-License-Identifier: Apache-2.0

import JSON

/// NHS COVID-19's `/distribution/self-isolation` (spec rules-and-nhs 5): numbers of days by nation, of which `contactCase` also bounds the keys
/// that are handed in.
public struct NHSIsolation: Hashable, Sendable {
    /// Of one nation. What the first versions of the document did not have is `nil`.
    public struct Days: Hashable, Sendable {
        public var contactCase = 0
        public var indexCaseSinceSelfDiagnosisOnset = 0
        public var indexCaseSinceSelfDiagnosisUnknownOnset = 0
        public var indexCaseSinceTestResultEndDate: Int?
        public var maxIsolation = 0
        public var pendingTasksRetentionPeriod: Int?
        public var testResultPollingTokenRetentionPeriod: Int?
    }

    /// The last apps needed these two.
    public let england: Days?
    /// Of the block `wales_v2`.
    public let wales: Days?
    /// Of the block `durationDays`, which the first apps read.
    public let legacy: Days?

    private struct Draft: Sendable {
        var england: Days?
        var wales: Days?
        var legacy: Days?
    }

    private static let count = Form.integer(0...365)
    private static let days = Form.object(
        Days(),
        [
            .required("contactCase", \.contactCase, count, "Days."),
            .required("indexCaseSinceSelfDiagnosisOnset", \.indexCaseSinceSelfDiagnosisOnset, count, "Days."),
            .required(
                "indexCaseSinceSelfDiagnosisUnknownOnset", \.indexCaseSinceSelfDiagnosisUnknownOnset, count, "Days."),
            .maybe("indexCaseSinceTestResultEndDate", \.indexCaseSinceTestResultEndDate, count, "Days."),
            .required("maxIsolation", \.maxIsolation, count, "Days."),
            .maybe("pendingTasksRetentionPeriod", \.pendingTasksRetentionPeriod, count, "Days."),
            .maybe("testResultPollingTokenRetentionPeriod", \.testResultPollingTokenRetentionPeriod, count, "Days."),
        ])
    private static let document = Form.object(
        Draft(),
        [
            .maybe("england", \.england, days, "England."), .maybe("wales_v2", \.wales, days, "Wales."),
            .maybe("durationDays", \.legacy, days, "As the first apps had it."),
        ])

    /// Reads the body; `nil` when it is malformed or has a number that is none. Fields that nobody knows are stepped over.
    public init?(_ bytes: [UInt8]) {
        guard let json = try? DocumentReading.json(bytes, limit: RiskConfiguration.maximumByteCount),
            let read = try? DocumentReading.value(json.known(to: Self.document.schema), Self.document),
            read.england != nil || read.wales != nil || read.legacy != nil
        else { return nil }
        england = read.england
        wales = read.wales
        legacy = read.legacy
    }

    /// Reads `/distribution/risky-venue-configuration`: for how many days a test may be booked after a visit; `nil` as above.
    public static func daysToBookATest(_ bytes: [UInt8]) -> Int? {
        guard let json = try? DocumentReading.json(bytes, limit: RiskConfiguration.maximumByteCount),
            let days = json["durationDays"]?["optionToBookATest"]?.wholeNumber, (0...365).contains(days)
        else { return nil }
        return Int(days)
    }
}
