// SPDX-License-Identifier: Apache-2.0

import CivilTime
import PresenceTracing

/// The rules by which plain check-ins are selected for publication (cwa-server `EventCheckinDataFilter`). Encrypted
/// ones are not filtered, because no server can read them.
public struct CheckInFilter: Sendable {
    /// The reason why a check-in is not published. Raw values are stable: they appear in answers and in the audit.
    public enum Reason: String, Sendable, CaseIterable {
        /// The check-in is plain, and this authority publishes encrypted ones only
        /// (``AuthoritySettings/CheckInRules``).
        case readable
        /// The published rules for visits give its level a weight of 0 or less, or none.
        case withoutWeight
        /// The check-in ended before the UTC day that is ten days before today
        /// (``CheckInSubmission/maximumAgeInDays``).
        case tooOld
        /// The check-in begins after now.
        case inTheFuture
        /// The warning that the check-in came with was taken back; the only reason for an encrypted one.
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
