// SPDX-License-Identifier: Apache-2.0

import Glibc
public import Logging
import ProcessLink

/// `vigil-plugins wake`
public enum WakeRole {
    /// Runs until the supervisor has it stop. The exit status: 0, or 1 with the reason on standard error.
    public static func main(version: String, sender: any RegistrationSender, log: Logger) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        do {
            let environment = try ProcessEnvironment()
            let process = try WakeProcess(
                environment, control: ControlSocket(adopting: environment.control), sender: sender, version: version,
                log: log)
            if process.run() == .abandoned { log.notice("the supervisor is gone") }
            return 0
        } catch {
            log.critical("\(error)")
            return 1
        }
    }
}
