// SPDX-License-Identifier: Apache-2.0

import CMbedTLS

/// AES-256 in CBC mode with PKCS#7 padding (NIST SP 800-38A; RFC 5652, section 6.3).
///
/// - Important: Without AES instructions the library uses tables, so its run time depends on the key. Use it only for keys
/// that many people can derive anyway, such as those of a venue's QR code. CBC authenticates nothing: verify the message
/// authentication code before you decrypt, because a reply that depends on the padding reveals the plain text.
public enum AES256CBC {
    /// The length of a key in bytes: 256 bits.
    public static let keyByteCount = 32
    /// The length of a block and of an initialization vector in bytes (FIPS 197).
    public static let blockByteCount = 16

    /// Encrypts `message`, which may have any length. The result is 1 to 16 bytes longer, and its length is a multiple of
    /// ``blockByteCount``. `initializationVector` must be random and new for each message. Throws `operationFailed` if
    /// `key` does not have 32 bytes, if `initializationVector` does not have 16, or if Mbed TLS fails.
    public static func encrypt(
        _ message: [UInt8], key: SecretBytes, initializationVector: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        let padding = blockByteCount - message.count % blockByteCount
        let padded = message + [UInt8](repeating: UInt8(padding), count: padding)
        return try run(padded, key: key, initializationVector: initializationVector, encrypts: true)
    }

    /// Decrypts the result of ``encrypt(_:key:initializationVector:)``. Returns `nil` if the length or the padding is
    /// wrong. With a wrong key it may return bytes instead of `nil`, because nothing is authenticated. Throws
    /// `operationFailed` if `key` does not have 32 bytes, if `initializationVector` does not have 16, or if Mbed TLS fails.
    public static func decrypt(
        _ encrypted: [UInt8], key: SecretBytes, initializationVector: [UInt8]
    ) throws(CryptographyError) -> [UInt8]? {
        guard !encrypted.isEmpty, encrypted.count.isMultiple(of: blockByteCount) else { return nil }
        let padded = try run(encrypted, key: key, initializationVector: initializationVector, encrypts: false)
        guard let last = padded.last, (1...UInt8(blockByteCount)).contains(last),
            padded.suffix(Int(last)).allSatisfy({ $0 == last })
        else { return nil }
        return Array(padded.dropLast(Int(last)))
    }

    private static func run(
        _ input: [UInt8], key: SecretBytes, initializationVector: [UInt8], encrypts: Bool
    ) throws(CryptographyError) -> [UInt8] {
        guard key.count == keyByteCount, initializationVector.count == blockByteCount else {
            throw CryptographyError(.operationFailed)
        }
        let context = UnsafeMutablePointer<mbedtls_aes_context>.allocate(capacity: 1)
        mbedtls_aes_init(context)
        defer {
            mbedtls_aes_free(context)
            context.deallocate()
        }
        var status = key.withBytes { key in
            let bytes = key.bindMemory(to: UInt8.self).baseAddress
            return encrypts ? mbedtls_aes_setkey_enc(context, bytes, 256) : mbedtls_aes_setkey_dec(context, bytes, 256)
        }
        var output = [UInt8](repeating: 0, count: input.count)
        // The library writes the next vector over the one it was given.
        var vector = initializationVector
        if status == 0 {
            status = mbedtls_aes_crypt_cbc(
                context, encrypts ? MBEDTLS_AES_ENCRYPT : MBEDTLS_AES_DECRYPT, input.count, &vector, input, &output)
        }
        guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
        return output
    }
}
