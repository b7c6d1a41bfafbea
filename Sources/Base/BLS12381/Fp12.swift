// SPDX-License-Identifier: Apache-2.0

/// An element `c0 + c1 · w` over ``Fp6``, where w² = v. Pairings give such.
struct Fp12: Sendable {
    var c0: Fp6
    var c1: Fp6

    static let one = Fp12(c0: .one, c1: .zero)

    /// Karatsuba's three products instead of four.
    static func * (left: Fp12, right: Fp12) -> Fp12 {
        let p0 = left.c0 * right.c0
        let p1 = left.c1 * right.c1
        return Fp12(c0: p0 + p1.timesV, c1: (left.c0 + left.c1) * (right.c0 + right.c1) - p0 - p1)
    }

    var squared: Fp12 {
        let product = c0 * c1
        let sum = (c0 + c1) * (c0 + c1.timesV)
        return Fp12(c0: sum - product - product.timesV, c1: product + product)
    }

    /// The product with a line, which has three of the six coefficients.
    func times(_ line: MillerLoop.Line) -> Fp12 {
        let p0 = c0.times(line.constant, line.v)
        let p1 = c1.times(v: line.vw)
        let mixed = (c0 + c1).times(line.constant, line.v + line.vw)
        return Fp12(c0: p0 + p1.timesV, c1: mixed - p0 - p1)
    }

    /// The same with −w instead of w, which is also the power p⁶. Of what a pairing gives it is the inverse.
    @inline(__always)
    var conjugate: Fp12 { Fp12(c0: c0, c1: -c1) }

    /// `left` if `mask` is all ones, `right` if it is 0.
    static func select(_ mask: UInt64, _ left: Fp12, _ right: Fp12) -> Fp12 {
        Fp12(c0: .select(mask, left.c0, right.c0), c1: .select(mask, left.c1, right.c1))
    }

    /// 1 divided by this; 0 for 0.
    var inverse: Fp12 {
        let inverse = (c0 * c0 - (c1 * c1).timesV).inverse
        return Fp12(c0: c0 * inverse, c1: -(c1 * inverse))
    }

    /// (1 + i)^((p − 1)/6), which w is multiplied with by the power p: w⁶ is 1 + i.
    private static let frobeniusFactor: Fp2 = Fp2(
        real: 0x1904D3BF02BB0667_C231BEB4202C0D1F_0FD603FD3CBD5F4F_7B2443D784BAB9C4_F67EA53D63E7813D_8D0775ED92235FB8,
        imaginary: 0x00FC3E2B36C4E032_88E9E902231F9FB8_54A14787B6C7B36F_EC0C8EC971F63C5F_282D5AC14D6C7EC2_2CF78A126DDC4AF3
    )
    /// Its first five powers.
    private static let frobeniusPowers: (Fp2, Fp2, Fp2, Fp2, Fp2) = {
        let second = frobeniusFactor.squared
        return (frobeniusFactor, second, second * frobeniusFactor, second.squared, second.squared * frobeniusFactor)
    }()

    /// The power p (Frobenius).
    var frobenius: Fp12 {
        let powers = Fp12.frobeniusPowers
        return Fp12(
            c0: Fp6(c0: c0.c0.conjugate, c1: c0.c1.conjugate * powers.1, c2: c0.c2.conjugate * powers.3),
            c1: Fp6(c0: c1.c0.conjugate * powers.0, c1: c1.c1.conjugate * powers.2, c2: c1.c2.conjugate * powers.4))
    }
}
