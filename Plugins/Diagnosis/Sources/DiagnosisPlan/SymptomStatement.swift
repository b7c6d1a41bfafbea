// SPDX-License-Identifier: Apache-2.0

/// A person's statement about symptoms, and its consequences for their keys: transmission risk levels and days
/// since onset, by the key's age in days (specification cwa-protocols 5.1; cwa-app-android
/// `TransmissionRiskVectorDeterminer`, `DaysSinceOnsetOfSymptomsVectorDeterminer`).
public enum SymptomStatement: Sendable, Hashable, Codable {
    /// Symptoms began this many days before today; 0 is today. Negative numbers count as 0, numbers above 21 as 21.
    case since(daysAgo: Int)
    /// Symptoms began within the last seven days; the day is not known.
    case lastSevenDays
    /// Symptoms began one to two weeks ago; the day is not known.
    case oneToTwoWeeksAgo
    /// Symptoms began more than two weeks ago; the day is not known.
    case moreThanTwoWeeksAgo
    /// There were symptoms; the day on which they began is not known.
    case unknownSince
    /// There have been no symptoms so far.
    case noSymptoms
    /// The person did not say whether there were symptoms.
    case noStatement

    /// The number of ages in the lists: 15, from 0, the day of submission, to 14 days (cwa-protocols 5.1).
    public static let ages = 15
    /// The most days ago that an exact date can be: 21 (cwa-app-ios `SymptomsOnset`).
    public static let earliestOnset = 21

    /// The transmission risk levels, 1 to 8, by the key's age in days; ``ages`` of them.
    public var levels: [UInt8] {
        switch self {
        case .since(let daysAgo):
            let onset = Self.bounded(daysAgo)
            return (0..<Self.ages).map { Self.level(daysSinceOnset: onset - $0) }
        case .lastSevenDays: return [4, 5, 6, 7, 7, 7, 6, 5, 4, 3, 2, 1, 1, 1, 1]
        case .oneToTwoWeeksAgo: return [1, 1, 1, 1, 2, 3, 4, 5, 6, 6, 7, 7, 6, 6, 4]
        case .moreThanTwoWeeksAgo: return [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5]
        case .unknownSince: return [5, 6, 8, 8, 8, 7, 5, 3, 2, 1, 1, 1, 1, 1, 1]
        case .noSymptoms: return [4, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
        case .noStatement: return [5, 6, 7, 7, 7, 6, 4, 3, 2, 1, 1, 1, 1, 1, 1]
        }
    }

    /// The days since onset by the key's age in days, ``ages`` of them, in the form that servers accept: −14 to 21 are
    /// days, negative before the onset; 687 to 4,000 stand for statements without a date, and fall by 1 with each day of
    /// age.
    public var daysSinceOnset: [Int32] {
        let first: Int32 =
            switch self {
            case .since(let daysAgo): Int32(Self.bounded(daysAgo))
            case .lastSevenDays: 701
            case .oneToTwoWeeksAgo: 708
            case .moreThanTwoWeeksAgo: 715
            case .unknownSince: 2_000
            case .noSymptoms: 3_000
            case .noStatement: 4_000
            }
        return (0..<Int32(Self.ages)).map { first - $0 }
    }

    /// Returns the ages in days, 0 to 13 in rising order, of the keys that an authority publishes if it publishes only
    /// levels of at least `minimumLevel`; age 0 is the day of submission. People who were met on other days are not warned.
    /// A submission has at most 14 keys, so the fifteenth age is never included. Empty if no level is high enough.
    public func publishedAges(minimumLevel: UInt8) -> [Int] {
        levels.prefix(SubmissionPayload.maximumKeys).enumerated().filter { $0.element >= minimumLevel }.map(\.offset)
    }

    /// The lowest level of keys that the Corona-Warn-App's server publishes: 3 (cwa-server `minimum-trl-value-allowed`).
    public static let standardMinimumLevel: UInt8 = 3

    private static func bounded(_ daysAgo: Int) -> Int { min(max(daysAgo, 0), earliestOnset) }

    /// One curve serves all exact dates: it is the same for every onset, seen from the onset.
    private static func level(daysSinceOnset: Int) -> UInt8 {
        let curve: [UInt8] = [2, 4, 6, 7, 8, 8, 8, 6, 5, 3, 2, 2]
        let index = daysSinceOnset + 5
        return curve.indices.contains(index) ? curve[index] : 1
    }
}
