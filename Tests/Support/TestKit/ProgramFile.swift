// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls

/// Programs that a test writes and starts at once.
///
/// The kernel does not start a program that somebody has open for writing (ETXTBSY), and what a test has open, a program that another test starts meanwhile has open,
/// too: until it is its own program, or for its whole life if the descriptor is not closed then, as those of Foundation's writers are not. So these are closed then,
/// and the file is not given to anybody before the last one has ended.
public enum ProgramFile {
    /// Writes a program that everybody may start, in place of what was there. Throws `SystemError`.
    public static func write(_ text: String, to path: String) throws {
        try make(path) { SystemCall.writeAll($0, Array(text.utf8)) }
    }

    /// Copies a program for everybody to start, in place of what was there. Throws `SystemError`.
    public static func copy(_ source: String, to path: String) throws {
        let from = open(source, O_RDONLY | O_CLOEXEC)
        guard from >= 0 else { throw SystemError(number: errno) }
        defer { close(from) }
        try make(path) { target in
            while true {
                let count = sendfile(target, from, nil, 1 << 30)
                if count == 0 { return 0 }
                if count < 0, errno != EINTR { return errno }
            }
        }
    }

    private static func make(_ path: String, _ fill: (Int32) -> Int32) throws {
        unlink(path)
        let target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o755)
        guard target >= 0 else { throw SystemError(number: errno) }
        var number = fill(target)
        if number == 0, fchmod(target, 0o755) != 0 { number = errno }
        close(target)
        guard number == 0 else { throw SystemError(number: number) }
        try waitUntilNobodyWrites(path)
    }

    /// A lease is given only when nobody has the file open for writing (fcntl(2), F_SETLEASE is 1024). The kernel tells nobody when that is so: it is asked again, for a
    /// minute at most. Where there are no leases, this does not wait.
    private static func waitUntilNobodyWrites(_ path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        for _ in 0..<6_000 {
            if fcntl(file, 1_024, F_RDLCK) == 0 || errno != EAGAIN { return }
            usleep(10_000)
        }
        throw SystemError(number: ETXTBSY)
    }
}
