// SPDX-License-Identifier: Apache-2.0

public import CivilTime

/// The time that the wearer spent at a place together with a person who warned, on one UTC day.
public struct PresenceMatch: Sendable, Hashable {
    /// The number of the visit in the wearer's diary (``Visit/number``).
    public let visit: Int
    /// The UTC day on which visit and warning overlap.
    public let day: UTCDay
    /// The number of minutes for which visit and warning overlap on that day, rounded half up; 0 for less than half a
    /// minute.
    public let minutes: Int64
    /// The level of transmission risk of the person who warned, 1 to 8.
    public let level: UInt8

    /// Creates a match from these parts, which are not checked; `minutes` is the overlap of visit and warning,
    /// `level` is 1 to 8.
    public init(visit: Int, day: UTCDay, minutes: Int64, level: UInt8) {
        self.visit = visit
        self.day = day
        self.minutes = minutes
        self.level = level
    }
}

/// Finds the visits to which a package of warnings applies (spec cwa-protocols 8.3).
public struct WarningMatcher: Sendable {
    private let visits: [[UInt8]: [Visit]]

    /// Creates a matcher for these visits, any number of them; visits that the wearer published are left out.
    public init(_ visits: [Visit]) {
        self.visits = Dictionary(grouping: visits.filter { !$0.isSubmitted }) { $0.location.hash }
    }

    /// The hashes of location ids to look for in packages, 32 bytes each; empty without visits.
    public var wanted: Set<[UInt8]> { Set(visits.keys) }

    /// Returns the matches of a package, one for each visit, warning and UTC day that overlap; empty if there are
    /// none. Reports that were not made with the venue's code, or are implausible, match nothing.
    public func matches(_ package: TraceWarningPackage) -> [PresenceMatch] {
        let plain = package.warnings.flatMap { matches($0.locationIDHash, $0.record) }
        let protected = package.reports.flatMap { report -> [PresenceMatch] in
            guard let location = visits[report.locationIDHash]?.first?.location, let record = try? report.open(location)
            else { return [] }
            return matches(report.locationIDHash, record)
        }
        return plain + protected
    }

    private func matches(_ hash: [UInt8], _ record: CheckInRecord) -> [PresenceMatch] {
        (visits[hash] ?? []).flatMap { Self.matches($0, record) }
    }

    /// Returns the overlap of a visit with a warning, one match for each UTC day; empty when they only touch. Does
    /// not check that both are about the same place.
    public static func matches(_ visit: Visit, _ record: CheckInRecord) -> [PresenceMatch] {
        let time = record.seconds
        let (start, end) = (max(visit.start, time.lowerBound), min(visit.end, time.upperBound))
        guard start < end else { return [] }
        return DayParts(from: start, to: end).map { part in
            PresenceMatch(
                visit: visit.number, day: part.day, minutes: (part.end - part.start + 30) / 60, level: record.level)
        }
    }
}
