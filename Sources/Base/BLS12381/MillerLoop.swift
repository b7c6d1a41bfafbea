// SPDX-License-Identifier: Apache-2.0

/// The first half of a pairing: the function of Miller whose zeros are multiples of a point of G2, at a point of G1.
///
/// As in Costello, Lange and Naehrig, "Faster pairing computations on curves with high-degree twists" (2010), section 5. The same steps for all points.
enum MillerLoop {
    /// A line at a point of G1: `constant + v · v + vw · v · w`, times some number of ``Fp2``, which the second half of a pairing makes 1.
    struct Line {
        var constant: Fp2
        var v: Fp2
        var vw: Fp2
    }

    /// |z|, the parameter of the curve, which is negative.
    static let parameter: UInt64 = 0xD201_0000_0001_0000

    /// Both points must have 1 as z; what it gives for zero means nothing.
    static func value(_ p: CurvePoint<Fp>, _ q: CurvePoint<Fp2>) -> Fp12 {
        var result = Fp12.one
        var multiple = q
        // The highest bit is the point itself.
        for bit in (0..<63).reversed() {
            result = result.squared.times(tangent(&multiple, p))
            if parameter >> UInt64(bit) & 1 == 1 { result = result.times(chord(&multiple, q, p)) }
        }
        return result.conjugate
    }

    /// Doubles `point` and returns the tangent there. With x = X/Z and y = Y/Z the slope is 3X²/(2YZ); the line is multiplied with 2YZ.
    private static func tangent(_ point: inout CurvePoint<Fp2>, _ p: CurvePoint<Fp>) -> Line {
        let xx = point.x.squared
        let yy = point.y.squared
        let zzB = point.z.squared.times3B
        let yz2 = (point.y * point.z).doubled
        let zzB3 = zzB.tripled
        let line = Line(constant: yy - zzB, v: -(xx.tripled * p.x), vw: yz2 * p.y)
        point = CurvePoint(
            x: (point.x * point.y).doubled * (yy - zzB3), y: (yy + zzB3).squared - zzB.squared.tripled.doubled.doubled,
            z: yy.doubled.doubled * yz2)
        return line
    }

    /// Adds `q`, whose z is 1, to `point` and returns the line through both. The slope is θ/λ; the line is multiplied with λ.
    private static func chord(_ point: inout CurvePoint<Fp2>, _ q: CurvePoint<Fp2>, _ p: CurvePoint<Fp>) -> Line {
        let theta = point.y - q.y * point.z
        let lambda = point.x - q.x * point.z
        let line = Line(constant: theta * q.x - lambda * q.y, v: -(theta * p.x), vw: lambda * p.y)
        let square = lambda.squared
        let cube = square * lambda
        let middle = point.x * square
        let rest = cube + point.z * theta.squared - middle.doubled
        point = CurvePoint(x: lambda * rest, y: theta * (middle - rest) - cube * point.y, z: point.z * cube)
        return line
    }
}
