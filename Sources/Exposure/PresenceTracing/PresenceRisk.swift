// SPDX-License-Identifier: Apache-2.0

public import CivilTime
public import ExposureRisk

/// The risk of matched visits, by an authority's parameters (spec cwa-protocols 8.3).
public struct PresenceRisk: Sendable, Hashable {
    /// The level that the rules assign to a weighted time.
    public enum Verdict: Sendable, Hashable {
        /// The weighted time is 0 and in no range with a level: the authority gives such warnings no weight.
        case nothing
        /// The weighted time is in a range with this level.
        case level(RiskLevel)
        /// The parameters give no answer, because no range with a level contains the time or a level has no weight.
        /// It must never be shown as low.
        case unknown

        /// The level; `nil` for ``nothing`` and for ``unknown``, of which the latter must not be treated as low.
        public var level: RiskLevel? { if case .level(let level) = self { level } else { nil } }
    }

    /// The risk of a UTC day, from all its visits together.
    public struct Day: Sendable, Hashable {
        /// The UTC day of the visits.
        public let day: UTCDay
        /// The weighted minutes of all visits of the day; minutes of a level without a weight add nothing. 0 or more
        /// if no weight is negative.
        public let normalizedTime: Double
        /// The level of the day by the authority's parameters.
        public let verdict: Verdict
    }

    /// The risk of one visit on one UTC day.
    public struct VisitDay: Sendable, Hashable {
        /// The number of the visit in the wearer's diary (``Visit/number``).
        public let visit: Int
        /// The UTC day of the visit; a visit past midnight UTC has several.
        public let day: UTCDay
        /// The weighted minutes of the visit on that day; minutes of a level without a weight add nothing. 0 or more
        /// if no weight is negative.
        public let normalizedTime: Double
        /// The level of the visit on that day by the authority's parameters.
        public let verdict: Verdict
    }

    /// The days with matches, oldest first; empty if there are none.
    public let days: [Day]
    /// The visits with matches, sorted by day and then by number, one entry for each day of a visit; empty if there
    /// are none.
    public let checkIns: [VisitDay]

    /// Judges all these matches. The caller must leave out visits that are too old
    /// (``Visit/isRecent(end:now:days:rule:)``). Cannot fail.
    public init(_ matches: [PresenceMatch], _ parameters: PresenceRiskParameters) {
        func verdict(_ time: Double, isKnown: Bool, _ mapping: [PresenceRiskParameters.LevelMapping]) -> Verdict {
            let level = Self.level(of: time, mapping)
            // Part of the time is missing where a level has no value; more of it could only raise the risk.
            guard isKnown else { return level == .increased ? .level(.increased) : .unknown }
            return level.map { .level($0) } ?? (time == 0 ? .nothing : .unknown)
        }

        struct Key: Hashable {
            let day: UTCDay
            let visit: Int
        }
        let values = parameters.transmissionRiskValueMapping
        let parts = Dictionary(grouping: matches) { Key(day: $0.day, visit: $0.visit) }
            .map { key, matches in
                // Smallest first: the same sum whatever the order.
                let times = matches.map { Double($0.minutes) * (values[Int($0.level)] ?? 0) }.sorted()
                return (key: key, time: times.reduce(0, +), isKnown: matches.allSatisfy { values[Int($0.level)] != nil })
            }
            .sorted { ($0.key.day.number, $0.key.visit) < ($1.key.day.number, $1.key.visit) }
        checkIns = parts.map {
            VisitDay(
                visit: $0.key.visit, day: $0.key.day, normalizedTime: $0.time,
                verdict: verdict($0.time, isKnown: $0.isKnown, parameters.perCheckIn))
        }
        days = Dictionary(grouping: parts) { $0.key.day }
            .map { day, parts in
                let time = parts.map(\.time).sorted().reduce(0, +)
                return Day(
                    day: day, normalizedTime: time,
                    verdict: verdict(time, isKnown: parts.allSatisfy(\.isKnown), parameters.perDay))
            }
            .sorted { $0.day < $1.day }
    }

    /// Returns the level of the first range that contains the weighted minutes `time`, rounded to a billionth; `nil`
    /// when no range contains them, or the range has no level.
    public static func level(of time: Double, _ mapping: [PresenceRiskParameters.LevelMapping]) -> RiskLevel? {
        let settled = time.settled
        return mapping.first { $0.normalizedTimeRange.contains(settled) }?.riskLevel
    }
}

/// The risk from encounters and visits together: like the Corona-Warn-App, it shows the higher level of both for each
/// day. Only for encounters judged by the same authority; those of other systems are shown separately.
public struct JoinedRisk: Sendable, Hashable {
    /// A UTC day with an encounter or a visit.
    public struct Day: Sendable, Hashable {
        /// The UTC day of the encounter or the visit.
        public let day: UTCDay
        /// The higher level of encounters and visits; `nil` when neither has a level, or when one of them is unknown
        /// and the other is not increased.
        public let level: RiskLevel?
        /// The level from encounters alone; `nil` when the day has none, or they have no level.
        public let encounters: RiskLevel?
        /// The verdict from visits alone; `nil` when the day has no visit with a match.
        public let presence: PresenceRisk.Verdict?
    }

    /// The level of encounters and visits together; `nil` when nothing is increased and something could not be
    /// judged.
    public let level: RiskLevel?
    /// The days with an encounter or a visit, oldest first; empty if there are none.
    public let days: [Day]
    /// The latest UTC day with increased risk; `nil` if there is none.
    public let mostRelevantDay: UTCDay?

    /// Joins the risk of encounters and of visits. `encounters` is `nil` when encounters were not judged: then the
    /// level is never low. Cannot fail.
    public init(encounters: RiskAssessment?, presence: PresenceRisk) {
        let met = Dictionary(
            (encounters?.days ?? []).map { (UTCDay(number: $0.day), $0.verdict.level) },
            uniquingKeysWith: { first, _ in first })
        let visited = Dictionary(presence.days.map { ($0.day, $0.verdict) }, uniquingKeysWith: { first, _ in first })
        days = Set(met.keys).union(visited.keys).sorted().map { day in
            let (encounter, visit) = (met[day] ?? nil, visited[day])
            // A day's low risk is none when the other half of the day could not be judged.
            let isUnknown = visit == .unknown || encounters == nil || met[day] == .some(nil)
            let highest = [encounter, visit?.level].compactMap { $0 }.max()
            return Day(
                day: day, level: isUnknown && highest == .low ? nil : highest, encounters: encounter, presence: visit)
        }
        let increased = days.filter { $0.level == .increased }.map(\.day)
        mostRelevantDay = increased.max()
        if encounters?.level == .increased || !increased.isEmpty {
            level = .increased
        } else {
            level = encounters?.level == nil || presence.days.contains { $0.verdict == .unknown } ? nil : .low
        }
    }
}
