// SPDX-License-Identifier: Apache-2.0

/// What travels over `org.vigil.risk1`; the interface's text says what each part means.
public enum Risk1 {
    public static let name = "org.vigil.risk1"

    public enum Level: String, Codable, Sendable, CaseIterable { case low, increased }

    public enum State: String, Codable, Sendable, CaseIterable {
        case low, increased, unknown, outdated, inactive, paused, ended
    }

    public enum Model: String, Codable, Sendable, CaseIterable {
        case dailySummaries, cwaFirst, cwaSecond, nhsFirst, nhsSecond, swissCovid
    }

    public enum Unit: String, Codable, Sendable, CaseIterable { case weightedMinutes, weightedSeconds, points }

    public struct Verdict: Codable, Sendable, Equatable {
        public var score: Double
        public var increasedFrom: Double?
        public var level: Level?

        public init(score: Double, increasedFrom: Double?, level: Level?) {
            self.score = score
            self.increasedFrom = increasedFrom
            self.level = level
        }
    }

    public struct Encounters: Codable, Sendable, Equatable {
        public var low: Int
        public var increased: Int

        public init(low: Int, increased: Int) {
            self.low = low
            self.increased = increased
        }
    }

    public struct Day: Codable, Sendable, Equatable {
        public var day: Int
        public var verdict: Verdict
        public var encounters: Encounters?

        public init(day: Int, verdict: Verdict, encounters: Encounters?) {
            self.day = day
            self.verdict = verdict
            self.encounters = encounters
        }
    }

    public struct Rules: Codable, Sendable, Equatable {
        public var model: Model
        public var unit: Unit
        public var fallback: String?
        public var version: Int64

        public init(model: Model, unit: Unit, fallback: String?, version: Int64) {
            self.model = model
            self.unit = unit
            self.fallback = fallback
            self.version = version
        }
    }

    public struct TakenBack: Codable, Sendable, Equatable {
        public var day: Int
        public var learned: Int64

        public init(day: Int, learned: Int64) {
            self.day = day
            self.learned = learned
        }
    }

    public struct Risk: Codable, Sendable, Equatable {
        public var state: State
        public var sentence: String
        public var news: Bool
        public var mostRelevantDay: Int?
        public var rules: Rules?
        public var combined: Verdict?
        public var days: [Day]
        public var unjudged: Int?
        public var assessed: Int64?
        public var lastMatched: Int64?
        public var eraseFrom: Int64?
        public var takenBack: [TakenBack]?
        public var sources: [SourceWord]?

        public init(
            state: State, sentence: String, news: Bool, mostRelevantDay: Int? = nil, rules: Rules? = nil,
            combined: Verdict? = nil, days: [Day] = [], unjudged: Int? = nil, assessed: Int64? = nil,
            lastMatched: Int64? = nil, eraseFrom: Int64? = nil, takenBack: [TakenBack]? = nil,
            sources: [SourceWord]? = nil
        ) {
            self.state = state
            self.sentence = sentence
            self.news = news
            self.mostRelevantDay = mostRelevantDay
            self.rules = rules
            self.combined = combined
            self.days = days
            self.unjudged = unjudged
            self.assessed = assessed
            self.lastMatched = lastMatched
            self.eraseFrom = eraseFrom
            self.takenBack = takenBack
            self.sources = sources
        }
    }

    public struct RiskReply: Codable, Sendable {
        public var risk: Risk

        public init(risk: Risk) { self.risk = risk }
    }

    public struct WatchReply: Codable, Sendable {
        public var news: Bool

        public init(news: Bool) { self.news = news }
    }

    public struct ExplainCall: Codable, Sendable {
        public var day: Int?
        public var source: String?

        public init(day: Int?, source: String? = nil) {
            self.day = day
            self.source = source
        }
    }

    public struct TakeConfigurationCall: Codable, Sendable {
        public var source: String?
        public var document: String
        public var approvals: String

        public init(source: String? = nil, document: String, approvals: String) {
            self.source = source
            self.document = document
            self.approvals = approvals
        }
    }

    public struct TakeConfigurationReply: Codable, Sendable {
        public var version: Int64
        public var changed: Bool

        public init(version: Int64, changed: Bool) {
            self.version = version
            self.changed = changed
        }
    }

    public struct GetConfigurationCall: Codable, Sendable {
        public var source: String?

        public init(source: String? = nil) { self.source = source }
    }

    public struct ConfigurationReply: Codable, Sendable {
        public var version: Int64
        public var configuration: String?
        public var missing: [String]?

        public init(version: Int64, configuration: String?, missing: [String]? = nil) {
            self.version = version
            self.configuration = configuration
            self.missing = missing
        }

        /// ``version``, or 0 while a source has none.
        public var knownVersion: Int64 { missing?.isEmpty ?? true ? version : 0 }
    }
}
