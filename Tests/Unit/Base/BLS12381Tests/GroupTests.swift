// SPDX-License-Identifier: Apache-2.0

import Cryptography
import RandomValues
import Testing

@testable import BLS12381

@Suite struct GroupTests {
    private static func scalar(_ number: UInt64) throws -> Scalar {
        try Scalar(SecretBytes(copying: ReferenceNumber.bytes([number, 0, 0, 0])))
    }

    /// r − `number`.
    private static func negative(_ number: UInt64) throws -> Scalar {
        try Scalar(
            SecretBytes(
                copying: ReferenceNumber.bytes(
                    [0xFFFF_FFFF_0000_0001 - number, 0x53BD_A402_FFFE_5BFE, 0x3339_D808_09A1_D805, 0x73ED_A753_299D_7D48])))
    }

    /// The law of groups, for any three points of either curve.
    private func law<Field>(_ a: CurvePoint<Field>, _ b: CurvePoint<Field>, _ c: CurvePoint<Field>) {
        func same(_ left: CurvePoint<Field>, _ right: CurvePoint<Field>) -> Bool { left.equals(right) != 0 }
        let zero = CurvePoint<Field>.zero
        #expect(same(a + b, b + a) && same((a + b) + c, a + (b + c)))
        #expect(same(a + zero, a) && same(zero + a, a) && same(zero + zero, zero) && same(zero.doubled, zero))
        #expect(same(a + -a, zero) && (a + -a).isZero == .max && same(a + a, a.doubled))
        #expect(same(a.normalized, a) && same(a.doubled.normalized, a + a))
        #expect(!same(a, zero) && !same(zero, a) && !same(a, -a) && !same(a, b))
        for point in [a, a + b, a.doubled] {
            // y²z = x³ + bz³
            let right = point.x.squared * point.x + Field.curveB * point.z.squared * point.z
            #expect((point.y.squared * point.z).equals(right) != 0)
        }
    }

    @Test func theLawOfTheGroups() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<3 {
            let numbers = (0..<3).map { _ in Scalar.random(using: &generator) }
            let left = numbers.map { G1.generator.multiplied(by: $0).point }
            law(left[0], left[1] + left[2], left[2])
            let right = numbers.map { G2.generator.multiplied(by: $0).point }
            law(right[0], right[1] + right[2], right[2])
        }
    }

    /// Outside the group the formulas hold as well, which the look at it needs.
    @Test func theLawOutsideTheGroups() throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<3 {
            let points = (0..<3).map { _ in OffGroup.point1(&generator) }
            law(points[0], points[1], points[2])
            #expect(!points[0].isInGroup)
            let others = (0..<3).map { _ in OffGroup.point2(&generator) }
            law(others[0], others[1], others[2])
            #expect(!others[0].isInGroup)
        }
    }

    @Test func multiplesAreSums() throws {
        var (one, two) = (G1.zero, G2.zero)
        for number: UInt64 in 0..<36 {
            #expect(G1.generator.multiplied(by: try Self.scalar(number)) == one)
            #expect(G2.generator.multiplied(by: try Self.scalar(number)) == two)
            #expect(one.isZero == (number == 0) && two.isZero == (number == 0))
            one = one + .generator
            two = two + .generator
        }
        for number: UInt64 in [1, 2, 15, 16, 17] {
            #expect(
                G1.generator.multiplied(by: try Self.negative(number)) == -G1.generator.multiplied(
                    by: try Self.scalar(number)))
            #expect(
                G2.generator.multiplied(by: try Self.negative(number)) == -G2.generator.multiplied(
                    by: try Self.scalar(number)))
        }
        #expect(G1.generator.point.isInGroup && G2.generator.point.isInGroup)
        let seven = try Self.scalar(7)
        #expect(G1.zero.multiplied(by: seven).isZero && G2.zero.multiplied(by: seven).isZero)
    }

    @Test func scalars() throws {
        let r = Scalar.orderBytes
        func refusal(_ bytes: [UInt8]) -> BLS12381Error.Code? {
            do throws(BLS12381Error) {
                _ = try Scalar(SecretBytes(copying: bytes))
                return nil
            } catch { return error.code }
        }
        #expect(refusal(r) == .notCanonical)
        #expect(refusal([UInt8](repeating: 0xFF, count: 32)) == .notCanonical)
        #expect(refusal([r[0] - 1] + r[1...]) == nil)
        for count in [0, 31, 33, 64] { #expect(refusal([UInt8](repeating: 0, count: count)) == .wrongLength) }
        let (zero, one, high) = (try Self.scalar(0), try Self.scalar(1), try Self.scalar(1 << 63))
        #expect(zero.isZero && !one.isZero && !high.isZero)
        // A digest of r has 255 bits and is too large: its highest bit goes.
        #expect(Scalar(digest: SecretBytes(copying: r)).bytes == SecretBytes(copying: r.dropLast() + [r[31] & 0x3F]))
        let all = [UInt8](repeating: 0xFF, count: 32)
        #expect(Scalar(digest: SecretBytes(copying: all)).bytes == SecretBytes(copying: all.dropLast() + [0x3F]))
        #expect(!"\(try Self.scalar(77))".contains("77"))
    }

    /// Each of the three numbers is the x of a point for some message, and of a point that is in the group in the end.
    @Test func hashing() throws {
        var generator = SeededGenerator(seed: 3)
        var first: Set<[UInt8]> = []
        for number in 0..<12 {
            let point = G1(hashing: [UInt8](repeating: 7, count: number))
            #expect(point.point.isInGroup && !point.isZero)
            first.insert(point.bytes)
        }
        #expect(first.count == 12)
        for _ in 0..<12 {
            let t = Fp.random(&generator)
            let point = try #require(G1.map(t))
            #expect(point.y.squared.equals(point.x.squared * point.x + Fp.curveB) != 0)
            // The other sign of t is the other sign of y.
            #expect(try #require(G1.map(-t)).equals(-point) != 0)
        }
        #expect(G1.map(.zero) == nil)
        // −5 is a square if 5 is none.
        #expect((Fp.zero - 5).squareRoot.isSquare != 0 && G1.map((Fp.zero - 5).squareRoot.root) == nil)
    }
}

/// Points of the curves that are in neither group.
enum OffGroup {
    static func point1(_ generator: inout SeededGenerator) -> CurvePoint<Fp> {
        while true {
            let x = Fp.random(&generator)
            let (y, isSquare) = (x.squared * x + Fp.curveB).squareRoot
            if isSquare != 0 { return CurvePoint(x: x, y: y, z: .one) }
        }
    }

    static func point2(_ generator: inout SeededGenerator) -> CurvePoint<Fp2> {
        while true {
            let x = Fp2.random(&generator)
            if let y = (x.squared * x + Fp2.curveB).squareRoot { return CurvePoint(x: x, y: y, z: .one) }
        }
    }
}
