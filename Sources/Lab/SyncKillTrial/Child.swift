// SPDX-License-Identifier: Apache-2.0

import CTracer
import Glibc

/// A process of the trial, which is killed together with this object. Used on one thread.
package final class Child {
    /// The number of the process.
    package let process: Int32
    private var status: Int32?

    /// Starts `program` with `control` as its descriptor 3, if given, and its log behind what `log` has. Throws
    /// ``TrialFailure`` if the log cannot be written or there can be no process.
    package init(
        _ program: String, _ arguments: [String], environment: [String: String], control: Int32? = nil, log: String
    ) throws(TrialFailure) {
        let descriptor = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TrialFailure("\(log) cannot be written") }
        defer { close(descriptor) }
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] =
            environment.merging(["PATH": "/usr/bin:/bin"]) { own, _ in own }.map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in words + variables { free(word) } }
        let process = vigil_tracer_spawn(program, &words, &variables, control ?? -1, descriptor)
        guard process > 0 else {
            throw TrialFailure("\(program) cannot be started: \(String(cString: strerror(-process)))")
        }
        self.process = process
    }

    deinit { kill() }

    /// Its status as waitpid(2) has it, once it has ended; `nil` before.
    package var ended: Int32? {
        if let status { return status }
        var raw: Int32 = 0
        guard waitpid(process, &raw, WNOHANG) == process else { return nil }
        status = raw
        return raw
    }

    /// Waits for its end; whether it came in time.
    package func waits(seconds: Int) -> Bool { Self.waits(seconds: seconds) { self.ended != nil } }

    /// Kills the process, unless it has ended, and waits for its end.
    package func kill() {
        guard ended == nil else { return }
        Glibc.kill(process, SIGKILL)
        var raw: Int32 = 0
        waitpid(process, &raw, 0)
        status = raw
    }

    /// Returns whether `done` becomes true in time. It is asked again and again, `pause` microseconds apart: what is waited
    /// for is another process's doing, and nothing tells of it.
    package static func waits(seconds: Int, pause: UInt32 = 1_000, until done: () -> Bool) -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while !done() {
            guard ContinuousClock.now < end else { return false }
            usleep(pause)
        }
        return true
    }
}
