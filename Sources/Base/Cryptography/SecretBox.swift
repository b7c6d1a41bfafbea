// SPDX-License-Identifier: Apache-2.0

import CConstantTime
import CMbedTLS

/// Authenticated encryption in the format of NaCl's `crypto_secretbox`: XSalsa20 (Bernstein, "Extending the Salsa20 nonce",
/// 2011) and Poly1305, with the tag before the message. For messages that other systems seal in this format; Vigil's own
/// data is in a ``SealedBox``.
///
/// Constant in time: XSalsa20 uses additions, rotations and exclusive-ors only, and Poly1305 is that of Mbed TLS.
public enum SecretBox {
    /// The length of a key in bytes: 256 bits (XSalsa20).
    public static let keyByteCount = 32
    /// The length of a nonce in bytes (XSalsa20): long enough to be drawn at random.
    public static let nonceByteCount = 24
    /// The length of the tag in bytes (Poly1305), by which a box is longer than its message.
    public static let tagByteCount = 16

    /// Seals `message`, which may have any length, and returns the tag followed by the encrypted message. `key` must have
    /// 32 bytes and `nonce` 24, or the program stops. Never use a nonce for two messages under one key. Throws
    /// `operationFailed` if Mbed TLS fails.
    public static func seal(_ message: [UInt8], key: SecretBytes, nonce: [UInt8]) throws(CryptographyError) -> [UInt8] {
        var stream = stream(key: key, nonce: nonce, count: keyByteCount + message.count)
        defer { wipe(&stream) }
        let body = zip(message, stream.dropFirst(keyByteCount)).map { $0 ^ $1 }
        return try tag(of: body, under: stream) + body
    }

    /// Opens the result of ``seal(_:key:nonce:)``. Returns `nil` if the key, the nonce or a single bit differs, or if `box`
    /// is shorter than a tag. `key` must have 32 bytes and `nonce` 24, or the program stops. Throws `operationFailed` if
    /// Mbed TLS fails.
    public static func open(_ box: [UInt8], key: SecretBytes, nonce: [UInt8]) throws(CryptographyError) -> [UInt8]? {
        guard box.count >= tagByteCount else { return nil }
        let body = Array(box.dropFirst(tagByteCount))
        var stream = stream(key: key, nonce: nonce, count: keyByteCount + body.count)
        defer { wipe(&stream) }
        let expected = try tag(of: body, under: stream)
        guard vct_equal(expected, box, tagByteCount) == 1 else { return nil }
        return zip(body, stream.dropFirst(keyByteCount)).map { $0 ^ $1 }
    }

    /// The first 32 bytes of the stream are the key of the code.
    private static func tag(of body: [UInt8], under stream: [UInt8]) throws(CryptographyError) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: tagByteCount)
        let status = mbedtls_poly1305_mac(stream, body, body.count, &tag)
        guard status == 0 else { throw CryptographyError(.operationFailed, status: status) }
        return tag
    }

    private static func wipe(_ bytes: inout [UInt8]) { mbedtls_platform_zeroize(&bytes, bytes.count) }

    // MARK: XSalsa20

    /// "expand 32-byte k", the constant of Salsa20 with keys of 32 bytes.
    private static let constants: [UInt32] = [0x6170_7865, 0x3320_646E, 0x7962_2D32, 0x6B20_6574]

    private static func stream(key: SecretBytes, nonce: [UInt8], count: Int) -> [UInt8] {
        precondition(
            key.count == keyByteCount && nonce.count == nonceByteCount, "XSalsa20 takes a key of 32 bytes and a nonce of 24"
        )
        let words = key.withBytes { bytes in (0..<8).map { word(bytes, $0) } }
        let nonceWords = nonce.withUnsafeBytes { bytes in (0..<6).map { word(bytes, $0) } }
        // HSalsa20 makes the key that Salsa20 goes on with: the words of constant and input, without the final addition.
        let mixed = rounds(state(words, Array(nonceWords[0..<4])))
        let subkey = [0, 5, 10, 15, 6, 7, 8, 9].map { mixed[$0] }
        var output: [UInt8] = []
        output.reserveCapacity(count + 64)
        var block: UInt64 = 0
        while output.count < count {
            let start = state(
                subkey,
                [nonceWords[4], nonceWords[5], UInt32(truncatingIfNeeded: block), UInt32(truncatingIfNeeded: block >> 32)])
            for (mixed, word) in zip(rounds(start), start) {
                withUnsafeBytes(of: (mixed &+ word).littleEndian) { output += $0 }
            }
            block += 1
        }
        output.removeLast(output.count - count)
        return output
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt32 {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
    }

    private static func state(_ key: [UInt32], _ input: [UInt32]) -> [UInt32] {
        [constants[0]] + key[0..<4] + [constants[1]] + input + [constants[2]] + key[4..<8] + [constants[3]]
    }

    /// Ten double rounds: columns, then rows.
    private static func rounds(_ start: [UInt32]) -> [UInt32] {
        var x = start
        func step(_ target: Int, _ a: Int, _ b: Int, _ shift: UInt32) {
            let sum = x[a] &+ x[b]
            x[target] ^= sum << shift | sum >> (32 - shift)
        }
        func quarter(_ a: Int, _ b: Int, _ c: Int, _ d: Int) {
            step(b, a, d, 7)
            step(c, b, a, 9)
            step(d, c, b, 13)
            step(a, d, c, 18)
        }
        for _ in 0..<10 {
            quarter(0, 4, 8, 12)
            quarter(5, 9, 13, 1)
            quarter(10, 14, 2, 6)
            quarter(15, 3, 7, 11)
            quarter(0, 1, 2, 3)
            quarter(5, 6, 7, 4)
            quarter(10, 11, 8, 9)
            quarter(15, 12, 13, 14)
        }
        return x
    }
}
