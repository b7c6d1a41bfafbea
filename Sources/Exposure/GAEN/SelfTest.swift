// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The published test vector of the cryptography specification v1.2, which is checked before anything is derived on a
/// machine.
///
/// A library, compiler or processor that computes wrongly would send identifiers that can never be matched, which no
/// other check would notice. Numbers: google/exposure-notifications-internals, `TestVectors.java`.
public enum SelfTest {
    private static let key: [UInt8] = [
        0x75, 0xc7, 0x34, 0xc6, 0xdd, 0x1a, 0x78, 0x2d, 0xe7, 0xa9, 0x65, 0xda, 0x5e, 0xb9, 0x31, 0x25,
    ]
    private static let interval = ENIN(2_642_976)
    private static let identifier: [UInt8] = [
        0x8b, 0xe6, 0xcd, 0x37, 0x1c, 0x5c, 0x89, 0x16, 0x04, 0xbf, 0xbe, 0x49, 0xdf, 0x84, 0x50, 0x96,
    ]
    private static let metadata: [UInt8] = [0x72, 0x03, 0x38, 0x74]

    /// Derives the published test vector on this machine with both implementations of AES, the one for own keys and
    /// the one for published keys; takes well under a millisecond. Throws `selfTestFailed` when the result differs
    /// from the published one, and other ``CryptographyError``s when the cryptographic library fails.
    public static func run() throws(CryptographyError) {
        let secret = SecretBytes(copying: key)
        let keys = try IdentifierKeys(secret)
        let derived = keys.identifier(for: interval)
        let encrypted = keys.encrypt(.version10(transmitPower: 8), with: derived)
        // The second implementation, used for published keys, must agree with the first.
        let published = try PublishedMetadataCipher(publishedKey: secret)
        guard derived.bytes == identifier, encrypted.bytes == metadata,
            published.decrypt(encrypted, with: derived).bytes == [0x40, 0x08, 0x00, 0x00]
        else { throw CryptographyError(.selfTestFailed) }
    }
}
