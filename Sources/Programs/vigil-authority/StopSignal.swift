// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinux
import Glibc

/// The signal by which a server is told to stop: SIGTERM or SIGINT. Made before any thread is started, which would take the signal otherwise.
struct StopSignal {
    /// Becomes readable with a signal (`vigil_signal_descriptor`).
    let descriptor: Int32

    init() throws {
        descriptor = vigil_signal_descriptor()
        guard descriptor >= 0 else { throw ValidationError("signals cannot be received") }
    }

    /// Returns when the signal has come. Until then `meanwhile` is done every `seconds`, and after every other signal.
    func wait(every seconds: Int32, meanwhile: () -> Void) {
        while true {
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&watched, 1, seconds < 0 ? -1 : seconds * 1_000) > 0,
                [SIGTERM, SIGINT].contains(vigil_signal_take(descriptor))
            {
                return
            }
            meanwhile()
        }
    }

    /// Returns when the signal has come.
    func wait() { wait(every: -1) {} }
}
