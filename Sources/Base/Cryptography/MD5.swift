// SPDX-License-Identifier: Apache-2.0

import CMbedTLS

/// MD5 (RFC 1321), needed only because the servers of health authorities use it to identify what they publish (`ETag`).
/// Anybody can make two contents with the same MD5: use it to tell versions apart, never to decide whether content is
/// genuine.
public enum MD5 {
    /// Returns the digest of `bytes`, 16 bytes. Throws `operationFailed` if Mbed TLS has no memory left or lacks MD5.
    public static func digest(of bytes: [UInt8]) throws(CryptographyError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 16)
        let status = mbedtls_md(mbedtls_md_info_from_type(MBEDTLS_MD_MD5), bytes, bytes.count, &digest)
        guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
        return digest
    }
}
