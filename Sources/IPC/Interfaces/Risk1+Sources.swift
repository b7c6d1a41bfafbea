// SPDX-License-Identifier: Apache-2.0

extension Risk1 {
    /// The state of the person by one source; compare ``Risk1/State``.
    public enum SourceState: String, Codable, Sendable, CaseIterable {
        /// As in ``State``, except: `unknown` also while the wearer has not agreed to take part, and `off` for a source
        /// that has ended or switched off its service, so that it has nothing more to say.
        case low, increased, unknown, outdated, paused, ended, off
    }

    /// The verdict of one source: a health authority that this device follows, by its own rules and its own keys. Scores of
    /// different sources are never added.
    public struct SourceWord: Codable, Sendable, Equatable {
        /// The name of the source in all interfaces; `authority` is the device's own, whose keys are given on the command
        /// line.
        public var name: String
        /// The name of the source for people, by language (`en`, `de`, `fr`, `de-simple`); empty if the profile has no
        /// title, and for a source that is no longer followed.
        public var title: [String: String]
        /// The state of the person by the source.
        public var state: SourceState
        /// A sentence in English about the state, with advice.
        public var sentence: String
        /// The UTC day from which the source's advice counts, in days since 1970; `nil` unless its last judgement is an
        /// increased risk, and whenever ``rules`` is `nil`.
        public var mostRelevantDay: Int?
        /// The rules of the source's last judgement; `nil` if there was none, and in a ``state`` that does not come from a
        /// judgement (such as ``SourceState/paused``).
        public var rules: Rules?
        /// The verdict for all days together; `nil` if the model does not determine one, and whenever ``rules`` is `nil`.
        public var combined: Verdict?
        /// The days with encounters that were judged, oldest first, at most 16; empty if there are none, and whenever
        /// ``rules`` is `nil`.
        public var days: [Day]
        /// The number of people that were met and for whom the source warns, but whom its rules could not judge, above 0;
        /// `nil` if there are none.
        public var unjudged: Int?
        /// The time of the source's last judgement, in Unix seconds; `nil` if there was none, and whenever ``rules`` is
        /// `nil`.
        public var assessed: Int64?
        /// The time when the source's keys were last compared, in Unix seconds; `nil` if they never were, and for a source
        /// that is no longer followed.
        public var lastMatched: Int64?
        /// The source's warnings that were revoked in the last 14 days, oldest day first, at most 16; `nil` if there are
        /// none.
        public var takenBack: [TakenBack]?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(
            name: String, title: [String: String], state: SourceState, sentence: String, mostRelevantDay: Int? = nil,
            rules: Rules? = nil, combined: Verdict? = nil, days: [Day] = [], unjudged: Int? = nil, assessed: Int64? = nil,
            lastMatched: Int64? = nil, takenBack: [TakenBack]? = nil
        ) {
            self.name = name
            self.title = title
            self.state = state
            self.sentence = sentence
            self.mostRelevantDay = mostRelevantDay
            self.rules = rules
            self.combined = combined
            self.days = days
            self.unjudged = unjudged
            self.assessed = assessed
            self.lastMatched = lastMatched
            self.takenBack = takenBack
        }
    }
}
