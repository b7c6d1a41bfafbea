// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The two keys that are derived from one of the device's own TEKs, and the operations that make and read beacons
/// with them. All take constant time.
///
/// Cryptography specification v1.2: RPIK = HKDF(TEK, no salt, "EN-RPIK", 16), AEMK = HKDF(TEK, no salt, "EN-AEMK",
/// 16). The info strings have no trailing NUL: an implementation that adds one matches no phone.
public struct IdentifierKeys: Sendable {
    private static let identifierInfo = Array("EN-RPIK".utf8)
    private static let metadataInfo = Array("EN-AEMK".utf8)

    /// The RPIK, 16 bytes, from which identifiers are made; secret until the TEK is published.
    public let identifierKey: SecretBytes
    /// The AEMK, 16 bytes, with which metadata is encrypted; secret until the TEK is published.
    public let metadataKey: SecretBytes

    /// Derives both keys from a TEK, which must have 16 bytes; the length is not checked. Throws
    /// ``CryptographyError`` when the cryptographic library fails.
    public init(_ key: SecretBytes) throws(CryptographyError) {
        identifierKey = try HKDFSHA256.derive(from: key, info: Self.identifierInfo, count: 16)
        metadataKey = try HKDFSHA256.derive(from: key, info: Self.metadataInfo, count: 16)
    }

    /// Returns the identifier that the key's owner sends in `interval`: AES-128(RPIK, "EN-RPI" | 6 zero bytes |
    /// interval, little-endian). Does not check that the TEK is valid in `interval`. Cannot fail.
    public func identifier(for interval: ENIN) -> RollingProximityIdentifier {
        RollingProximityIdentifier(ConstantTimeAES128.encrypt(Self.paddedData(interval), key: identifierKey))
    }

    /// Encrypts or decrypts metadata with AES-128-CTR, which is its own inverse; `identifier` is the counter block,
    /// and `word` has four bytes as in ``BluetoothMetadata/word``. Cannot fail.
    public func crypt(_ word: UInt32, with identifier: RollingProximityIdentifier) -> UInt32 {
        word
            ^ UInt32(truncatingIfNeeded: ConstantTimeAES128.encrypt(identifier.block, key: metadataKey).low.littleEndian)
            .littleEndian
    }

    /// Returns the metadata encrypted as it is sent with `identifier`, which must be of the same key (Cryptography
    /// Specification 1.2, AEM); that is not checked. Cannot fail.
    public func encrypt(
        _ metadata: BluetoothMetadata, with identifier: RollingProximityIdentifier
    ) -> AssociatedEncryptedMetadata {
        AssociatedEncryptedMetadata(word: crypt(metadata.word, with: identifier))
    }

    /// Returns the decrypted metadata. Nothing authenticates it: with a wrong key or identifier the result is noise.
    /// Cannot fail.
    public func decrypt(
        _ metadata: AssociatedEncryptedMetadata, with identifier: RollingProximityIdentifier
    ) -> BluetoothMetadata {
        BluetoothMetadata(word: crypt(metadata.word, with: identifier))
    }

    /// The block that is encrypted into the identifier of `interval` (specification v1.2, "PaddedData").
    static func paddedData(_ interval: ENIN) -> Block {
        var block = Block()
        withUnsafeMutableBytes(of: &block) { bytes in
            bytes.copyBytes(from: Array("EN-RPI".utf8))
            bytes.storeBytes(of: interval.number.littleEndian, toByteOffset: 12, as: UInt32.self)
        }
        return block
    }
}

/// Decrypts the metadata of sightings with a *published* key. It uses fast tables, which leak the key through timing,
/// so it must never be given an own key.
public struct PublishedMetadataCipher: ~Copyable {
    private let cipher: PublicKeyAES128

    /// Derives the metadata key from a published key, which must have 16 bytes; the length is not checked. Throws
    /// ``CryptographyError`` when the cryptographic library fails.
    public init(publishedKey: SecretBytes) throws(CryptographyError) {
        cipher = try PublicKeyAES128(
            key: HKDFSHA256.derive(from: publishedKey, info: Array("EN-AEMK".utf8), count: 16))
    }

    /// Returns the decrypted metadata. Nothing authenticates it: with a wrong key or identifier the result is noise.
    /// Cannot fail.
    public borrowing func decrypt(
        _ metadata: AssociatedEncryptedMetadata, with identifier: RollingProximityIdentifier
    ) -> BluetoothMetadata {
        let stream = cipher.encrypt(identifier.block)
        return BluetoothMetadata(
            word: metadata.word ^ UInt32(truncatingIfNeeded: stream.low.littleEndian).littleEndian)
    }
}
