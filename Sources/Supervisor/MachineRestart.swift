// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging

/// How the machine is started anew: only where the configuration says so, and after everything has stopped.
enum MachineRestart: Sendable, Equatable {
    /// systemd, where it is; the program `reboot` of whatever else began everything otherwise.
    case bySystem
    case byProgram([String])

    /// False when it will not happen, which the log says.
    func run(_ log: Logger) -> Bool {
        switch self {
        case .byProgram(let words): return start(words, log)
        case .bySystem:
            // As systemd tells whether it runs (sd_booted(3)).
            if access("/run/systemd/system", F_OK) == 0 { return start(["systemctl", "--no-block", "reboot"], log) }
            return start(["reboot"], log)
        }
    }

    private func start(_ words: [String], _ log: Logger) -> Bool {
        do {
            let begin = ContinuousClock.now
            let program = try ShortProgram(words, at: .zero)
            var end: ShortProgram.End?
            while end == nil {
                // Everything has stopped: there is nobody to be served meanwhile.
                usleep(20_000)
                end = program.end(at: ContinuousClock.now - begin)
            }
            guard case .badly(let reason)? = end else { return true }
            log.error("the machine cannot be restarted: \(reason)")
        } catch { log.error("the machine cannot be restarted: \(error)") }
        return false
    }
}
