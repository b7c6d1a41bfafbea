// SPDX-License-Identifier: Apache-2.0

/// Writes pictures with one bit per pixel, uncompressed (PNG, third edition; RFC 1950, RFC 1951 section 3.2.4).
public enum PNG {
    /// Bytes of a block that is stored, at most (RFC 1951, section 3.2.4).
    private static let mostOfBlock = 65_535

    /// Returns the file of a picture. Cannot fail.
    ///
    /// - Parameters:
    ///   - width: The number of pixels in a row, 1 or more; a negative number, or one above 32 bits, stops the
    ///     program.
    ///   - height: The number of rows, with the same limits.
    ///   - rows: The rows, each with its filter type, 0, in front, followed by `(width + 7) / 8` bytes with the
    ///     leftmost pixel in the highest bit; 0 is black. Neither their length nor their content is checked.
    public static func file(width: Int, height: Int, rows: [UInt8]) -> [UInt8] {
        var stored: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let end = min(rows.count, start + mostOfBlock)
            let length = UInt16(end - start)
            stored += [end == rows.count ? 1 : 0] + little(length) + little(~length) + rows[start..<end]
            start = end
        } while start < rows.count
        stored += big(adler(rows))
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", big(UInt32(width)) + big(UInt32(height)) + [1, 0, 0, 0, 0]) + chunk("IDAT", stored)
            + chunk("IEND", [])
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        return big(UInt32(data.count)) + body + big(crc(body))
    }

    private static func big(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    private static func little(_ number: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)] }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }

    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }
}
