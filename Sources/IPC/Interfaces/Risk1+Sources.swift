// SPDX-License-Identifier: Apache-2.0

extension Risk1 {
    public enum SourceState: String, Codable, Sendable, CaseIterable {
        case low, increased, unknown, outdated, paused, ended, off
    }

    public struct SourceWord: Codable, Sendable, Equatable {
        public var name: String
        public var title: [String: String]
        public var state: SourceState
        public var sentence: String
        public var mostRelevantDay: Int?
        public var rules: Rules?
        public var combined: Verdict?
        public var days: [Day]
        public var unjudged: Int?
        public var assessed: Int64?
        public var lastMatched: Int64?
        public var takenBack: [TakenBack]?

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
