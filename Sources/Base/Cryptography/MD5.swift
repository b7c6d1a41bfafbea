// SPDX-License-Identifier: Apache-2.0

import CMbedTLS

/// MD5 (RFC 1321), only because the servers of health authorities name what they publish by it (`ETag`). Anybody can make two
/// contents of one MD5: it may tell versions apart, and must never decide what is believed.
public enum MD5 {
    /// The 16 bytes of the digest. Throws `operationFailed` when the library refuses.
    public static func digest(of bytes: [UInt8]) throws(CryptographyError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 16)
        let status = mbedtls_md(mbedtls_md_info_from_type(MBEDTLS_MD_MD5), bytes, bytes.count, &digest)
        guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
        return digest
    }
}
