// SPDX-License-Identifier: Apache-2.0

import CMbedTLS

/// Base64 with the standard alphabet and padding (RFC 4648, section 4). Strict: each sequence of bytes has exactly
/// one text. For bytes, and for text that is accepted, the run time depends on the length only.
public enum Base64 {
    /// Returns the bytes as text: four characters for every three bytes, padded with `=`, without line breaks. Cannot fail.
    public static func string(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { string($0) } }

    /// Encodes bytes as ``string(_:)-([UInt8])`` does, but without copying them: for secrets. The text itself is not wiped.
    /// Cannot fail.
    public static func string(_ bytes: UnsafeRawBufferPointer) -> String {
        // Room for the zero byte that Mbed TLS puts at the end.
        String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4 + 1) { text in
            var count = 0
            let status = mbedtls_base64_encode(
                text.baseAddress, text.count, &count, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count)
            return status == 0 ? count : 0
        }
    }

    /// Decodes `text`. Returns `nil` for any text that ``string(_:)-([UInt8])`` would not write, such as one with line
    /// breaks or without padding.
    public static func bytes(_ text: String) -> [UInt8]? {
        var source = Array(text.utf8)
        guard source.count.isMultiple(of: 4) else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: source.count / 4 * 3) { buffer, count in
            if mbedtls_base64_decode(buffer.baseAddress, buffer.count, &count, &source, source.count) != 0 { count = 0 }
        }
        // Mbed TLS takes line ends, and any value for the bits that are left over.
        return string(bytes) == text ? bytes : nil
    }
}
