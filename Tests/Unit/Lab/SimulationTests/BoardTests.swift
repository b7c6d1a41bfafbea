// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import GAEN
import Interfaces
import LabKit
import Ledger
import Radio
import RandomValues
import Simulation
import Testing
import TimeTrust
import Trust
import Vault
import VirtualAir

/// What happens to a board's disk must not keep it off air, and every claim is judged by what is on air.
@Suite struct BoardTests {
    private let room: SimulatedRoom
    private let witness = Witness()
    private let board: SimulatedBoard
    private let midnight: Int64 = 1_795_219_200

    /// Begins at 23:50 in a room with two phones.
    init() {
        let air = VirtualAir(seed: 4)
        air.epoch = midnight - 600
        room = SimulatedRoom(air)
        witness.attach(to: air)
        var setup = SimulatedBoard.Setup(seed: 5)
        setup.profile.scan = .init(duration: .seconds(1), period: .seconds(20), spread: .seconds(5))
        setup.controller.answerDelay = .milliseconds(2)
        board = room.add(setup, judgedBy: witness)
        for _ in 0..<2 { air.addPhone() }
    }

    private var findings: [String] { witness.findings.map(\.description) }

    /// Own keys by the day they begin on, as the disk has them.
    private func storedKeys() throws -> [UInt32] {
        let vault = try Vault(board.data.copy(), provider: FileKeyProvider(board.keys.copy()))
        return (vault.schedule.past + (vault.schedule.current.map { [$0] } ?? [])).map(\.rollingStart.day)
    }

    @Test func aQuietHourOverMidnight() throws {
        board.start()
        room.run(for: .seconds(3_600))
        board.kill()
        witness.judge(board.node, by: Array(board.ownKeys.values), at: room.air.now)
        #expect(findings == [])
        #expect(try storedKeys() == [UInt32(midnight / 86_400) - 1, UInt32(midnight / 86_400)])
        #expect(board.totals.storedScans > 100)
        #expect(board.totals.lostScans == 0)
        // A controller that refuses a step would be reset and nobody would hear of it.
        #expect(Set(board.totals.ladder.keys).isSubset(of: ["prove-alive"]))
    }

    /// What the core has committed is there after a kill and after a cut; what it answers with is its own ledger.
    @Test func aBoardWithALedgerAnswers() throws {
        var setup = SimulatedBoard.Setup(seed: 9)
        setup.profile.role = .person
        setup.trust = try TrustStore(keys: [])
        let board = room.add(setup, judgedBy: witness)
        let caller = Caller(name: "page", reading: .nothing, spool: nil, presence: "page")
        #expect(throws: SimulatedBoard.NoAnswer.self) { try board.ask { service, now in try service.windows(at: now) } }
        board.start()
        room.run(for: .seconds(7_300))
        for isCut in [false, true] {
            _ = try board.ask { service, now in try service.giveConsent(.releaseKeys, by: caller, at: now) }
            if isCut { board.cutPower() } else { board.kill() }
            room.run(for: .seconds(1))
            board.start()
            room.run(for: .seconds(700))
            #expect(board.startFailure == nil)
            let kinds = try board.ask { service, _ in try service.audit(after: nil).records.map(\.kind) }
            #expect(kinds == ["enabled"] + Array(repeating: "consentGiven", count: isCut ? 2 : 1))
            #expect(try board.ask { service, _ in try service.audit(after: nil).verdict.isIntact })
        }
        // Hours on the air, as `CoreService` has them recorded.
        #expect(try board.ask { service, now in try service.evidence(since: nil, at: now) }.count >= 2)
        #expect(board.totals.ledgerFindings == [])
        // A call that the power does not survive is not answered.
        board.failPower(after: 3)
        #expect(throws: SimulatedBoard.NoAnswer.self) {
            try board.ask { service, now in try service.giveConsent(.reset, by: caller, at: now) }
        }
        #expect(!board.isRunning)
    }

    @Test func aFullDiskAtMidnight() throws {
        board.start()
        room.run(for: .seconds(300))
        board.data.capacity = 0
        let before = witness.figures.identifiers
        room.run(for: .seconds(3_300))
        board.kill()
        witness.judge(board.node, by: Array(board.ownKeys.values), at: room.air.now)
        #expect(findings == [])
        #expect(witness.figures.identifiers >= before + 3)
        #expect(board.totals.lostScans > 100)
        // The slots were there before: the new key is on the full disk.
        #expect(try storedKeys().contains(UInt32(midnight / 86_400)))
    }

    @Test func aDiskThatTurnsReadOnlyBeforeMidnight() throws {
        board.start()
        room.run(for: .seconds(300))
        board.data.isReadOnly = true
        board.keys.isReadOnly = true
        let before = witness.figures.identifiers
        room.run(for: .seconds(3_300))
        #expect(findings == [])
        #expect(witness.figures.identifiers >= before + 3)
        #expect(try !storedKeys().contains(UInt32(midnight / 86_400)))
        // And a restart on it, and one after it was repaired: on air at once, nothing comes twice.
        for isReadOnly in [true, false] {
            board.kill()
            board.data.isReadOnly = isReadOnly
            board.keys.isReadOnly = isReadOnly
            board.restart(after: .seconds(1))
            room.run(for: .seconds(1_500))
            #expect(findings == [])
        }
    }

    /// What is sent cannot be stored, so a restart must not come upon the same key in the same interval.
    @Test(arguments: [true, false]) func restartsOnADiskThatTookNothing(isReadOnly: Bool) {
        board.start()
        room.run(for: .seconds(901))
        if isReadOnly {
            board.data.isReadOnly = true
            board.keys.isReadOnly = true
        } else {
            board.data.capacity = 0
        }
        for _ in 0..<20 {
            room.run(for: .seconds(660))
            for _ in 0..<2 {
                board.kill()
                board.restart(after: .seconds(1))
                room.run(for: .seconds(10))
            }
        }
        #expect(findings == [])
        #expect(witness.figures.lives == 41)
    }

    @Test(arguments: ["tek.slots", "days.keys", "sealing.key"], [true, false])
    func aDamagedStoreIsSetAside(_ name: String, isNoise: Bool) throws {
        board.start()
        room.run(for: .seconds(120))
        board.kill()
        var generator = SeededGenerator(seed: 8)
        let storage = name == "sealing.key" ? board.keys : board.data
        storage.corrupt(name) { bytes in
            for index in bytes.indices { bytes[index] = isNoise ? .random(in: 0...255, using: &generator) : 0 }
        }
        board.restart(after: .seconds(1))
        room.run(for: .seconds(600))
        #expect(findings == [])
        #expect(board.isRunning)
        let names = board.vault?.findings.compactMap { if case .setAside(let store, _) = $0 { store } else { nil } }
        let expected = name == "sealing.key" ? ["tek.slots", "days.keys"] : [name]
        #expect(Set(names ?? []).isSuperset(of: expected))
    }

    @Test func aKillOffAirTakesLessThanASecond() {
        board.start()
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<20 {
            room.run(for: .milliseconds(Int64.random(in: 0...120_000, using: &generator)))
            board.kill()
            board.restart(after: .milliseconds(300))
            room.run(for: .seconds(2))
        }
        board.kill()
        witness.judge(board.node, by: Array(board.ownKeys.values), at: room.air.now)
        #expect(findings == [])
        #expect(witness.figures.startups.count == 21)
    }

    @Test func fewCuts() {
        let trial = BoardCutTrial(seed: 9)
        #expect(trial.run(cuts: 30) == [])
        #expect(trial.tally.powerCuts > 0)
    }
}
