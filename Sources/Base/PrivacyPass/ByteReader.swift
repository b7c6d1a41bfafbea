// SPDX-License-Identifier: Apache-2.0

/// The two bytes of a number, the higher one first, as in all of Privacy Pass.
func bigEndian(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

/// Reads numbers and strings with a length, as RFC 8446 (section 3) writes them. Gives `nil` where the bytes end too early.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    /// The next `count` bytes.
    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// The number in the next `count` bytes, 1 to 4.
    mutating func number(_ count: Int) -> Int? { bytes(count)?.reduce(0) { $0 << 8 | Int($1) } }

    /// The bytes after a length of `count` bytes.
    mutating func prefixed(_ count: Int) -> ArraySlice<UInt8>? { number(count).flatMap { bytes($0) } }
}
