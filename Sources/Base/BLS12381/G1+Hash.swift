// SPDX-License-Identifier: Apache-2.0

import Cryptography

extension G1 {
    /// Hashes `message`, of any length, to a point whose multiple of the generator nobody knows, as mcl does
    /// (`hashAndMapToG1` with `MCL_MAP_TO_MODE_ORIGINAL`, which is not that of RFC 9380).
    ///
    /// No branch and no address depends on the message, except on its length: where somebody has been stands in it.
    public init(hashing message: [UInt8]) {
        var hash = SHA512()
        message.withUnsafeBytes { hash.update($0) }
        // A digest of this kind is as hard to find as a key, and nobody has one.
        guard let point = Self.map(Fp(masking: hash.finish().prefix(Fp.byteCount))) else {
            preconditionFailure("a message hashes to 0 or a root of -5")
        }
        self.init(trusting: Self.cofactor.withUnsafeBytes { point.multiplied(by: $0) })
    }

    /// (z − 1)²/3, lowest byte first: there are so many times r points on the curve.
    private static let cofactor: [UInt8] = [
        0xAB, 0xAA, 0x00, 0x00, 0xAB, 0xAA, 0x00, 0x8C, 0x56, 0xE1, 0x55, 0x55, 0x00, 0x8C, 0x6C, 0x39,
    ]
    /// The root of −3 that is a square.
    private static let rootOfMinus3: Fp =
        0xBE32CE5FBEED9CA3_74D38C0ED41EEFD5_BB675277CDF12D11_BC2FB026C4140004_5C03FFFFFFFDFFFD
    private static let firstX = (rootOfMinus3 - .one).halved

    /// Maps a number to a point of the curve, in the group or not: Fouque and Tibouchi, "Indifferentiable hashing to Barreto-Naehrig curves"
    /// (2012), as mcl computes it. Of three numbers one is the x of a point; all three are tried, and the first that is one counts.
    /// Returns `nil` for 0 and where t² is −5.
    static func map(_ t: Fp) -> CurvePoint<Fp>? {
        let denominator = t.squared + 5
        guard (t.isZero | denominator.isZero) == 0 else { return nil }
        let w = rootOfMinus3 * t * denominator.inverse
        let first = firstX - t * w
        let second = -first - .one
        let third = Fp.one + w.squared.inverse
        func y(_ x: Fp) -> (root: Fp, isSquare: UInt64) { (x.squared * x + Fp.curveB).squareRoot }
        let (y1, y2, y3) = (y(first), y(second), y(third))
        let x = Fp.select(y1.isSquare, first, .select(y2.isSquare, second, third))
        let root = Fp.select(y1.isSquare, y1.root, .select(y2.isSquare, y2.root, y3.root))
        return CurvePoint(x: x, y: .select(t.squareRoot.isSquare, root, -root), z: .one)
    }
}
