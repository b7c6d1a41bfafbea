// SPDX-License-Identifier: Apache-2.0

import CMbedTLS

/// Blind signatures with RSA (RFC 9474, RSABSSA with SHA-384, PSS and MGF1 with SHA-384): the signer signs what it cannot see,
/// and cannot tell later which of its signatures it was. This is the half of whoever wants a signature; the other half is the
/// authority's, by another library.
///
/// **How constant in time it is.** Hashing, the encoding of the message, the power with the public exponent and the
/// multiplications take a time that depends on lengths only. Three steps do not, because Mbed TLS has nothing better: the
/// inverse of the blinding factor is computed of its product with a random number that is thrown away, so its time tells
/// nothing of the factor; the reductions of the products (message by blinding, answer by inverse, factor out of random bytes)
/// are divisions, whose time depends a little on numbers that are used for one token and then never again. Somebody would have
/// to measure that one division on the board itself. Over the network nobody sees more than the moment of the request.
///
/// Secrets are `SecretBytes`, and numbers in between are wiped by Mbed TLS when they end.
public enum BlindRSA {
    /// The length of the salt in bytes in the variants of RFC 9474 that have one (section 5).
    public static let saltByteCount = 48

    /// A public key with the exponent 65537. Safe to share between threads: each operation makes its own numbers.
    public struct PublicKey: Hashable, Sendable {
        /// The modulus, big-endian, 256 to 512 bytes of which the first is not below 128.
        public let modulus: [UInt8]

        /// The lengths of a modulus in bytes: 2048 bits, as RFC 9578 has them, to 4096, which RFC 9474 tests with.
        public static let modulusByteCounts = 256...512

        /// Takes a modulus, big-endian. Throws `unusableModulus` unless it has 256 to 512 bytes, its first bit is 1 and it is
        /// odd. Whether it is the product of two primes cannot be seen.
        public init(modulus: [UInt8]) throws(CryptographyError) {
            guard Self.modulusByteCounts.contains(modulus.count), modulus[0] >= 0x80, modulus[modulus.count - 1] & 1 == 1
            else { throw CryptographyError(.unusableModulus) }
            self.modulus = modulus
        }

        /// The length of blinded messages and signatures in bytes.
        public var byteCount: Int { modulus.count }
    }
}

extension BlindRSA.PublicKey {
    /// Blinds a message for the signer: the padded message times the `exponent`-th power of the factor. Equal arguments give
    /// equal results, so a request that was lost can be made again.
    ///
    /// - Parameters:
    ///   - message: What shall be signed, of any length.
    ///   - salt: 48 random bytes, or none for the variants without a salt. At most ``byteCount`` - 50.
    ///   - factor: A random number from 1 to the modulus - 1, big-endian, with ``byteCount`` bytes: ``factor(from:)``. Never use
    ///     it for two messages.
    /// - Returns: The blinded message, ``byteCount`` bytes; it tells nothing of the message.
    ///
    /// Throws `unusableBlinding` if the factor or the salt does not fit the key, and `operationFailed` if Mbed TLS fails.
    public func blind(
        _ message: SecretBytes, salt: SecretBytes, factor: SecretBytes
    ) throws(CryptographyError) -> [UInt8] {
        let modulus = try BigNumber.read(modulus)
        let number = try usable(factor, below: modulus)
        let padded = try BigNumber.read(encoded(message, salt: salt))
        let power = try number.power(Self.exponent(), modulo: modulus)
        let blinded = try padded.times(power, modulo: modulus)
        // The product has a divisor in common with the modulus if the message or the factor has one (RFC 9474, section 4.2,
        // step 4): asked of a public number, the question tells nothing.
        guard try blinded.isCoprime(to: modulus) else { throw CryptographyError(.unusableBlinding) }
        return try blinded.bytes(byteCount)
    }

    /// Takes the blinding off the signer's answer and verifies what is left.
    ///
    /// - Parameters:
    ///   - blindSignature: The answer, from anywhere.
    ///   - message: The message that was blinded.
    ///   - saltByteCount: The length of the salt that it was blinded with.
    ///   - factor: The factor that it was blinded with.
    /// - Returns: The signature, ``byteCount`` bytes, which anybody can verify.
    ///
    /// Throws `wrongBlindSignature` unless the answer gives a valid signature, `unusableBlinding` if the factor does not fit the
    /// key, and `operationFailed` if Mbed TLS fails.
    public func finish(
        _ blindSignature: [UInt8], message: SecretBytes, saltByteCount: Int = BlindRSA.saltByteCount, factor: SecretBytes
    ) throws(CryptographyError) -> [UInt8] {
        let modulus = try BigNumber.read(modulus)
        guard blindSignature.count == byteCount else { throw CryptographyError(.wrongBlindSignature) }
        let answer = try BigNumber.read(blindSignature)
        guard answer.isLess(than: modulus) else { throw CryptographyError(.wrongBlindSignature) }
        let inverse = try inverse(of: usable(factor, below: modulus), modulo: modulus)
        let signature = try answer.times(inverse, modulo: modulus).bytes(byteCount)
        guard isValid(signature, digest: try SHA384.digest(of: message), saltByteCount: saltByteCount) else {
            throw CryptographyError(.wrongBlindSignature)
        }
        return signature
    }

    /// Returns whether `signature`, from anywhere, is one of `message` by this key, with a salt of exactly `saltByteCount`
    /// bytes. Returns `false` also if Mbed TLS fails.
    public func isValid(
        _ signature: [UInt8], over message: [UInt8], saltByteCount: Int = BlindRSA.saltByteCount
    ) -> Bool {
        isValid(signature, digest: try? SHA384.digest(of: SecretBytes(copying: message)), saltByteCount: saltByteCount)
    }

    /// Makes a blinding factor out of random bytes: their number modulo (modulus - 1), plus 1. With at least 16 bytes more than
    /// the modulus has, no factor is likelier than another by more than 2^-128.
    ///
    /// - Parameter randomBytes: At least ``byteCount`` + 16 bytes from a secure generator.
    /// - Returns: The factor, big-endian, ``byteCount`` bytes.
    ///
    /// Throws `unusableBlinding` if there are fewer bytes, and `operationFailed` if Mbed TLS fails.
    public func factor(from randomBytes: SecretBytes) throws(CryptographyError) -> SecretBytes {
        guard randomBytes.count >= byteCount + 16 else { throw CryptographyError(.unusableBlinding) }
        let range = try BigNumber.read(modulus).adding(-1)
        return try BigNumber.read(randomBytes).remainder(modulo: range).adding(1).secretBytes(byteCount)
    }

    // MARK: Steps

    private static func exponent() throws(CryptographyError) -> BigNumber { try BigNumber.read([1, 0, 1]) }

    private func usable(
        _ factor: SecretBytes, below modulus: borrowing BigNumber
    ) throws(CryptographyError) -> BigNumber {
        let number = try BigNumber.read(factor)
        guard factor.count == byteCount, !number.isZero, number.isLess(than: modulus) else {
            throw CryptographyError(.unusableBlinding)
        }
        return number
    }

    /// (r · b)⁻¹ · b, because the inverse of a number takes a time that depends on it.
    private func inverse(
        of factor: borrowing BigNumber, modulo modulus: borrowing BigNumber
    ) throws(CryptographyError) -> BigNumber {
        var generator = SystemRandomNumberGenerator()
        let mask = try BigNumber.read(SecretBytes(count: byteCount, from: &generator)).remainder(modulo: modulus)
        let masked = try factor.times(mask, modulo: modulus)
        // No inverse means that factor or mask divides the modulus: whoever hits that has broken the key.
        guard try masked.isCoprime(to: modulus) else { throw CryptographyError(.unusableBlinding) }
        return try masked.inverse(modulo: modulus).times(mask, modulo: modulus)
    }

    private func isValid(_ signature: [UInt8], digest: SecretBytes?, saltByteCount: Int) -> Bool {
        guard signature.count == byteCount, (0...byteCount).contains(saltByteCount), let digest else { return false }
        return digest.withBytes { digest in
            vmb_rsa_pss_sha384_verify(
                modulus, modulus.count, digest.bindMemory(to: UInt8.self).baseAddress, Int32(saltByteCount), signature)
        } == 0
    }

    /// EMSA-PSS-ENCODE (RFC 8017, section 9.1.1) for one bit less than the modulus has.
    private func encoded(_ message: SecretBytes, salt: SecretBytes) throws(CryptographyError) -> SecretBytes {
        let hashByteCount = SHA384.byteCount
        let blockByteCount = byteCount - hashByteCount - 1
        guard salt.count < blockByteCount else { throw CryptographyError(.unusableBlinding) }
        let digest = try SHA384.digest(of: message)
        let salted = SecretBytes(count: 8 + hashByteCount + salt.count) { buffer in
            digest.withBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[8...]).copyMemory(from: $0) }
            salt.withBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[(8 + hashByteCount)...]).copyMemory(from: $0) }
        }
        let hash = try SHA384.digest(of: salted)
        let mask = try Self.mask(seed: hash, count: blockByteCount)
        return SecretBytes(count: byteCount) { buffer in
            let saltStart = blockByteCount - salt.count
            buffer[saltStart - 1] = 1
            salt.withBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[saltStart...]).copyMemory(from: $0) }
            mask.withBytes { mask in for index in 0..<blockByteCount { buffer[index] ^= mask[index] } }
            buffer[0] &= 0x7F
            hash.withBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[blockByteCount...]).copyMemory(from: $0) }
            buffer[byteCount - 1] = 0xBC
        }
    }

    /// MGF1 with SHA-384 (RFC 8017, appendix B.2.1).
    private static func mask(seed: SecretBytes, count: Int) throws(CryptographyError) -> SecretBytes {
        var blocks: [SecretBytes] = []
        for counter in 0..<UInt32((count + SHA384.byteCount - 1) / SHA384.byteCount) {
            let input = SecretBytes(count: seed.count + 4) { buffer in
                seed.withBytes { buffer.copyMemory(from: $0) }
                buffer.storeBytes(of: counter.bigEndian, toByteOffset: seed.count, as: UInt32.self)
            }
            blocks.append(try SHA384.digest(of: input))
        }
        return SecretBytes(count: count) { buffer in
            for (index, block) in blocks.enumerated() {
                let start = index * SHA384.byteCount
                block.withBytes { block in
                    let part = UnsafeRawBufferPointer(rebasing: block.prefix(count - start))
                    UnsafeMutableRawBufferPointer(rebasing: buffer[start...]).copyMemory(from: part)
                }
            }
        }
    }
}
