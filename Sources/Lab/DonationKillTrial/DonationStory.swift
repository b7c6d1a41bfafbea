// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Donation
import VirtualAir

/// Weeks of one wearer in virtual time: a board, an issuer and a donation server in processes of their own, which are killed, and a judge that carries
/// what they say to each other and knows all of it. Used by one thread.
final class DonationStory {
    /// 2026-11-21 12:00 UTC.
    static let begin: Int64 = 1_795_262_400
    static let day: Int64 = 86_400

    /// What a process was asked and has not answered.
    enum Open {
        case agree, withdraw, terms, agreeLog, withdrawLog, agreeSurvey, withdrawSurvey, release, end, other
    }

    /// What is under way between the board and a server.
    enum Carrying {
        case asked, sent, logAsked, logSent, surveyAsked, digestSent, redeeming

        /// Its word in reports.
        var state: DonationState {
            switch self {
            case .asked: .asked
            case .sent: .sent
            case .logAsked: .logAsked
            case .logSent: .logSent
            case .surveyAsked: .surveyAsked
            case .digestSent: .digestSent
            case .redeeming: .redeeming
            }
        }
    }

    let trial: KilledDonations
    let fault: DonationFault?
    var random: SplitMix64
    var time = DonationStory.begin
    var board: LifeProcess?
    var issuer: LifeProcess?
    var server: LifeProcess?
    private var lives: UInt64
    private var isAimed = false
    /// Whether processes die and answers are lost.
    var isTroubled = true
    /// The steps that an order took last, and those of this life so far.
    private var steps: [String: Int] = [:]
    private var passed = 0

    var carrying: Carrying?
    /// The states after the last answer, as the board knows them.
    private var states: [DonationState] = [.noConsent]
    var verdict = KilledDonations.Verdict()

    // What the judge knows.
    var hasConsent = false
    var donations = DonorLook.Entries()
    var consentOrigin = ""
    var log = LogStory()
    var survey = SurveyStory()
    var origin = "donation.example"
    var version: Int64 = 0
    var termsDay: Int64 = 0
    var metDay: Int64 = 0
    var nextNonce: String?
    /// By day: what left the board.
    var messages: [Int64: Set<[UInt8]>] = [:]
    var contents: [Int64: Set<[UInt8]>] = [:]
    var nonces: [Int64: Set<[UInt8]>] = [:]
    /// By day: the content that the server has said it has, and the day on which it did.
    var taken: [Int64: (content: [UInt8], on: Int64)] = [:]
    var secrets: Set<[UInt8]> = []

    init(_ trial: KilledDonations, seed: UInt64, fault: DonationFault?) {
        self.trial = trial
        self.fault = fault
        random = SplitMix64(seed: seed)
        lives = seed &* 1_000
    }

    var isForOthers: Bool { hasConsent && consentOrigin != origin }
    var isLogForOthers: Bool { log.hasConsent && log.consentOrigin != origin }
    /// The survey that the document has; `nil` for none.
    var offer: SurveyStory.Offer? { survey.number == 0 ? nil : .init(origin: origin, number: survey.number) }
    var isSurveyForOthers: Bool { survey.hasConsent && survey.consent != offer }
    var today: Int64 { time / Self.day }

    func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

    func found(_ problem: String) -> DonationFinding { DonationFinding(description: problem) }

    // MARK: The board

    /// States that do not last, or that few stories have.
    private static let seldom: Set<DonationState> = [
        .taken, .withdrawn, .logTaken, .logWithdrawn, .digestReady, .digestOpen, .passwordGood, .passwordOver,
        .passwordLate, .surveyWithdrawn,
    ]

    private func living() throws -> LifeProcess {
        if let board { return board }
        lives += 1
        passed = 0
        let started = try LifeProcess(
            trial.program,
            ["donation-life", "board", trial.board, "--time", "\(time)", "--seed", "\(lives)"]
                + (fault.map { ["--fault", $0.rawValue] } ?? []))
        board = started
        return started
    }

    /// The board's answer; `nil` if it was killed meanwhile. What it left was looked at then.
    func order(_ words: String..., as open: Open = .other) throws -> [String]? {
        let board = try living()
        let before = present(open)
        let count = verdict.cuts[before, default: .init()].total
        // There are few orders while something is under way, and of what is monthly once a month.
        let isOfMonth = carrying.map { $0 != .asked && $0 != .sent } ?? false
        let often = isOfMonth || Self.seldom.contains(before) ? 0.9 : carrying == nil ? 0.35 : 0.6
        // What lasts for weeks would have most of the cuts.
        let further = count < 2 * trial.quota ? 0.01 : 0
        guard isTroubled, !isAimed, chance(count < trial.quota ? often : further) else {
            return try take(board.ask(words), words, open)
        }
        if carrying != nil, chance(isOfMonth ? 0.5 : 0.25) {
            // Nobody has told it yet.
            board.kill()
            try cut(nil)
            return nil
        }
        if chance(0.15) {
            let answer = try board.ask(words, killingAfter: .random(in: 0..<3_000, using: &random))
            let result = answer.map { Array($0.dropFirst(2)) }
            // What it answered is there; whoever ordered it sees to that.
            try cut(open)
            return result
        }
        try board.aim(.random(in: 1...max(1, steps[words[0]] ?? 6), using: &random), isAfter: .random(using: &random))
        isAimed = true
        return try take(board.ask(words), words, open)
    }

    private func take(_ answer: [String]?, _ words: [String], _ open: Open) throws -> [String]? {
        guard let answer, answer.count > 2, let passed = Int(answer[1]) else {
            guard isAimed else { throw found("the board ended by itself at \(words[0])") }
            try cut(open)
            return nil
        }
        steps[words[0]] = passed - self.passed
        self.passed = passed
        states = answer[0].split(separator: ",").compactMap { Int($0) }.map { DonationState.allCases[$0] }
        if answer[2] == "refused" { throw found("\(words[0]) was refused: \(answer.last ?? "")") }
        return Array(answer.dropFirst(2))
    }

    /// The states that hold, with what the board cannot know: one, or one for each purpose that has a consent.
    var present: [DonationState] {
        if let carrying { return [carrying.state] }
        guard hasConsent || log.hasConsent || survey.hasConsent else {
            return [donations.withdrawn + log.entries.withdrawn > 0 ? .withdrawn : .noConsent]
        }
        return states.map { state in
            if state.isOfSurveys { return isSurveyForOthers ? .surveyChanged : state }
            return (state.isOfLogs ? isLogForOthers : isForOthers) ? .termsChanged : state
        }
    }

    /// The state that a cut counts for: of those that hold, the one with the fewest cuts of this story.
    private func present(_ open: Open?) -> DonationState {
        switch open {
        case .withdraw? where carrying == nil: .withdrawn
        case .withdrawLog? where carrying == nil: .logWithdrawn
        case .withdrawSurvey? where carrying == nil: .surveyWithdrawn
        case .release? where carrying == nil: .logReleased
        case .terms? where carrying == nil: .termsChanged
        default:
            present.min {
                verdict.cuts[$0, default: .init()].total < verdict.cuts[$1, default: .init()].total
            } ?? .noConsent
        }
    }

    /// The board is dead; `open` is what it did not answer.
    private func cut(_ open: Open?) throws {
        board?.kill()
        board = nil
        isAimed = false
        let look = try look()
        try compare(look, open)
        if let book = look.book { states = DonationState.all(book, isFrozen: look.body != nil, at: time) }
        verdict.cuts[present(open), default: .init()].board += 1
        time += .random(in: 1...90, using: &random)
    }

    /// The end of cuts: everything goes on as it is.
    func calm() throws {
        isTroubled = false
        isAimed = false
        for process in [board, issuer, server] { try process?.aim(0, isAfter: false) }
    }

    func pass(_ seconds: Int64) throws {
        time += max(1, seconds)
        _ = try order("time", "\(time)")
    }

    // MARK: The servers

    /// An answer of the issuer; `nil` if it died of it.
    func askIssuer(_ words: String...) throws -> [String]? {
        try ask(&issuer, ["issuer", trial.issuer], words, carrying?.state ?? .asked, 7)
    }

    /// An answer of the donation server; `nil` if it died of it.
    func askServer(_ words: String...) throws -> [String]? {
        try ask(&server, ["server", trial.server], words, carrying?.state ?? .sent, 5, isServer: true)
    }

    private func ask(
        _ process: inout LifeProcess?, _ arguments: [String], _ words: [String], _ state: DonationState, _ steps: Int,
        isServer: Bool = false
    ) throws -> [String]? {
        let living = try process ?? LifeProcess(trial.program, ["donation-life"] + arguments)
        process = living
        let count = verdict.cuts[state, default: .init()].total
        if isTroubled, carrying != nil,
            chance(
                count < trial.quota
                    ? state == .redeeming ? 0.8 : state.isOfSurveys ? 0.4 : 0.15 : count < 2 * trial.quota ? 0.03 : 0)
        {
            try living.aim(.random(in: 1...steps, using: &random), isAfter: .random(using: &random))
        }
        if let answer = try living.ask(words) { return answer }
        guard isTroubled else { throw found("the \(arguments[0]) ended by itself at \(words[0])") }
        living.kill()
        process = nil
        verdict.cuts[state, default: .init()].servers += 1
        if isServer { try compareServer() }
        return nil
    }
}

/// What the judge has found.
struct DonationFinding: Error {
    let description: String
}
