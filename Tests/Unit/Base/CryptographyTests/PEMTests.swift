// SPDX-License-Identifier: Apache-2.0

import Cryptography
import RandomValues
import Testing

@Suite struct PEMTests {
    @Test func blocksOfAnyLengthComeBack() {
        var generator = SeededGenerator(seed: 5)
        for count in 0...200 {
            let bytes = generator.bytes(count)
            let text = PEM.text(bytes, label: "X")
            #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count <= 64 } && text.hasSuffix("-----END X-----\n"))
            #expect(PEM.blocks("X", in: text, longest: count) == [bytes])
            #expect(
                PEM.blocks("X", in: "before\n" + text.replacing("\n", with: "\r\n") + "after", longest: count) == [bytes])
            #expect(PEM.blocks("Y", in: text, longest: count) == [])
            if count > 0 { #expect(PEM.blocks("X", in: text, longest: count - 1) == []) }
        }
    }

    /// What is wrong costs its own block only.
    @Test func aBadBlockDoesNotHideTheNext() {
        let good = PEM.text([1, 2, 3], label: "X")
        for bad in [
            "-----BEGIN X-----\n", "-----BEGIN X-----\n!!!\n-----END X-----\n", "-----END X-----\n",
            "-----BEGIN X-----\n" + String(repeating: "AAAA\n", count: 1_000) + "-----END X-----\n",
        ] { #expect(PEM.blocks("X", in: bad + good, longest: 10) == [[1, 2, 3]], "\(bad.prefix(40))") }
    }
}
