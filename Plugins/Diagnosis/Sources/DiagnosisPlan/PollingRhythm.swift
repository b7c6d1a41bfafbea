// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// The times at which a result is asked for again (specification cwa-protocols 4.3; cwa-app-android
/// `coronatest/type/*/execution`), in Unix seconds. They say when asking is due; the next slot then does it
/// (``SlotSchedule``).
public enum PollingRhythm {
    /// The number of seconds between two questions about a laboratory's test: two hours, as on phones (cwa-protocols 4.3).
    public static let pcrSeconds: Int64 = 7_200
    /// The number of seconds between two questions about a rapid test within ``quickPhaseSeconds`` of its sample: 15
    /// minutes, as on phones (cwa-protocols 4.3).
    public static let quickSeconds: Int64 = 900
    /// The number of seconds from the sample within which a rapid test's result is expected: 90 minutes, as on phones
    /// (cwa-protocols 4.3).
    public static let quickPhaseSeconds: Int64 = 5_400
    /// The number of seconds between two questions about a rapid test after ``quickPhaseSeconds``: 90 minutes, as on phones
    /// (cwa-protocols 4.3).
    public static let slowSeconds: Int64 = 5_400
    /// The number of seconds from the registration after which the server has deleted the result, and answers "pending": 60
    /// days (cwa-protocols 4.3).
    public static let retentionSeconds: Int64 = 60 * UTCDay.seconds
    /// A sample is taken at most so long after its registration; what a server says beyond is not believed.
    private static let sampleDelayLimit: Int64 = UTCDay.seconds

    /// Returns the earliest time for the next question, which may be past. `nil` if no further question is due, because the
    /// result is final or the last answer came ``retentionSeconds`` or more after the registration; also `nil` for times
    /// near the end of `Int64`.
    ///
    /// - Parameters:
    ///   - registered: The time at which the test was registered; it is used as the sample's time if that is unknown.
    ///   - lastAsked: The time of the last answer; `nil` if none came, and then the question is due since `registered`.
    ///   - lastResult: The last result; `nil` if there is none.
    ///   - sampleCollected: The time at which a rapid test's sample was taken, from its code or from the server; `nil` if
    ///     it is unknown. A time more than a day after `registered` counts as a day after it.
    public static func nextPoll(
        _ kind: TestKind, registered: Int64, lastAsked: Int64?, lastResult: TestResult?, sampleCollected: Int64? = nil
    ) -> Int64? {
        if let lastResult, lastResult.isFinal { return nil }
        guard let lastAsked else { return registered }
        guard lastAsked.subtractingReportingOverflow(registered).partialValue < retentionSeconds else { return nil }
        let (due, isOverflowing) = lastAsked.addingReportingOverflow(
            interval(kind, registered: registered, lastAsked: lastAsked, sampleCollected: sampleCollected))
        return isOverflowing ? nil : due
    }

    private static func interval(
        _ kind: TestKind, registered: Int64, lastAsked: Int64, sampleCollected: Int64?
    ) -> Int64 {
        guard kind.isRapid else { return pcrSeconds }
        let latest = registered.addingReportingOverflow(sampleDelayLimit)
        let sample = min(sampleCollected ?? registered, latest.overflow ? registered : latest.partialValue)
        let age = lastAsked.subtractingReportingOverflow(sample)
        return !age.overflow && age.partialValue < quickPhaseSeconds ? quickSeconds : slowSeconds
    }
}
