// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Core
import Interfaces

/// The board of a scene, from its first hour to the last question.
struct SceneBoard {
    /// What was told at one check.
    struct Answer {
        let told: Scene.Told
        /// Day sums by days before the check; one without a day for a model that judges all together.
        let days: [Int64?: Double]
    }

    private enum Act {
        case rules
        case hear(HeardScan)
        case restart
        case download
        case becomePlace
        case ask(Int)
    }

    private let scene: Scene
    private let number: Int
    private let midnight: Int64
    private let source: any SceneSource
    private let folder: String

    init(_ scene: Scene, number: Int, day: Int64, source: any SceneSource, folder: String) {
        self.scene = scene
        self.number = number
        midnight = UTCDay(number: day).start
        self.source = source
        self.folder = folder
    }

    /// Plays everything in the order of time; gives an answer for each check, and what else was wrong.
    func play() throws -> (answers: [Answer], problems: [String]) {
        let acts = try timeline()
        let scratch = scene.isRestarted ? try Scratch(below: folder) : nil
        let start = (acts.map(\.time).min() ?? 0) - 3_600
        let board = try WarnedBoard(
            trust: source.trust, at: midnight + start, seed: UInt64(number) &+ 1_000,
            ledgerPath: scratch?.path("ledger.sqlite"))
        var answers: [Answer] = []
        var problems: [String] = []
        for act in acts {
            let time = midnight + act.time
            board.advance(to: time)
            switch act.what {
            case .rules:
                try board.take(rules: source.rules(of: scene))
                try restart(board, .afterRules, at: time)
            case .hear(let scan): try board.keep(scan)
            case .restart: try board.restart(at: time)
            case .becomePlace:
                try board.stand(for: .place)
                if try !board.holdsNothing() { problems.append("a place still holds something of whom the person met") }
            case .download: try download(board, at: time, &problems)
            case .ask(let index):
                let check = scene.checks[index]
                if check.hasNetwork { try download(board, at: time, &problems) }
                board.think()
                try restart(board, .beforeAsking, at: time)
                answers.append(try ask(board, check))
            }
        }
        if scene.isPlace { problems += try goesBack(board, after: acts.last?.time ?? 0) }
        withExtendedLifetime(scratch) {}
        return (answers, problems)
    }

    private func restart(_ board: WarnedBoard, _ when: Scene.Restart, at time: Int64) throws {
        if scene.restarts?.contains(when) == true { try board.restart(at: time) }
    }

    private func download(_ board: WarnedBoard, at time: Int64, _ problems: inout [String]) throws {
        do {
            try board.take(source.delivery(of: scene, number: number, at: time))
            if scene.isPlace { problems.append("a place compares keys") }
        } catch let refusal as Refusal where scene.isPlace && refusal.isAboutRole {
            return
        }
        try restart(board, .afterDownload, at: time)
    }

    private func ask(_ board: WarnedBoard, _ check: Scene.Check) throws -> Answer {
        do {
            let risk = try board.told()
            let today = (midnight + check.time) / UTCDay.seconds
            var days: [Int64?: Double] = [:]
            for day in risk.days { days[today - Int64(day.day)] = day.verdict.score }
            if let combined = risk.combined { days = [nil: combined.score] }
            return Answer(told: try Self.told(risk.state, check), days: days)
        } catch let refusal as Refusal where refusal.isAboutRole {
            return Answer(told: .none, days: [:])
        }
    }

    /// The table's *unknown* is also what this firmware tells by other words: that the last comparison is too long ago.
    private static func told(_ state: Risk1.State, _ check: Scene.Check) throws -> Scene.Told {
        if state == .outdated, !check.hasNetwork { return .unknown }
        guard let told = Scene.Told(rawValue: state.rawValue) else {
            throw WarningFailure("told \(state.rawValue), for which the table has no word")
        }
        return told
    }

    /// A place that becomes a person's again remembers nobody.
    private func goesBack(_ board: WarnedBoard, after time: Int64) throws -> [String] {
        board.advance(to: midnight + time + 600)
        try board.stand(for: .person)
        let last = scene.checks.last { $0.hasNetwork }
        guard let last else { return [] }
        try board.take(source.delivery(of: scene, number: number, at: midnight + last.time))
        let state = try board.told().state
        return state == .low
            ? [] : ["a person's again, told \(state.rawValue) of whom was met before the board was a place"]
    }

    // MARK: The order of things

    private func timeline() throws -> [(time: Int64, what: Act)] {
        let scans = try SceneSenders(scene, number: number, day: UTCDay(containing: midnight).number).scans()
        let heard = scans.map { (time: $0.time - midnight, what: Act.hear($0)) }
        let events = scene.events ?? []
        var acts: [(time: Int64, what: Act)] = []
        let submitted = scene.persons.map(\.submit).min() ?? 0
        if !events.contains(where: { $0.kind == .rules }) {
            acts.append((min(heard.first?.time ?? 0, submitted) - 1_800, .rules))
        }
        acts += heard
        let lastHeard = heard.last?.time ?? 0
        if scene.restarts?.contains(.afterHearing) == true { acts.append((lastHeard, .restart)) }
        if scene.restarts?.contains(.afterSubmission) == true { acts.append((submitted, .restart)) }
        if scene.isPlace { acts.append((lastHeard, .becomePlace)) }
        for off in scene.off ?? [] where off.count == 2 && off[1] > off[0] { acts.append((off[1], .restart)) }
        for event in events {
            switch event.kind {
            case .rules: acts.append((event.time, .rules))
            case .restart: acts.append((event.time, .restart))
            case .download, .downloadAgain: acts.append((event.time, .download))
            }
        }
        acts += scene.checks.enumerated().map { ($1.time, .ask($0)) }
        // What is of one moment stays in this order.
        return acts.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }
}

extension Refusal {
    /// A place has no personal risk.
    fileprivate var isAboutRole: Bool { name == "WrongRole" }
}
