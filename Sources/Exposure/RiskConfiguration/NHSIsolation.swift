// SPDX-License-Identifier: Apache-2.0

import JSON

/// NHS COVID-19's `/distribution/self-isolation` (spec rules-and-nhs 5): numbers of days by nation, of which `contactCase` also bounds the keys
/// that are handed in.
public struct NHSIsolation: Hashable, Sendable {
    /// Numbers of days in one nation, 0 to 365 each in a document that was read. What the first versions of the document did not have is `nil`.
    public struct Days: Hashable, Sendable {
        /// Days that a contact isolates, 0 to 365; also the greatest age of handed-in keys.
        public var contactCase = 0
        /// Days of isolation after the onset of symptoms that a person has told the app, 0 to 365.
        public var indexCaseSinceSelfDiagnosisOnset = 0
        /// Days of isolation after a person has told the app of symptoms without an onset, 0 to 365.
        public var indexCaseSinceSelfDiagnosisUnknownOnset = 0
        /// Days of isolation after the day of a positive test, 0 to 365; `nil` when absent.
        public var indexCaseSinceTestResultEndDate: Int?
        /// Days of the longest isolation in all, 0 to 365.
        public var maxIsolation = 0
        /// Days for which the app keeps tasks that wait, 0 to 365; `nil` when absent.
        public var pendingTasksRetentionPeriod: Int?
        /// Days for which the app keeps the token by which it asks for a test's result, 0 to 365; `nil` when absent.
        public var testResultPollingTokenRetentionPeriod: Int?
    }

    /// Days of the block `england`; the last apps needed this and ``wales``. `nil` when absent.
    public let england: Days?
    /// Days of the block `wales_v2`; `nil` when absent.
    public let wales: Days?
    /// Days of the block `durationDays`, which the first apps read; `nil` when absent.
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

    /// Reads the body of a document whose signature was verified; `nil` when it is malformed, has more than ``RiskConfiguration/maximumByteCount``
    /// bytes or none of the three blocks, or a number is missing or not 0 to 365. Unknown fields are stepped over.
    public init?(_ bytes: [UInt8]) {
        guard let json = try? DocumentReading.json(bytes, limit: RiskConfiguration.maximumByteCount),
            let read = try? DocumentReading.value(json.known(to: Self.document.schema), Self.document),
            read.england != nil || read.wales != nil || read.legacy != nil
        else { return nil }
        england = read.england
        wales = read.wales
        legacy = read.legacy
    }

    /// Reads the body of `/distribution/risky-venue-configuration`: the days, 0 to 365, for which a test may be booked after a visit; `nil` when it
    /// is malformed or too large, or the number is missing or another.
    public static func daysToBookATest(_ bytes: [UInt8]) -> Int? {
        guard let json = try? DocumentReading.json(bytes, limit: RiskConfiguration.maximumByteCount),
            let days = json["durationDays"]?["optionToBookATest"]?.wholeNumber, (0...365).contains(days)
        else { return nil }
        return Int(days)
    }
}
