// SPDX-License-Identifier: Apache-2.0

import GAEN
import TimeTrust

/// When the identifier on air has to change, on the boot clock: when its own time is over, or at midnight (UTC), when its TEK ends.
struct RotationPlan {
    /// How long before it is due the next turn is stored. Cards that clean up answer after some hundred milliseconds.
    static let preparation: Duration = .seconds(1)
    private static let day: Int64 = 86_400_000

    /// When the identifier's own time is over; midnight may come before.
    private var planned: Duration?
    private var midnight: Duration?
    /// The rotation for which the next turn was looked at last.
    private var preparedFor: Duration?
    /// The longest that an identifier stayed on air after it was due, since the start.
    private(set) var worstLateness: Duration = .zero

    /// When the identifier on air has to change; `nil` while nothing is planned.
    var due: Duration? {
        guard let planned else { return nil }
        return min(planned, midnight ?? planned)
    }

    /// When the next turn is to be stored; `nil` when that was done, or nothing is planned.
    var preparationDue: Duration? {
        guard let due, preparedFor != due else { return nil }
        return due - Self.preparation
    }

    /// The next turn is being stored, or was seen not to be possible.
    mutating func prepared() { preparedFor = due }

    /// The identifier is changed at `now`.
    mutating func arrived(at now: Duration) {
        if let due { worstLateness = max(worstLateness, now - due) }
    }

    /// The identifier on air has `span` from `now` on; or nothing is on air, and is to be tried again then.
    mutating func plan(_ span: Duration, from now: Duration) { planned = now + span }

    /// The TEK ends at midnight, so its last identifier does. `civil` is the time at `now`, and `key` is what is on air.
    mutating func planMidnight(_ key: TemporaryExposureKey?, from civil: UnixTime, at now: Duration) {
        let intoDay = civil.milliseconds - civil.day * Self.day
        midnight = now + .milliseconds(Self.day - intoDay)
        // Tomorrow's key, begun a moment early: it has its own midnight.
        if let key, key.rollingStart.unixSeconds * 1_000 > civil.milliseconds {
            midnight = now + .milliseconds(key.end.unixSeconds * 1_000 - civil.milliseconds)
        }
    }

    /// Nothing is on air, and nothing will be by itself.
    mutating func cancel() {
        planned = nil
        midnight = nil
    }
}
