// SPDX-License-Identifier: Apache-2.0

import CMbedTLS

/// A whole number of any size, 0 or more, by Mbed TLS; wiped when it ends. What Mbed TLS needs meanwhile, it wipes itself.
///
/// Not constant in time, if a function does not say so.
package struct BigNumber: ~Copyable {
    private let value: UnsafeMutablePointer<mbedtls_mpi>

    private init() {
        value = .allocate(capacity: 1)
        mbedtls_mpi_init(value)
    }

    deinit {
        mbedtls_mpi_free(value)
        value.deallocate()
    }

    /// A new number that `fill` writes. Throws `operationFailed` if `fill` returns an error of Mbed TLS.
    private static func made(
        by fill: (UnsafeMutablePointer<mbedtls_mpi>) -> Int32
    ) throws(CryptographyError) -> BigNumber {
        let number = BigNumber()
        let status = fill(number.value)
        guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
        return number
    }

    /// Reads a number, big-endian; no bytes are 0. Throws `operationFailed` if no memory is left. Constant in time.
    package static func read(_ bytes: [UInt8]) throws(CryptographyError) -> BigNumber {
        try made { mbedtls_mpi_read_binary($0, bytes, bytes.count) }
    }

    /// Reads a secret number as ``read(_:)-([UInt8])`` does, and leaves no copy.
    package static func read(_ bytes: SecretBytes) throws(CryptographyError) -> BigNumber {
        try made { number in
            bytes.withBytes { mbedtls_mpi_read_binary(number, $0.bindMemory(to: UInt8.self).baseAddress, $0.count) }
        }
    }

    /// The number as `count` bytes, big-endian. Throws `operationFailed` if it does not fit. Constant in time.
    package func bytes(_ count: Int) throws(CryptographyError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let status = mbedtls_mpi_write_binary(value, &bytes, count)
        guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
        return bytes
    }

    /// The number as a secret of `count` bytes; as ``bytes(_:)``.
    package func secretBytes(_ count: Int) throws(CryptographyError) -> SecretBytes {
        try SecretBytes(count: count) { (bytes) throws(CryptographyError) in
            let status = mbedtls_mpi_write_binary(value, bytes.bindMemory(to: UInt8.self).baseAddress, count)
            guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
        }
    }

    /// Whether the number is 0.
    package var isZero: Bool { mbedtls_mpi_cmp_int(value, 0) == 0 }

    /// Returns whether the number is less than `other`.
    package func isLess(than other: borrowing BigNumber) -> Bool { mbedtls_mpi_cmp_mpi(value, other.value) < 0 }

    /// Returns whether both numbers have no divisor in common. Throws `operationFailed` if no memory is left.
    package func isCoprime(to other: borrowing BigNumber) throws(CryptographyError) -> Bool {
        let (left, right) = (value, other.value)
        let divisor = try Self.made { mbedtls_mpi_gcd($0, left, right) }
        return mbedtls_mpi_cmp_int(divisor.value, 1) == 0
    }

    /// Returns the sum with a small number, which may be negative. Throws `operationFailed` if no memory is left.
    package func adding(_ small: Int) throws(CryptographyError) -> BigNumber {
        let left = value
        return try Self.made { mbedtls_mpi_add_int($0, left, mbedtls_mpi_sint(small)) }
    }

    /// Returns the remainder after division by `modulus`. Throws `operationFailed` if that is 0.
    package func remainder(modulo modulus: borrowing BigNumber) throws(CryptographyError) -> BigNumber {
        let (left, divisor) = (value, modulus.value)
        return try Self.made { mbedtls_mpi_mod_mpi($0, left, divisor) }
    }

    /// Returns the product modulo `modulus`. Throws `operationFailed` if that is 0. The multiplication is constant in time, the
    /// division is not.
    package func times(
        _ other: borrowing BigNumber, modulo modulus: borrowing BigNumber
    ) throws(CryptographyError) -> BigNumber {
        let (left, right) = (value, other.value)
        let product = try Self.made { mbedtls_mpi_mul_mpi($0, left, right) }
        return try product.remainder(modulo: modulus)
    }

    /// Returns the power modulo `modulus`. Throws `operationFailed` if that is even. For a number below the modulus the time
    /// depends on the exponent only: each step is a multiplication by Montgomery's method, which Mbed TLS computes in constant time.
    package func power(
        _ exponent: borrowing BigNumber, modulo modulus: borrowing BigNumber
    ) throws(CryptographyError) -> BigNumber {
        let (base, exponent, modulus) = (value, exponent.value, modulus.value)
        return try Self.made { mbedtls_mpi_exp_mod($0, base, exponent, modulus, nil) }
    }

    /// Returns the inverse modulo `modulus`. Throws `operationFailed` if there is none.
    package func inverse(modulo modulus: borrowing BigNumber) throws(CryptographyError) -> BigNumber {
        let (number, modulus) = (value, modulus.value)
        return try Self.made { mbedtls_mpi_inv_mod($0, number, modulus) }
    }
}
