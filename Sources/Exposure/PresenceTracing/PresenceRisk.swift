// SPDX-License-Identifier: Apache-2.0

public import CivilTime
public import ExposureRisk

/// The risk of matched visits, by an authority's parameters (spec cwa-protocols 8.3).
public struct PresenceRisk: Sendable, Hashable {
    /// The level that the rules give to a weighted time.
    public enum Verdict: Sendable, Hashable {
        /// The weighted time is 0, and no range gives it a level: the authority gives such warnings no weight.
        case nothing
        /// The weighted time is in a range with this level.
        case level(RiskLevel)
        /// The parameters have no answer, for want of a range with a level or of a level's weight: never to be shown as low.
        case unknown

        /// The level; `nil` for ``nothing`` and for ``unknown``, of which the latter must not be taken for low.
        public var level: RiskLevel? { if case .level(let level) = self { level } else { nil } }
    }

    /// The risk of a UTC day: that of all its visits together.
    public struct Day: Sendable, Hashable {
        /// The UTC day whose visits are taken together.
        public let day: UTCDay
        /// Weighted minutes of all visits of the day; minutes of a level without a weight add nothing. 0 or more if no weight is negative.
        public let normalizedTime: Double
        /// The level of the day by the authority's parameters.
        public let verdict: Verdict
    }

    /// The risk of one visit on one UTC day.
    public struct VisitDay: Sendable, Hashable {
        /// The number that the wearer's diary gives the visit (``Visit/number``).
        public let visit: Int
        /// The UTC day of the visit; a visit past midnight UTC has several.
        public let day: UTCDay
        /// Weighted minutes of the visit on that day; minutes of a level without a weight add nothing. 0 or more if no weight is negative.
        public let normalizedTime: Double
        /// The level of the visit on that day by the authority's parameters.
        public let verdict: Verdict
    }

    /// Days with matches, oldest first; empty without any.
    public let days: [Day]
    /// Visits with matches, by day and then by number; one for each day of a visit, empty without any.
    public let checkIns: [VisitDay]

    /// Judges all these matches; the caller leaves out visits that are too old (``Visit/isRecent(end:now:days:rule:)``). Cannot fail.
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

    /// The level of the first range that has the weighted minutes `time`, rounded to a billionth; `nil` outside of all, and where the range has no
    /// level.
    public static func level(of time: Double, _ mapping: [PresenceRiskParameters.LevelMapping]) -> RiskLevel? {
        let settled = CWASecondModel.settled(time)
        return mapping.first { $0.normalizedTimeRange.contains(settled) }?.riskLevel
    }
}

/// Encounters and visits in one: the Corona-Warn-App tells people the higher of both for each day. For encounters judged by the same authority
/// only; what other systems say stands beside it.
public struct JoinedRisk: Sendable, Hashable {
    /// A UTC day with an encounter or a visit.
    public struct Day: Sendable, Hashable {
        /// The UTC day of the encounter or the visit.
        public let day: UTCDay
        /// The higher level of both halves; `nil` when nothing has a level, or when nothing is increased and one half could not be judged:
        /// encounters without a level, encounters that were not judged at all, or visits of which nothing is known.
        public let level: RiskLevel?
        /// The level by encounters alone; `nil` when the day has none, or they have no level.
        public let encounters: RiskLevel?
        /// The verdict by visits alone; `nil` when the day has no visit with a match.
        public let presence: PresenceRisk.Verdict?
    }

    /// The level of encounters and visits together; `nil` when it cannot be told: nothing is increased, and something could
    /// not be judged.
    public let level: RiskLevel?
    /// Days with an encounter or a visit, oldest first; empty without any.
    public let days: [Day]
    /// The latest day with increased risk, UTC; `nil` without one.
    public let mostRelevantDay: UTCDay?

    /// Joins both answers; cannot fail. `encounters` is `nil` when encounters were not judged: then the level is never low.
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
