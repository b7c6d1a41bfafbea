// SPDX-License-Identifier: Apache-2.0

import GAEN
import Matching
import TimeTrust

/// What everything beside the radio asks of the time.
extension Beacon {
    /// Unix seconds, or a refusal with what is known.
    func requireTime(at now: BootInstant) throws(Refusal) -> Int64 {
        let present = present(at: now)
        guard present.mayBroadcast, let time = present.time else { throw .timeUnknown(present.sentence) }
        return time.seconds
    }

    /// The first UTC day, days since 1970, of which anybody is still told; 0 while the time is not known.
    func oldestDay(at now: BootInstant) -> UInt32 {
        guard let time = present(at: now).time else { return 0 }
        return UInt32(clamping: time.day - Int64(MatchingRules.keyRetentionDays))
    }
}
