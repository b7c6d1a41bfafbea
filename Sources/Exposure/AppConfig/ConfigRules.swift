// SPDX-License-Identifier: Apache-2.0

/// The meaning of published numbers, and the values that count when they make no sense (spec cwa-protocols 3 and 7.4;
/// cwa-app-android `appconfig/mapping`).
public enum ConfigRules {
    /// The number of looks for matches in a UTC day (`maxExposureDetectionsPerInterval`), and the time between two.
    public struct DetectionFrequency: Sendable, Hashable {
        /// Looks for matches per UTC day, 0 to 6; 0 switches detection off.
        public let maximumPerDay: Int
        /// Seconds from one look to the next: 24 hours divided by ``maximumPerDay``, in whole hours, so 14,400 to 86,400;
        /// 86,400 when that is 0.
        public let minimumGapSeconds: Int
    }

    /// The number of looks for matches in a UTC day, and the time between two, from `maxExposureDetectionsPerInterval`:
    /// `nil`, or outside of 0 to 6, counts as 6. 0 switches detection off and gives a gap of 24 hours.
    public static func detectionFrequency(_ configured: Int64?) -> DetectionFrequency {
        let number = configured.flatMap { (0...6).contains($0) ? Int($0) : nil } ?? 6
        return DetectionFrequency(maximumPerDay: number, minimumGapSeconds: (number == 0 ? 24 : 24 / number) * 3_600)
    }

    /// Seconds for one look for matches; `nil`, or outside of 1 to 3,600, is 900.
    public static func detectionTimeout(_ configured: Int64?) -> Int { inRange(configured, 1...3_600) ?? 900 }

    /// Seconds for one download; `nil`, or outside of 1 to 1,800, is 60.
    public static func downloadTimeout(_ configured: Int64?) -> Int { inRange(configured, 1...1_800) ?? 60 }

    /// Seconds for all downloads of a run; `nil`, or outside of 1 to 1,800, is 480.
    public static func overallDownloadTimeout(_ configured: Int64?) -> Int { inRange(configured, 1...1_800) ?? 480 }

    /// The label of the feature that switches the comparison of clocks off, with value 1 (cwa-app-android).
    public static let noClockCheck = "disable-device-time-check"

    /// Whether a clock that differs from the server's by `offsetMilliseconds`, ahead or behind, may be matched with: by
    /// less than two hours either way (cwa-app-android), or by any time if `isChecked` is false.
    public static func isClockCorrect(offsetMilliseconds: Int64, isChecked: Bool = true) -> Bool {
        !isChecked || (offsetMilliseconds > -7_200_000 && offsetMilliseconds < 7_200_000)
    }

    /// Whether a configuration fetched when the server's clock showed `serverTime` (Unix seconds) is still good at
    /// `localNow` (Unix seconds of our clock) without asking again: for `validity` seconds, inclusive, and as many
    /// before, where our clock was set back. `localOffset` is by how many seconds our clock was ahead of the server's
    /// then.
    ///
    /// False when `validity` is 0 or less, or a sum overflows.
    public static func isCacheValid(validity: Int64, serverTime: Int64, localOffset: Int64, localNow: Int64) -> Bool {
        let fetched = serverTime.addingReportingOverflow(localOffset)
        let age = localNow.subtractingReportingOverflow(fetched.partialValue)
        // A clock that went back is no reason to believe a configuration for years.
        return validity > 0 && !fetched.overflow && !age.overflow && age.partialValue.magnitude <= validity.magnitude
    }

    private static func inRange(_ value: Int64?, _ range: ClosedRange<Int64>) -> Int? {
        value.flatMap { range.contains($0) ? Int($0) : nil }
    }
}
