// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// A number modulo r, the order of the three groups: a secret key, or what a message is encrypted with (`Fr` of mcl).
///
/// Kept as secret bytes. Nothing here has a branch or an address that depends on the number.
public struct Scalar: Sendable, Equatable {
    /// The length in bytes.
    public static let byteCount = 32

    /// The number's 32 bytes, lowest first, as mcl writes them; it is below r.
    public let bytes: SecretBytes

    /// r = z⁴ − z² + 1, with z = −0xd201000000010000 (Bowe, "BLS12-381", 2017), lowest word first.
    private static let order: [UInt64] = [
        0xFFFF_FFFF_0000_0001, 0x53BD_A402_FFFE_5BFE, 0x3339_D808_09A1_D805, 0x73ED_A753_299D_7D48,
    ]
    static let orderBytes = order.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } }

    /// Reads a number of 32 bytes, lowest first. Throws `wrongLength`, or `notCanonical` if it is r or above.
    public init(_ bytes: SecretBytes) throws(BLS12381Error) {
        guard bytes.count == Self.byteCount else { throw BLS12381Error(.wrongLength, "\(bytes.count) bytes instead of 32") }
        guard bytes.withBytes(Self.isBelowOrder) != 0 else { throw BLS12381Error(.notCanonical) }
        self.bytes = bytes
    }

    /// Makes a number of a digest as mcl does (`Fr::setHashOf`): of SHA-256's 32 bytes, lowest first, it takes the lowest 255 bits, or 254 if
    /// those give r or more. `digest` must have 32 bytes, or the program stops.
    public init(digest: SecretBytes) {
        precondition(digest.count == Self.byteCount, "a digest of SHA-256 has 32 bytes")
        bytes = SecretBytes(count: Self.byteCount) { buffer in
            digest.withBytes { buffer.copyMemory(from: $0) }
            buffer[31] &= 0x7F
            let isBelow = Self.isBelowOrder(UnsafeRawBufferPointer(buffer))
            buffer[31] &= UInt8(truncatingIfNeeded: isBelow) | 0x3F
        }
    }

    /// Draws a secret key from `generator`, which must be cryptographically secure: 255 random bits, again until they are below r, as nine of
    /// ten are, and not 0. Cannot fail.
    public static func random(using generator: inout some RandomNumberGenerator) -> Scalar {
        while true {
            let drawn = SecretBytes(count: byteCount, from: &generator)
            let masked = SecretBytes(count: byteCount) { buffer in
                drawn.withBytes { buffer.copyMemory(from: $0) }
                buffer[31] &= 0x7F
            }
            if let scalar = try? Scalar(masked), !scalar.isZero { return scalar }
        }
    }

    /// Whether the number is 0, which is no key.
    public var isZero: Bool { bytes.withBytes { $0.reduce(0) { $0 | $1 } } == 0 }

    /// All ones if 32 bytes, lowest first, are a number below r, and 0 otherwise.
    private static func isBelowOrder(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var borrow: UInt64 = 0
        for index in 0..<4 {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
            _ = subtract(word, order[index], &borrow)
        }
        return 0 &- borrow
    }
}
