// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Testing

@Suite struct PBKDF2RunTests {
    /// RFC 7914, section 11.
    @Test func knownAnswer() throws {
        let run = try PBKDF2Run(
            password: SecretBytes(copying: Array("Password".utf8)), salt: Array("NaCl".utf8), iterations: 80_000)
        let hash = try #require(try run.advance(by: 80_000))
        #expect(
            hash.withBytes { Hex.string(Array($0)) } == "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56")
    }

    @Test(arguments: [1, 2, 3, 499, 500, 501, 1_750] as [UInt32]) func inSlicesItIsTheSame(iterations: UInt32) throws {
        let password = SecretBytes(copying: Array("\(iterations)".utf8))
        let whole = try PBKDF2SHA256.derive(from: password, salt: [1, 2, 3], iterations: iterations, count: 32)
        for slice: UInt32 in [1, 7, 500, 10_000] {
            let run = try PBKDF2Run(password: password, salt: [1, 2, 3], iterations: iterations)
            var hash = try run.advance(by: 0)
            var turns = 0
            while hash == nil, turns < 2_000 {
                hash = try run.advance(by: slice)
                turns += 1
            }
            #expect(hash == whole)
            #expect(run.remaining == 0)
        }
    }

    @Test func withoutIterationsThereIsNothing() {
        #expect(throws: CryptographyError.self) {
            try PBKDF2Run(password: SecretBytes(copying: [1]), salt: [], iterations: 0)
        }
    }
}
