// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// A message that only the key of one identity opens, in CrowdNotifier's scheme (spec checkin-and-nhs A.4): FullIdent of Boneh and Franklin
/// ("Identity-based encryption from the Weil pairing", 2001), with the message in a ``SecretBox``.
///
/// Neither the identity nor whether two messages are for the same one can be told from it.
public struct IdentityCiphertext: Sendable, Equatable {
    /// The length of ``masked`` in bytes.
    public static let maskedByteCount = SHA256.byteCount

    private let point: G2
    /// The key of the box, under the value of the pairing (`c2`): 32 bytes.
    public let masked: [UInt8]
    /// The box with the message (`c3`), 16 bytes longer than that.
    public let box: [UInt8]
    /// The nonce of the box, 24 bytes.
    public let nonce: [UInt8]

    /// The generator of ``G2`` times what the message was encrypted with (`c1`): 96 bytes.
    public var pointBytes: [UInt8] { point.bytes }

    /// Reads a message that was stored. Of a longer nonce the first 24 bytes count, as in CrowdNotifier's SDKs. Throws `wrongLength` if
    /// `masked` does not have 32 bytes, `box` fewer than 16 or `nonce` fewer than 24; and a ``BLS12381Error`` if `point` is none of the group, or
    /// is zero. Takes the time of a multiplication, so read it once for all keys that are tried.
    public init(
        point: some RandomAccessCollection<UInt8>, masked: [UInt8], box: [UInt8], nonce: [UInt8]
    ) throws(BLS12381Error) {
        guard masked.count == Self.maskedByteCount, box.count >= SecretBox.tagByteCount,
            nonce.count >= SecretBox.nonceByteCount
        else {
            throw BLS12381Error(.wrongLength, "a mask of \(masked.count), a box of \(box.count), a nonce of \(nonce.count)")
        }
        self.point = try G2(point)
        guard !self.point.isZero else { throw BLS12381Error(.isZero) }
        self.masked = masked
        self.box = box
        self.nonce = Array(nonce.prefix(SecretBox.nonceByteCount))
    }

    /// Encrypts `message` to `identity`, both of any length. `generator` must be cryptographically secure. Throws `operationFailed` if Mbed TLS
    /// fails.
    ///
    /// No branch and no address depends on message, identity or what is drawn, except on their lengths.
    public init(
        encrypting message: [UInt8], to identity: [UInt8], under master: MasterPublicKey,
        using generator: inout some RandomNumberGenerator
    ) throws(CryptographyError) {
        let seed = SecretBytes(count: Self.maskedByteCount, from: &generator)
        let nonce = (0..<SecretBox.nonceByteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try self.init(encrypting: message, to: identity, under: master, seed: seed, nonce: nonce)
    }

    /// Encrypts with a `seed` (`x`) of 32 bytes and a nonce of 24 that are given, for comparison with published values. Other lengths stop the
    /// program. A seed that is used twice reveals both messages.
    package init(
        encrypting message: [UInt8], to identity: [UInt8], under master: MasterPublicKey, seed: SecretBytes, nonce: [UInt8]
    ) throws(CryptographyError) {
        precondition(seed.count == Self.maskedByteCount, "a seed has 32 bytes")
        let exponent = Self.exponent(seed: seed, identity: identity, message: message)
        point = G2.generator.multiplied(by: exponent)
        // The power of a pairing is the pairing of the multiple, which is the cheaper one of the two.
        let shared = GT(pairing: G1(hashing: identity).multiplied(by: exponent), master.point)
        masked = Self.mask(seed, with: shared).withBytes { Array($0) }
        box = try SecretBox.seal(message, key: Self.boxKey(seed), nonce: nonce)
        self.nonce = nonce
    }

    /// Decrypts with `key`, and returns the message; `nil` if the key is another identity's, another master made it, or a single bit differs. Throws
    /// `operationFailed` if Mbed TLS fails. Takes the time of a pairing, and twice that for a message that opens: who measures it learns
    /// which opened.
    public func opened(identity: [UInt8], key: IdentityKey) throws(CryptographyError) -> [UInt8]? {
        let shared = GT(pairing: key.point, point)
        let seed = Self.mask(SecretBytes(copying: masked), with: shared)
        guard let message = try SecretBox.open(box, key: Self.boxKey(seed), nonce: nonce) else { return nil }
        // Whoever did not encrypt with what belongs to this message and identity made it out of another one.
        let exponent = Self.exponent(seed: seed, identity: identity, message: message)
        return G2.generator.multiplied(by: exponent) == point ? message : nil
    }

    /// What a message is encrypted with (`r`).
    package static func exponent(seed: SecretBytes, identity: [UInt8], message: [UInt8]) -> Scalar {
        var hash = SHA256()
        seed.withBytes { hash.update($0) }
        identity.withUnsafeBytes { hash.update($0) }
        message.withUnsafeBytes { hash.update($0) }
        return Scalar(digest: hash.finishSecret())
    }

    private static func boxKey(_ seed: SecretBytes) -> SecretBytes {
        var hash = SHA256()
        seed.withBytes { hash.update($0) }
        return hash.finishSecret()
    }

    /// Exclusive-or with the digest of `value`, which masks and unmasks.
    private static func mask(_ bytes: SecretBytes, with value: GT) -> SecretBytes {
        var hash = SHA256()
        value.bytes.withBytes { hash.update($0) }
        let digest = hash.finishSecret()
        return SecretBytes(count: maskedByteCount) { result in
            bytes.withBytes { result.copyMemory(from: $0) }
            digest.withBytes { digest in for index in result.indices { result[index] ^= digest[index] } }
        }
    }
}
