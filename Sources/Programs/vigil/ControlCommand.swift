// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import ControlTool
import Glibc

/// The person's side of a running core.
struct ControlCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ctl", abstract: "Asks the running core, and tells it what to do.",
        discussion: """
            Without a subcommand it says what the device does. Exit status: 0 done; 1 the core refused; 2 a file cannot be used; 64 the \
            command line is wrong; 69 no core is there; 70 it does not keep to the protocol; 74 the answer could not be written; \
            75 no answer in time; 77 not allowed. docs/ctl.md has the rest.
            """,
        subcommands: [
            Status.self, Enable.self, Disable.self, Notify.self, Risk.self, Tests.self, Visits.self, Venue.self,
            Donation.self,
            Keys.self,
            Exposures.self,
            Mapping.self,
            Evidence.self,
            Radio.self,
            Time.self, Role.self, Consent.self, Release.self, Pair.self, Audit.self, ExportMyData.self, Storage.self,
            Access.self, Content.self, Configuration.self, Watch.self, Health.self, Processes.self, Power.self, Log.self,
            Record.self,
            Calibrate.self,
            Reset.self, Wiped.self,
            Interfaces.self,
            Call.self,
        ],
        defaultSubcommand: Status.self)
}

/// What every command of `vigil ctl` takes.
struct ControlOptions: ParsableArguments {
    @Option(name: .customLong("run"), help: "The core's run folder.", completion: .directory)
    var folder = "/run/vigil"

    @Option(help: "The core's socket; RUN/ctl.sock if not given.", completion: .file())
    var socket: String?

    @Option(
        help: "Folder for the files of this socket; the socket's path without .sock if not given.", completion: .directory)
    var spool: String?

    @Flag(help: "Print JSON, in the interface's own fields; one document per line.")
    var json = false

    @Option(help: "Seconds to wait for an answer; 45, or 600 where the core has much to do.")
    var timeout: Int?

    func validate() throws {
        if let timeout, !(1...86_400).contains(timeout) { throw ValidationError("--timeout must be between 1 and 86400") }
    }

    /// Runs one command and ends the program with its status.
    ///
    /// - Parameter leavesFiles: Whether the command makes files that must not stay behind when it is interrupted.
    func run(leavesFiles: Bool = false, _ command: (ControlSession) throws(ControlFailure) -> Void) throws {
        // A pipe that is closed shows when it is written to.
        signal(SIGPIPE, SIG_IGN)
        let leftovers = Leftovers()
        if leavesFiles { leftovers.watchSignals() }
        let session = ControlSession(
            socket: socket ?? "\(folder)/ctl.sock", spool: spool, timeout: timeout.map { .seconds($0) }, isJSON: json,
            screen: .standardOutput(), person: .atTerminal(), leftovers: leftovers)
        do throws(ControlFailure) {
            try command(session)
        } catch {
            Terminal.error("vigil: \(error)\n")
            try? session.showFailure(error)
            throw ExitCode(error.status.rawValue)
        }
    }
}

/// The answer to a question, given beforehand.
struct Agreement: ParsableArguments {
    @Flag(name: .customLong("yes"), help: "Somebody agreed: do not ask.")
    var isGiven = false
}
