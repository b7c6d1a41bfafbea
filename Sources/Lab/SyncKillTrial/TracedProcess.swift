// SPDX-License-Identifier: Apache-2.0

import CTracer
import Glibc

/// What can be read of a process that is traced: its memory and its descriptors.
package struct TracedProcess {
    /// The number of the process.
    package let number: Int32

    /// Creates a view of the process with this number.
    package init(number: Int32) { self.number = number }

    /// Returns what a descriptor leads to, as /proc has it; empty if it leads nowhere.
    package func link(_ descriptor: Int32) -> String {
        var bytes = [CChar](repeating: 0, count: 512)
        let count = readlink("/proc/\(number)/fd/\(descriptor)", &bytes, bytes.count)
        return String(decoding: bytes[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the text at an address, up to a zero and of at most `limit` bytes; empty if it cannot be read.
    package func text(_ address: UInt64, limit: Int = 512) -> String {
        var bytes = [UInt8](repeating: 0, count: max(1, limit))
        let count = Int(vigil_tracer_read(number, address, &bytes, Int32(limit)))
        return String(decoding: bytes[..<max(0, count)].prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Returns the number of eight bytes at an address; 0 if it cannot be read.
    func word(_ address: UInt64) -> UInt64 {
        var bytes = [UInt8](repeating: 0, count: 8)
        _ = vigil_tracer_read(number, address, &bytes, 8)
        return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
