// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.risk1`. The interface's text explains each of them.
public enum Risk1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.risk1"

    /// The level that an authority's rules assign to a score: a `low` or an `increased` risk.
    public enum Level: String, Codable, Sendable, CaseIterable { case low, increased }

    /// The state to show to the person.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// `low`, `increased`: the result of a judgement, normally with keys of the last two days (if several sources are
        /// followed, a warning remains when its keys are older); `unknown`: there are no rules, the time is not known, keys
        /// were never compared or are still arriving, it is too early to call a risk low, or a person was met whom no rules
        /// can judge; `outdated`: keys were last compared two days ago or earlier, or signed periods show that newer ones
        /// are missing; `inactive`: the wearer has not agreed to take part; `paused`: the authority has suspended all
        /// warnings or switched off its service; `ended`: the service has ended.
        case low, increased, unknown, outdated, inactive, paused, ended
    }

    /// A model for judging encounters (docs/risk.md).
    public enum Model: String, Codable, Sendable, CaseIterable {
        /// `dailySummaries`: that of Google and Apple; `cwaFirst`, `cwaSecond`: Corona-Warn-App before and since November
        /// 2020; `nhsFirst`, `nhsSecond`: NHS COVID-19, based on exposures and on windows; `swissCovid`: SwissCovid.
        case dailySummaries, cwaFirst, cwaSecond, nhsFirst, nhsSecond, swissCovid
    }

    /// The unit of a model's scores: minutes or seconds weighted by distance and infectiousness, or points that the
    /// authority defines.
    public enum Unit: String, Codable, Sendable, CaseIterable { case weightedMinutes, weightedSeconds, points }

    /// A score, the limit with which it is compared, and the resulting level.
    public struct Verdict: Codable, Sendable, Equatable {
        /// The score, 0 or more, in the unit of ``Rules/unit``.
        public var score: Double
        /// The score from which the level is increased, in the same unit. Inclusive, except for ranges of the
        /// Corona-Warn-App that begin just above it. `nil` if no score reaches it.
        public var increasedFrom: Double?
        /// The level; `nil` if the rules assign none to the score.
        public var level: Level?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(score: Double, increasedFrom: Double?, level: Level?) {
            self.score = score
            self.increasedFrom = increasedFrom
            self.level = level
        }
    }

    /// The lowest possible number of people met on a day, by the level of the encounter. Only the second model of the
    /// Corona-Warn-App counts them.
    public struct Encounters: Codable, Sendable, Equatable {
        /// The lowest possible number of people whose encounter has a low risk; 0 or more.
        public var low: Int
        /// The lowest possible number of people whose encounter has an increased risk; 0 or more.
        public var increased: Int

        /// Creates a part of replies of the core. No value is checked. See the properties for units.
        public init(low: Int, increased: Int) {
            self.low = low
            self.increased = increased
        }
    }

    /// The result of one UTC day.
    public struct Day: Codable, Sendable, Equatable {
        /// The UTC day, in days since 1970.
        public var day: Int
        /// The day's score, its limit and its level.
        public var verdict: Verdict
        /// The lowest possible number of people met, by level; `nil` if the model does not count them, and on days without
        /// a level.
        public var encounters: Encounters?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(day: Int, verdict: Verdict, encounters: Encounters?) {
            self.day = day
            self.verdict = verdict
            self.encounters = encounters
        }
    }

    /// The rules with which a risk was judged.
    public struct Rules: Codable, Sendable, Equatable {
        /// The model that used these rules.
        public var model: Model
        /// The unit of the model's scores.
        public var unit: Unit
        /// Why the authority's preferred model was not used alone, and what could not be judged, in English sentences;
        /// `nil` if there is nothing to report.
        public var fallback: String?
        /// The version of the authority's configuration that was used; it increases with each new one.
        public var version: Int64

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(model: Model, unit: Unit, fallback: String?, version: Int64) {
            self.model = model
            self.unit = unit
            self.fallback = fallback
            self.version = version
        }
    }

    /// A warning that was shown to the person and has since been revoked by the authority that published it.
    public struct TakenBack: Codable, Sendable, Equatable {
        /// The UTC day of the warning's encounter, in days since 1970.
        public var day: Int
        /// The time when this device learned of the revocation, in Unix seconds.
        public var learned: Int64

        /// Creates a part of replies of the core. No value is checked. See the properties for units.
        public init(day: Int, learned: Int64) {
            self.day = day
            self.learned = learned
        }
    }

    /// The risk of the person who wears this device, and the days on which it is based. If several sources are followed,
    /// the numbers are those of one source.
    public struct Risk: Codable, Sendable, Equatable {
        /// The state to show to the person; see ``State``.
        public var state: State
        /// A sentence in English about the state, with advice.
        public var sentence: String
        /// Whether there is a change that has not been acknowledged with `Acknowledge`.
        public var news: Bool
        /// The UTC day from which advice counts, in days since 1970; `nil` unless the judgement behind the numbers is an
        /// increased risk, and whenever ``rules`` is `nil`.
        public var mostRelevantDay: Int?
        /// The rules behind the numbers; `nil` if there was no judgement, and in states that do not come from one (such as
        /// ``State/inactive``).
        public var rules: Rules?
        /// The verdict for all days together; `nil` if the model does not determine one, and whenever ``rules`` is `nil`.
        public var combined: Verdict?
        /// The days with encounters that were judged, oldest first, at most 16; empty if there are none, and whenever
        /// ``rules`` is `nil`.
        public var days: [Day]
        /// The number of people that were met but whom the rules of one source could not judge, above 0; `nil` if there are
        /// none. With any, the state is never low.
        public var unjudged: Int?
        /// The time of the last judgement, in Unix seconds; `nil` if there was none, and whenever ``rules`` is `nil`.
        public var assessed: Int64?
        /// The time when published keys of any source were last compared, in Unix seconds; `nil` if they never were.
        public var lastMatched: Int64?
        /// The time from which everything on this device is erased after the end of the service, in Unix seconds; `nil`
        /// while the service continues.
        public var eraseFrom: Int64?
        /// The warnings that were revoked in the last 14 days, oldest day first, at most 16; `nil` if there are none, and
        /// whenever ``rules`` is `nil`. Days whose risk is increased again are not included.
        public var takenBack: [TakenBack]?
        /// The latest UTC day of which the person was told that the risk is increased, in days since 1970, while ``state`` does
        /// not say so because nothing is judged: its advice still applies. At most 14 days old where the time is known. `nil`
        /// without one, and while the state is increased.
        public var told: Int?
        /// The verdict of each source if several are followed, at most 24, including sources that are no longer followed
        /// but have left a person unjudged; `nil` with one source, and while the state is inactive. The state is increased
        /// if that of one source is, and never low while a person of whom one source warns has not been judged.
        public var sources: [SourceWord]?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(
            state: State, sentence: String, news: Bool, mostRelevantDay: Int? = nil, rules: Rules? = nil,
            combined: Verdict? = nil, days: [Day] = [], unjudged: Int? = nil, assessed: Int64? = nil,
            lastMatched: Int64? = nil, eraseFrom: Int64? = nil, takenBack: [TakenBack]? = nil, told: Int? = nil,
            sources: [SourceWord]? = nil
        ) {
            self.told = told
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

    /// Reply of `GetRisk`: what to show to the person now.
    public struct RiskReply: Codable, Sendable {
        /// The present state, and the days on which it is based.
        public var risk: Risk

        /// Creates the reply of the core to `GetRisk`. No value is checked.
        public init(risk: Risk) { self.risk = risk }
    }

    /// Reply of `Watch`: the first one immediately, and another after every change. It does not say what changed; call
    /// `GetRisk`.
    public struct WatchReply: Codable, Sendable {
        /// Whether there is a change that has not been acknowledged.
        public var news: Bool

        /// Creates the reply of the core to `Watch`. No value is checked.
        public init(news: Bool) { self.news = news }
    }

    /// Parameters of `Explain`: the day and the source whose contributions are wanted. Refused with `WrongRole` in a place,
    /// and with `TimeUnknown` while the time is not known.
    public struct ExplainCall: Codable, Sendable {
        /// The UTC day, in days since 1970; `nil` for all days. A day without encounters has no contributions.
        public var day: Int?
        /// The name of the source; `nil` for the one whose numbers `GetRisk` shows. A source that is not followed has no
        /// contributions.
        public var source: String?

        /// Creates the parameters of a call of `Explain`. Nothing is checked here: the core checks the values when the call
        /// arrives. See the properties for units and `nil`.
        public init(day: Int?, source: String? = nil) {
            self.day = day
            self.source = source
        }
    }

    /// Parameters of `TakeConfiguration`: rules published by an authority. Refused with `ConfigurationRefused` if
    /// they are too large, malformed, older than the present ones, or not signed by a configuration key of that
    /// authority, for an unknown source, and for one that has ended its service or whose rules are in its profile;
    /// and with `StorageUnavailable` if the disk refuses. Then nothing changes.
    public struct TakeConfigurationCall: Codable, Sendable {
        /// The source of the rules, as the name of an authority's profile; `nil` for the device's own authority, or for the
        /// only source.
        public var source: String?
        /// The published document (docs/risk-configuration.md) in Base64; at most 24 KiB before encoding.
        public var document: String
        /// The proof of the document's origin, in the form that the source requires: `export.sig`, the lines of two
        /// headers, or a token; in Base64, at most 4 KiB before encoding.
        public var approvals: String

        /// Creates the parameters of a call of `TakeConfiguration`. Nothing is checked here: the core checks the values
        /// when the call arrives. See the properties for `nil`.
        public init(source: String? = nil, document: String, approvals: String) {
            self.source = source
            self.document = document
            self.approvals = approvals
        }
    }

    /// Reply of `TakeConfiguration`: the rules that the core has now.
    public struct TakeConfigurationReply: Codable, Sendable {
        /// The version of the newest configuration from this source, 1 or more; it increases with each new one.
        public var version: Int64
        /// Whether this configuration was new; `false` if the core already had it, even with another proof.
        public var changed: Bool

        /// Creates the reply of the core to `TakeConfiguration`. No value is checked. See the properties for units.
        public init(version: Int64, changed: Bool) {
            self.version = version
            self.changed = changed
        }
    }

    /// Parameters of `GetConfiguration`: the source whose rules are wanted.
    public struct GetConfigurationCall: Codable, Sendable {
        /// The name of the source; `nil` for `authority`, the device's own, or for the only source.
        public var source: String?

        /// Creates the parameters of a call of `GetConfiguration`. Nothing is checked here: the core checks the values when
        /// the call arrives. See the properties for `nil`.
        public init(source: String? = nil) { self.source = source }
    }

    /// Reply of `GetConfiguration`: the rules of a source that are in force.
    public struct ConfigurationReply: Codable, Sendable {
        /// The version of the newest configuration, which may not be in force yet; 0 if there is none, and for a source
        /// that is not followed. If no source was given, several are followed and none is `authority`, the lowest version
        /// of all sources that judge.
        public var version: Int64
        /// The rules in force as JSON text (docs/schemas/risk-configuration.schema.json); `nil` if there are none, for a
        /// source that is not followed, and if ``version`` covers several sources.
        public var configuration: String?
        /// The names of followed sources that have no rules yet, at most 16; `nil` if all have some, and if a source was
        /// given.
        public var missing: [String]?

        /// Creates the reply of the core to `GetConfiguration`. No value is checked. See the properties for units and
        /// `nil`.
        public init(version: Int64, configuration: String?, missing: [String]? = nil) {
            self.version = version
            self.configuration = configuration
            self.missing = missing
        }

        /// The version of the rules for judging: ``version``, or 0 while a source has no rules.
        public var knownVersion: Int64 { missing?.isEmpty ?? true ? version : 0 }
    }
}
