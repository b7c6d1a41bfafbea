// SPDX-License-Identifier: Apache-2.0

import CMbedTLS

/// A derivation of 32 bytes with PBKDF2-HMAC-SHA256 (RFC 8018, 5.2), a few iterations at a time, for code that has other
/// work to do in between. ``PBKDF2SHA256`` gives the same result in one call. Not thread-safe; a run has one owner.
public final class PBKDF2Run {
    private let context: UnsafeMutablePointer<mbedtls_md_context_t>
    /// The last code of the chain, and the sum of all.
    private let link: UnsafeMutablePointer<UInt64>
    private let sum: UnsafeMutablePointer<UInt64>
    private static let wordCount = SHA256.byteCount / 8
    /// The number of iterations still to do; 0 when the result is ready.
    public private(set) var remaining: UInt32

    /// Creates a run over `password` and `salt`, both of any length, and does the first of `iterations`. Throws
    /// `operationFailed` if `iterations` is 0 or Mbed TLS fails.
    public init(password: SecretBytes, salt: [UInt8], iterations: UInt32) throws(CryptographyError) {
        context = .allocate(capacity: 1)
        link = .allocate(capacity: Self.wordCount)
        sum = .allocate(capacity: Self.wordCount)
        link.initialize(repeating: 0, count: Self.wordCount)
        sum.initialize(repeating: 0, count: Self.wordCount)
        mbedtls_md_init(context)
        remaining = iterations
        guard iterations > 0 else { throw CryptographyError(.operationFailed) }
        var status = mbedtls_md_setup(context, mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), 1)
        if status == 0 {
            status = password.withBytes {
                mbedtls_md_hmac_starts(context, $0.bindMemory(to: UInt8.self).baseAddress, $0.count)
            }
        }
        // The number of the block: the first and only one.
        let first = salt + [0, 0, 0, 1]
        if status == 0 { status = mbedtls_md_hmac_update(context, first, first.count) }
        if status == 0 { status = finish() }
        guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
        add()
    }

    deinit {
        mbedtls_md_free(context)
        context.deallocate()
        for words in [link, sum] {
            mbedtls_platform_zeroize(words, SHA256.byteCount)
            words.deallocate()
        }
    }

    /// Does up to `count` more iterations. Returns the 32 bytes when all iterations are done, and `nil` before that. Throws
    /// `operationFailed` if Mbed TLS fails; the run must not be used after that.
    public func advance(by count: UInt32) throws(CryptographyError) -> SecretBytes? {
        for _ in 0..<min(count, remaining) {
            var status = mbedtls_md_hmac_reset(context)
            if status == 0 { status = update() }
            if status == 0 { status = finish() }
            guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
            add()
        }
        return remaining == 0
            ? SecretBytes(copying: UnsafeRawBufferPointer(start: sum, count: SHA256.byteCount)) : nil
    }

    private func update() -> Int32 {
        link.withMemoryRebound(to: UInt8.self, capacity: SHA256.byteCount) {
            mbedtls_md_hmac_update(context, $0, SHA256.byteCount)
        }
    }

    private func finish() -> Int32 {
        link.withMemoryRebound(to: UInt8.self, capacity: SHA256.byteCount) { mbedtls_md_hmac_finish(context, $0) }
    }

    private func add() {
        for index in 0..<Self.wordCount { sum[index] ^= link[index] }
        remaining -= 1
    }
}
