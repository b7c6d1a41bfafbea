// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the system says about a running process, from `/proc`.
enum ProcessMeter {
    /// Resident bytes that exist because of the process, its own and what it shares with its children, but no files; and processor time
    /// since its start; `nil` without `/proc`, or when the process is gone.
    static func measure(_ process: pid_t) -> (memory: UInt64, processor: Duration)? {
        guard let status = text("/proc/\(process)/status"),
            // The name may hold blanks and brackets: what counts is behind the last one.
            let line = text("/proc/\(process)/stat"), let mark = line.lastIndex(of: ")")
        else { return nil }
        let fields = line[line.index(after: mark)...].split(separator: " ")
        // utime and stime are fields 14 and 15 of all, 12 and 13 of these (proc_pid_stat(5)).
        guard fields.count > 12, let user = Int64(fields[11]), let system = Int64(fields[12]) else { return nil }
        let tick = Int64(sysconf(Int32(_SC_CLK_TCK)))
        return (memory(status), .milliseconds((user + system) * 1000 / max(tick, 1)))
    }

    /// Pages of memory, not of files, and where those are that were taken away from it (proc_pid_status(5)).
    static func memory(_ status: String) -> UInt64 {
        var kibibytes: UInt64 = 0
        for line in status.split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count >= 2, ["RssAnon:", "RssShmem:", "VmSwap:"].contains(words[0]) else { continue }
            kibibytes += UInt64(words[1]) ?? 0
        }
        return kibibytes << 10
    }

    private static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 2048)
        let count = read(descriptor, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
