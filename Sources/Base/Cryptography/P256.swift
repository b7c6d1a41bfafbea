// SPDX-License-Identifier: Apache-2.0

import CMbedTLS

/// ECDSA on the curve P-256, the signature of key files, configurations and successions.
public enum P256 {
    /// The hash function whose digest is signed: SHA-256 (32 bytes) or SHA-512 (64 bytes).
    public enum Digest: Sendable {
        /// SHA-256 (FIPS 180-4), 32 bytes.
        case sha256
        /// SHA-512 (FIPS 180-4), 64 bytes.
        case sha512

        fileprivate var mbedtls: mbedtls_md_type_t { self == .sha256 ? MBEDTLS_MD_SHA256 : MBEDTLS_MD_SHA512 }
    }

    /// A public key, held as its SubjectPublicKeyInfo. Safe to share between threads: each verification makes its own
    /// context of Mbed TLS, which caches curve points and must not be shared.
    public struct VerificationKey: Hashable, Sendable {
        /// The key as SubjectPublicKeyInfo (RFC 5480) in DER, 91 bytes. Equal keys have equal bytes.
        public let subjectPublicKeyInfo: [UInt8]

        /// Reads a key in PEM (`-----BEGIN PUBLIC KEY-----`) or DER. Bytes after a key in DER are refused; bytes after one
        /// in PEM are ignored.
        ///
        /// Throws `malformedKey` if the bytes are not a key, `unsupportedKey` if the key is on another curve, and
        /// `operationFailed` if Mbed TLS cannot write it as DER.
        public init(pemOrDER bytes: [UInt8]) throws(CryptographyError) {
            let key = try KeyContext(publicKey: bytes)
            subjectPublicKeyInfo = try key.exportPublicDER()
        }

        /// Returns the key as PEM text that ends with a line feed. Throws `operationFailed` if Mbed TLS fails.
        public func pem() throws(CryptographyError) -> String {
            try KeyContext(publicKey: subjectPublicKeyInfo).exportPublicPEM()
        }

        /// Returns whether `signature` (ASN.1, with nothing after it) is a signature of `digest` by this key.
        /// Returns `false` for a malformed signature, and if Mbed TLS fails. `digest` must have the length of a
        /// digest by `hash`.
        ///
        /// Mbed TLS also accepts encodings that DER forbids (a superfluous zero, a long-form length), so anybody
        /// can rewrite a valid signature into another valid one. Never use the bytes of a signature to tell
        /// contents apart.
        public func isValid(signature: [UInt8], over digest: [UInt8], hash: Digest = .sha256) -> Bool {
            guard let key = try? KeyContext(publicKey: subjectPublicKeyInfo) else { return false }
            return mbedtls_pk_verify(
                key.context, hash.mbedtls, digest, digest.count, signature, signature.count) == 0
        }
    }

    /// A private key on the curve P-256. Its text form reveals nothing of it. Safe to share between threads.
    public struct SigningKey: Sendable, CustomStringConvertible, CustomReflectable {
        private let encoded: SecretBytes
        /// The public key that belongs to this private key, calculated when the key was read.
        public let verificationKey: VerificationKey

        /// Reads an unencrypted private key in PEM or DER (PKCS#8 or SEC 1). Bytes after the key are ignored.
        /// Throws `malformedKey` if the bytes are not one, `unsupportedKey` if the key is on another curve,
        /// `noRandomness` if the kernel gives no random bytes for the blinding, and `operationFailed` if Mbed TLS
        /// cannot write the public key.
        public init(pemOrDER bytes: SecretBytes) throws(CryptographyError) {
            let key = try KeyContext(privateKey: bytes)
            encoded = bytes
            verificationKey = try VerificationKey(pemOrDER: key.exportPublicDER())
        }

        /// Generates a key from the kernel's random bytes. Throws `noRandomness` if the kernel gives none, and
        /// `operationFailed` if Mbed TLS cannot make or write the key.
        public static func generate() throws(CryptographyError) -> SigningKey {
            let key = try KeyContext.generated()
            return try SigningKey(pemOrDER: key.exportPrivatePEM())
        }

        /// Signs `digest`, which must have the length of a digest by `hash`; Mbed TLS may not check that. The
        /// signature is ASN.1 in DER, 72 bytes at most. Two signatures of one digest may differ.
        ///
        /// Throws `noRandomness` if the kernel gives no random bytes, and `operationFailed` if Mbed TLS refuses.
        public func sign(_ digest: [UInt8], hash: Digest = .sha256) throws(CryptographyError) -> [UInt8] {
            let key = try KeyContext(privateKey: encoded)
            var signature = [UInt8](repeating: 0, count: VMB_SIGNATURE_CAPACITY)
            var length = 0
            let status = try withRandom { random in
                vmb_pk_sign(
                    key.context, hash.mbedtls, digest, digest.count, &signature, signature.count, &length, random)
            }
            guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
            return Array(signature.prefix(length))
        }

        /// Calls `body` with the encoded key, for writing it to a file: the bytes that were read or, for a generated key,
        /// PEM with a NUL at its end. The pointer is valid during the call only. Throws only what `body` throws.
        public func withEncoded<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try encoded.withBytes(body)
        }

        /// The name of the type; reveals nothing of the key.
        public var description: String { "P256.SigningKey" }
        /// A mirror without children, so that `dump` shows nothing of the key.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}

/// Runs `body` with a generator seeded from the kernel.
private func withRandom(_ body: (UnsafeMutablePointer<vmb_random>) -> Int32) throws(CryptographyError) -> Int32 {
    let random = UnsafeMutablePointer<vmb_random>.allocate(capacity: 1)
    defer { random.deallocate() }
    let status = vmb_random_start(random)
    defer { vmb_random_end(random) }
    guard status == 0 else { throw CryptographyError(.noRandomness, status: status) }
    return body(random)
}

/// Owns one `mbedtls_pk_context`; nobody else sees the pointer for longer than a call.
private final class KeyContext {
    let context: UnsafeMutablePointer<mbedtls_pk_context>

    private init() {
        context = .allocate(capacity: 1)
        mbedtls_pk_init(context)
    }

    deinit {
        mbedtls_pk_free(context)
        context.deallocate()
    }

    convenience init(publicKey bytes: [UInt8]) throws(CryptographyError) {
        self.init()
        // The library takes PEM only with its terminating NUL inside the length.
        let input = bytes.starts(with: Array("-----".utf8)) && bytes.last != 0 ? bytes + [0] : bytes
        let status = mbedtls_pk_parse_public_key(context, input, input.count)
        guard status == 0 else { throw CryptographyError(.malformedKey, status: status) }
        guard vmb_pk_is_p256(context) == 1 else { throw CryptographyError(.unsupportedKey) }
    }

    convenience init(privateKey bytes: SecretBytes) throws(CryptographyError) {
        self.init()
        let isPEM = bytes.withBytes { $0.starts(with: Array("-----".utf8)) && $0.last != 0 }
        let input =
            isPEM
            ? SecretBytes(count: bytes.count + 1) { buffer in bytes.withBytes { buffer.copyMemory(from: $0) } } : bytes
        let context = context
        let status = try withRandom { random in
            input.withBytes {
                vmb_pk_parse_key(context, $0.bindMemory(to: UInt8.self).baseAddress, $0.count, random)
            }
        }
        guard status == 0 else { throw CryptographyError(.malformedKey, status: status) }
        guard vmb_pk_is_p256(context) == 1 else { throw CryptographyError(.unsupportedKey) }
    }

    static func generated() throws(CryptographyError) -> KeyContext {
        let key = KeyContext()
        let status = try withRandom { vmb_pk_generate_p256(key.context, $0) }
        guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
        return key
    }

    // P-256 public keys take 91 bytes DER and 178 bytes PEM; private ones 121 and 227. 512 leaves room.
    private static let capacity = 512

    func exportPublicDER() throws(CryptographyError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: Self.capacity)
        let length = mbedtls_pk_write_pubkey_der(context, &buffer, buffer.count)
        guard length > 0 else { throw CryptographyError(.operationFailed, status: length) }
        // The library writes DER at the end of the buffer.
        return Array(buffer.suffix(Int(length)))
    }

    func exportPublicPEM() throws(CryptographyError) -> String {
        var buffer = [UInt8](repeating: 0, count: Self.capacity)
        let status = mbedtls_pk_write_pubkey_pem(context, &buffer, buffer.count)
        guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
        return String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
    }

    func exportPrivatePEM() throws(CryptographyError) -> SecretBytes {
        let padded = try SecretBytes(count: Self.capacity) { (buffer) throws(CryptographyError) in
            let status = mbedtls_pk_write_key_pem(
                context, buffer.bindMemory(to: UInt8.self).baseAddress, buffer.count)
            guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
        }
        let length = padded.withBytes { $0.firstIndex(of: 0) ?? $0.count }
        return SecretBytes(count: length + 1) { buffer in
            padded.withBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<length])) }
        }
    }
}
