// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// A stay at a place, as the wearer's diary has it.
public struct Visit: Sendable, Hashable {
    /// The number that the wearer's diary gives the visit; any, unchecked.
    public let number: Int
    /// The venue that was visited.
    public let location: LocationID
    /// Check-in, Unix seconds, from 1970 on.
    public let start: Int64
    /// Check-out, Unix seconds, not before ``start``; at most ``longestSeconds`` after it.
    public let end: Int64
    /// Whether the wearer has published it: then it is no contact of theirs.
    public let isSubmitted: Bool

    /// Seconds of the longest visit: 31 days. Our own bound: nobody stays longer; automatic check-out comes within a day.
    public static let longestSeconds = 31 * UTCDay.seconds
    /// The end of the year 9999.
    private static let latest: Int64 = 253_402_300_799

    /// A visit of these parts, times in Unix seconds; `nil` when they are negative, after the year 9999, in the wrong order
    /// or more than ``longestSeconds`` apart.
    public init?(number: Int, location: LocationID, start: Int64, end: Int64, isSubmitted: Bool = false) {
        guard start >= 0, start <= end, end <= Self.latest, end - start <= Self.longestSeconds else { return nil }
        self.number = number
        self.location = location
        self.start = start
        self.end = end
        self.isSubmitted = isSubmitted
    }

    /// The way in which the age of a visit is counted; Corona-Warn-App's two programs differ.
    public enum AgeRule: Sendable, Hashable {
        /// From the first second of the day that lies so many days back, as on Android. It keeps more, so it is the one for boards.
        case wholeDays
        /// To the second, as on iOS.
        case exact
    }

    /// Whether a visit that ended at `end` is at most `days` days old at `now`, as `rule` counts; also if it ends later. Times in Unix seconds;
    /// `days` from 0 to 100,000, others are brought into them. Cannot fail.
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
