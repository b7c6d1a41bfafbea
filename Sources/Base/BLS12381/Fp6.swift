// SPDX-License-Identifier: Apache-2.0

/// An element `c0 + c1 · v + c2 · v²` over ``Fp2``, where v³ = 1 + i.
struct Fp6: Sendable {
    var c0: Fp2
    var c1: Fp2
    var c2: Fp2

    static let zero = Fp6(c0: .zero, c1: .zero, c2: .zero)
    static let one = Fp6(c0: .one, c1: .zero, c2: .zero)

    @inline(__always)
    static func + (left: Fp6, right: Fp6) -> Fp6 {
        Fp6(c0: left.c0 + right.c0, c1: left.c1 + right.c1, c2: left.c2 + right.c2)
    }

    @inline(__always)
    static func - (left: Fp6, right: Fp6) -> Fp6 {
        Fp6(c0: left.c0 - right.c0, c1: left.c1 - right.c1, c2: left.c2 - right.c2)
    }

    @inline(__always)
    static prefix func - (value: Fp6) -> Fp6 { Fp6(c0: -value.c0, c1: -value.c1, c2: -value.c2) }

    /// Karatsuba's six products instead of nine.
    static func * (left: Fp6, right: Fp6) -> Fp6 {
        let p0 = left.c0 * right.c0
        let p1 = left.c1 * right.c1
        let p2 = left.c2 * right.c2
        let mixed01 = (left.c0 + left.c1) * (right.c0 + right.c1) - p0 - p1
        let mixed02 = (left.c0 + left.c2) * (right.c0 + right.c2) - p0 - p2
        let mixed12 = (left.c1 + left.c2) * (right.c1 + right.c2) - p1 - p2
        return Fp6(c0: p0 + mixed12.timesXi, c1: mixed01 + p2.timesXi, c2: mixed02 + p1)
    }

    /// The product with `c0 + c1 · v`.
    func times(_ c0: Fp2, _ c1: Fp2) -> Fp6 {
        let p0 = self.c0 * c0
        let p1 = self.c1 * c1
        let mixed = (self.c0 + self.c1) * (c0 + c1) - p0 - p1
        return Fp6(c0: p0 + (self.c2 * c1).timesXi, c1: mixed, c2: self.c2 * c0 + p1)
    }

    /// The product with `c1 · v`.
    func times(v c1: Fp2) -> Fp6 { Fp6(c0: (c2 * c1).timesXi, c1: c0 * c1, c2: self.c1 * c1) }

    /// The product with v.
    @inline(__always)
    var timesV: Fp6 { Fp6(c0: c2.timesXi, c1: c0, c2: c1) }

    @inline(__always)
    static func select(_ mask: UInt64, _ left: Fp6, _ right: Fp6) -> Fp6 {
        Fp6(
            c0: .select(mask, left.c0, right.c0), c1: .select(mask, left.c1, right.c1), c2: .select(mask, left.c2, right.c2)
        )
    }

    /// 1 divided by this; 0 for 0.
    var inverse: Fp6 {
        let t0 = c0.squared - (c1 * c2).timesXi
        let t1 = c2.squared.timesXi - c0 * c1
        let t2 = c1.squared - c0 * c2
        let norm = c0 * t0 + (c2 * t1 + c1 * t2).timesXi
        let inverse = norm.inverse
        return Fp6(c0: t0 * inverse, c1: t1 * inverse, c2: t2 * inverse)
    }
}
