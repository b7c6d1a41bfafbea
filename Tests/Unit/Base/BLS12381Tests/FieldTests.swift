// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing

@testable import BLS12381

@Suite struct FieldTests {
    @Test func sumsAndProductsAreThoseOfPlainNumbers() throws {
        var generator = SeededGenerator(seed: 381)
        let numbers = ReferenceNumber.borders + (0..<12).map { _ in ReferenceNumber.random(&generator) }
        for left in numbers {
            let a = try #require(left.field)
            #expect(a.bytes == left.bytes)
            #expect((-a).bytes == (-left).bytes)
            #expect((a.isOdd != 0) == (left.bytes[0] & 1 == 1))
            for right in numbers {
                let b = try #require(right.field)
                #expect((a + b).bytes == (left + right).bytes)
                #expect((a - b).bytes == (left + -right).bytes)
                #expect((a * b).bytes == (left * right).bytes)
                #expect((a.unreducedSum(b) * a.unreducedSum(b)).bytes == ((left + right) * (left + right)).bytes)
                #expect((a.equals(b) != 0) == (left == right))
            }
        }
    }

    @Test func inversesAndRoots() {
        var generator = SeededGenerator(seed: 382)
        var squares = 0
        for _ in 0..<20 {
            let number = Fp.random(&generator)
            #expect((number * number.inverse).equals(.one) != 0)
            #expect((number.halved + number.halved).equals(number) != 0)
            let square = number.squared
            let (root, isSquare) = square.squareRoot
            #expect(isSquare == .max && root.squared.equals(square) != 0 && root.squareRoot.isSquare == .max)
            // −1 is no square: of a number and its negative one is.
            #expect(number.squareRoot.isSquare ^ (-number).squareRoot.isSquare == .max)
            if number.squareRoot.isSquare != 0 { squares += 1 }
        }
        #expect((1..<20).contains(squares))
        #expect(Fp.zero.inverse.isZero == .max && Fp.zero.squareRoot.isSquare == .max)
    }

    @Test func onlyNumbersBelowTheModulusAreRead() {
        let p = ReferenceNumber.p
        #expect(Fp(ReferenceNumber.bytes(p)) == nil)
        #expect(Fp(ReferenceNumber.bytes([p[0] + 1] + p[1...])) == nil)
        #expect(Fp(ReferenceNumber.bytes([0] + p[1...4] + [p[5] + 1])) == nil)
        #expect(Fp([UInt8](repeating: 0xFF, count: 48)) == nil)
        #expect(Fp(ReferenceNumber.bytes([p[0] - 1] + p[1...]))?.bytes == ReferenceNumber.bytes([p[0] - 1] + p[1...]))
    }

    /// mcl masks digests once, and again where that is not enough.
    @Test func digestsAreMasked() {
        let all = [UInt8](repeating: 0xFF, count: 48)
        #expect(Fp(masking: all).bytes == [UInt8](repeating: 0xFF, count: 47) + [0x0F])
        let p = ReferenceNumber.bytes(ReferenceNumber.p)
        #expect(Fp(masking: p).bytes == p.dropLast() + [0x0A])
        var high = [UInt8](repeating: 0, count: 48)
        high[47] = 0xF0
        #expect(Fp(masking: high).bytes == [UInt8](repeating: 0, count: 47) + [0x10])
    }

    @Test func theSecondField() {
        var generator = SeededGenerator(seed: 383)
        var refused = 0
        for _ in 0..<12 {
            let number = Fp2.random(&generator)
            #expect((number * number.inverse).equals(.one) != 0)
            #expect(number.squared.equals(number * number) != 0)
            #expect(number.squared.squareRoot.map { $0.squared.equals(number.squared) != 0 } == true)
            if number.squareRoot == nil { refused += 1 }
            // 1 + i is no square.
            #expect((number.squareRoot == nil) != (number.timesXi.squareRoot == nil))
            #expect(number.timesXi.equals(number * Fp2(real: .one, imaginary: .one)) != 0)
            for plain in [Fp2(real: number.real, imaginary: .zero), Fp2(real: .zero, imaginary: number.real)] {
                #expect(plain.squared.squareRoot.map { $0.squared.equals(plain.squared) != 0 } == true)
            }
            #expect(Fp2(real: number.real, imaginary: .zero).squareRoot != nil)
        }
        #expect((1..<12).contains(refused))
        #expect(Fp2.zero.squareRoot?.isZero == .max)
    }

    @Test func theTower() {
        var generator = SeededGenerator(seed: 384)
        for _ in 0..<3 {
            let (a, b, c) = (Fp12.random(&generator), Fp12.random(&generator), Fp12.random(&generator))
            #expect((a * b).isSame(b * a) && ((a * b) * c).isSame(a * (b * c)))
            #expect((a * a).isSame(a.squared))
            #expect((a * a.inverse).isSame(.one))
            #expect(a.conjugate.conjugate.isSame(a))
            let line = MillerLoop.Line(constant: b.c0.c0, v: b.c0.c1, vw: b.c1.c1)
            let whole = Fp12(
                c0: Fp6(c0: line.constant, c1: line.v, c2: .zero), c1: Fp6(c0: .zero, c1: line.vw, c2: .zero))
            #expect(a.times(line).isSame(a * whole))
            // w² is v, and v³ is 1 + i.
            let w = Fp12(c0: .zero, c1: .one)
            let v = Fp12(c0: Fp6(c0: .zero, c1: .one, c2: .zero), c1: .zero)
            let xi = Fp12(c0: Fp6(c0: Fp2.one.timesXi, c1: .zero, c2: .zero), c1: .zero)
            #expect((w * w).isSame(v) && (v * v * v).isSame(xi))
            #expect(a.frobenius.isSame(a.power(ReferenceNumber.p)))
            var sixth = a
            for _ in 0..<6 { sixth = sixth.frobenius }
            #expect(sixth.isSame(a.conjugate))
            // After the first powers of the final exponentiation.
            let first = a.conjugate * a.inverse
            let unitary = first.frobenius.frobenius * first
            #expect(unitary.cyclotomicSquare.isSame(unitary.squared) && (unitary * unitary.conjugate).isSame(.one))
        }
    }
}
