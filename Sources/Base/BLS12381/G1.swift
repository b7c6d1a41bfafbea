// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// A point of the first group, over ``Fp``: of order r, on y² = x³ + 4.
///
/// Whatever was read is in the group. Sums and products take the same time for all points and numbers.
public struct G1: Sendable, Equatable {
    /// The length in bytes, as mcl writes a point: x, lowest byte first, whose highest bit says that y is odd.
    public static let byteCount = Fp.byteCount

    /// With 1 as z, or zero.
    let point: CurvePoint<Fp>

    /// Keeps a point that must be in the group.
    init(trusting point: CurvePoint<Fp>) { self.point = point.normalized }

    /// The zero of the group, the point at infinity.
    public static let zero = G1(trusting: .zero)

    /// The point of which every other is a multiple (zkcrypto/pairing, `bls12_381/README.md`).
    public static let generator = G1(
        trusting: CurvePoint(
            x: 0x17F1D3A73197D794_2695638C4FA9AC0F_C3688C4F9774B905_A14E3A3F171BAC58_6C55E83FF97A1AEF_FB3AF00ADB22C6BB,
            y: 0x08B3F481E3AAA0F1_A09E30ED741D8AE4_FCF5E095D5D00AF6_00DB18CB2C04B3ED_D03CC744A2888AE4_0CAA232946C5E7E1,
            z: .one))

    /// Reads a point of 48 bytes, from anybody; all 0 is ``zero``. Throws a ``BLS12381Error`` for anything that mcl would not have written, and
    /// for points outside the group. Takes the time of a multiplication. Which steps it takes depends on the bytes: for published points.
    public init(_ bytes: some RandomAccessCollection<UInt8>) throws(BLS12381Error) {
        guard bytes.count == Self.byteCount else { throw BLS12381Error(.wrongLength, "\(bytes.count) bytes instead of 48") }
        guard bytes.contains(where: { $0 != 0 }) else {
            self = .zero
            return
        }
        let (magnitude, isOdd) = PointBytes.split(bytes)
        guard let x = Fp(magnitude) else { throw BLS12381Error(.notCanonical) }
        let (root, isSquare) = (x.squared * x + Fp.curveB).squareRoot
        guard isSquare != 0 else { throw BLS12381Error(.notOnCurve) }
        let y = (root.isOdd != 0) == isOdd ? root : -root
        let point = CurvePoint(x: x, y: y, z: .one)
        guard point.isInGroup else { throw BLS12381Error(.notInGroup) }
        self.init(trusting: point)
    }

    /// The 48 bytes of this point, the only ones that are read as this point; all 0 for ``zero``.
    public var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            point.x.write(to: UnsafeMutableRawBufferPointer(buffer), at: 0)
            buffer[Self.byteCount - 1] |= UInt8(truncatingIfNeeded: point.y.isOdd & ~point.isZero & 0x80)
            count = Self.byteCount
        }
    }

    /// Whether this is ``zero``.
    public var isZero: Bool { point.isZero != 0 }

    /// Returns the sum of two points.
    public static func + (left: G1, right: G1) -> G1 { G1(trusting: left.point + right.point) }
    /// Returns the point whose sum with `point` is ``zero``.
    public static prefix func - (point: G1) -> G1 { G1(trusting: -point.point) }
    /// Returns this point added `scalar` times.
    public func multiplied(by scalar: Scalar) -> G1 { G1(trusting: scalar.bytes.withBytes { point.multiplied(by: $0) }) }
    /// Returns whether both are the same point.
    public static func == (left: G1, right: G1) -> Bool { left.point.equals(right.point) != 0 }
}

/// The bit for the sign in the bytes of points.
enum PointBytes {
    /// The bytes without the highest bit of the last one, and that bit. `bytes` must not be empty.
    static func split(_ bytes: some RandomAccessCollection<UInt8>) -> (magnitude: [UInt8], isOdd: Bool) {
        var magnitude = Array(bytes)
        let isOdd = magnitude[magnitude.count - 1] & 0x80 != 0
        magnitude[magnitude.count - 1] &= 0x7F
        return (magnitude, isOdd)
    }
}
