// SPDX-License-Identifier: Apache-2.0

public import CivilTime

/// The days whose keys NHS COVID-19 submits, and the level of each (specification checkin-and-nhs B.3;
/// covid-19-app-android-ag-public `CalculateKeySubmissionDateRange`, `TransmissionRiskLevelApplier`).
public struct KeySubmissionRange: Sendable, Hashable {
    /// The first day, in days since 1970. The range is empty if it is after ``last``.
    public let first: Int64
    /// The last day, inclusive, in days since 1970.
    public let last: Int64

    /// The number of days that a contact's isolation lasts, as the apps have it (checkin-and-nhs B.3); the range reaches
    /// back as many days, today included.
    public static let contactIsolationDays: Int64 = 11
    /// A person counts as infectious this many days before the onset already (checkin-and-nhs B.3).
    public static let daysBeforeOnset: Int64 = 2

    /// A range of UTC days, as they are given.
    ///
    /// - Parameter last: Inclusive; before `first` for an empty range.
    public init(first: CivilDate, last: CivilDate) {
        self.first = first.dayNumber
        self.last = last.dayNumber
    }

    /// Makes the range from two days before the onset, but not from before the isolation would have begun, to the day
    /// before the result was acknowledged. `isolationDays` is brought into 1 to 365. Cannot fail: a range may be empty.
    public init(
        today: CivilDate, acknowledged: CivilDate, onset: CivilDate,
        isolationDays: Int64 = KeySubmissionRange.contactIsolationDays
    ) {
        let isolation = min(max(isolationDays, 1), 365)
        first = max(onset.dayNumber - Self.daysBeforeOnset, today.dayNumber - (isolation - 1))
        last = acknowledged.dayNumber - 1
    }

    /// Whether no day is in the range: then no key may be sent.
    public var isEmpty: Bool { first > last }

    /// Whether the key of that day, in days since 1970, is submitted.
    public func contains(_ day: Int64) -> Bool { first <= day && day <= last }

    /// The level of the key of that day, 0 to 7: 7 on the day of onset, one less with every day before or after it, 0 outside the range and without
    /// an onset (`nil`).
    public func level(day: CivilDate, onset: CivilDate?) -> UInt8 {
        guard let onset, contains(day.dayNumber) else { return 0 }
        return UInt8(max(0, 7 - abs(day.dayNumber - onset.dayNumber)))
    }

    /// The number of days from `onset` to `day`, negative before the onset. Cannot fail.
    public static func daysSinceOnset(day: CivilDate, onset: CivilDate) -> Int64 { day.dayNumber - onset.dayNumber }
}
