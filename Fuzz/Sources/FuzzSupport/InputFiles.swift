// SPDX-License-Identifier: Apache-2.0

import CFuzz
import Glibc

/// Bytes as a file that has a path, for readers that want one. Nothing touches a disk.
public enum InputFiles {
    /// Gives `body` the path of a file with `bytes` that reads as fast as one likes.
    public static func whole<Result>(_ bytes: [UInt8], _ body: (String) -> Result) -> Result {
        let descriptor = vigil_fuzz_memory_file()
        claim(descriptor >= 0, "a file in memory")
        defer { close(descriptor) }
        claim(write(descriptor, bytes, bytes.count) == bytes.count, "writing to memory")
        return body("/proc/self/fd/\(descriptor)")
    }

    /// The same in about eight pieces of uneven length: a pipe that gives each on its own.
    public static func pieces<Result>(_ bytes: [UInt8], _ body: (String) -> Result) -> Result {
        var ends: [CInt] = [-1, -1]
        claim(vigil_fuzz_packet_pipe(&ends, 32) == 0, "a pipe in packet mode")
        defer { close(ends[0]) }
        // Lengths from half to one and a half of the mean: at most 24 pieces.
        let mean = max(1, bytes.count / 8)
        var offset = 0
        var step = 0
        while offset < bytes.count {
            let count = min(bytes.count - offset, max(1, mean / 2 + step % (mean + 1)))
            bytes.withUnsafeBytes {
                claim(write(ends[1], $0.baseAddress! + offset, count) == count, "writing to the pipe")
            }
            offset += count
            step += 7
        }
        close(ends[1])
        return body("/proc/self/fd/\(ends[0])")
    }
}
