// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Memory for reading and writing around the page cache, which wants whole pages (open(2), `O_DIRECT`). One owner.
struct Memory: ~Copyable {
    /// The bytes; they start at a page.
    let bytes: UnsafeMutableRawBufferPointer

    /// Takes `count` bytes, filled with zeros. Stops the program when there is no memory.
    init(_ count: Int) {
        bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 4096)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { bytes.deallocate() }

    /// Whether `count` bytes are the same at both places. Optimised in a build for development, too.
    static func areEqual(_ one: UnsafeRawPointer?, _ other: UnsafeRawPointer?, _ count: Int) -> Bool {
        guard let one, let other else { return count == 0 }
        return memcmp(one, other, count) == 0
    }

    /// Whether all bytes are zero.
    static func isZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return true }
        return bytes[0] == 0 && areEqual(start, start + 1, bytes.count - 1)
    }
}
