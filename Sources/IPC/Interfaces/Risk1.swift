// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.risk1`; the interface's text says what each part means.
public enum Risk1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.risk1"

    /// The level that an authority's rules give to a number: a `low` or an `increased` risk.
    public enum Level: String, Codable, Sendable, CaseIterable { case low, increased }

    /// The state to tell the person.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// `low`, `increased`: judged, as a rule by keys of the last two days (where several sources are followed, a warning holds when its keys are
        /// older); `unknown`: there are no rules or no time, keys were never compared or are on their way, it is too early to call a risk low, or
        /// somebody was met whom nobody can judge; `outdated`: keys were compared two days ago or longer, or signed periods tell that newer ones are
        /// missing; `inactive`: the wearer has not agreed to take part; `paused`: the authority has stopped all warnings for now, or switched off its
        /// service; `ended`: the service is over.
        case low, increased, unknown, outdated, inactive, paused, ended
    }

    /// A way to judge encounters (docs/risk.md).
    public enum Model: String, Codable, Sendable, CaseIterable {
        /// `dailySummaries`: of Google and Apple; `cwaFirst`, `cwaSecond`: Corona-Warn-App, until and from November 2020;
        /// `nhsFirst`, `nhsSecond`: NHS COVID-19, by exposures and by windows; `swissCovid`: SwissCovid.
        case dailySummaries, cwaFirst, cwaSecond, nhsFirst, nhsSecond, swissCovid
    }

    /// The unit of a model's numbers: minutes or seconds, weighted by nearness and infectiousness, or points of the
    /// authority's own.
    public enum Unit: String, Codable, Sendable, CaseIterable { case weightedMinutes, weightedSeconds, points }

    /// A number, the limit it is held against, and the level that follows.
    public struct Verdict: Codable, Sendable, Equatable {
        /// The number, 0 or more, in the unit of ``Rules/unit``.
        public var score: Double
        /// The number from which the level is increased, in the same unit: inclusive, but for Corona-Warn-App's ranges,
        /// which may begin just above it; `nil` when nothing can reach it.
        public var increasedFrom: Double?
        /// The level; `nil` when the rules give the number none.
        public var level: Level?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(score: Double, increasedFrom: Double?, level: Level?) {
            self.score = score
            self.increasedFrom = increasedFrom
            self.level = level
        }
    }

    /// The least number of people met on a day, by the level of the encounter. Corona-Warn-App's second model counts them;
    /// others do not.
    public struct Encounters: Codable, Sendable, Equatable {
        /// The least number of people whose encounter has a low risk; 0 or more.
        public var low: Int
        /// The least number of people whose encounter has an increased risk; 0 or more.
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
        /// The day's number, its limit and its level.
        public var verdict: Verdict
        /// The least number of people met, by level; `nil` if the model does not count them, and on days without a level.
        public var encounters: Encounters?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(day: Int, verdict: Verdict, encounters: Encounters?) {
            self.day = day
            self.verdict = verdict
            self.encounters = encounters
        }
    }

    /// The rules by which a risk was judged.
    public struct Rules: Codable, Sendable, Equatable {
        /// The model that judged by these rules.
        public var model: Model
        /// The unit of the model's numbers.
        public var unit: Unit
        /// The reason why the authority's first choice did not judge alone, and what could not be judged, in English
        /// sentences; `nil` if there is nothing to say.
        public var fallback: String?
        /// The version of the authority's configuration by which was judged; it rises with every new one.
        public var version: Int64

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(model: Model, unit: Unit, fallback: String?, version: Int64) {
            self.model = model
            self.unit = unit
            self.fallback = fallback
            self.version = version
        }
    }

    /// A warning that was given to the person and taken back since by whoever had published it.
    public struct TakenBack: Codable, Sendable, Equatable {
        /// The UTC day that the warning was about, in days since 1970.
        public var day: Int
        /// The time when this device learned of it, Unix seconds.
        public var learned: Int64

        /// Creates a part of replies of the core. No value is checked. See the properties for units.
        public init(day: Int, learned: Int64) {
            self.day = day
            self.learned = learned
        }
    }

    /// The risk of the person who wears this device, and the days it follows from. With several sources the numbers are those of one of
    /// them.
    public struct Risk: Codable, Sendable, Equatable {
        /// The state to tell the person; see ``State``.
        public var state: State
        /// The state in an English sentence, with what to do about it.
        public var sentence: String
        /// Whether something has changed that nobody has acknowledged with `Acknowledge`.
        public var news: Bool
        /// The UTC day that advice counts from, in days since 1970; `nil` unless the judgement behind the numbers says increased, and whenever
        /// ``rules`` is `nil`.
        public var mostRelevantDay: Int?
        /// The rules behind the numbers; `nil` while nothing was judged, and in states that follow from something else than a judgement
        /// (``State/inactive``, say).
        public var rules: Rules?
        /// The verdict over all days together, for models that judge them so; `nil` for others, and whenever ``rules`` is `nil`.
        public var combined: Verdict?
        /// Days with encounters that were judged, oldest first, at most 16; empty without such days, and whenever ``rules`` is `nil`.
        public var days: [Day]
        /// The number of people who were heard and whom nobody could judge, above 0, of one source; `nil` if there are none. With any, the state is
        /// never low.
        public var unjudged: Int?
        /// The time when the days were judged last, Unix seconds; `nil` if never, and whenever ``rules`` is `nil`.
        public var assessed: Int64?
        /// The time when published keys of any source were compared last, Unix seconds; `nil` if never.
        public var lastMatched: Int64?
        /// The moment from which everything on this device is erased after the end of service, Unix seconds; `nil` while
        /// the service goes on.
        public var eraseFrom: Int64?
        /// Warnings taken back in the last 14 days, oldest day first, at most 16; `nil` if there are none, and whenever ``rules`` is `nil`. A day
        /// that is increased again is not among them.
        public var takenBack: [TakenBack]?
        /// The verdict of each source where several are followed, at most 24, and of those that are not followed any more and have left somebody
        /// unjudged; `nil` with one source, and while the state is inactive. The state is increased if one says so, and never low while somebody whom
        /// one warns of is judged by nobody.
        public var sources: [SourceWord]?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
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

    /// Reply of `GetRisk`: what to tell the person, now.
    public struct RiskReply: Codable, Sendable {
        /// The state now, and the days it follows from.
        public var risk: Risk

        /// Creates the reply of the core to `GetRisk`. No value is checked.
        public init(risk: Risk) { self.risk = risk }
    }

    /// Reply of `Watch`: now, and again after every change. It does not tell what the news is; `GetRisk` does.
    public struct WatchReply: Codable, Sendable {
        /// Whether something has changed that nobody has acknowledged.
        public var news: Bool

        /// Creates the reply of the core to `Watch`. No value is checked.
        public init(news: Bool) { self.news = news }
    }

    /// Parameters of `Explain`: for which days and by which source the parts of the verdicts are wanted. Refused with `WrongRole` in a place, and
    /// with `TimeUnknown` without a time.
    public struct ExplainCall: Codable, Sendable {
        /// One UTC day only, in days since 1970; `nil` for all days. A day without encounters has no parts.
        public var day: Int?
        /// The name of a source; `nil` for the one whose numbers `GetRisk` shows. A source that is not followed has no parts.
        public var source: String?

        /// Creates the parameters of a call of `Explain`. Nothing is checked here: the core checks the values when the call
        /// arrives. See the properties for units and `nil`.
        public init(day: Int?, source: String? = nil) {
            self.day = day
            self.source = source
        }
    }

    /// Parameters of `TakeConfiguration`: rules that an authority published. What is too large, malformed, older than what is there, or not signed by
    /// a configuration key of that authority is refused with `ConfigurationRefused`, and so is an unknown source; then nothing changes.
    public struct TakeConfigurationCall: Codable, Sendable {
        /// The source of the rules: the name of an authority's profile; `nil` for the device's own authority, or for the only source.
        public var source: String?
        /// The document as it was published (docs/risk-configuration.md), in Base64; at most 24 KiB before it is encoded.
        public var document: String
        /// The proof of its origin, as its form wants it: `export.sig`, the lines of two headers, or a token; in Base64, at most 4 KiB before it is
        /// encoded.
        public var approvals: String

        /// Creates the parameters of a call of `TakeConfiguration`. Nothing is checked here: the core checks the values
        /// when the call arrives. See the properties for `nil`.
        public init(source: String? = nil, document: String, approvals: String) {
            self.source = source
            self.document = document
            self.approvals = approvals
        }
    }

    /// Reply of `TakeConfiguration`: which rules the core has now.
    public struct TakeConfigurationReply: Codable, Sendable {
        /// The version of the newest configuration taken from this source, 1 or more; it rises with every new one.
        public var version: Int64
        /// Whether this configuration was new. False if it was taken before, perhaps with another proof.
        public var changed: Bool

        /// Creates the reply of the core to `TakeConfiguration`. No value is checked. See the properties for units.
        public init(version: Int64, changed: Bool) {
            self.version = version
            self.changed = changed
        }
    }

    /// Parameters of `GetConfiguration`: whose rules are wanted.
    public struct GetConfigurationCall: Codable, Sendable {
        /// The name of a source; `nil` for `authority`, the device's own, or for the only source.
        public var source: String?

        /// Creates the parameters of a call of `GetConfiguration`. Nothing is checked here: the core checks the values when
        /// the call arrives. See the properties for `nil`.
        public init(source: String? = nil) { self.source = source }
    }

    /// Reply of `GetConfiguration`: the rules of a source that hold now.
    public struct ConfigurationReply: Codable, Sendable {
        /// The version of the newest configuration taken, which may not hold yet; 0 without one, and for a source that is not followed. Where no
        /// source was named, several are followed and none is `authority`, the lowest of all that judge.
        public var version: Int64
        /// The rules that hold as JSON text (docs/schemas/risk-configuration.schema.json); `nil` while none hold, for a source that is not followed,
        /// and where ``version`` is of several sources.
        public var configuration: String?
        /// The names of the followed sources that have no rules yet, at most 16; `nil` when all have some, and where a source was named.
        public var missing: [String]?

        /// Creates the reply of the core to `GetConfiguration`. No value is checked. See the properties for units and
        /// `nil`.
        public init(version: Int64, configuration: String?, missing: [String]? = nil) {
            self.version = version
            self.configuration = configuration
            self.missing = missing
        }

        /// The version to judge by: ``version``, or 0 while a source has none.
        public var knownVersion: Int64 { missing?.isEmpty ?? true ? version : 0 }
    }
}
