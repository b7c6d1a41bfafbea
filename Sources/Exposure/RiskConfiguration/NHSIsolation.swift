// SPDX-License-Identifier: Apache-2.0

import JSON

/// NHS COVID-19's `/distribution/self-isolation` (spec rules-and-nhs 5): numbers of days for each nation, of which
/// `contactCase` also limits the age of the keys that are uploaded.
public struct NHSIsolation: Hashable, Sendable {
    /// The numbers of days for one nation, 0 to 365 each in a document that was read. Numbers that the first versions
    /// of the document lacked are `nil`.
    public struct Days: Hashable, Sendable {
        /// The number of days that a contact isolates, 0 to 365; also the greatest age in days of uploaded keys.
        public var contactCase = 0
        /// The number of days of isolation after an onset of symptoms that the person told the app, 0 to 365.
        public var indexCaseSinceSelfDiagnosisOnset = 0
        /// The number of days of isolation after the person told the app of symptoms without an onset, 0 to 365.
        public var indexCaseSinceSelfDiagnosisUnknownOnset = 0
        /// The number of days of isolation after the day of a positive test, 0 to 365; `nil` when absent.
        public var indexCaseSinceTestResultEndDate: Int?
        /// The maximum number of days of isolation, 0 to 365.
        public var maxIsolation = 0
        /// The number of days for which the app keeps pending tasks, 0 to 365; `nil` when absent.
        public var pendingTasksRetentionPeriod: Int?
        /// The number of days for which the app keeps the token with which it asks for a test result, 0 to 365; `nil`
        /// when absent.
        public var testResultPollingTokenRetentionPeriod: Int?
    }

    /// The numbers of the block `england`, which the last apps required together with ``wales``; `nil` when absent.
    public let england: Days?
    /// The numbers of the block `wales_v2`; `nil` when absent.
    public let wales: Days?
    /// The numbers of the block `durationDays`, which the first apps read; `nil` when absent.
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

    /// Reads the body of a document whose signature was verified. Returns `nil` when it is malformed, has more than
    /// ``RiskConfiguration/maximumByteCount`` bytes or none of the three blocks, or when a number is missing or not 0
    /// to 365. Unknown fields are ignored.
    public init?(_ bytes: [UInt8]) {
        guard let json = try? DocumentReading.json(bytes, limit: RiskConfiguration.maximumByteCount),
            let read = try? DocumentReading.value(json.known(to: Self.document.schema), Self.document),
            read.england != nil || read.wales != nil || read.legacy != nil
        else { return nil }
        england = read.england
        wales = read.wales
        legacy = read.legacy
    }

    /// Reads the body of `/distribution/risky-venue-configuration` and returns the number of days, 0 to 365, for
    /// which a test can be booked after a visit. Returns `nil` when the body is malformed or too large, or when the
    /// number is missing or out of range.
    public static func daysToBookATest(_ bytes: [UInt8]) -> Int? {
        guard let json = try? DocumentReading.json(bytes, limit: RiskConfiguration.maximumByteCount),
            let days = json["durationDays"]?["optionToBookATest"]?.wholeNumber, (0...365).contains(days)
        else { return nil }
        return Int(days)
    }
}
