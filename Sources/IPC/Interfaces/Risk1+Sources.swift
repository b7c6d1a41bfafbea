// SPDX-License-Identifier: Apache-2.0

extension Risk1 {
    /// The state of the person by one source, like ``Risk1/State``.
    public enum SourceState: String, Codable, Sendable, CaseIterable {
        /// As in ``State``, but `unknown` also while the wearer has not agreed, and `off` for a source that has ended or
        /// switched off its service: nothing is missing that it could say.
        case low, increased, unknown, outdated, paused, ended, off
    }

    /// The verdict of one source: a health authority that this device follows, judged by its own rules over its own keys.
    /// No number of one is added to another's.
    public struct SourceWord: Codable, Sendable, Equatable {
        /// The source's name, by which everything calls it; `authority` is the device's own, whose keys are on the command line.
        public var name: String
        /// The source's name for people, by language (`en`, `de`, `fr`, `de-simple`); empty where the profile has no title,
        /// and for a source that is not followed any more.
        public var title: [String: String]
        /// The state of the person by the source.
        public var state: SourceState
        /// The state in an English sentence, with what to do about it.
        public var sentence: String
        /// The UTC day that its advice counts from, in days since 1970; `nil` unless its last judgement says increased, and whenever ``rules`` is
        /// `nil`.
        public var mostRelevantDay: Int?
        /// The rules of the source's last judgement; `nil` while nothing of it was judged, and in a ``state`` that follows
        /// from something else than a judgement (``SourceState/paused``, say).
        public var rules: Rules?
        /// The verdict over all its days together; `nil` where its model does not judge them so, and whenever ``rules`` is `nil`.
        public var combined: Verdict?
        /// Days with encounters that were judged by it, oldest first, at most 16; empty without such days, and whenever ``rules`` is `nil`.
        public var days: [Day]
        /// The number of people who were heard, of whom it warns and whom nobody could judge, above 0; `nil` if there are none.
        public var unjudged: Int?
        /// The time when its days were judged last, Unix seconds; `nil` if never, and whenever ``rules`` is `nil`.
        public var assessed: Int64?
        /// The time when its published keys were compared last, Unix seconds; `nil` if never, and for a source that is not followed any more.
        public var lastMatched: Int64?
        /// The source's warnings that were taken back in the last 14 days, oldest day first; `nil` if there are none. At
        /// most 16.
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
