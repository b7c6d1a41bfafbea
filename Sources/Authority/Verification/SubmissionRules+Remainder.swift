// SPDX-License-Identifier: Apache-2.0

import CivilTime
import KeyExport

extension SubmissionRules {
    /// Whether a submission is what the rest of a day may be (ours): all its keys begin on one day (UTC), which is one
    /// of the three before the day of `now` (Unix seconds), and there is no check-in. False without keys. Cannot fail.
    ///
    /// So the second TAN of a warning is worth no more than what it is for: it publishes no other device's fortnight.
    public static func isRemainder(_ accepted: Accepted, now: Int64) -> Bool {
        let days = Set(accepted.keys.map { UTCDay(containing: Int64($0.rollingStart) * interval).number })
        guard days.count == 1, let day = days.first, accepted.checkIns.isEmpty else { return false }
        let today = UTCDay(containing: now).number
        return (today - 3..<today).contains(day)
    }
}
