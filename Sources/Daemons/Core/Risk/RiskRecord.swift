// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON

/// What the person was told, as it is kept. An exposure is announced once; a warning that is taken back is said to be.
struct RiskRecord: Codable, Equatable {
    static let setting = "risk"

    /// What has changed, for logs and whoever is told.
    enum Transition: String, Equatable {
        /// A day is increased that was not before.
        case increased
        /// A day the person was warned of is not increased any more: a warning was taken back, or the rules changed.
        case withdrawn
        /// Any other change of the state.
        case changed
    }

    /// As it was told last.
    var state = Risk1.State.unknown
    /// Days the person was told are increased.
    var announced: Set<UInt32> = []
    /// Days of which the person was warned until whoever had warned took it back, oldest first; `nil` is none.
    private(set) var takenBack: [TakenBack]?
    /// Whether something has changed that nobody has acknowledged.
    var news = false
    /// Whether the person was told that somebody was met whom the rules cannot judge; absent in records of before.
    var isUnjudged: Bool?
    /// When the days were judged last, Unix seconds.
    var assessed: Int64?
    /// What was told because of each source, by its name; `nil` where there is one, which is all of it.
    private(set) var sources: [String: Told]?

    /// What was told because of one source.
    struct Told: Codable, Equatable {
        var announced: Set<UInt32> = []
        /// Oldest first; `nil` is none.
        var takenBack: [TakenBack]?

        /// Takes new verdicts, and says which days were taken back by them.
        fileprivate mutating func note(_ verdicts: Verdicts, time: Int64) -> Set<UInt32> {
            let news = verdicts.takenBack(announced.subtracting(verdicts.increased))
            takenBack = RiskRecord.adding(news, to: takenBack ?? [], standing: verdicts.increased, time: time)
            announced = verdicts.increased
            return news
        }

        fileprivate mutating func forget(before oldest: UInt32) {
            announced = announced.filter { $0 >= oldest }
            let known = (takenBack ?? []).filter { $0.day >= oldest }
            takenBack = known.isEmpty ? nil : known
        }
    }

    /// A warning that was taken back.
    struct TakenBack: Codable, Equatable {
        /// The UTC day it was about, days since 1970.
        var day: UInt32
        /// When this device learned of it, Unix seconds.
        var time: Int64
    }

    /// What days are increased, and which would be if no warning had been taken back.
    struct Verdicts {
        var increased: Set<UInt32>
        /// `nil` where nothing was taken back.
        var withoutRevocations: Set<UInt32>?
        /// All days are judged together, so that a revocation on one of them can change what is said of another.
        var areCombined = false

        /// Of `days`, which are not increased any more, those of which a revocation is the reason.
        func takenBack(_ days: Set<UInt32>) -> Set<UInt32> {
            guard let withoutRevocations else { return [] }
            return areCombined ? withoutRevocations.isEmpty ? [] : days : days.intersection(withoutRevocations)
        }
    }

    /// The latest day, of those from `oldest` on, that the person was told is increased, and of which nothing else was said since: only a judgement
    /// or a reset takes it away. `nil` if there is none.
    func stillTold(oldest: UInt32) -> UInt32? { announced.filter { $0 >= oldest }.max() }

    /// Changes that somebody should look at; the others are the course of things.
    private static let newsworthy: Set<Risk1.State> = [.outdated, .paused, .ended]

    /// Takes a new state at `time` (Unix seconds). `verdicts` is `nil` while nothing is judged, which takes no warning back. `isUnjudged`:
    /// somebody was met whom the rules cannot judge, which is news. `oldest`: days before it are over, without a word.
    mutating func note(
        _ state: Risk1.State, _ verdicts: Verdicts?, isUnjudged: Bool = false, oldest: UInt32, time: Int64
    ) -> [Transition] {
        note(
            state, of: [(AuthoritySource.standardName, verdicts)], isUnjudged: isUnjudged, oldest: oldest, time: time)
    }

    /// The same for the verdicts of each source; those of all of them together are what the person is told. A day of which another source
    /// still warns is not taken back.
    mutating func note(
        _ state: Risk1.State, of verdicts: [(name: String, verdicts: Verdicts?)], isUnjudged: Bool, oldest: UInt32,
        time: Int64
    ) -> [Transition] {
        var transitions: [Transition] = []
        let isJudged = verdicts.contains { $0.verdicts != nil }
        let isNewlyUnjudged = isUnjudged && self.isUnjudged != true
        self.isUnjudged = isUnjudged ? true : isJudged ? nil : self.isUnjudged
        // With one source what was told is all because of it; before there were several it was because of the standard one.
        let first = verdicts.count == 1 ? verdicts[0].name : AuthoritySource.standardName
        var told = verdicts.count == 1 ? [:] : sources ?? [:]
        if verdicts.count == 1 || sources == nil { told[first] = Told(announced: announced, takenBack: takenBack) }
        announced = announced.filter { $0 >= oldest }
        var news: Set<UInt32> = []
        for (name, verdicts) in verdicts {
            told[name, default: Told()].forget(before: oldest)
            if let verdicts { news.formUnion(told[name, default: Told()].note(verdicts, time: time)) }
        }
        told = told.filter { entry in verdicts.contains { $0.name == entry.key } }
        var known = (takenBack ?? []).filter { $0.day >= oldest }
        if isJudged {
            let increased = told.values.reduce(into: Set<UInt32>()) { $0.formUnion($1.announced) }
            if !increased.isSubset(of: announced) { transitions.append(.increased) }
            news.subtract(increased)
            // Beside another warning that stands, other rules are no news by themselves; that somebody took a warning back is.
            if !news.isEmpty || increased.isEmpty && !announced.isEmpty { transitions.append(.withdrawn) }
            known = Self.adding(news, to: known, standing: increased, time: time) ?? []
            announced = increased
        }
        takenBack = known.isEmpty ? nil : known
        sources = verdicts.count == 1 ? nil : told
        if state != self.state, transitions.isEmpty { transitions.append(.changed) }
        if isNewlyUnjudged || transitions.contains(where: { $0 != .changed })
            || state != self.state && Self.newsworthy.contains(state)
        {
            self.news = true
        }
        self.state = state
        return transitions
    }

    /// Days taken back, once `news` are among them and `standing` are not.
    private static func adding(
        _ news: Set<UInt32>, to known: [TakenBack], standing: Set<UInt32>, time: Int64
    ) -> [TakenBack]? {
        let kept = known.filter { !standing.contains($0.day) && !news.contains($0.day) }
        let all = (kept + news.map { TakenBack(day: $0, time: time) }).sorted { $0.day < $1.day }
        return all.isEmpty ? nil : all
    }

    init() {}

    init?(_ bytes: [UInt8]) {
        guard let json = try? JSON(parsing: bytes), let record = try? json.decode(Self.self) else { return nil }
        self = record
    }

    func bytes() throws -> [UInt8] { try JSON(encoding: self).bytes }
}
