// SPDX-License-Identifier: Apache-2.0

import Cryptography
import RandomValues
import Testing

@testable import BLS12381

@Suite struct PairingTests {
    @Test func bilinear() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2 {
            let (a, b) = (Scalar.random(using: &generator), Scalar.random(using: &generator))
            let (p, q) = (G1(hashing: [1]), G2.generator)
            let (pa, qa) = (p.multiplied(by: a), q.multiplied(by: a))
            let one = GT(pairing: pa, q.multiplied(by: b))
            #expect(one == GT(pairing: p.multiplied(by: b), qa))
            #expect(one == GT(pairing: pa.multiplied(by: b), q))
            #expect(one != GT(pairing: pa, q))
            let sum = GT(pairing: pa + p, qa)
            #expect(sum.value.isSame(GT(pairing: pa, qa).value * GT(pairing: p, qa).value))
            let other = GT(pairing: pa, qa + q)
            #expect(other.value.isSame(GT(pairing: pa, qa).value * GT(pairing: pa, q).value))
            #expect((GT(pairing: -pa, q).value * GT(pairing: pa, q).value).isSame(.one))
            #expect(GT(pairing: -pa, q) == GT(pairing: pa, -q))
        }
    }

    @Test func ofOrderR() {
        let value = GT(pairing: .generator, .generator).value
        let order: [UInt64] = [0xFFFF_FFFF_0000_0001, 0x53BD_A402_FFFE_5BFE, 0x3339_D808_09A1_D805, 0x73ED_A753_299D_7D48]
        #expect(!value.isSame(.one))
        #expect(value.power(order).isSame(.one))
        for (left, right) in [(G1.zero, G2.generator), (.generator, .zero), (.zero, .zero)] {
            let bytes = GT(pairing: left, right).bytes
            #expect(bytes == SecretBytes(copying: [1] + [UInt8](repeating: 0, count: 575)))
        }
    }

    @Test func valuesAreNotPrinted() {
        let value = GT(pairing: .zero, .zero)
        var text = ""
        dump(value, to: &text)
        #expect("\(value)" == "GT" && String(reflecting: value) == "GT" && text == "- GT\n")
    }
}
