// SPDX-License-Identifier: Apache-2.0

import CMbedTLS

/// Authenticated encryption of stored data: ChaCha20-Poly1305 (RFC 8439) with a random nonce for each message.
///
/// Chosen over AES-GCM because it is constant in time, and fast on boards without AES instructions. Random nonces of 96
/// bits are safe for 2^32 messages under one key; the busiest key of the vault seals a few hundred before it is destroyed.
public enum SealedBox {
    /// The length of a key in bytes (RFC 8439, section 2.3).
    public static let keyByteCount = 32
    private static let nonceByteCount = 12
    private static let tagByteCount = 16
    /// The number of bytes by which a sealed message is longer than the message: a nonce of 12 and a tag of 16.
    public static let overhead = nonceByteCount + tagByteCount

    /// Seals `message` under `key`, which must have 32 bytes; any other length stops the program. `context` is
    /// authenticated but is not part of the result: the same `context` is needed to open the message. `generator` must be
    /// cryptographically secure.
    ///
    /// Throws `operationFailed` if Mbed TLS refuses.
    public static func seal(
        _ message: SecretBytes, key: SecretBytes, context: [UInt8], using generator: inout some RandomNumberGenerator
    ) throws(CryptographyError) -> [UInt8] {
        let nonce = (0..<nonceByteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var body = [UInt8](repeating: 0, count: message.count)
        var tag = [UInt8](repeating: 0, count: tagByteCount)
        let status = withKey(key) { cipher in
            message.withBytes { message in
                mbedtls_chachapoly_encrypt_and_tag(
                    cipher, message.count, nonce, context, context.count, message.bindMemory(to: UInt8.self).baseAddress,
                    &body, &tag)
            }
        }
        guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
        return nonce + body + tag
    }

    /// Opens the result of ``seal(_:key:context:using:)``. Returns `nil` if the key, the context or a single bit differs,
    /// or if there are fewer bytes than ``overhead``. `key` must have 32 bytes; any other length stops the program.
    public static func open(_ sealed: some Collection<UInt8>, key: SecretBytes, context: [UInt8]) -> SecretBytes? {
        let bytes = Array(sealed)
        guard bytes.count >= overhead else { return nil }
        let nonce = Array(bytes[..<nonceByteCount])
        let body = Array(bytes[nonceByteCount..<(bytes.count - tagByteCount)])
        let tag = Array(bytes[(bytes.count - tagByteCount)...])
        var status: Int32 = -1
        let message = SecretBytes(count: body.count) { output in
            status = withKey(key) { cipher in
                mbedtls_chachapoly_auth_decrypt(
                    cipher, body.count, nonce, context, context.count, tag, body,
                    output.bindMemory(to: UInt8.self).baseAddress)
            }
        }
        return status == 0 ? message : nil
    }

    private static func withKey(
        _ key: SecretBytes, _ body: (UnsafeMutablePointer<mbedtls_chachapoly_context>) -> Int32
    ) -> Int32 {
        precondition(key.count == keyByteCount, "ChaCha20-Poly1305 takes a key of 32 bytes")
        let cipher = UnsafeMutablePointer<mbedtls_chachapoly_context>.allocate(capacity: 1)
        mbedtls_chachapoly_init(cipher)
        defer {
            mbedtls_chachapoly_free(cipher)
            cipher.deallocate()
        }
        let status = key.withBytes { mbedtls_chachapoly_setkey(cipher, $0.bindMemory(to: UInt8.self).baseAddress) }
        return status == 0 ? body(cipher) : status
    }
}
