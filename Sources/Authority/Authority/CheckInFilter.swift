// SPDX-License-Identifier: Apache-2.0

import CivilTime
import PresenceTracing

/// Which plain check-ins are published (cwa-server `EventCheckinDataFilter`). Nothing can be said of encrypted ones: no server can read them.
public struct CheckInFilter: Sendable {
    /// Why one is not published. Raw values are stable: they appear in answers and in the audit.
    public enum Reason: String, Sendable, CaseIterable {
        /// This authority publishes encrypted ones only.
        case readable
        /// Its level has no weight in the rules, or there is no rule for it.
        case withoutWeight
        /// It ended before the UTC day ten days back.
        case tooOld
        /// It begins in the future.
        case inTheFuture
        /// The warning that it came with was taken back.
        case takenBack
    }

    let isReadableTaken: Bool
    /// The weight of each level.
    let values: [Int: Double]

    /// The reason not to publish it, at `now` (Unix seconds); `nil` when it is published.
    func reason(_ checkIn: PlainCheckIn, now: Int64) -> Reason? {
        let record = checkIn.record
        if !isReadableTaken { return .readable }
        if (values[Int(record.level)] ?? 0) <= 0 { return .withoutWeight }
        if record.seconds.lowerBound > now { return .inTheFuture }
        return Visit.isRecent(end: record.seconds.upperBound, now: now, days: CheckInSubmission.maximumAgeInDays)
            ? nil : .tooOld
    }
}
