// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// A point of the second group, over ``Fp2``: of order r, on y² = x³ + 4(1 + i).
///
/// Whatever was read is in the group. Sums and products take the same time for all points and numbers.
public struct G2: Sendable, Equatable {
    /// The length in bytes, as mcl writes a point: the real and the imaginary part of x, each with its lowest byte first. The highest bit
    /// says that the real part of y is odd.
    public static let byteCount = 2 * Fp.byteCount

    /// With 1 as z, or zero.
    let point: CurvePoint<Fp2>

    /// Keeps a point that must be in the group.
    init(trusting point: CurvePoint<Fp2>) { self.point = point.normalized }

    /// The zero of the group, the point at infinity.
    public static let zero = G2(trusting: .zero)

    /// The point of which every other is a multiple (zkcrypto/pairing, `bls12_381/README.md`).
    public static let generator = G2(trusting: CurvePoint(x: generatorX, y: generatorY, z: .one))

    private static let generatorX = Fp2(
        real: 0x024AA2B2F08F0A91_260805272DC51051_C6E47AD4FA403B02_B4510B647AE3D177_0BAC0326A805BBEF_D48056C8C121BDB8,
        imaginary: 0x13E02B6052719F60_7DACD3A088274F65_596BD0D09920B61A_B5DA61BBDC7F5049_334CF11213945D57_E5AC7D055D042B7E)
    private static let generatorY = Fp2(
        real: 0x0CE5D527727D6E11_8CC9CDC6DA2E351A_ADFD9BAA8CBDD3A7_6D429A695160D12C_923AC9CC3BACA289_E193548608B82801,
        imaginary: 0x0606C4A02EA734CC_32ACD2B02BC28B99_CB3E287E85A763AF_267492AB572E99AB_3F370D275CEC1DA1_AAA9075FF05F79BE)

    /// Reads a point of 96 bytes, from anybody; all 0 is ``zero``. Throws a ``BLS12381Error`` for anything that mcl would not have written, and
    /// for points outside the group. Takes the time of a multiplication. Which steps it takes depends on the bytes: for published points.
    public init(_ bytes: some RandomAccessCollection<UInt8>) throws(BLS12381Error) {
        guard bytes.count == Self.byteCount else { throw BLS12381Error(.wrongLength, "\(bytes.count) bytes instead of 96") }
        guard bytes.contains(where: { $0 != 0 }) else {
            self = .zero
            return
        }
        let (magnitude, isOdd) = PointBytes.split(bytes)
        guard let real = Fp(magnitude.prefix(Fp.byteCount)), let imaginary = Fp(magnitude.dropFirst(Fp.byteCount)) else {
            throw BLS12381Error(.notCanonical)
        }
        let x = Fp2(real: real, imaginary: imaginary)
        guard let root = (x.squared * x + Fp2.curveB).squareRoot else { throw BLS12381Error(.notOnCurve) }
        let y = (root.real.isOdd != 0) == isOdd ? root : -root
        // The negative of 0 is as even as 0: of a y without a real part both signs would be written alike.
        guard y.real.isZero == 0 else { throw BLS12381Error(.notCanonical) }
        let point = CurvePoint(x: x, y: y, z: .one)
        guard point.isInGroup else { throw BLS12381Error(.notInGroup) }
        self.init(trusting: point)
    }

    /// The 96 bytes of this point, the only ones that are read as this point; all 0 for ``zero``.
    public var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            point.x.real.write(to: UnsafeMutableRawBufferPointer(buffer), at: 0)
            point.x.imaginary.write(to: UnsafeMutableRawBufferPointer(buffer), at: Fp.byteCount)
            buffer[Self.byteCount - 1] |= UInt8(truncatingIfNeeded: point.y.real.isOdd & ~point.isZero & 0x80)
            count = Self.byteCount
        }
    }

    /// Whether this is ``zero``.
    public var isZero: Bool { point.isZero != 0 }

    /// Returns the sum of two points.
    public static func + (left: G2, right: G2) -> G2 { G2(trusting: left.point + right.point) }
    /// Returns the point whose sum with `point` is ``zero``.
    public static prefix func - (point: G2) -> G2 { G2(trusting: -point.point) }
    /// Returns this point added `scalar` times.
    public func multiplied(by scalar: Scalar) -> G2 { G2(trusting: scalar.bytes.withBytes { point.multiplied(by: $0) }) }
    /// Returns whether both are the same point.
    public static func == (left: G2, right: G2) -> Bool { left.point.equals(right.point) != 0 }
}
