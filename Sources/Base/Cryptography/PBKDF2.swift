// SPDX-License-Identifier: Apache-2.0

import CMbedTLS

/// PBKDF2-HMAC-SHA256 (RFC 8018, 5.2), for passwords, which are too short for a plain hash.
public enum PBKDF2SHA256 {
    /// Derives `count` bytes (1 or more) from `password` and `salt`. Blocks for a time proportional to `iterations` (1 or
    /// more). Throws `operationFailed` if `count` or `iterations` is 0 or less, if `count` does not fit into 32 bits, or if
    /// Mbed TLS fails.
    public static func derive(
        from password: SecretBytes, salt: [UInt8], iterations: UInt32, count: Int
    ) throws(CryptographyError) -> SecretBytes {
        guard iterations > 0, count > 0, let length = UInt32(exactly: count) else {
            throw CryptographyError(.operationFailed)
        }
        return try SecretBytes(count: count) { (output) throws(CryptographyError) in
            let status = password.withBytes { password in
                vmb_pbkdf2_sha256(
                    password.bindMemory(to: UInt8.self).baseAddress, password.count, salt, salt.count, iterations, length,
                    output.bindMemory(to: UInt8.self).baseAddress)
            }
            guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
        }
    }
}
