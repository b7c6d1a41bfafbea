// SPDX-License-Identifier: Apache-2.0

import CMbedTLS

/// SHA-384 (FIPS 180-4), the hash function of blind RSA signatures (RFC 9474).
public enum SHA384 {
    /// The length of a digest in bytes (FIPS 180-4).
    public static let byteCount = 48

    /// Returns the digest of `bytes`, which may be empty. Throws `operationFailed` if Mbed TLS has no memory left or lacks
    /// SHA-384.
    public static func digest(of bytes: [UInt8]) throws(CryptographyError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        let status = mbedtls_md(mbedtls_md_info_from_type(MBEDTLS_MD_SHA384), bytes, bytes.count, &digest)
        guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
        return digest
    }

    /// Returns the digest of a secret as a secret; throws as ``digest(of:)-([UInt8])`` does.
    static func digest(of secret: SecretBytes) throws(CryptographyError) -> SecretBytes {
        try SecretBytes(count: byteCount) { (digest) throws(CryptographyError) in
            let status = secret.withBytes { bytes in
                mbedtls_md(
                    mbedtls_md_info_from_type(MBEDTLS_MD_SHA384), bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count,
                    digest.bindMemory(to: UInt8.self).baseAddress)
            }
            guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
        }
    }
}
