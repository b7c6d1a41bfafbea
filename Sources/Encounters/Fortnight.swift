// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Matching
import Radio
import Simulation
import TimeTrust
public import Trust
import VirtualAir

/// People with boards for some days: whole cores on one air, keys released, signed, published, matched, and what comes out compared with
/// where everybody was.
///
/// The same scenario and seed give the same report.
public final class Fortnight {
    /// Seconds into the day at which keys are released: 20:00.
    static let releaseTime = 72_000.0
    /// 2026-11-21.
    private static let standardEpoch: Int64 = 1_795_219_200

    /// One person of the simulation, with the board.
    final class Participant {
        let member: Cast.Member
        let board: SimulatedBoard
        /// When its core ran.
        var runs = Spans()
        private var runningSince: Double?
        /// Files it was not given yet, because it was off.
        var pending: [SimulatedAuthority.File] = []

        init(_ member: Cast.Member, _ board: SimulatedBoard) {
            self.member = member
            self.board = board
        }

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

    /// A diagnosis that was made, with what was released for it.
    struct Publication {
        let participant: Int
        let diagnosis: Cast.Diagnosis
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
    let cast: Cast
    private(set) var participants: [Participant] = []
    private(set) var publications: [Publication] = []
    /// Whose key it is: number of the participant, and the civil day of its clock, from 0 on.
    private(set) var owners: [Block: (participant: Int, day: Int)] = [:]
    private(set) var judgement = Judgement()

    /// - Parameter checking: Makes what checks keys for the boards; in process if not given.
    public init(
        _ scenario: PeopleScenario, checking: ((TrustStore) -> any ExposureChecking)? = nil
    ) throws {
        try scenario.check()
        self.scenario = scenario
        let seed = scenario.seed ?? 1
        cast = Cast(scenario, seed: seed)
        var generator = SplitMix64(seed: seed)
        air = VirtualAir(seed: generator.next())
        air.epoch = scenario.epoch ?? Self.standardEpoch
        air.environment = .measured
        scenario.environment?.apply(to: air)
        room = SimulatedRoom(air)
        witness.attach(to: air)
        authority = try SimulatedAuthority()
        let trust = try authority.trust()
        self.checking = checking?(trust) ?? DirectChecking(trust: trust, seed: generator.next())
        for member in cast.members {
            var setup = SimulatedBoard.Setup(seed: generator.next())
            setup.profile = member.profile
            setup.controller.transmitPower = member.transmitPower
            let board = room.add(setup, judgedBy: witness)
            air.setPath(member.track.path, of: board.node)
            air.setBodyLoss(member.bodyLoss, of: board.node)
            board.setClock(error: .microseconds(Int64(member.clockError * 1_000_000)))
            participants.append(Participant(member, board))
        }
        for event in cast.events { plan(event) }
        for diagnosis in cast.diagnoses { plan(diagnosis) }
    }

    /// Runs to the end. `progress` is told after each hour of virtual time.
    public func run(progress: (_ hours: Int, _ of: Int) -> Void = { _, _ in }) throws -> FortnightReport {
        for participant in participants {
            participant.board.start()
            participant.note(at: 0)
        }
        for day in 0..<scenario.days {
            for hour in 1...24 {
                room.run(until: .seconds(day * 86_400 + hour * 3_600))
                noteAll()
                progress(day * 24 + hour, scenario.days * 24)
            }
            try publish(day)
        }
        for participant in participants {
            participant.board.kill()
            participant.note(at: now)
            witness.judge(participant.board.node, by: Array(participant.board.ownKeys.values), at: air.now)
        }
        return try report()
    }

    private var now: Double { Double(air.nowMicroseconds) / 1_000_000 }

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

    private func plan(_ diagnosis: Cast.Diagnosis) {
        guard let number = participants.firstIndex(where: { $0.member.id == diagnosis.person }) else { return }
        room.schedule(at: .seconds(Double(diagnosis.day) * 86_400 + Self.releaseTime)) { [self] in
            release(number, diagnosis)
        }
    }

    private func release(_ number: Int, _ diagnosis: Cast.Diagnosis) {
        let participant = participants[number]
        guard let keys = try? participant.board.releaseKeys() else {
            return judgement.add(
                "a diagnosed person's keys are released", "person \(diagnosis.person)'s store is unreadable")
        }
        participant.note(at: now)
        let firstDay = air.epoch / 86_400
        let published = keys.compactMap { key -> DiagnosisKey? in
            let day = Int(Int64(key.rollingStart.day) - firstDay)
            guard let data = key.secret.withBytes({ Block(Array($0)) }) else { return nil }
            owners[data] = (number, day)
            return DiagnosisKey(
                data: data, rollingStart: key.rollingStart, rollingPeriod: key.rollingPeriod,
                reportType: diagnosis.reportType, daysSinceOnset: diagnosis.onset.map { Int32(day - $0) })
        }
        // Keys end with the interval before the one of the release, by the board's own clock.
        let civil = participant.board.clock(at: air.now).seconds
        let end = Double(civil / ENIN.seconds * ENIN.seconds - air.epoch) - participant.member.clockError
        publications.append(Publication(participant: number, diagnosis: diagnosis, keys: published, end: end))
        authority.accept(published, areRevised: false)
    }

    // MARK: What is published

    private func publish(_ day: Int) throws {
        var changed: [(publication: Publication, type: ReportType)] = []
        for publication in publications {
            for change in publication.diagnosis.changes where change.day == day {
                changed.append((publication, change.type))
                authority.accept(
                    publication.keys.map { key in
                        var key = key
                        key.reportType = change.type
                        return key
                    }, areRevised: true)
            }
        }
        let start = air.epoch + Int64(day) * 86_400
        let isLast = day == scenario.days - 1
        let file = try authority.publish(start: start, end: start + 86_400)
        for participant in participants {
            if let file { participant.pending.append(file) }
            guard participant.board.isRunning || isLast else { continue }
            let before = changed.map { windowCount(of: participant, from: $0.publication) }
            try give(participant)
            for (number, change) in changed.enumerated() where before[number] > 0 {
                judgement.changes.append(
                    Judgement.Change(
                        person: change.publication.diagnosis.person, type: change.type, windowsBefore: before[number],
                        windowsAfter: windowCount(of: participant, from: change.publication),
                        ofNewType: windowCount(of: participant, from: change.publication, only: change.type)))
            }
        }
    }

    private func give(_ participant: Participant) throws {
        let files = participant.pending
        participant.pending = []
        for file in files {
            if !judgement.wasTampered { try tamper(file, participant) }
            try checking.provide(file, to: participant.board)
            judgement.filesGiven += 1
        }
    }

    /// One bit of a file is changed before anybody gets the real one.
    private func tamper(_ file: SimulatedAuthority.File, _ participant: Participant) throws {
        judgement.wasTampered = true
        let matches = checking.matches(of: participant.board)
        var bytes = file.exportBin
        bytes[bytes.count / 2] ^= 1
        let forged = SimulatedAuthority.File(exportBin: bytes, exportSig: file.exportSig)
        let wasRefused = (try? checking.provide(forged, to: participant.board)) == nil
        judgement.add(
            "a file with one bit changed is refused and has no effect",
            wasRefused && checking.matches(of: participant.board) == matches ? nil : "it was taken")
    }

    private func windowCount(
        of participant: Participant, from publication: Publication, only type: ReportType? = nil
    ) -> Int {
        checking.matches(of: participant.board)
            .filter { owners[$0.key.data]?.participant == publication.participant }
            .flatMap { $0.exposureWindows(under: .standard) }
            .filter { type == nil || $0.reportType == type }.count
    }
}
