// SPDX-License-Identifier: Apache-2.0

public import CivilTime

/// Time that somebody spent at a place together with a person who warned, on one UTC day.
public struct PresenceMatch: Sendable, Hashable {
    /// The number that the wearer's diary gives the visit (``Visit/number``).
    public let visit: Int
    /// The UTC day on which visit and warning meet.
    public let day: UTCDay
    /// Minutes that visit and warning share on that day, rounded, a half up; 0 for less than half a minute.
    public let minutes: Int64
    /// Level of transmission risk of the person who warned, 1 to 8.
    public let level: UInt8

    /// A match of these parts, unchecked; `minutes` are those that visit and warning share, `level` is 1 to 8.
    public init(visit: Int, day: UTCDay, minutes: Int64, level: UInt8) {
        self.visit = visit
        self.day = day
        self.minutes = minutes
        self.level = level
    }
}

/// The search for visits that a package of warnings is about (spec cwa-protocols 8.3).
public struct WarningMatcher: Sendable {
    private let visits: [[UInt8]: [Visit]]

    /// A matcher for these visits, any number of them; those that the wearer published are left out.
    public init(_ visits: [Visit]) {
        self.visits = Dictionary(grouping: visits.filter { !$0.isSubmitted }) { $0.location.hash }
    }

    /// The ids to look for in packages: hashes of location ids, 32 bytes each; empty without visits.
    public var wanted: Set<[UInt8]> { Set(visits.keys) }

    /// The matches of a package, one for each visit, warning and UTC day that meet; empty if none. Reports that were not made with the venue's
    /// code, or say nothing that can be, match nothing.
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

    /// The time that a visit has in common with a warning, a match for each UTC day; none when they only touch. Whether
    /// both are of the same place is for the caller to know.
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
