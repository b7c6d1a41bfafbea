// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing

@testable import Cryptography

@Suite struct RandomUUIDTests {
    /// The example of RFC 9562, appendix A.3.
    @Test func theExampleOfTheRFC() {
        let text = "919108f7-52d1-4320-9bac-f847db4148a8"
        let bytes = RandomUUID.bytes(text)
        #expect(bytes.map(RandomUUID.text) == text)
        #expect(RandomUUID.bytes(text.uppercased()) == bytes)
        for other in [
            "", "919108f752d143209bacf847db4148a8", text + "0", text.replacing("f", with: "g"), "-" + text.dropFirst(),
        ] {
            #expect(RandomUUID.bytes(other) == nil)
        }
    }

    @Test func versionAndVariantAreThereAndTheRestIsRandom() throws {
        var random = SeededGenerator(seed: 7)
        var (ones, zeros) = ([UInt8](repeating: 0, count: 16), [UInt8](repeating: 0, count: 16))
        for _ in 0..<200 {
            let bytes = try #require(RandomUUID.bytes(RandomUUID.text(using: &random)))
            for (index, byte) in bytes.enumerated() {
                (ones[index], zeros[index]) = (ones[index] | byte, zeros[index] | ~byte)
            }
        }
        var (mostOnes, mostZeros) = ([UInt8](repeating: 0xFF, count: 16), [UInt8](repeating: 0xFF, count: 16))
        (mostOnes[6], mostZeros[6], mostOnes[8], mostZeros[8]) = (0x4F, 0xBF, 0xBF, 0x7F)
        #expect(ones == mostOnes && zeros == mostZeros)
        #expect(RandomUUID.text([0xFF]) == "ff000000-0000-4000-8000-000000000000")
    }
}
