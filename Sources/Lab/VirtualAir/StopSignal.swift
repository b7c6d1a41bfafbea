// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Written once before the handler can run, read by the handler only.
private nonisolated(unsafe) var stopPipe: Int32 = -1

/// SIGTERM and SIGINT as something that `poll` sees.
enum StopSignal {
    /// A descriptor that becomes readable when the process is to end. Call it once per process; later calls give the first
    /// one's successor.
    static func install() throws(VirtualAirError) -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system("making a pipe") }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        stopPipe = ends[1]
        // Whoever started this process may have had them blocked, which is inherited.
        var wanted = sigset_t()
        sigemptyset(&wanted)
        for number in [SIGTERM, SIGINT] {
            sigaddset(&wanted, number)
            signal(number) { _ in
                var byte: UInt8 = 1
                _ = write(stopPipe, &byte, 1)
            }
        }
        sigprocmask(SIG_UNBLOCK, &wanted, nil)
        return ends[0]
    }
}
