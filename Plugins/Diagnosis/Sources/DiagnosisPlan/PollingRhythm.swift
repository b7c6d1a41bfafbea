// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// The times at which a result is asked for again (specification cwa-protocols 4.3; cwa-app-android
/// `coronatest/type/*/execution`). All in seconds of Unix time. The answer is when asking is due; it happens in the next
/// slot (``SlotSchedule``).
public enum PollingRhythm {
    /// The number of seconds after which a laboratory's test is asked for again: two hours, as phones have it (cwa-protocols 4.3).
    public static let pcrSeconds: Int64 = 7_200
    /// The number of seconds after which a rapid test is asked for again soon after the sample was taken: 15 minutes, as phones have it
    /// (cwa-protocols 4.3).
    public static let quickSeconds: Int64 = 900
    /// The number of seconds after the sample within which a rapid test's result is expected: 90 minutes, as phones have it (cwa-protocols 4.3).
    public static let quickPhaseSeconds: Int64 = 5_400
    /// The number of seconds after which a rapid test is asked for again later on: 90 minutes, as phones have it (cwa-protocols 4.3).
    public static let slowSeconds: Int64 = 5_400
    /// The number of seconds after the registration, 60 days, at which the server has deleted the result; it answers "pending" from then on
    /// (cwa-protocols 4.3).
    public static let retentionSeconds: Int64 = 60 * UTCDay.seconds
    /// A sample is taken at most so long after its registration; what a server says beyond is not believed.
    private static let sampleDelayLimit: Int64 = UTCDay.seconds

    /// The earliest moment to ask again, which may be past; `nil` when asking has ended: the result is final, or the last answer came
    /// ``retentionSeconds`` or more after the registration; and for times near the end of `Int64`.
    ///
    /// - Parameters:
    ///   - registered: The moment when the test was registered; also taken for the sample's time when that is not known.
    ///   - lastAsked: The moment when the last answer came; `nil` if none did: then asking is due since `registered`.
    ///   - lastResult: The last result; `nil` if there is none.
    ///   - sampleCollected: The moment when a rapid test's sample was taken, from its code or from the server; `nil` if it is not known. It counts
    ///     as at most a day after `registered`.
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
