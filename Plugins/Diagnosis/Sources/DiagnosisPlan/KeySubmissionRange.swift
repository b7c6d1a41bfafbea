// SPDX-License-Identifier: Apache-2.0

public import CivilTime

/// The days whose keys NHS COVID-19 submits, and the level of each (specification checkin-and-nhs B.3;
/// covid-19-app-android-ag-public `CalculateKeySubmissionDateRange`, `TransmissionRiskLevelApplier`).
public struct KeySubmissionRange: Sendable, Hashable {
    /// The first day, in days since 1970. The range is empty if it is after ``last``.
    public let first: Int64
    /// The last day, inclusive, in days since 1970.
    public let last: Int64

    /// The number of days that a contact's isolation lasts in the apps (checkin-and-nhs B.3): 11. The range reaches back
    /// this many days, today included.
    public static let contactIsolationDays: Int64 = 11
    /// The number of days before the onset from which a person counts as infectious: 2 (checkin-and-nhs B.3).
    public static let daysBeforeOnset: Int64 = 2

    /// Creates a range of UTC days.
    ///
    /// - Parameter last: The last day, inclusive; before `first` for an empty range.
    public init(first: CivilDate, last: CivilDate) {
        self.first = first.dayNumber
        self.last = last.dayNumber
    }

    /// Creates the range that begins two days before the onset, but not before the isolation would have begun, and ends on
    /// the day before the result was acknowledged. `isolationDays` is limited to 1 to 365. Cannot fail: the range may be
    /// empty.
    public init(
        today: CivilDate, acknowledged: CivilDate, onset: CivilDate,
        isolationDays: Int64 = KeySubmissionRange.contactIsolationDays
    ) {
        let isolation = min(max(isolationDays, 1), 365)
        first = max(onset.dayNumber - Self.daysBeforeOnset, today.dayNumber - (isolation - 1))
        last = acknowledged.dayNumber - 1
    }

    /// Whether the range contains no day: then no key may be sent.
    public var isEmpty: Bool { first > last }

    /// Returns whether the key of `day`, in days since 1970, is submitted.
    public func contains(_ day: Int64) -> Bool { first <= day && day <= last }

    /// Returns the transmission risk level of the key of `day`, 0 to 7: 7 on the day of onset, and one less for every day
    /// before or after it; 0 outside the range, or if `onset` is `nil`.
    public func level(day: CivilDate, onset: CivilDate?) -> UInt8 {
        guard let onset, contains(day.dayNumber) else { return 0 }
        return UInt8(max(0, 7 - abs(day.dayNumber - onset.dayNumber)))
    }

    /// Returns the number of days from `onset` to `day`, negative before the onset. Cannot fail.
    public static func daysSinceOnset(day: CivilDate, onset: CivilDate) -> Int64 { day.dayNumber - onset.dayNumber }
}
