// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// A little story of a board that follows several authorities, and what its wearer must be told. `Tests/Vectors/warnings/SOURCES.md` says what
/// each part means; times are those of ``Scene``.
struct SourcesScene: Sendable, Decodable {
    /// What one authority publishes of a key.
    struct Statement: Sendable, Decodable {
        let reportType: Int32
        let onset: Int32?
        let level: Int32
        /// When; `nil` is with the person's submission.
        let time: Int64?

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            reportType = try values.decode(Int32.self)
            onset = try values.decodeNil() ? nil : values.decode(Int32.self)
            level = try values.decode(Int32.self)
            time = values.isAtEnd ? nil : try values.decode(Int64.self)
        }
    }

    struct Key: Sendable, Decodable {
        /// Days before the day of submission.
        let age: Int64
        /// First interval within its day.
        let start: Int64
        let period: Int64
        /// By the name of the authority, in the order of time.
        let statements: [String: [Statement]]

        private enum CodingKeys: String, CodingKey {
            case age, start, period
            case statements = "by"
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            age = try values.decode(Int64.self, forKey: .age)
            start = try values.decodeIfPresent(Int64.self, forKey: .start) ?? 0
            period = try values.decodeIfPresent(Int64.self, forKey: .period) ?? 144
            statements = try values.decode([String: [Statement]].self, forKey: .statements)
        }

        /// Its intervals.
        var intervals: Range<Int64> {
            let first = start - age * 144
            return first..<(first + period)
        }
    }

    struct Person: Sendable, Decodable {
        let name: String
        let keys: [Key]
        /// When she submits.
        let submit: Int64

        private enum CodingKeys: String, CodingKey { case name, keys, submit }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            name = try values.decode(String.self, forKey: .name)
            keys = try values.decode([Key].self, forKey: .keys)
            submit = try values.decodeIfPresent(Int64.self, forKey: .submit) ?? 43_200
        }
    }

    /// What one source says of the person.
    struct Word: Sendable, Decodable {
        /// A ``Risk1/State``, or `switchedOff`.
        let told: String
        /// The best day's sum; `nil` where nothing counts.
        let points: Double?
        /// Days before the check, and that day's sum.
        let days: [[Double]]?
    }

    /// The board is asked.
    struct Check: Sendable, Decodable {
        let time: Int64
        /// Whose servers are reached before; `nil` is everybody's.
        let reached: [String]?
        let told: Risk1.State
        /// Whose numbers stand beside *increased*: any of these.
        let numbers: [String]?
        /// Whether there is news; `nil` where the documents do not say.
        let hasNews: Bool?
        let sources: [String: Word]

        private enum CodingKeys: String, CodingKey {
            case told, numbers, sources
            case time = "at"
            case reached = "network"
            case hasNews = "news"
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            time = try values.decode(Int64.self, forKey: .time)
            if let all = try? values.decodeIfPresent(Bool.self, forKey: .reached) {
                reached = all ? nil : []
            } else {
                reached = try values.decodeIfPresent([String].self, forKey: .reached)
            }
            told = try values.decode(Risk1.State.self, forKey: .told)
            numbers = try values.decodeIfPresent([String].self, forKey: .numbers)
            hasNews = try values.decodeIfPresent(Bool.self, forKey: .hasNews)
            sources = try values.decode([String: Word].self, forKey: .sources)
        }

        func reaches(_ source: String) -> Bool { reached?.contains(source) ?? true }
    }

    /// Something that happens to the board, or to one of its sources.
    struct Event: Sendable, Decodable {
        enum Kind: String, Sendable, Decodable {
            case rules, added, removed, switchedOff, paused, ended, restart
        }

        let time: Int64
        let kind: Kind
        /// Empty for the board.
        let source: String

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            time = try values.decode(Int64.self)
            kind = try values.decode(Kind.self)
            source = values.isAtEnd ? "" : try values.decode(String.self)
        }
    }

    /// What is told at one check by another reading of the documents, and by which sources differently.
    struct Alternative: Sendable, Decodable {
        let told: String
        let sources: [String: String]

        init(from decoder: any Decoder) throws {
            if let told = try? decoder.singleValueContainer().decode(String.self) {
                (self.told, sources) = (told, [:])
                return
            }
            var values = try decoder.unkeyedContainer()
            told = try values.decode(String.self)
            sources = try values.decode([String: String].self)
        }
    }

    let name: String
    let group: String
    /// Every source that is followed at any time.
    let sources: [String]
    let persons: [Person]
    let meetings: [Scene.Meeting]
    let checks: [Check]
    /// Sources whose rules are not known from the start.
    let noRules: [String]?
    /// Sources that are off from the start.
    let switchedOff: [String]?
    let restarts: [Scene.Restart]?
    let events: [Event]?
    /// By the name of another reading, one for each check.
    let alt: [String: [Alternative]]?

    /// Whether the board must outlive a process: it takes its profiles when it starts.
    var isRestarted: Bool {
        restarts?.isEmpty == false
            || events?.contains { [.restart, .added, .removed, .switchedOff, .rules].contains($0.kind) } == true
    }
}
