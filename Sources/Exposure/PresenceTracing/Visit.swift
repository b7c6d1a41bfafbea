// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// A stay at a place, as the wearer's diary has it.
public struct Visit: Sendable, Hashable {
    /// The diary's number of it.
    public let number: Int
    public let location: LocationID
    /// Unix seconds, from 1970 on.
    public let start: Int64
    /// Unix seconds, not before ``start``; at most ``longestSeconds`` after it.
    public let end: Int64
    /// Whether the wearer has published it: then it is no contact of theirs.
    public let isSubmitted: Bool

    /// 31 days. Nobody stays longer; automatic check-out comes within a day.
    public static let longestSeconds = 31 * UTCDay.seconds
    /// The end of the year 9999.
    private static let latest: Int64 = 253_402_300_799

    /// `nil` when the times are none, in the wrong order or too far apart.
    public init?(number: Int, location: LocationID, start: Int64, end: Int64, isSubmitted: Bool = false) {
        guard start >= 0, start <= end, end <= Self.latest, end - start <= Self.longestSeconds else { return nil }
        self.number = number
        self.location = location
        self.start = start
        self.end = end
        self.isSubmitted = isSubmitted
    }

    /// Of how long ago visits are looked at.
    public enum AgeRule: Sendable, Hashable {
        /// From the first second of the day that lies so many days back, as on Android. It keeps more, so it is the one for boards.
        case wholeDays
        /// To the second, as on iOS.
        case exact
    }

    /// Whether a visit that ended then is at most that many days old. Times in Unix seconds.
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
