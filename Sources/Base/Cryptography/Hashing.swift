// SPDX-License-Identifier: Apache-2.0

import CMbedTLS

/// SHA-256 (FIPS 180-4) over a stream of bytes. Not thread-safe; a value has one owner.
public struct SHA256: ~Copyable {
    /// The length of a digest in bytes (FIPS 180-4).
    public static let byteCount = 32
    private let context: UnsafeMutablePointer<mbedtls_sha256_context>

    /// Creates a hash of no bytes. Stops the program if Mbed TLS cannot start a hash.
    public init() {
        context = .allocate(capacity: 1)
        mbedtls_sha256_init(context)
        // The software implementation cannot fail; a hardware one that does must not go on silently.
        precondition(vmb_sha256_starts(context) == 0, "SHA-256 is not available")
    }

    deinit {
        mbedtls_sha256_free(context)
        context.deallocate()
    }

    /// Adds the next bytes, of which there may be none. Stops the program if Mbed TLS fails.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
        precondition(vmb_sha256_update(context, base, bytes.count) == 0, "SHA-256 failed")
    }

    /// Returns the 32 bytes of the digest and ends the use of this value. Stops the program if the library fails, which its
    /// software implementation never does.
    public consuming func finish() -> [UInt8] {
        let context = context
        return [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            precondition(vmb_sha256_finish(context, buffer.baseAddress) == 0, "SHA-256 failed")
            count = Self.byteCount
        }
    }

    /// Returns the 32 bytes of the digest as a secret, of which no copy stays, and ends the use of this value. Stops the program if the library
    /// fails.
    public consuming func finishSecret() -> SecretBytes {
        let context = context
        return SecretBytes(count: Self.byteCount) { buffer in
            precondition(
                vmb_sha256_finish(context, buffer.bindMemory(to: UInt8.self).baseAddress) == 0, "SHA-256 failed")
        }
    }

    /// Returns the digest of `bytes`, 32 bytes. `bytes` may be empty. Stops the program if Mbed TLS fails.
    public static func digest(of bytes: some Collection<UInt8>) -> [UInt8] {
        var hash = SHA256()
        if bytes.withContiguousStorageIfAvailable({ hash.update(UnsafeRawBufferPointer($0)) }) == nil {
            Array(bytes).withUnsafeBytes { hash.update($0) }
        }
        return hash.finish()
    }
}

/// SHA-512 (FIPS 180-4) over a stream of bytes, for the one signature algorithm of key files that uses it. Not thread-safe;
/// a value has one owner.
public struct SHA512: ~Copyable {
    /// The length of a digest in bytes (FIPS 180-4).
    public static let byteCount = 64
    private let context: UnsafeMutablePointer<mbedtls_sha512_context>

    /// Creates a hash of no bytes. Stops the program if Mbed TLS cannot start a hash.
    public init() {
        context = .allocate(capacity: 1)
        mbedtls_sha512_init(context)
        precondition(vmb_sha512_starts(context) == 0, "SHA-512 is not available")
    }

    deinit {
        mbedtls_sha512_free(context)
        context.deallocate()
    }

    /// Adds the next bytes, of which there may be none. Stops the program if Mbed TLS fails.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
        precondition(vmb_sha512_update(context, base, bytes.count) == 0, "SHA-512 failed")
    }

    /// Returns the 64 bytes of the digest and ends the use of this value. Stops the program if the library fails, which its
    /// software implementation never does.
    public consuming func finish() -> [UInt8] {
        let context = context
        return [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            precondition(vmb_sha512_finish(context, buffer.baseAddress) == 0, "SHA-512 failed")
            count = Self.byteCount
        }
    }
}

/// HMAC with SHA-256 (RFC 2104), for message authentication codes under a secret key.
public enum HMACSHA256 {
    /// Returns the code of `message` under `key`, 32 bytes. Both may have any length. Throws `operationFailed` if Mbed TLS
    /// has no memory left.
    public static func code(for message: [UInt8], key: SecretBytes) throws(CryptographyError) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        let status = key.withBytes { key in
            mbedtls_md_hmac(
                mbedtls_md_info_from_type(MBEDTLS_MD_SHA256),
                key.bindMemory(to: UInt8.self).baseAddress, key.count, message, message.count, &code)
        }
        guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
        return code
    }
}

/// HKDF with SHA-256 (RFC 5869) without salt, the only form that the GAEN specification uses.
public enum HKDFSHA256 {
    /// Derives `count` bytes from `key` for the purpose `info`. `count` is 1 to 8,160, which is 255 blocks of 32
    /// bytes (RFC 5869, section 2.3); a negative one stops the program. Throws `operationFailed` if `count` is
    /// larger or Mbed TLS fails.
    public static func derive(
        from key: SecretBytes, info: [UInt8], count: Int
    ) throws(CryptographyError) -> SecretBytes {
        try SecretBytes(count: count) { (output) throws(CryptographyError) in
            let status = key.withBytes { key in
                mbedtls_hkdf(
                    mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), nil, 0,
                    key.bindMemory(to: UInt8.self).baseAddress, key.count, info, info.count,
                    output.bindMemory(to: UInt8.self).baseAddress, count)
            }
            guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
        }
    }
}
