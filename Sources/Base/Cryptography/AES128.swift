// SPDX-License-Identifier: Apache-2.0

import CConstantTime
import CMbedTLS

/// A block of 16 bytes, as AES encrypts them, held as a value without a heap allocation.
public struct Block: Hashable, Sendable {
    /// Bytes 0 to 7 as they lie in memory, read as a native integer.
    public var low: UInt64
    /// Bytes 8 to 15 as they lie in memory, read as a native integer.
    public var high: UInt64

    /// Creates a block from ``low`` and ``high``; without arguments, a block of 16 zero bytes. Cannot fail.
    @inlinable public init(low: UInt64 = 0, high: UInt64 = 0) {
        self.low = low
        self.high = high
    }

    /// Creates a block from 16 bytes. Returns `nil` if `bytes` has any other length.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init()
        Swift.withUnsafeMutableBytes(of: &self) { $0.copyBytes(from: bytes) }
    }

    /// The 16 bytes, in the order in which they lie in memory.
    public var bytes: [UInt8] { Swift.withUnsafeBytes(of: self) { Array($0) } }

    /// Calls `body` with the 16 bytes. The pointer is valid during the call only. Throws only what `body` throws.
    @inlinable
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try Swift.withUnsafeBytes(of: self, body)
    }
}

/// AES-128 of single blocks under a secret key: slow, but in constant time on every board.
public enum ConstantTimeAES128 {
    /// Encrypts one block. `key` must have 16 bytes; any other length is a programming error and stops the program.
    public static func encrypt(_ block: Block, key: SecretBytes) -> Block {
        precondition(key.count == 16, "AES-128 takes a key of 16 bytes")
        var output = Block()
        key.withBytes { key in
            block.withUnsafeBytes { input in
                withUnsafeMutableBytes(of: &output) { output in
                    vct_aes128_encrypt(
                        key.bindMemory(to: UInt8.self).baseAddress!, input.bindMemory(to: UInt8.self).baseAddress!,
                        output.bindMemory(to: UInt8.self).baseAddress!)
                }
            }
        }
        return output
    }
}

/// AES-128 of single blocks under a *public* key (a diagnosis key, already published).
///
/// - Important: Never for keys of our own: without AES instructions the library uses tables (see ``ConstantTimeAES128``).
public struct PublicKeyAES128: ~Copyable {
    private let context: UnsafeMutablePointer<mbedtls_aes_context>

    /// Expands the key. Throws `operationFailed` if `key` does not have 16 bytes, or if Mbed TLS refuses it.
    public init(key: SecretBytes) throws(CryptographyError) {
        guard key.count == 16 else { throw CryptographyError(.operationFailed) }
        let context = UnsafeMutablePointer<mbedtls_aes_context>.allocate(capacity: 1)
        mbedtls_aes_init(context)
        let status = key.withBytes {
            mbedtls_aes_setkey_enc(context, $0.bindMemory(to: UInt8.self).baseAddress, 128)
        }
        guard status == 0 else {
            mbedtls_aes_free(context)
            context.deallocate()
            throw CryptographyError(.operationFailed, status: status)
        }
        self.context = context
    }

    deinit {
        mbedtls_aes_free(context)
        context.deallocate()
    }

    /// Encrypts one block. Stops the program if Mbed TLS fails, which it cannot do with a key that the initialiser
    /// accepted.
    public borrowing func encrypt(_ block: Block) -> Block {
        var output = Block()
        let status = block.withUnsafeBytes { input in
            withUnsafeMutableBytes(of: &output) { output in
                mbedtls_aes_crypt_ecb(
                    context, MBEDTLS_AES_ENCRYPT, input.bindMemory(to: UInt8.self).baseAddress,
                    output.bindMemory(to: UInt8.self).baseAddress)
            }
        }
        precondition(status == 0, "AES-128 failed")
        return output
    }
}
