// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import DiagnosisPlan
import GAEN
import Matching
import Radio
import RandomValues
import Simulation
import Testing
import TimeTrust
import Trust
import Vault
import VirtualAir

@testable import Encounters

/// A day on which somebody's device is killed again and again, and somebody who sits beside them: each ten minutes of it are warned of.
@Suite struct KillsPerDayTests {
    /// 2026-11-21, 00:00: one second before it.
    private static let epoch: Int64 = 1_795_219_200 - 1
    private static let firstDay = UInt32((epoch + 1) / 86_400)
    private let room: SimulatedRoom
    private let witness = Witness()
    private let authority: SimulatedAuthority
    private let checking: CoreChecking
    private let ill: SimulatedBoard
    private let other: SimulatedBoard

    init() throws {
        let air = VirtualAir(seed: 11)
        air.epoch = Self.epoch
        let room = SimulatedRoom(air)
        self.room = room
        witness.attach(to: air)
        let witness = witness
        authority = try SimulatedAuthority()
        let trust = try authority.trust()
        checking = CoreChecking(trust: trust)
        func board(_ seed: UInt64) -> SimulatedBoard {
            var setup = SimulatedBoard.Setup(seed: seed)
            setup.trust = trust
            setup.controller.answerDelay = .milliseconds(2)
            setup.profile.scan = .init(duration: .seconds(1), period: .seconds(150), spread: .seconds(10))
            return room.add(setup, judgedBy: witness)
        }
        ill = board(1)
        other = board(2)
        air.move(other.node, x: 1, y: 0)
    }

    private func kill(after pause: Duration = .milliseconds(300)) {
        guard ill.isRunning else { return }
        ill.kill()
        ill.restart(after: pause)
    }

    /// Kills at random, some within the second in which the next turn is stored, and around each midnight.
    private func plan(days: Int) -> Int {
        var generator = SeededGenerator(seed: 21)
        var kills = 0
        var moment = Duration.seconds(20)
        while moment < .seconds(86_400 * days) {
            moment += .milliseconds(Int64.random(in: 5_000...600_000, using: &generator))
            room.schedule(at: moment) { kill(after: .milliseconds(Int64.random(in: 0...900, using: &generator))) }
            kills += 1
        }
        for day in 1...days {
            for offset: Int64 in [-1_600, -800, -300, -20, 5, 400, 1_200] {
                room.schedule(at: .seconds(86_400 * day) + .seconds(1) + .milliseconds(offset)) { kill(after: .zero) }
                kills += 1
            }
        }
        return kills
    }

    private var keysByDay: [UInt32: Int] {
        let schedule = ill.vault?.schedule
        let keys = (schedule?.past ?? []) + [schedule?.current].compactMap { $0 }
        return Dictionary(grouping: keys, by: \.rollingStart.day).mapValues(\.count)
    }

    @Test func everyTenMinutesOfADayFullOfKillsAreWarned() throws {
        ill.start()
        other.start()
        let kills = plan(days: 2)
        #expect(kills > 500)
        // The first day: kills only.
        room.run(until: .seconds(86_400 + 1_000))
        if !ill.isRunning { room.run(for: .seconds(2)) }
        #expect(keysByDay[Self.firstDay] == 1 && keysByDay[Self.firstDay + 1] == 1)
        #expect(ill.vault?.schedule.past.allSatisfy { $0.rollingPeriod == 144 } == true)

        // The second: keys are released at noon, and again, and again while the process is killed within the release.
        for hour in [12, 13, 15] {
            room.run(until: .seconds(86_400 + hour * 3_600))
            while !ill.isRunning { room.run(for: .seconds(1)) }
            if hour > 12 { ill.failPower(after: hour == 13 ? 4 : 6) }
            // Where the process is killed within it, nothing was given away.
            _ = try? CoreChecking.releaseKeys(of: ill)
            if ill.isRunning { room.run(for: .seconds(1)) }
            ill.restorePower()
            if !ill.isRunning { ill.restart(after: .milliseconds(100)) }
        }
        room.run(until: .seconds(2 * 86_400 + 3_600))
        while !ill.isRunning { room.run(for: .seconds(1)) }
        let ofSecondDay = keysByDay[Self.firstDay + 1] ?? 0
        #expect((2...5).contains(ofSecondDay), "\(keysByDay)")
        #expect(keysByDay[Self.firstDay] == 1)

        // On the third they warn; what the plugin makes of their keys is published.
        let keys = try CoreChecking.releaseKeys(of: ill).keys
        for (key, next) in zip(keys, keys.dropFirst()) { #expect(key.end == next.rollingStart) }
        let own = keys.compactMap { key in
            key.secret.withBytes { Block(Array($0)) }.flatMap {
                DiagnosisKey(data: $0, rollingStart: key.rollingStart, rollingPeriod: key.rollingPeriod)
            }
        }
        let sent = SubmissionPayload.keys(own, stating: .noStatement, day: Self.firstDay + 2)
        let counts = Dictionary(grouping: sent, by: \.rollingStart.day).mapValues(\.count)
        #expect(sent.count == keys.count && counts[Self.firstDay] == 1 && counts[Self.firstDay + 2] == 1, "\(counts)")
        try SubmissionPayload(keys: sent).check()
        authority.accept(sent, areRevised: false)
        let end = Self.epoch + 2 * 86_400 + 3_600
        let file = try #require(try authority.publish(start: end - 86_400, end: end))
        try checking.provide([file], to: other)
        let met = Set(try checking.matches(of: other).flatMap(\.sightings).map { Int64($0.time) / 600 })
        let first = (Self.epoch + 1) / 600
        let missed = (first..<(first + 288)).filter { !met.contains($0) }
        #expect(missed == [], "\(missed.count) of 288 intervals are not warned of")

        // Nothing was on air that must not be: no pair was ever mixed, over all these lives.
        ill.kill()
        other.kill()
        for board in [ill, other] { witness.judge(board.node, by: Array(board.ownKeys.values), at: room.air.now) }
        #expect(witness.findings.map(\.description) == [])
        #expect(witness.figures.lives > 500 && witness.figures.repetitions > 200)
    }
}
