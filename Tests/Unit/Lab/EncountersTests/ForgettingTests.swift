// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import GAEN
import Interfaces
import Radio
import RandomValues
import Simulation
import Testing
import TimeTrust
import Vault
import VirtualAir

@testable import Encounters

/// Fourteen days are forgotten without anybody who signs time, and no lie makes it sooner.
@Suite struct ForgettingTests {
    /// 2026-11-21, 00:00.
    private static let epoch: Int64 = 1_795_219_200
    private static let firstDay = UInt32(epoch / 86_400)
    private let room: SimulatedRoom
    private let authority: SimulatedAuthority
    private let checking: CoreChecking
    private let board: SimulatedBoard

    init() throws {
        let air = VirtualAir(seed: 12)
        air.epoch = Self.epoch
        room = SimulatedRoom(air)
        authority = try SimulatedAuthority()
        let trust = try authority.trust()
        checking = CoreChecking(trust: trust)
        var setup = SimulatedBoard.Setup(seed: 3)
        setup.trust = trust
        setup.profile.scan = .init(duration: .milliseconds(500), period: .seconds(300), spread: .seconds(10))
        board = SimulatedBoard(air, setup)
        room.add(board)
        air.addPhone(path: MotionPath(x: 1, y: 0))
    }

    private var generator = SeededGenerator(seed: 1)

    /// The authority's daily file, or one that says to be of another time.
    private mutating func provide(end: Int64? = nil) throws {
        let now = Self.epoch + room.air.now.components.seconds
        let data = Block(low: generator.next(), high: generator.next())
        let key = try #require(
            DiagnosisKey(
                data: data, rollingStart: ENIN(UInt32(now / 86_400 - 1) * 144), transmissionRiskLevel: 5,
                reportType: .confirmedTest))
        authority.accept([key], areRevised: false)
        let end = end ?? now / 3_600 * 3_600
        let file = try #require(try authority.publish(start: end - 86_400, end: end))
        try checking.provide([file], to: board)
    }

    private mutating func pass(days: Range<Int>, withFiles: Bool = true) throws {
        for day in days {
            room.run(until: .seconds(86_400 * day + 43_200))
            if withFiles { try provide() }
            room.run(until: .seconds(86_400 * (day + 1)) + .seconds(700))
        }
    }

    private var days: [Int] { (board.vault?.days ?? []).map { Int($0) - Int(Self.firstDay) } }

    private var keyDays: [Int] {
        let schedule = board.vault?.schedule
        return ((schedule?.past ?? []) + [schedule?.current].compactMap { $0 }).map {
            Int($0.rollingStart.day) - Int(Self.firstDay)
        }
    }

    private func state() throws -> String { try board.ask { service, now in service.time(at: now).state.rawValue } }

    /// Nobody signs time; files of keys come daily, the board is switched off and on.
    @Test mutating func filesAndClockTogetherForget() throws {
        board.start()
        try pass(days: 0..<18)
        board.cutPower()
        board.start()
        try pass(days: 18..<19)
        #expect(try state() == "plausible")
        // Day 19 has begun; day 5 is the fourteenth before it.
        #expect(days == Array(4...19) || days == Array(5...19))
        #expect(keyDays == Array(4...19) || keyDays == Array(5...19))
        let hours = try board.ask { service, now in try service.evidence(since: nil, at: now) }
        let oldest = try #require(hours.map(\.start).min())
        #expect(oldest >= Self.epoch + 4 * 86_400 && hours.count > 300)
    }

    @Test mutating func aFileOf2040DeletesNothingThatIsNotOld() throws {
        board.start()
        try pass(days: 0..<3)
        try provide(end: 2_208_988_800)
        try pass(days: 3..<4)
        #expect(days == Array(0...4) && keyDays == Array(0...4))
        // Nor does it help a clock that lies later.
        board.setClock(error: .seconds(5 * 365 * 86_400))
        room.run(for: .seconds(86_400))
        #expect(days.filter { $0 < 1_000 } == Array(0...4))
        #expect(days.contains { $0 > 1_000 } && keyDays.contains { $0 > 1_000 })
        board.setClock(error: .zero)
        room.run(for: .seconds(3_600))
        #expect(days.filter { $0 < 1_000 } == Array(0...5) && keyDays.filter { $0 < 1_000 }.contains(0))
    }

    @Test mutating func aClockOf2031DeletesNothing() throws {
        board.start()
        try pass(days: 0..<2)
        board.setClock(error: .seconds(5 * 365 * 86_400))
        room.run(for: .seconds(2 * 86_400))
        // An honest file while the clock lies proves its own time and no other.
        try provide()
        room.run(for: .seconds(86_400))
        board.kill()
        board.start()
        room.run(for: .seconds(3_600))
        #expect(days.filter { $0 < 1_000 } == Array(0...2))
        #expect(keyDays.filter { $0 < 1_000 } == Array(0...2))
    }

    /// No file and no signed time: what was written 14 days of the boot clock ago goes, whatever the clock shows, also over restarts of the
    /// process; a boot that is younger proves nothing.
    @Test(arguments: [false, true]) mutating func theBootClockAloneForgets(isSwitchedOff: Bool) throws {
        board.start()
        try pass(days: 0..<8, withFiles: false)
        if isSwitchedOff { board.cutPower() } else { board.kill() }
        board.start()
        try pass(days: 8..<12, withFiles: false)
        board.setClock(error: .seconds(5 * 365 * 86_400))
        room.run(for: .seconds(7_200))
        board.setClock(error: .zero)
        try pass(days: 12..<17, withFiles: false)
        #expect(try state() == "plausible")
        let real = days.filter { $0 < 1_000 }
        #expect(real == (isSwitchedOff ? Array(0...17) : Array(2...17)) || !isSwitchedOff && real == Array(3...17))
        #expect(Set(real).isSubset(of: keyDays))
        if !isSwitchedOff { #expect(!keyDays.contains(1)) }
    }
}
