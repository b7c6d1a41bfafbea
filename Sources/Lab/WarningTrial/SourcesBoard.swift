// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Core
import Interfaces
import Trust

/// The board of a scene with several authorities, from its first hour to the last question.
final class SourcesBoard {
    private enum Act {
        case takeRules
        case hear(HeardScan)
        case restart
        case event(SourcesScene.Event)
        case ask(Int)
    }

    /// How the board stands to one authority.
    private struct Standing {
        let authority: SceneAuthority
        var isFollowed: Bool
        var knowsRules: Bool
        var isOff: Bool
        /// Whether its rules have ended its service.
        var hasEnded = false

        /// Whether it has its files fetched.
        var isFetched: Bool { isFollowed && !isOff }
    }

    private let scene: SourcesScene
    private let number: Int
    private let midnight: Int64
    private let scratch: Scratch?
    private let senders: SceneSenders
    private var publications: SourcesPublications
    private var standings: [Standing]

    /// `authorities` are those of the scene, in its order; `day` is that of the submission, counted from 1970, UTC.
    init(_ scene: SourcesScene, number: Int, day: Int64, authorities: [SceneAuthority], folder: String) throws {
        self.scene = scene
        self.number = number
        midnight = UTCDay(number: day).start
        scratch = scene.isRestarted ? try Scratch(below: folder) : nil
        senders = SceneSenders(
            of: scene.name, persons: scene.persons.map { .init(name: $0.name, intervals: $0.keys.map(\.intervals)) },
            meetings: scene.meetings, number: number, day: day)
        publications = SourcesPublications(scene, senders, day: day)
        standings = authorities.map { authority in
            Standing(
                authority: authority,
                isFollowed: scene.events?.contains { $0.kind == .added && $0.source == authority.name } != true,
                knowsRules: scene.noRules?.contains(authority.name) != true,
                isOff: scene.switchedOff?.contains(authority.name) == true)
        }
    }

    /// Plays everything in the order of time; gives what was told at each check.
    func play() throws -> [Risk1.Risk] {
        let acts = try timeline()
        let board = try WarnedBoard(
            trust: TrustStore(keys: []), authorities: profiles(), at: midnight + (acts.first?.time ?? 0) - 3_600,
            seed: UInt64(number) &+ 2_000, ledgerPath: scratch?.path("ledger.sqlite"))
        var answers: [Risk1.Risk] = []
        for act in acts {
            let time = midnight + act.time
            board.advance(to: time)
            switch act.what {
            case .takeRules:
                for standing in standings { try takeRules(standing, board) }
                try restart(board, .afterRules, at: time)
            case .hear(let scan): try board.keep(scan)
            case .restart: try board.restart(at: time)
            case .event(let event): try happen(event, board, at: time)
            case .ask(let index):
                try fetch(board, scene.checks[index], at: time)
                board.think()
                try restart(board, .beforeAsking, at: time)
                answers.append(try board.told())
                try board.acknowledge()
            }
        }
        return answers
    }

    // MARK: What happens

    /// The profiles that the board starts with.
    private func profiles() throws -> [AuthoritySource] {
        try standings.filter(\.isFollowed).map { try $0.authority.source(isOff: $0.isOff, knowsRules: $0.knowsRules) }
    }

    private func takeRules(_ standing: Standing, _ board: WarnedBoard) throws {
        guard standing.isFollowed, standing.knowsRules, !standing.isOff, standing.authority.publishesRules else { return }
        try board.take(rules: standing.authority.rules(), of: standing.authority.name)
    }

    private func happen(_ event: SourcesScene.Event, _ board: WarnedBoard, at time: Int64) throws {
        guard event.kind != .restart else { return try board.restart(at: time) }
        guard let index = standings.firstIndex(where: { $0.authority.name == event.source }) else {
            throw WarningFailure("\(scene.name): \(event.source) is no source of it")
        }
        let authority = standings[index].authority
        switch event.kind {
        case .paused, .ended:
            standings[index].hasEnded = event.kind == .ended
            return try board.take(
                rules: authority.rules(event.kind, day: UTCDay(containing: time).number), of: authority.name)
        case .rules:
            standings[index].knowsRules = true
            if authority.publishesRules { return try takeRules(standings[index], board) }
        case .added: standings[index].isFollowed = true
        case .removed: standings[index].isFollowed = false
        case .switchedOff: standings[index].isOff = true
        case .restart: break
        }
        // Profiles are read when the core starts.
        try board.restart(at: time, following: profiles())
        if event.kind == .added { try takeRules(standings[index], board) }
    }

    /// Every authority that can be reached and has not ended its service, one after the other, as sync does it.
    private func fetch(_ board: WarnedBoard, _ check: SourcesScene.Check, at time: Int64) throws {
        let followed = try profiles().map(\.export)
        let fetched = standings.filter(\.isFetched).map(\.authority)
        // Where every authority has ended its service, the board takes no part any more.
        let isOver = !fetched.isEmpty && standings.allSatisfy { $0.hasEnded || !$0.isFetched }
        for authority in fetched where check.reaches(authority.name) {
            let packages = try publications.packages(of: authority, at: time)
            let delivery = try Delivery(packages, authorities: followed, wanted: authority.name, at: time)
            let terms = try ProvideTerms(
                Exposure1.Files(files: [], source: authority.name, sources: fetched.map(\.wanted)))
            do {
                try board.take(delivery, on: terms)
            } catch let refusal as Refusal where isOver && refusal.name == "NotEnabled" {
                continue
            }
            try restart(board, .afterDownload, at: time)
        }
    }

    private func restart(_ board: WarnedBoard, _ when: Scene.Restart, at time: Int64) throws {
        if scene.restarts?.contains(when) == true { try board.restart(at: time) }
    }

    // MARK: The order of things

    private func timeline() throws -> [(time: Int64, what: Act)] {
        let heard = try senders.scans().map { (time: $0.time - midnight, what: Act.hear($0)) }
        let submitted = scene.persons.map(\.submit).min() ?? 0
        let lastHeard = heard.last?.time ?? 0
        var acts: [(time: Int64, what: Act)] = [(min(heard.first?.time ?? 0, submitted) - 1_800, .takeRules)]
        acts += heard
        if scene.restarts?.contains(.afterHearing) == true { acts.append((lastHeard, .restart)) }
        if scene.restarts?.contains(.afterSubmission) == true { acts.append((submitted, .restart)) }
        acts += (scene.events ?? []).map { ($0.time, .event($0)) }
        acts += scene.checks.enumerated().map { ($1.time, .ask($0)) }
        // What is of one moment stays in this order.
        return acts.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }
}
