// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinux
import CommandFiles
import Core
import Egress
import Glibc
import Logging
import ProcessLink

/// The only way out, as a child of the supervisor.
struct EgressCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "egress",
        abstract: "Opens connections to the outside for plugins; started by the supervisor.",
        discussion: """
            Each plugin has a SOCKS5 listener of its own and reaches the hosts and ports it was granted, nothing else. Which they are, \
            the supervisor says over VIGIL_CONTROL. docs/egress.md has the rest.
            """)

    @Option(help: "Form of the log on standard error.")
    var log: LogFormat = .text

    @Option(help: "What is logged.")
    var level: LogLevel = .info

    func run() throws {
        do throws(ControlFailure) { try serve() } catch {
            Terminal.error("vigil: egress: \(error)\n")
            throw ExitStatus.input
        }
    }

    private func serve() throws(ControlFailure) {
        let environment = try ProcessEnvironment()
        // Passwords of proxies are in its memory.
        _ = vigil_refuse_dumps()
        signal(SIGPIPE, SIG_IGN)
        SystemResolver.prepare()
        let logger = Logger(label: "egress") { _ in LineLogHandler(format: log.format, level: level.level) }
        let service = try EgressService(
            control: ControlSocket(adopting: environment.control), heartbeat: .seconds(environment.heartbeat),
            version: Release.version, log: logger)
        if service.run() == .abandoned { logger.notice("the supervisor is gone") }
    }
}
