// SPDX-License-Identifier: Apache-2.0

import CMbedTLS

/// ECDSA on the curves of NIST, for published signatures that the laboratory verifies. Vigil itself signs and trusts with
/// ``P256`` only.
package enum PublishedECDSA {
    /// A curve, by the length of its numbers in bytes (FIPS 186-4).
    package enum Curve: Int, Sendable {
        case p256 = 32
        case p384 = 48
        case p521 = 66
    }

    /// Returns whether `signature` (two numbers of the curve's length) is one of `digest` by the key with these coordinates.
    /// Returns `false` for lengths that do not fit, a point that is not on the curve, and if Mbed TLS fails.
    package static func isValid(
        signature: [UInt8], over digest: [UInt8], x: [UInt8], y: [UInt8], on curve: Curve
    ) -> Bool {
        let count = curve.rawValue
        guard signature.count == 2 * count, x.count == count, y.count == count else { return false }
        var group = mbedtls_ecp_group()
        var key = mbedtls_ecp_point()
        var (r, s) = (mbedtls_mpi(), mbedtls_mpi())
        mbedtls_ecp_group_init(&group)
        mbedtls_ecp_point_init(&key)
        mbedtls_mpi_init(&r)
        mbedtls_mpi_init(&s)
        defer {
            mbedtls_mpi_free(&s)
            mbedtls_mpi_free(&r)
            mbedtls_ecp_point_free(&key)
            mbedtls_ecp_group_free(&group)
        }
        let identifier =
            switch curve {
            case .p256: MBEDTLS_ECP_DP_SECP256R1
            case .p384: MBEDTLS_ECP_DP_SECP384R1
            case .p521: MBEDTLS_ECP_DP_SECP521R1
            }
        // 4: the point is not compressed (SEC 1, section 2.3.3).
        let point = [4] + x + y
        let second = Array(signature.suffix(count))
        return mbedtls_ecp_group_load(&group, identifier) == 0
            && mbedtls_ecp_point_read_binary(&group, &key, point, point.count) == 0
            && mbedtls_ecp_check_pubkey(&group, &key) == 0
            && mbedtls_mpi_read_binary(&r, signature, count) == 0 && mbedtls_mpi_read_binary(&s, second, count) == 0
            && mbedtls_ecdsa_verify(&group, digest, digest.count, &key, &r, &s) == 0
    }
}
