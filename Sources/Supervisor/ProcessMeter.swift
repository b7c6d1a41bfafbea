// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the system says about a running process, from `/proc`.
enum ProcessMeter {
    /// Resident bytes that are the process's own (not files it shares with others), and processor time since its start; `nil`
    /// without `/proc`, or when the process is gone.
    static func measure(_ process: pid_t) -> (memory: UInt64, processor: Duration)? {
        // size resident shared text lib data dirty, in pages (proc_pid_statm(5)).
        guard let pages = text("/proc/\(process)/statm")?.split(separator: " ").compactMap({ UInt64($0) }),
            pages.count >= 3,
            // The name may hold blanks and brackets: what counts is behind the last one.
            let line = text("/proc/\(process)/stat"), let mark = line.lastIndex(of: ")")
        else { return nil }
        let fields = line[line.index(after: mark)...].split(separator: " ")
        // utime and stime are fields 14 and 15 of all, 12 and 13 of these (proc_pid_stat(5)).
        guard fields.count > 12, let user = Int64(fields[11]), let system = Int64(fields[12]) else { return nil }
        let tick = Int64(sysconf(Int32(_SC_CLK_TCK)))
        let memory = (pages[1] - min(pages[2], pages[1])) * UInt64(sysconf(Int32(_SC_PAGESIZE)))
        return (memory, .milliseconds((user + system) * 1000 / max(tick, 1)))
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
