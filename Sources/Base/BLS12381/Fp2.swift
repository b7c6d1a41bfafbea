// SPDX-License-Identifier: Apache-2.0

/// An element `real + imaginary · i` of the field of p² numbers, where i² = −1. The coordinates of G2 are such.
///
/// No function has a branch or an address that depends on a value, except where it says so.
struct Fp2: Sendable {
    var real: Fp
    var imaginary: Fp

    static let zero = Fp2(real: .zero, imaginary: .zero)
    static let one = Fp2(real: .one, imaginary: .zero)

    @inline(__always)
    static func + (left: Fp2, right: Fp2) -> Fp2 {
        Fp2(real: left.real + right.real, imaginary: left.imaginary + right.imaginary)
    }

    @inline(__always)
    static func - (left: Fp2, right: Fp2) -> Fp2 {
        Fp2(real: left.real - right.real, imaginary: left.imaginary - right.imaginary)
    }

    @inline(__always)
    static prefix func - (value: Fp2) -> Fp2 { Fp2(real: -value.real, imaginary: -value.imaginary) }

    /// Karatsuba's three products instead of four.
    static func * (left: Fp2, right: Fp2) -> Fp2 {
        let reals = left.real * right.real
        let imaginaries = left.imaginary * right.imaginary
        let mixed = left.real.unreducedSum(left.imaginary) * right.real.unreducedSum(right.imaginary)
        return Fp2(real: reals - imaginaries, imaginary: mixed - reals - imaginaries)
    }

    @inline(__always)
    static func * (left: Fp2, right: Fp) -> Fp2 { Fp2(real: left.real * right, imaginary: left.imaginary * right) }

    var squared: Fp2 {
        Fp2(
            real: real.unreducedSum(imaginary) * (real - imaginary),
            imaginary: real.unreducedSum(real) * imaginary)
    }

    @inline(__always)
    var doubled: Fp2 { self + self }

    /// The product with 1 + i, the number that v³ = w⁶ is.
    @inline(__always)
    var timesXi: Fp2 { Fp2(real: real - imaginary, imaginary: real + imaginary) }

    /// The same with −i instead of i, which is also the p-th power.
    @inline(__always)
    var conjugate: Fp2 { Fp2(real: real, imaginary: -imaginary) }

    /// 1 divided by this; 0 for 0.
    var inverse: Fp2 { conjugate * (real.squared + imaginary.squared).inverse }

    /// A square root; `nil` if there is none. Which steps it takes depends on the value.
    var squareRoot: Fp2? {
        let root: Fp2
        if imaginary.isZero != 0 {
            // −1 is no square, so exactly one of the real part and its negative is.
            let (plain, isSquare) = real.squareRoot
            root = isSquare != 0 ? Fp2(real: plain, imaginary: .zero) : Fp2(real: .zero, imaginary: (-real).squareRoot.root)
        } else {
            // (a + bi)² has the real part a² − b² and the norm (a² + b²)²: half of their sum is a².
            let norm = (real.squared + imaginary.squared).squareRoot.root
            let (plus, isSquare) = (real + norm).halved.squareRoot
            let half = isSquare != 0 ? plus : (real - norm).halved.squareRoot.root
            root = Fp2(real: half, imaginary: imaginary.halved * half.inverse)
        }
        return root.squared.equals(self) != 0 ? root : nil
    }

    /// All ones for 0, and 0 otherwise.
    @inline(__always)
    var isZero: UInt64 { real.isZero & imaginary.isZero }

    /// All ones if both are the same, and 0 otherwise.
    @inline(__always)
    func equals(_ other: Fp2) -> UInt64 { real.equals(other.real) & imaginary.equals(other.imaginary) }

    /// `left` if `mask` is all ones, `right` if it is 0.
    @inline(__always)
    static func select(_ mask: UInt64, _ left: Fp2, _ right: Fp2) -> Fp2 {
        Fp2(real: .select(mask, left.real, right.real), imaginary: .select(mask, left.imaginary, right.imaginary))
    }
}
