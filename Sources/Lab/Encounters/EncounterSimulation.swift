// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Matching
import Radio
import Simulation
import TimeTrust
public import Trust
import VirtualAir

/// Simulates people with boards for some days: whole cores on one air, whose keys are released, signed, published and
/// matched. The results are compared with where the people were. Use it on one thread at a time.
///
/// The same scenario and seed give the same report.
public final class EncounterSimulation {
    /// Seconds into the day at which keys are released: 20:00.
    static let releaseTime = 72_000.0
    /// dB of shadowing where the generator makes people, unless the scenario says otherwise: what bodies and walls do between people is
    /// reported as 4 to 6 dB.
    static let standardShadowing = 5.0
    /// 2026-11-21.
    private static let standardEpoch: Int64 = 1_795_219_200

    /// One person of the simulation, with the board.
    final class Participant {
        let member: Population.Member
        let board: SimulatedBoard
        /// The times during which its core ran.
        var runs = Spans()
        private var runningSince: Double?
        /// Files it was not given yet, because it was off.
        var pending: [SimulatedAuthority.File] = []
        /// How its board reads published keys now.
        var mapping = DiagnosisKeyMapping.standard
        /// What its board had and said at the end.
        var answers = Answers()

        init(_ member: Population.Member, _ board: SimulatedBoard) {
            self.member = member
            self.board = board
        }

        /// It stands for a place, and answers nobody.
        var isPlace: Bool { member.profile.role != .person }

        /// To be called whenever the core may have been started or ended.
        func note(at moment: Double) {
            if board.isRunning {
                runningSince = runningSince ?? moment
            } else if let start = runningSince {
                runs.append(start, moment)
                runningSince = nil
            }
        }
    }

    /// What a board had, as only the laboratory sees it, and what its wearer's application got.
    struct Answers {
        var matches: [Match] = []
        var windows = WindowBag()
        /// Oldest day of which something is said.
        var oldestDay: UInt32 = 0
    }

    /// A diagnosis that was made, with what was released for it.
    struct Publication {
        let participant: Int
        let diagnosis: Population.Diagnosis
        let keys: [DiagnosisKey]
        /// Seconds of the air up to which the keys are good.
        let end: Double
    }

    let scenario: PeopleScenario
    let air: VirtualAir
    let room: SimulatedRoom
    let witness = Witness()
    let authority: SimulatedAuthority
    let checking: any ExposureChecking
    let population: Population
    /// Finds the same by other means, for comparison.
    let reference: DirectChecking?
    /// Decides which calls are cut short.
    var chance: SplitMix64
    private(set) var participants: [Participant] = []
    private(set) var publications: [Publication] = []
    /// Whose key it is: number of the participant, and the civil day of its clock, from 0 on.
    private(set) var owners: [Block: (participant: Int, day: Int)] = [:]
    var judgement = Judgement()
    /// The last file that was published.
    var lastFile: SimulatedAuthority.File?

    /// Creates the people and their boards; nothing runs yet. Throws `invalidScenario` when the scenario breaks a rule, and
    /// ``CryptographyError`` when the authority's key cannot be made.
    ///
    /// - Parameters:
    ///   - comparesWithReference: Whether everything is matched a second time by ``DirectChecking``.
    ///   - checking: Creates the checker of keys for the boards; by default their own cores check them.
    public init(
        _ scenario: PeopleScenario, comparesWithReference: Bool = true,
        checking: ((TrustStore) -> any ExposureChecking)? = nil
    ) throws {
        try scenario.check()
        self.scenario = scenario
        let seed = scenario.seed ?? 1
        population = Population(scenario, seed: seed)
        var generator = SplitMix64(seed: seed)
        air = VirtualAir(seed: generator.next())
        air.epoch = scenario.epoch ?? Self.standardEpoch
        air.environment = .measured
        if scenario.generator != nil { air.environment.shadowing = Self.standardShadowing }
        scenario.environment?.apply(to: air)
        room = SimulatedRoom(air)
        witness.attach(to: air)
        authority = try SimulatedAuthority()
        let trust = try authority.trust()
        self.checking = checking?(trust) ?? CoreChecking(trust: trust)
        reference = comparesWithReference ? DirectChecking(trust: trust) : nil
        chance = SplitMix64(seed: generator.next())
        for member in population.members {
            var setup = SimulatedBoard.Setup(seed: generator.next())
            setup.profile = member.profile
            setup.trust = trust
            setup.controller.transmitPower = member.transmitPower
            let board = room.add(setup, judgedBy: witness)
            air.setPath(member.track.path, of: board.node)
            air.setBodyLoss(member.bodyLoss, of: board.node)
            board.setClock(error: .microseconds(Int64(member.clockError * 1_000_000)))
            participants.append(Participant(member, board))
        }
        for event in population.events { plan(event) }
        for diagnosis in population.diagnoses { plan(diagnosis) }
    }

    /// Runs the simulation to its end, ends all cores and returns the report. Must be called only once. Blocks while days
    /// of virtual time pass. `progress` is called after each hour of virtual time, with the hours that have passed and
    /// those of the whole scenario. Throws when a board cannot be read or does not answer.
    public func run(progress: (_ hours: Int, _ of: Int) -> Void = { _, _ in }) throws -> EncounterSimulationReport {
        startBoards()
        for day in 0..<scenario.days { try pass(day, progress: progress) }
        try askEverybody()
        for participant in participants {
            participant.board.kill()
            participant.note(at: now)
            witness.judge(participant.board.node, by: Array(participant.board.ownKeys.values), at: air.now)
        }
        return try report()
    }

    func startBoards() {
        for participant in participants {
            participant.board.start()
            participant.note(at: 0)
        }
    }

    /// Lets one day pass, and publishes what it brought.
    func pass(_ day: Int, progress: (_ hours: Int, _ of: Int) -> Void) throws {
        for hour in 1...24 {
            room.run(until: .seconds(day * 86_400 + hour * 3_600))
            noteAll()
            progress(day * 24 + hour, scenario.days * 24)
        }
        try publish(day)
    }

    var now: Double { Double(air.nowMicroseconds) / 1_000_000 }

    private func noteAll() { for participant in participants { participant.note(at: now) } }

    // MARK: What happens

    private func participant(_ id: Int) -> Participant? { participants.first { $0.member.id == id } }

    private func plan(_ event: PeopleScenario.Event) {
        guard let participant = participant(event.person) else { return }
        let standard = event.what == .off ? 3_600.0 : 5.0
        let pause = event.seconds ?? standard
        room.schedule(at: .seconds(event.time)) { [self] in
            if event.what == .kill { participant.board.kill() } else { participant.board.cutPower() }
            participant.note(at: now)
            // Noted when it is back, not only at the full hour.
            room.schedule(at: air.now + .seconds(pause)) { [self] in
                participant.board.start()
                participant.note(at: now)
            }
        }
    }

    private func plan(_ diagnosis: Population.Diagnosis) {
        guard let number = participants.firstIndex(where: { $0.member.id == diagnosis.person }) else { return }
        room.schedule(at: .seconds(Double(diagnosis.day) * 86_400 + Self.releaseTime)) { [self] in
            release(number, diagnosis)
        }
    }

    private func release(_ number: Int, _ diagnosis: Population.Diagnosis) {
        let participant = participants[number]
        // Who agrees has the board in hand.
        participant.board.start()
        participant.note(at: now)
        let keys: [TemporaryExposureKey]
        do {
            let released = try CoreChecking.releaseKeys(of: participant.board)
            keys = released.keys
            judgement.releases.append(released.isSpent)
        } catch {
            return judgement.add("a diagnosed person's keys are released", "person \(diagnosis.person): \(error)")
        }
        let firstDay = air.epoch / 86_400
        let published = keys.compactMap { key -> DiagnosisKey? in
            let day = Int(Int64(key.rollingStart.day) - firstDay)
            guard let data = key.secret.withBytes({ Block(Array($0)) }) else { return nil }
            owners[data] = (number, day)
            return DiagnosisKey(
                data: data, rollingStart: key.rollingStart, rollingPeriod: key.rollingPeriod,
                transmissionRiskLevel: diagnosis.transmissionRiskLevel, reportType: diagnosis.reportType,
                daysSinceOnset: diagnosis.onset.map { Int32(day - $0) })
        }
        // Keys end with what is on air at the release: whoever hears it until then is warned.
        publications.append(Publication(participant: number, diagnosis: diagnosis, keys: published, end: now))
        authority.accept(published, areRevised: false)
    }
}
