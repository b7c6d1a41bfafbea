// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// A value of the pairing: an element of order r of the field of p¹² numbers. Multiplying points multiplies exponents here.
///
/// Values may be secret: they are not printed.
public struct GT: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The length in bytes: twelve numbers of 48 bytes, lowest byte first.
    public static let byteCount = 12 * Fp.byteCount

    let value: Fp12

    /// Computes the optimal ate pairing of two points, as mcl does: with the power 3(p¹² − 1)/r at the end. It is 1 if one of them is zero.
    /// The same steps for all points.
    public init(pairing left: G1, _ right: G2) {
        let value = MillerLoop.value(left.point, right.point).finalExponentiation
        self.value = .select(left.point.isZero | right.point.isZero, .one, value)
    }

    /// The 576 bytes of this value, as mcl writes them: of each number of each field first that part that has no root.
    public var bytes: SecretBytes {
        SecretBytes(count: Self.byteCount) { buffer in
            for (half, six) in [value.c0, value.c1].enumerated() {
                for (third, two) in [six.c0, six.c1, six.c2].enumerated() {
                    let start = (6 * half + 2 * third) * Fp.byteCount
                    two.real.write(to: buffer, at: start)
                    two.imaginary.write(to: buffer, at: start + Fp.byteCount)
                }
            }
        }
    }

    /// Returns whether both are the same, in the same time for all.
    public static func == (left: GT, right: GT) -> Bool { left.bytes == right.bytes }

    /// The name of the type, and nothing of the value.
    public var description: String { "GT" }
    /// A mirror without children, so that `dump` shows nothing of the value.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
