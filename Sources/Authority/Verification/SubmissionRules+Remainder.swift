// SPDX-License-Identifier: Apache-2.0

import CivilTime
import KeyExport

extension SubmissionRules {
    /// Returns whether a submission may be the rest of a day (our own extension): it has no check-ins, and all its
    /// keys begin on one UTC day, which is one of the three days before that of `now` (Unix seconds). Returns
    /// `false` if it has no keys. Cannot fail.
    ///
    /// This keeps the second TAN of a warning from being used for more: it cannot publish the fortnight of another
    /// device.
    public static func isRemainder(_ accepted: Accepted, now: Int64) -> Bool {
        let days = Set(accepted.keys.map { UTCDay(containing: Int64($0.rollingStart) * interval).number })
        guard days.count == 1, let day = days.first, accepted.checkIns.isEmpty else { return false }
        let today = UTCDay(containing: now).number
        return (today - 3..<today).contains(day)
    }
}
