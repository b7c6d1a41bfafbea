// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DeviceEvidence
import TestKit
import Testing

@testable import DonationService

/// The list of a registration authority, as the issuer takes it.
@Suite struct DeviceListTests {
    @Test func eachDeviceGetsWhatTheListSays() throws {
        let scene = try DonationScene(fleet: 3)
        let (known, gone, barred) = (scene.boards[0], scene.boards[1], scene.boards[2])
        #expect(try scene.store.revoke(keyID: barred.keyID))
        let (new, never) = (try Board(seed: 10), try Board(seed: 11))
        let list = [
            (known.key.verificationKey, true), (gone.key.verificationKey, false), (barred.key.verificationKey, true),
            (new.key.verificationKey, true), (never.key.verificationKey, false),
        ]
        let taken = try scene.store.take(list.map { (key: $0.0, isGood: $0.1) })
        #expect((taken.added, taken.revoked, taken.barred) == (1, 2, 1))
        func isRevoked(_ board: Board) throws -> Bool? { try scene.store.device(keyID: board.keyID)?.isRevoked }
        #expect(try [known, gone, barred, new, never].map(isRevoked) == [false, true, true, false, true])
        // Again: nothing new but who is still barred.
        let again = try scene.store.take(list.map { (key: $0.0, isGood: $0.1) })
        #expect((again.added, again.revoked, again.barred) == (0, 0, 1))
        #expect(try scene.store.devices().count == 5)
    }
}
