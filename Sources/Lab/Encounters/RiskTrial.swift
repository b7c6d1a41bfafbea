// SPDX-License-Identifier: Apache-2.0

import Core
import Glibc
import Interfaces
public import RiskConfiguration
import Simulation
import VirtualAir

/// People meet on the virtual air, some of them publish their keys, and an authority signs several sets of rules one after
/// the other. The trial records how their boards judge the encounters, and when they announce news. Use it on one thread.
///
/// The core itself verifies the rules, judges the contents of its ledger, and announces news. The same scenario and rules
/// give the same report.
public final class RiskTrial {
    /// A set of risk rules with a name.
    public struct Rules: Sendable {
        /// The name of the rules in reports, unique in a trial.
        public var name: String
        /// The rules; their version is replaced by one of the trial.
        public var configuration: RiskConfiguration

        /// Creates a set of rules with a name; nothing is checked.
        public init(name: String, configuration: RiskConfiguration) {
            self.name = name
            self.configuration = configuration
        }
    }

    /// The distance that counts as near in metres, as for a close contact in 2020 (ECDC, CDC).
    public static let nearMetres = 2.0
    /// The distance in metres up to which people talk with each other. Our own choice.
    public static let farMetres = 8.0
    /// Until a board has judged: it does not while an identifier is about to change.
    private static let timeout = Duration.seconds(60)

    /// How often a wearer would have seen the light come on.
    private final class Announcements {
        var count = 0
        /// The service that is listened to; another one after the board was killed or cut off, which the simulation does at random.
        weak var service: ExposureService?
        var wasMissed = false
    }

    private struct Told: Equatable {
        let risk: Risk1.Risk
        /// Days on which the risk is increased, that the person is warned of.
        let warned: Set<Int>
    }

    private static var caller: Caller { Caller(name: "page", reading: .windows, spool: nil, presence: "page") }

    private let simulation: EncounterSimulation
    private let rules: [Rules]
    private var announcements: [Announcements] = []
    private var version: Int64 = 0
    private var checks: [EncounterSimulationReport.Check] = []

    /// Creates the people and their boards; nothing runs yet. Throws `invalidScenario` when the scenario breaks a rule,
    /// when it has no diagnosis or no person who is not diagnosed, and when there are no rules; and ``CryptographyError``
    /// when the authority's key cannot be made.
    public init(_ scenario: PeopleScenario, rules: [Rules]) throws {
        simulation = try EncounterSimulation(scenario, comparesWithReference: false)
        self.rules = rules
        guard !rules.isEmpty, !simulation.population.diagnoses.isEmpty else {
            throw EncountersError(.invalidScenario, "risk needs rules and somebody who is diagnosed")
        }
        guard !observers.isEmpty else { throw EncountersError(.invalidScenario, "everybody is diagnosed or a place") }
    }

    private var observers: [EncounterSimulation.Participant] {
        let diagnosed = Set(simulation.population.diagnoses.map(\.person))
        return simulation.participants.filter { !$0.isPlace && !diagnosed.contains($0.member.id) }
    }

    /// Runs the trial to its end and returns the report. Must be called only once. Blocks while days of virtual time pass.
    /// `progress` is called after each hour of virtual time, with the hours that have passed and those of the whole
    /// scenario. Throws when a board refuses or does not answer.
    public func run(progress: (_ hours: Int, _ of: Int) -> Void = { _, _ in }) throws -> RiskTrialReport {
        let published = simulation.population.diagnoses.map(\.day).max() ?? 0
        simulation.startBoards()
        for day in 0...published { try simulation.pass(day, progress: progress) }
        announcements = observers.map { _ in Announcements() }
        try listen()
        for announcements in announcements { announcements.wasMissed = false }
        var report = RiskTrialReport(
            rules: rules.map(\.name), observers: observers.map(geometry), turned: 0, announced: 0, checks: [])
        var told = try judge(by: rules[0].configuration)
        try record(told, in: &report)
        let found = told.map { $0.warned.isEmpty ? 0 : 1 }
        check("a board that had no rules says what it found, once", told, expecting: found)
        report.announced = found.reduce(0, +)
        for next in rules.dropFirst() {
            let before = told
            told = try judge(by: next.configuration)
            try record(told, in: &report)
            expectNews("rules \(next.name)", before, told, &report)
        }
        let before = told
        try offerAgain(rules[rules.count - 1].configuration)
        told = try ask()
        expectNews("the same rules once more", before, told, &report)
        for day in (published + 1)..<max(published + 1, simulation.scenario.days) {
            let before = try ask()
            try simulation.pass(day, progress: progress)
            settle()
            told = try ask()
            expectNews("day \(day + 1)", before, told, &report)
        }
        for (number, answer) in told.enumerated() { report.observers[number].afterRevocation = Self.verdict(answer.risk) }
        report.checks = checks
        for participant in simulation.participants { participant.board.kill() }
        return report
    }

    // MARK: Steps

    private func listen() throws {
        for (participant, announcements) in zip(observers, announcements) {
            simulation.wake(participant)
            try participant.board.ask { service, _ in
                guard announcements.service !== service else { return }
                announcements.wasMissed = true
                announcements.service = service
                service.announcer.listen { [unowned service] in
                    if $0 == .risk, service.warnings.hasNews { announcements.count += 1 }
                }
            }
        }
    }

    private func judge(by configuration: RiskConfiguration) throws -> [Told] {
        version += 1
        var configuration = configuration
        configuration.version = version
        let signed = try simulation.authority.sign(configuration)
        for participant in observers {
            _ = try participant.board.ask { service, now in
                try service.warnings.takeRules(signed.document, approvals: signed.approvals, by: Self.caller, at: now)
            }
        }
        settle()
        return try ask()
    }

    private func offerAgain(_ configuration: RiskConfiguration) throws {
        var configuration = configuration
        configuration.version = version
        let signed = try simulation.authority.sign(configuration)
        for participant in observers {
            let reply = try participant.board.ask { service, now in
                try service.warnings.takeRules(signed.document, approvals: signed.approvals, by: Self.caller, at: now)
            }
            checks.append(
                .init(
                    claim: "rules that a board has are not new to it",
                    problem: reply.changed ? "they are to \(participant.title)" : nil))
        }
        settle()
    }

    private func settle() { simulation.room.run(for: Self.timeout) }

    private func ask() throws -> [Told] {
        try listen()
        return try observers.map { participant in
            let risk = try participant.board.ask { service, now in try service.warnings.risk(at: now) }
            let days = risk.days.filter { $0.verdict.level == .increased }.map(\.day)
            let isWarned = risk.state == .increased
            return Told(
                risk: risk,
                warned: !isWarned ? [] : Set(risk.combined != nil ? [risk.mostRelevantDay].compactMap { $0 } : days))
        }
    }

    // MARK: Findings

    private func record(_ told: [Told], in report: inout RiskTrialReport) throws {
        for (number, answer) in told.enumerated() {
            report.observers[number].verdicts.append(Self.verdict(answer.risk))
        }
    }

    private static func verdict(_ risk: Risk1.Risk) -> RiskTrialReport.Verdict {
        RiskTrialReport.Verdict(
            state: risk.state,
            verdict: risk.combined ?? risk.days.map(\.verdict).max { $0.score < $1.score },
            unit: risk.days.isEmpty ? nil : risk.rules?.unit)
    }

    /// News, once, to those who are told otherwise, and to nobody else.
    private func expectNews(_ what: String, _ before: [Told], _ after: [Told], _ report: inout RiskTrialReport) {
        // A further day, or none where there was one. That fewer of several days count is no news.
        let expected = zip(before, after).map { before, after in
            !after.warned.isSubset(of: before.warned) || (after.warned.isEmpty && !before.warned.isEmpty) ? 1 : 0
        }
        report.turned += zip(before, after).filter { $0.warned.isEmpty != $1.warned.isEmpty }.count
        check("\(what): news once to whom it concerns, none to others", after, expecting: expected)
        report.announced += expected.reduce(0, +)
    }

    private func check(_ claim: String, _ told: [Told], expecting expected: [Int]) {
        var problems: [String] = []
        for (number, participant) in observers.enumerated() {
            let announcements = announcements[number]
            // What a board said before it was killed or cut off, nobody heard; what it kept, it still says.
            let count = announcements.wasMissed ? expected[number] : announcements.count
            if count != expected[number] || told[number].risk.news != (expected[number] > 0) {
                problems.append("\(participant.title): told \(count) times instead of \(expected[number])")
            }
            do {
                try participant.board.ask { service, _ in try service.warnings.acknowledge() }
            } catch { problems.append("\(participant.title): \(error)") }
            announcements.count = 0
            announcements.wasMissed = false
        }
        checks.append(.init(claim: claim, problem: problems.isEmpty ? nil : problems.joined(separator: "; ")))
    }

    /// Exact, from the paths.
    private func geometry(_ participant: EncounterSimulation.Participant) -> RiskTrialReport.Observer {
        let end = simulation.now
        let others = simulation.participants.filter { other in
            simulation.population.diagnoses.contains { $0.person == other.member.id }
        }
        func minutes(_ metres: Double) -> Double {
            others.reduce(0) { $0 + participant.member.track.near($1.member.track, within: metres, from: 0, to: end).total }
                / 60
        }
        // To the decimetre, by halving: the first distance at which they were ever near.
        var (low, high) = (0.0, 1e8)
        while high - low > 0.05 {
            let middle = (low + high) / 2
            if minutes(middle) > 0 { high = middle } else { low = middle }
        }
        return RiskTrialReport.Observer(
            name: participant.title, nearest: high, nearMinutes: minutes(Self.nearMetres),
            farMinutes: minutes(Self.farMetres))
    }
}

extension EncounterSimulation.Participant {
    /// What reports call the person.
    var title: String { member.name ?? "person \(member.id)" }
}
