// SPDX-License-Identifier: Apache-2.0

public import CivilTime
public import ExposureRisk

/// What matched visits amount to, by an authority's parameters (spec cwa-protocols 8.3).
public struct PresenceRisk: Sendable, Hashable {
    /// What is said of some weighted time.
    public enum Verdict: Sendable, Hashable {
        /// The authority gives such warnings no weight.
        case nothing
        case level(RiskLevel)
        /// The parameters have no answer: never to be shown as low.
        case unknown

        public var level: RiskLevel? { if case .level(let level) = self { level } else { nil } }
    }

    /// A UTC day.
    public struct Day: Sendable, Hashable {
        public let day: UTCDay
        /// Weighted minutes of all visits.
        public let normalizedTime: Double
        public let verdict: Verdict
    }

    /// A visit on a UTC day.
    public struct VisitDay: Sendable, Hashable {
        public let visit: Int
        public let day: UTCDay
        /// Weighted minutes.
        public let normalizedTime: Double
        public let verdict: Verdict
    }

    /// Days with matches, oldest first.
    public let days: [Day]
    /// By day, then by visit.
    public let checkIns: [VisitDay]

    /// Judges the matches of visits that are recent enough (``Visit/isRecent(end:now:days:rule:)``).
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

    /// The level of the first range that has the time; `nil` outside of all.
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
        public let day: UTCDay
        /// `nil` when nothing has a level.
        public let level: RiskLevel?
        public let encounters: RiskLevel?
        public let presence: PresenceRisk.Verdict?
    }

    /// `nil` when it cannot be told: nothing is increased, and something could not be judged.
    public let level: RiskLevel?
    /// Oldest first.
    public let days: [Day]
    /// The latest day with increased risk.
    public let mostRelevantDay: UTCDay?

    /// `encounters` is `nil` when they were not judged.
    public init(encounters: RiskAssessment?, presence: PresenceRisk) {
        let met = Dictionary(
            (encounters?.days ?? []).map { (UTCDay(number: $0.day), $0.verdict.level) },
            uniquingKeysWith: { first, _ in first })
        let visited = Dictionary(presence.days.map { ($0.day, $0.verdict) }, uniquingKeysWith: { first, _ in first })
        days = Set(met.keys).union(visited.keys).sorted().map { day in
            let (encounter, visit) = (met[day] ?? nil, visited[day])
            let increased = encounter == .increased || visit?.level == .increased
            // A day's low risk is none when the other half of the day could not be judged.
            let level =
                increased ? .increased : visit == .unknown ? nil : [encounter, visit?.level].compactMap { $0 }.max()
            return Day(day: day, level: level, encounters: encounter, presence: visit)
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
