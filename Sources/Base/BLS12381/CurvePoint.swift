// SPDX-License-Identifier: Apache-2.0

/// What a curve needs of the field of its coordinates.
protocol CurveField: Sendable {
    static var zero: Self { get }
    static var one: Self { get }
    static func + (left: Self, right: Self) -> Self
    static func - (left: Self, right: Self) -> Self
    static prefix func - (value: Self) -> Self
    static func * (left: Self, right: Self) -> Self
    var squared: Self { get }
    var inverse: Self { get }
    var isZero: UInt64 { get }
    func equals(_ other: Self) -> UInt64
    static func select(_ mask: UInt64, _ left: Self, _ right: Self) -> Self

    /// The b of the curve y² = x³ + b.
    static var curveB: Self { get }
    /// The product with 3b.
    var times3B: Self { get }
}

extension CurveField {
    @inline(__always)
    var tripled: Self { self + self + self }
}

extension Fp: CurveField {
    static var curveB: Fp { 4 }
    @inline(__always)
    var times3B: Fp { tripled.doubled.doubled }
}

extension Fp2: CurveField {
    static let curveB = Fp2(real: 4, imaginary: 4)
    @inline(__always)
    var times3B: Fp2 { timesXi.tripled.doubled.doubled }
}

/// A point (x/z, y/z) of the curve y² = x³ + b; z is 0 at infinity, the zero of the group.
///
/// The formulas are the complete ones of Renes, Costello and Batina ("Complete addition formulas for prime order elliptic curves", 2016,
/// algorithms 7 and 9). They hold for any two points of a curve without a point of order 2, which both curves are, so that no case needs a branch.
struct CurvePoint<Field: CurveField>: Sendable {
    var x: Field
    var y: Field
    var z: Field

    static var zero: CurvePoint { CurvePoint(x: .zero, y: .one, z: .zero) }

    /// All ones at infinity, and 0 elsewhere.
    var isZero: UInt64 { z.isZero }

    static func + (left: CurvePoint, right: CurvePoint) -> CurvePoint {
        let xx = left.x * right.x
        let yy = left.y * right.y
        let zz = left.z * right.z
        let xy = (left.x + left.y) * (right.x + right.y) - xx - yy
        let yz = (left.y + left.z) * (right.y + right.z) - yy - zz
        let xz = (left.x + left.z) * (right.x + right.z) - xx - zz
        let xx3 = xx.tripled
        let zzB = zz.times3B
        let xzB = xz.times3B
        let plus = yy + zzB
        let minus = yy - zzB
        return CurvePoint(x: xy * minus - yz * xzB, y: xzB * xx3 + minus * plus, z: plus * yz + xx3 * xy)
    }

    var doubled: CurvePoint {
        let yy = y.squared
        let yy2 = yy + yy
        let yy8 = yy2 + yy2 + yy2 + yy2
        let zzB = z.squared.times3B
        let minus = yy - zzB.tripled
        let product = minus * (x * y)
        return CurvePoint(x: product + product, y: zzB * yy8 + minus * (yy + zzB), z: yy8 * (y * z))
    }

    static prefix func - (point: CurvePoint) -> CurvePoint { CurvePoint(x: point.x, y: -point.y, z: point.z) }

    /// Multiplies with a number of `bytes`, lowest first, by windows of four bits. The same steps and the same addresses for all numbers of one
    /// length.
    func multiplied(by bytes: UnsafeRawBufferPointer) -> CurvePoint {
        var multiples = [CurvePoint.zero, self]
        for index in 2..<16 {
            multiples.append(index.isMultiple(of: 2) ? multiples[index / 2].doubled : multiples[index - 1] + self)
        }
        return multiples.withUnsafeBufferPointer { multiples in
            var result = CurvePoint.zero
            for byte in bytes.reversed() {
                for digit in [UInt64(byte >> 4), UInt64(byte & 15)] {
                    for _ in 0..<4 { result = result.doubled }
                    var multiple = multiples[0]
                    for index in 1..<16 {
                        multiple = .select(isZeroMask(digit ^ UInt64(index)), multiples[index], multiple)
                    }
                    result = result + multiple
                }
            }
            return result
        }
    }

    @inline(__always)
    static func select(_ mask: UInt64, _ left: CurvePoint, _ right: CurvePoint) -> CurvePoint {
        CurvePoint(x: .select(mask, left.x, right.x), y: .select(mask, left.y, right.y), z: .select(mask, left.z, right.z))
    }

    /// The same point with 1 as z; at infinity ``zero``.
    var normalized: CurvePoint {
        let inverse = z.inverse
        return .select(isZero, .zero, CurvePoint(x: x * inverse, y: y * inverse, z: .one))
    }

    /// All ones if both are the same point, and 0 otherwise.
    func equals(_ other: CurvePoint) -> UInt64 {
        (x * other.z).equals(other.x * z) & (y * other.z).equals(other.y * z)
    }

    /// Whether r times this is zero: whether the point is in the group that pairings are defined for. Both curves have many others.
    var isInGroup: Bool { Scalar.orderBytes.withUnsafeBytes { multiplied(by: $0) }.isZero != 0 }
}
