// SPDX-License-Identifier: Apache-2.0

public import CivilTime

/// What of a test and a warning goes into a donation, and how coarse: whole hours and days, rounded down, -1 for what is not known
/// (Corona-Warn-App for Android, `datadonation/analytics`).
public enum DonationCounters {
    /// The value of a counter that is not known.
    public static let notAvailable: Int64 = -1
    private static let hour: Int64 = 3_600

    /// A test's result, as far as it matters here.
    public enum TestResult: Sendable, Hashable {
        case pending
        /// Positive, negative or invalid.
        case final
    }

    /// The whole hours from one time to a later one, both in Unix seconds. ``notAvailable`` if one of them is not above 0, or they are
    /// in the wrong order.
    public static func hours(from start: Int64, to end: Int64) -> Int64 {
        start > 0 && end >= start ? (end - start) / hour : notAvailable
    }

    /// The hours since the registration that a donation tells of a test; `nil` if the test is not in it: it has no result, or it is
    /// pending for less than `waitHours`.
    ///
    /// - Parameters:
    ///   - registered: The registration of the test; `nil`: there is none.
    ///   - result: The result; `nil`: it was never asked for.
    ///   - finalResultReceived: When the final result came; `nil`: not known.
    ///   - now: The time of the donation.
    ///   - waitHours: The hours after which a pending test is told, 165 with Corona-Warn-App.
    public static func hoursSinceRegistration(
        registered: Int64?, result: TestResult?, finalResultReceived: Int64?, now: Int64, waitHours: Int64 = 165
    ) -> Int64? {
        guard let registered, let result else { return nil }
        switch result {
        case .pending:
            let hours = hours(from: registered, to: now)
            return hours >= waitHours ? hours : nil
        case .final: return hours(from: registered, to: finalResultReceived ?? now)
        }
    }

    /// Whether a donation tells of a submission of keys: the test is positive, and the keys were submitted or more than
    /// `waitHours` have passed since the result (36 with Corona-Warn-App).
    public static func tellsOfSubmission(
        isPositive: Bool, wasSubmitted: Bool, resultReceived: Int64?, now: Int64, waitHours: Int64 = 36
    ) -> Bool {
        guard isPositive else { return false }
        return wasSubmitted || resultReceived.map { now - $0 > waitHours * hour } ?? false
    }

    /// The days from the most recent day at the risk level to the registration of a test; ``notAvailable`` if there is no such
    /// day, or it is later.
    public static func daysSinceRisk(mostRecent: UTCDay?, registered: UTCDay) -> Int64 {
        guard let mostRecent, mostRecent.number <= registered.number else { return notAvailable }
        return registered.number - mostRecent.number
    }

    /// A change of the risk level, or a calculation that left it as it was.
    public struct RiskCalculation: Sendable, Hashable {
        /// The time in Unix seconds.
        public let time: Int64
        /// Whether the risk was high.
        public let isHigh: Bool

        /// Creates a calculation of these parts.
        public init(time: Int64, isHigh: Bool) {
            self.time = time
            self.isHigh = isHigh
        }
    }

    /// The hours from the beginning of the high risk that held when a test was registered; ``notAvailable`` if the risk was not
    /// high. Calculations may be in any order; later ones than the registration do not count.
    public static func hoursSinceHighRisk(
        calculations: [RiskCalculation], wasHighAtRegistration: Bool, registered: Int64
    ) -> Int64 {
        guard wasHighAtRegistration else { return notAvailable }
        let earlier = calculations.filter { $0.time <= registered }.sorted { $0.time < $1.time }
        let start = earlier.lastIndex { !$0.isHigh }.map { $0 + 1 } ?? 0
        guard start < earlier.count else { return notAvailable }
        return hours(from: earlier[start].time, to: registered)
    }
}
