// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls

/// Bytes at a place of a file or of a device: all of them, in as many calls as needed.
enum PlacedBytes {
    /// Writes them. Returns 0, or `errno` after a part may have been written; `ENOSPC` if the file takes no more.
    static func write(_ descriptor: Int32, _ place: UInt64, _ bytes: UnsafeRawBufferPointer) -> Int32 {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            switch SystemCall.retrying({ pwrite(descriptor, rest.baseAddress, rest.count, off_t(place) + off_t(done)) }) {
            case .done(0): return ENOSPC
            case .done(let count): done += count
            case .wait: return EAGAIN
            case .failed(let number): return number
            }
        }
        return 0
    }

    /// Fills `memory`, and returns 0; fewer only where the file ends, which `count` says. Otherwise `errno`.
    static func read(
        _ descriptor: Int32, _ place: UInt64, into memory: UnsafeMutableRawBufferPointer
    ) -> (count: Int, number: Int32) {
        var done = 0
        while done < memory.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: memory[done...])
            switch SystemCall.retrying({ pread(descriptor, rest.baseAddress, rest.count, off_t(place) + off_t(done)) }) {
            case .done(0): return (done, 0)
            case .done(let count): done += count
            case .wait: return (done, EAGAIN)
            case .failed(let number): return (done, number)
            }
        }
        return (done, 0)
    }
}
