// SPDX-License-Identifier: Apache-2.0

/// The interpretation of published numbers, and the defaults that replace invalid ones (spec cwa-protocols 3 and 7.4;
/// cwa-app-android `appconfig/mapping`).
public enum ConfigRules {
    /// The number of times per UTC day that keys are matched (`maxExposureDetectionsPerInterval`), and the interval
    /// between two.
    public struct DetectionFrequency: Sendable, Hashable {
        /// The maximum number of times per UTC day that keys are matched, 0 to 6; 0 switches matching off.
        public let maximumPerDay: Int
        /// The minimum number of seconds between two: 24 hours divided by ``maximumPerDay``, in whole hours, so
        /// 14,400 to 86,400; 86,400 when it is 0.
        public let minimumGapSeconds: Int
    }

    /// Returns the frequency of matching from `maxExposureDetectionsPerInterval`: `nil` or a number outside 0 to 6
    /// counts as 6. 0 switches matching off and results in an interval of 24 hours.
    public static func detectionFrequency(_ configured: Int64?) -> DetectionFrequency {
        let number = configured.flatMap { (0...6).contains($0) ? Int($0) : nil } ?? 6
        return DetectionFrequency(maximumPerDay: number, minimumGapSeconds: (number == 0 ? 24 : 24 / number) * 3_600)
    }

    /// Returns the time for one matching in seconds: `configured` if it is 1 to 3,600, otherwise, also for `nil`,
    /// 900.
    public static func detectionTimeout(_ configured: Int64?) -> Int { inRange(configured, 1...3_600) ?? 900 }

    /// Returns the time for one download in seconds: `configured` if it is 1 to 1,800, otherwise, also for `nil`,
    /// 60.
    public static func downloadTimeout(_ configured: Int64?) -> Int { inRange(configured, 1...1_800) ?? 60 }

    /// Returns the time for all downloads of a run in seconds: `configured` if it is 1 to 1,800, otherwise, also
    /// for `nil`, 480.
    public static func overallDownloadTimeout(_ configured: Int64?) -> Int { inRange(configured, 1...1_800) ?? 480 }

    /// The label of the feature that switches the comparison of clocks off, with value 1 (cwa-app-android).
    public static let noClockCheck = "disable-device-time-check"

    /// Whether matching is allowed with a clock that differs from the server's by `offsetMilliseconds`, positive or
    /// negative: by less than two hours (cwa-app-android), or by any time if `isChecked` is `false`.
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
