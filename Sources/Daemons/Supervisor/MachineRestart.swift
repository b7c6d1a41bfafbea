// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging

/// How the machine is started anew or switched off: only where the configuration says so, and after everything has stopped.
enum MachineRestart: Sendable, Equatable {
    /// What becomes of the machine; the raw value is what systemd, and the programs of others, call it.
    enum Action: String {
        case restart = "reboot"
        case switchOff = "poweroff"

        var words: String { self == .restart ? "restarted" : "switched off" }
    }

    /// systemd, where it is; the program `reboot` or `poweroff` of whatever else began everything otherwise.
    case bySystem
    case byProgram([String])

    /// False when it will not happen, which the log says.
    func run(_ action: Action, _ log: Logger) -> Bool {
        switch self {
        case .byProgram(let words): return start(words, action, log)
        case .bySystem:
            // As systemd tells whether it runs (sd_booted(3)).
            if access("/run/systemd/system", F_OK) == 0 {
                return start(["systemctl", "--no-block", action.rawValue], action, log)
            }
            return start([action.rawValue], action, log)
        }
    }

    private func start(_ words: [String], _ action: Action, _ log: Logger) -> Bool {
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
            log.error("the machine cannot be \(action.words): \(reason)")
        } catch { log.error("the machine cannot be \(action.words): \(error)") }
        return false
    }
}
