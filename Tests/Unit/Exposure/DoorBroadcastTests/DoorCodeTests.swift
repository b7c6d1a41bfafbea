// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing

@testable import DoorBroadcast

@Suite struct DoorCodeTests {
    private static let lengths = [1, 2, 4, 5, 11, 12, 100, 190, 400, DoorCode.maximumByteCount]

    static func code(_ length: Int, _ generator: inout SeededGenerator, power: Int8 = 4) throws -> DoorCode {
        try #require(DoorCode(content: generator.bytes(length), transmitPower: power))
    }

    /// By the definition, with no table: a product is a sum of shifted factors, reduced.
    private func plainProduct(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var product = 0
        for bit in 0..<8 where right >> UInt8(bit) & 1 == 1 { product ^= Int(left) << bit }
        for bit in (8..<16).reversed() where product >> bit & 1 == 1 { product ^= 0x11D << (bit - 8) }
        return UInt8(product)
    }

    @Test func theFieldIsWhatItsDefinitionSays() {
        for left in UInt8.min...UInt8.max {
            for right in UInt8.min...UInt8.max {
                let product = GaloisField.product(left, right)
                guard product == plainProduct(left, right) else {
                    Issue.record("\(left) times \(right)")
                    return
                }
                if right != 0, GaloisField.quotient(product, right) != left { Issue.record("\(product) by \(right)") }
            }
        }
    }

    /// Any k of the 256 fragments, in any order.
    @Test(arguments: lengths) func anyFragmentsThatAreEnoughGiveTheCode(_ length: Int) throws {
        var generator = SeededGenerator(seed: length)
        let code = try Self.code(length, &generator)
        for _ in 0..<5 {
            let indices = (UInt8.min...UInt8.max).shuffled(using: &generator).prefix(code.pieceCount)
            let points = indices.map { (index: $0, bytes: code.fragment($0).bytes) }
            #expect(DoorCode(pieces: ErasureCode.pieces(from: points), tag: code.fragment(0).tag) == code)
        }
    }

    /// The check decides, whatever part of a fragment is another.
    @Test func aWrongByteAnywhereIsNoCode() throws {
        var generator = SeededGenerator(seed: 2)
        let code = try Self.code(60, &generator)
        let tag = code.fragment(0).tag
        for place in 0..<code.pieceCount {
            var points = (0..<code.pieceCount).map { (index: UInt8($0 + 3), bytes: code.fragment(UInt8($0 + 3)).bytes) }
            points[place].bytes[Int.random(in: 0..<7, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
            #expect(DoorCode(pieces: ErasureCode.pieces(from: points), tag: tag) == nil)
        }
        let points = (0..<code.pieceCount).map { (index: UInt8($0), bytes: code.fragment(UInt8($0)).bytes) }
        #expect(DoorCode(pieces: ErasureCode.pieces(from: points), tag: tag ^ 1) == nil)
    }

    @Test func contentsAndPowersThatFitNoCodeAreRefused() {
        let longest = [UInt8](repeating: 7, count: DoorCode.maximumByteCount)
        #expect(DoorCode(content: [], transmitPower: 0) == nil)
        #expect(DoorCode(content: longest + [7], transmitPower: 0) == nil)
        #expect(DoorCode(content: longest, transmitPower: 21) == nil)
        #expect(DoorCode(content: longest, transmitPower: -128) == nil)
        #expect(DoorCode(content: longest, transmitPower: 20)?.pieceCount == DoorCode.pieceCounts.upperBound)
        #expect(DoorCode(content: [1], transmitPower: -127)?.pieceCount == DoorCode.pieceCounts.lowerBound)
    }

    @Test func anAdvertisementIsReadBackAndNothingElseIsOne() throws {
        var generator = SeededGenerator(seed: 3)
        let code = try Self.code(190, &generator)
        for index in UInt8.min...UInt8.max {
            let fragment = code.fragment(index)
            #expect(fragment.advertisingData.count == 31)
            #expect(DoorFragment(advertisingData: fragment.advertisingData) == fragment)
        }
        let data = code.fragment(9).advertisingData
        for place in 0..<18 {
            var other = data
            other[place] ^= 1
            #expect(DoorFragment(advertisingData: other) == nil)
        }
        for count in [0, 1, 97, 255] as [UInt8] {
            var other = data
            other[22] = count
            #expect(DoorFragment(advertisingData: other) == nil)
        }
        for length in 0..<31 { #expect(DoorFragment(advertisingData: data.prefix(length)) == nil) }
        #expect(DoorFragment(advertisingData: data + [0]) == nil)
    }

    /// The frame and the erasure code are what other firmware has to agree with: a fixed example.
    @Test func theFrameStaysWhatItIs() throws {
        let code = try #require(DoorCode(content: Array("Vigil".utf8), transmitPower: -8))
        #expect(code.pieceCount == 3)
        let data = [0, 1, 2, 3, 255].map { index in
            code.fragment(UInt8(index)).advertisingData.dropFirst(18).map { String($0, radix: 16) }.joined(separator: " ")
        }
        #expect(data == Self.example)
    }

    /// Computed by a program of its own, by the definitions and without tables.
    private static let example = [
        "af ca d3 ff 3 0 6 f8 56 69 67 69 6c", "af ca d3 ff 3 1 42 41 5e 75 9a 8e ea", "af ca d3 ff 3 2 2c 0 0 0 0 0 0",
        "af ca d3 ff 3 3 68 b9 8 1c fd e7 86", "af ca d3 ff 3 ff ad 27 9d fc 9c 5e 12",
    ]
}
