// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Cryptography
import Donation
import PrivacyPass
import RandomValues
import Testing

@testable import DonationService

/// Two implementations check each other: swift-crypto here, our own numbers on the board.
@Suite struct SigningTests {
    @Test func swiftCryptoSignsWhatBoardsBlind() throws {
        let scene = try DonationScene()
        for number in 0..<250 {
            let board = scene.boards[number % scene.boards.count]
            for key in DonationScene.keys {
                var generator = SeededGenerator(seed: number)
                let digest = generator.bytes(32)
                let pending = try board.seed.pendingToken(
                    key: key.publicKey, challengeDigest: digest, index: UInt32(number))
                #expect(key.canSign(pending.request.blindedMessage))
                let token = try pending.finished(by: key.sign(pending.request.blindedMessage))
                try token.verify(by: key.publicKey, challengeDigest: digest)
            }
        }
    }

    @Test func boardsVerifyWhatSwiftCryptoBlinds() throws {
        for (number, key) in DonationScene.keys.enumerated() {
            let client = try _RSA.BlindSigning.PublicKey<Crypto.SHA384>(
                n: key.publicKey.publicKey.modulus, e: [1, 0, 1] as [UInt8], parameters: .RSABSSA_SHA384_PSS_Deterministic)
            for round in 0..<10 {
                var generator = SeededGenerator(seed: 100 * number + round)
                let nonce = generator.bytes(32)
                let digest = generator.bytes(32)
                let input = [0, 2] + nonce + digest + key.publicKey.id
                let prepared = client.prepare(input)
                let blinded = try client.blind(prepared)
                let signature = try key.sign(Array(blinded.blindedMessage))
                let final = try client.finalize(
                    .init(rawRepresentation: signature), for: prepared, blindingInverse: blinded.inverse)
                let bytes = Array(final.rawRepresentation)
                #expect(key.publicKey.publicKey.isValid(bytes, over: input))
                try Token(decoding: input + bytes).verify(by: key.publicKey, challengeDigest: digest)
                // And it would have seen a wrong one.
                var wrong = bytes
                wrong[200] ^= 1
                #expect(!key.publicKey.publicKey.isValid(wrong, over: input))
            }
        }
    }

    @Test func equalMessagesGetEqualSignatures() throws {
        let scene = try DonationScene()
        let message = try scene.pending(scene.boards[0]).request.blindedMessage
        let key = try scene.key()
        #expect(try key.sign(message) == key.sign(message))
        #expect(try DayKey(encoded: key.encoded).sign(message) == key.sign(message))
    }

    @Test func numbersOutsideOfTheModulusAreNotSigned() throws {
        let key = DonationScene.keys[0]
        let modulus = key.publicKey.publicKey.modulus
        #expect(!key.canSign(modulus))
        #expect(!key.canSign([UInt8](repeating: 255, count: 256)))
        #expect(!key.canSign([UInt8](repeating: 0, count: 256)))
        #expect(!key.canSign([UInt8](repeating: 1, count: 255)))
        #expect(key.canSign([UInt8](repeating: 0, count: 255) + [1]))
        #expect("\(key)" == "DayKey")
    }
}
