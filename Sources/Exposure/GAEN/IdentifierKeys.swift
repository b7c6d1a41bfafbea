// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The two keys derived from one of our own TEKs, and what goes on air from them. Constant in time.
///
/// Cryptography specification v1.2: RPIK = HKDF(TEK, no salt, "EN-RPIK", 16), AEMK = HKDF(TEK, no salt, "EN-AEMK", 16); the
/// info strings have no trailing NUL (a port that adds one is deaf and mute among phones).
public struct IdentifierKeys: Sendable {
    private static let identifierInfo = Array("EN-RPIK".utf8)
    private static let metadataInfo = Array("EN-AEMK".utf8)

    /// RPIK, 16 bytes; secret until the TEK is published.
    public let identifierKey: SecretBytes
    /// AEMK, 16 bytes; secret until the TEK is published.
    public let metadataKey: SecretBytes

    /// Derives both keys from a TEK of 16 bytes; the length is not checked here. Throws ``CryptographyError`` when the
    /// cryptographic library fails.
    public init(_ key: SecretBytes) throws(CryptographyError) {
        identifierKey = try HKDFSHA256.derive(from: key, info: Self.identifierInfo, count: 16)
        metadataKey = try HKDFSHA256.derive(from: key, info: Self.metadataInfo, count: 16)
    }

    /// The identifier of the key's owner in `interval`: AES-128(RPIK, "EN-RPI" | 6 zero bytes | interval,
    /// little-endian). Whether the TEK is valid then is not asked; cannot fail.
    public func identifier(for interval: ENIN) -> RollingProximityIdentifier {
        RollingProximityIdentifier(ConstantTimeAES128.encrypt(Self.paddedData(interval), key: identifierKey))
    }

    /// Encrypts or decrypts metadata: AES-128-CTR with the identifier as counter block, which is its own inverse. `word` is
    /// four bytes as ``BluetoothMetadata/word`` holds them.
    public func crypt(_ word: UInt32, with identifier: RollingProximityIdentifier) -> UInt32 {
        word
            ^ UInt32(truncatingIfNeeded: ConstantTimeAES128.encrypt(identifier.block, key: metadataKey).low.littleEndian)
            .littleEndian
    }

    /// Encrypts metadata as it goes on air beside `identifier` (Cryptography Specification 1.2, AEM). Cannot fail; the same
    /// call decrypts.
    public func encrypt(
        _ metadata: BluetoothMetadata, with identifier: RollingProximityIdentifier
    ) -> AssociatedEncryptedMetadata {
        AssociatedEncryptedMetadata(word: crypt(metadata.word, with: identifier))
    }

    /// Metadata in clear. Nothing authenticates it: under a wrong key or identifier it is noise.
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

/// Reads the metadata of sightings under a *published* key; uses fast tables, so never for keys of our own.
public struct PublishedMetadataCipher: ~Copyable {
    private let cipher: PublicKeyAES128

    /// Derives the metadata key from a published key of 16 bytes; the length is not checked here. Throws
    /// ``CryptographyError`` when the cryptographic library fails.
    public init(publishedKey: SecretBytes) throws(CryptographyError) {
        cipher = try PublicKeyAES128(
            key: HKDFSHA256.derive(from: publishedKey, info: Array("EN-AEMK".utf8), count: 16))
    }

    /// Metadata in clear. Nothing authenticates it: under a wrong key or identifier it is noise.
    public borrowing func decrypt(
        _ metadata: AssociatedEncryptedMetadata, with identifier: RollingProximityIdentifier
    ) -> BluetoothMetadata {
        let stream = cipher.encrypt(identifier.block)
        return BluetoothMetadata(
            word: metadata.word ^ UInt32(truncatingIfNeeded: stream.low.littleEndian).littleEndian)
    }
}
