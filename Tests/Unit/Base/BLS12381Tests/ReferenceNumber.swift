// SPDX-License-Identifier: Apache-2.0

import RandomValues

@testable import BLS12381

/// Numbers modulo p as six words, lowest first, multiplied bit by bit: slow, and nothing of it is Montgomery's.
struct ReferenceNumber: Equatable {
    static let p: [UInt64] = [
        0xB9FE_FFFF_FFFF_AAAB, 0x1EAB_FFFE_B153_FFFF, 0x6730_D2A0_F6B0_F624, 0x6477_4B84_F385_12BF, 0x4B1B_A7B6_434B_ACD7,
        0x1A01_11EA_397F_E69A,
    ]

    var words: [UInt64]

    /// Any six words become a number below p.
    init(_ words: [UInt64]) {
        self.words = words
        while !Self.isLess(self.words, Self.p) { self.words = Self.difference(self.words, Self.p) }
    }

    /// The hostile values: 0, 1, p − 1, the halves of p, and words of ones.
    static let borders: [ReferenceNumber] = {
        let short: [[UInt64]] = [
            [], [1], [2], [0, 1], [.max], [.max, .max, .max, .max, .max], [0, 0, 0, 0, 0, 1 << 60],
        ]
        let low = short.map { ReferenceNumber($0 + [UInt64](repeating: 0, count: 6 - $0.count)) }
        let high = (1...3).map { -ReferenceNumber([$0, 0, 0, 0, 0, 0]) }
        return low + high + [ReferenceNumber(half(p)), -ReferenceNumber(half(p))]
    }()

    static func random(_ generator: inout SeededGenerator) -> ReferenceNumber {
        ReferenceNumber((0..<6).map { _ in generator.next() })
    }

    var bytes: [UInt8] { Self.bytes(words) }
    var field: Fp? { Fp(bytes) }

    static func bytes(_ words: [UInt64]) -> [UInt8] {
        words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } }
    }

    static func + (left: ReferenceNumber, right: ReferenceNumber) -> ReferenceNumber {
        // Neither has the highest bits, so the sum fits.
        var carry: UInt64 = 0
        return ReferenceNumber(
            zip(left.words, right.words).map { left, right in
                let (first, isOver) = left.addingReportingOverflow(right)
                let (second, isOverAgain) = first.addingReportingOverflow(carry)
                carry = isOver || isOverAgain ? 1 : 0
                return second
            })
    }

    static prefix func - (value: ReferenceNumber) -> ReferenceNumber { ReferenceNumber(difference(p, value.words)) }

    static func * (left: ReferenceNumber, right: ReferenceNumber) -> ReferenceNumber {
        var result = ReferenceNumber([0, 0, 0, 0, 0, 0])
        for word in right.words.reversed() {
            for bit in (0..<64).reversed() {
                result = result + result
                if word >> UInt64(bit) & 1 == 1 { result = result + left }
            }
        }
        return result
    }

    private static func isLess(_ left: [UInt64], _ right: [UInt64]) -> Bool {
        left.reversed().lexicographicallyPrecedes(right.reversed())
    }

    static func difference(_ left: [UInt64], _ right: [UInt64]) -> [UInt64] {
        var borrow: UInt64 = 0
        return zip(left, right).map { left, right in
            let (first, isUnder) = left.subtractingReportingOverflow(right)
            let (second, isUnderAgain) = first.subtractingReportingOverflow(borrow)
            borrow = isUnder || isUnderAgain ? 1 : 0
            return second
        }
    }

    private static func half(_ words: [UInt64]) -> [UInt64] {
        words.indices.map { words[$0] >> 1 | ($0 + 1 < words.count ? words[$0 + 1] << 63 : 0) }
    }
}

extension Fp {
    var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 48) { buffer, count in
            write(to: UnsafeMutableRawBufferPointer(buffer), at: 0)
            count = 48
        }
    }

    static func random(_ generator: inout SeededGenerator) -> Fp {
        Fp(masking: (0..<48).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
}

extension Fp2 {
    static func random(_ generator: inout SeededGenerator) -> Fp2 {
        Fp2(real: .random(&generator), imaginary: .random(&generator))
    }
}

extension Fp12 {
    static func random(_ generator: inout SeededGenerator) -> Fp12 {
        func six() -> Fp6 { Fp6(c0: .random(&generator), c1: .random(&generator), c2: .random(&generator)) }
        return Fp12(c0: six(), c1: six())
    }

    var parts: [Fp] { [c0.c0, c0.c1, c0.c2, c1.c0, c1.c1, c1.c2].flatMap { [$0.real, $0.imaginary] } }

    func isSame(_ other: Fp12) -> Bool { zip(parts, other.parts).allSatisfy { $0.equals($1) != 0 } }

    /// By squares and products, the highest word last.
    func power(_ exponent: [UInt64]) -> Fp12 {
        var result = Fp12.one
        for word in exponent.reversed() {
            for bit in (0..<64).reversed() {
                result = result.squared
                if word >> UInt64(bit) & 1 == 1 { result = result * self }
            }
        }
        return result
    }
}
