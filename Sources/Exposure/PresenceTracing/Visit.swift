// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// A stay at a place, as recorded in the wearer's diary.
public struct Visit: Sendable, Hashable {
    /// The number of the visit in the wearer's diary; any number, not checked.
    public let number: Int
    /// The venue that was visited.
    public let location: LocationID
    /// The time of check-in, in Unix seconds; 0 or more.
    public let start: Int64
    /// The time of check-out, in Unix seconds; not before ``start`` and at most ``longestSeconds`` after it.
    public let end: Int64
    /// Whether the wearer has published this visit. A published visit is not matched with warnings.
    public let isSubmitted: Bool

    /// The length of the longest visit in seconds: 31 days, more than any real one, because check-out comes
    /// automatically within a day. The number is this project's own.
    public static let longestSeconds = 31 * UTCDay.seconds
    /// The end of the year 9999.
    private static let latest: Int64 = 253_402_300_799

    /// Creates a visit; times are in Unix seconds. Returns `nil` when they are negative, after the year 9999, in the
    /// wrong order or more than ``longestSeconds`` apart.
    public init?(number: Int, location: LocationID, start: Int64, end: Int64, isSubmitted: Bool = false) {
        guard start >= 0, start <= end, end <= Self.latest, end - start <= Self.longestSeconds else { return nil }
        self.number = number
        self.location = location
        self.start = start
        self.end = end
        self.isSubmitted = isSubmitted
    }

    /// The way in which the age of a visit is counted; the Corona-Warn-App's two apps differ.
    public enum AgeRule: Sendable, Hashable {
        /// From the first second of the UTC day that many days ago, as on Android. It keeps more visits, so boards
        /// use it.
        case wholeDays
        /// To the second, as on iOS.
        case exact
    }

    /// Whether a visit that ended at `end` is at most `days` days old at `now`, counted by `rule`; `true` also if it
    /// ends later. Times are in Unix seconds; `days` is limited to 0 to 100,000. Cannot fail.
    public static func isRecent(end: Int64, now: Int64, days: Int, rule: AgeRule = .wholeDays) -> Bool {
        let days = Int64(Swift.min(Swift.max(days, 0), 100_000))
        switch rule {
        case .wholeDays: return end >= UTCDay(number: UTCDay(containing: now).number - days).start
        case .exact:
            let (deadline, isTooFar) = now.subtractingReportingOverflow(days * UTCDay.seconds)
            return isTooFar || end >= deadline
        }
    }
}
