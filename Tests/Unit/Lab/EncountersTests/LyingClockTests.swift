// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import GAEN
import Interfaces
import Simulation
import Testing
import TimeTrust
import VirtualAir

@testable import Encounters

/// Whoever has the network's time and nothing else must not be able to hide a warning.
struct LyingClockTests {
    /// A board meets a phone whose owner warns two days later. The file is handed in while the network says a wrong day.
    @Test(arguments: [(0, true), (13, false), (13, true), (-2, true)])
    func aFileThatComesWhileTheNetworkLiesWarnsAllTheSame(days: Int64, isKnown: Bool) throws {
        let midnight: Int64 = 1_796_083_200
        let authority = try SimulatedAuthority()
        let air = VirtualAir(seed: 41)
        air.epoch = midnight
        let room = SimulatedRoom(air)
        var setup = SimulatedBoard.Setup(seed: 42)
        setup.trust = try authority.trust()
        let board = SimulatedBoard(air, setup)
        room.add(board)
        let checking = CoreChecking(trust: try authority.trust())
        let far = MotionPath(x: 50_000, y: 0)
        let phone = air.addPhone(path: far)
        board.start()
        room.run(for: .seconds(10 * 3_600))
        air.move(phone, x: 1, y: 0)
        room.run(for: .seconds(3_600))
        air.move(phone, x: 50_000, y: 0)
        room.run(for: .seconds(2 * 86_400))
        let keys = air.keys(of: phone).filter { $0.rollingStart.day <= UInt32(midnight / 86_400) + 1 }
        let published = try keys.map { key in
            try #require(
                DiagnosisKey(
                    data: key.secret.withBytes { $0.loadUnaligned(as: Block.self) }, rollingStart: key.rollingStart,
                    transmissionRiskLevel: 6, reportType: .confirmedTest, daysSinceOnset: 0))
        }
        let end = midnight + 2 * 86_400 + 11 * 3_600
        // A board that has seen a file knows by its signature what is past; a new one does not.
        if isKnown {
            let stranger = DiagnosisKey(
                data: Block(low: 1, high: 2), rollingStart: published[0].rollingStart, transmissionRiskLevel: 6,
                reportType: .confirmedTest, daysSinceOnset: 0)
            authority.accept([try #require(stranger)], areRevised: false)
            try checking.provide([#require(try authority.publish(start: end - 7_200, end: end - 3_600))], to: board)
        }
        authority.accept(published, areRevised: false)
        let file = try #require(try authority.publish(start: end - 3_600, end: end))
        air.epoch += days * 86_400
        room.run(for: .seconds(1_800))
        try checking.provide([file], to: board)
        air.epoch -= days * 86_400
        room.run(for: .seconds(2 * 3_600))
        let windows = try checking.windows(of: board)
        #expect(!windows.isEmpty && windows.allSatisfy { Int64($0.day) == midnight / 86_400 })
    }
}
