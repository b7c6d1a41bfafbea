// SPDX-License-Identifier: Apache-2.0

import Cryptography
import RandomValues
import Testing

@Suite struct SecretBytesTests {
    private let canary: [UInt8] = Array("canary-in-a-mine".utf8)

    @Test func nothingPrintsTheBytes() {
        let secret = SecretBytes(copying: canary)
        var dumped = ""
        dump(secret, to: &dumped)
        dump([secret], to: &dumped)
        let texts = ["\(secret)", String(reflecting: secret), "\([secret])", "\(Optional(secret) as Any)", dumped]
        for text in texts {
            #expect(!text.contains("canary"))
            #expect(!text.contains(Hex.string(canary)))
            #expect(!text.contains("99, 97, 110"))
        }
        #expect("\(secret)" == "SecretBytes(16 bytes)")
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test func equalityLooksAtEveryByte() {
        let secret = SecretBytes(copying: canary)
        #expect(secret == SecretBytes(copying: canary))
        for index in canary.indices {
            for bit in 0..<8 {
                var other = canary
                other[index] ^= 1 << UInt8(bit)
                #expect(secret != SecretBytes(copying: other))
            }
        }
        #expect(secret != SecretBytes(copying: canary.dropLast()))
        #expect(SecretBytes(copying: []) == SecretBytes(copying: []))
    }

    @Test func bytesAreScopedAndRight() {
        let secret = SecretBytes(copying: canary)
        #expect(secret.withBytes { Array($0) } == canary)
        #expect(secret.count == 16)
    }

    @Test func freshSecretsDiffer() {
        var generator = SeededGenerator(seed: 1)
        let secrets = (0..<100).map { _ in SecretBytes(count: 16, from: &generator) }
        for (index, secret) in secrets.enumerated() {
            #expect(!secrets[(index + 1)...].contains(secret))
        }
    }

    @Test func aFillThatThrowsLeaksNothing() {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { try SecretBytes(count: 16) { _ in throw Refusal() } }
    }
}
