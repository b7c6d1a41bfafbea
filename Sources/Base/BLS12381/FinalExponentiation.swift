// SPDX-License-Identifier: Apache-2.0

extension Fp12 {
    /// The second half of a pairing: the power 3(p¹² − 1)/r, which mcl computes. Without the 3 it would be another pairing, as good as this one.
    ///
    /// Hayashida, Hayasaka and Teruya, "Efficient final exponentiation via cyclotomic structure" (2020): 3(p⁴ − p² + 1)/r is
    /// (z − 1)²(z + p)(z² + p² − 1) + 3.
    var finalExponentiation: Fp12 {
        // The powers p⁶ − 1 and p² + 1.
        let first = conjugate * inverse
        let base = first.frobenius.frobenius * first
        // From here on the conjugate is the inverse.
        let once = base.powerZ * base.conjugate
        let twice = once.powerZ * once.conjugate
        let third = twice.powerZ * twice.frobenius
        let fourth = third.powerZ.powerZ * third.frobenius.frobenius * third.conjugate
        return fourth * base.cyclotomicSquare * base
    }

    /// The power z, which is negative.
    private var powerZ: Fp12 {
        var result = self
        for bit in (0..<63).reversed() {
            result = result.cyclotomicSquare
            if MillerLoop.parameter >> UInt64(bit) & 1 == 1 { result = result * self }
        }
        return result.conjugate
    }

    /// The square of a number whose conjugate is its inverse, in half of the time: Granger and Scott, "Faster squaring in the cyclotomic
    /// subgroup of sixth degree extensions" (2010).
    var cyclotomicSquare: Fp12 {
        /// The square of `left + right · s`, where s² = 1 + i.
        func square(_ left: Fp2, _ right: Fp2) -> (Fp2, Fp2) {
            let lefts = left.squared
            let rights = right.squared
            return (lefts + rights.timesXi, (left + right).squared - lefts - rights)
        }
        func minus(_ square: Fp2, _ part: Fp2) -> Fp2 { square.tripled - part.doubled }
        func plus(_ square: Fp2, _ part: Fp2) -> Fp2 { square.tripled + part.doubled }
        let (a0, a1) = square(c0.c0, c1.c1)
        let (b0, b1) = square(c1.c0, c0.c2)
        let (d0, d1) = square(c0.c1, c1.c2)
        return Fp12(
            c0: Fp6(c0: minus(a0, c0.c0), c1: minus(b0, c0.c1), c2: minus(d0, c0.c2)),
            c1: Fp6(c0: plus(d1.timesXi, c1.c0), c1: plus(a1, c1.c1), c2: plus(b1, c1.c2)))
    }
}
