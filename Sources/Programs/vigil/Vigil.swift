// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinux
import CommandFiles
import ControlTool
import Core
import GAEN
import Glibc

/// The firmware's executable. Roles are subcommands; there is no default role.
@main
struct Vigil: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vigil",
        abstract: "Exposure Notification for people and places without a smartphone.",
        discussion: """
            `vigil core` beacons, scans, matches and answers; `vigil ctl` asks it. The other commands work on files: they match \
            signed diagnosis keys against recorded sightings, and make and look into key files. docs/ describes every format.
            """,
        version: Release.version,
        subcommands: [
            RunCommand.self, CoreCommand.self, EgressCommand.self, ControlCommand.self, PluginCommand.self,
            TimeCommand.self, BoardCommand.self, MatchCommand.self, ExportCommand.self,
        ])

    /// The arguments as the kernel handed them over, not as `/proc/self/cmdline` shows them (see CLinux).
    private static var arguments: [String] {
        (1..<max(1, vigil_argument_count())).compactMap { vigil_argument($0).map { String(cString: $0) } }
    }

    /// Whoever mistypes a command is told which one may have been meant; everything else that is wrong with the words the parser says.
    private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        do { return try parseAsRoot(arguments) } catch {
            guard exitCode(for: error) != .success, let correction = tree(self).correction(of: arguments) else {
                throw error
            }
            Terminal.error("vigil: \(correction)\n")
            throw ExitCode.validationFailure
        }
    }

    private static func tree(_ command: any ParsableCommand.Type) -> CommandTree {
        CommandTree(
            command._commandName,
            command.configuration.subcommands.map(tree) + (command == self ? [CommandTree("help")] : []))
    }

    static func main() {
        do {
            let arguments = arguments
            guard !arguments.isEmpty else {
                Terminal.error("vigil: say what to do. `vigil --help` lists the commands.\n")
                Glibc.exit(ExitCode.validationFailure.rawValue)
            }
            // The services must be up soon: they do not wait for forty commands to be looked through that they are not.
            var command =
                switch arguments[0] {
                case "core": try CoreOnly.parseAsRoot(arguments)
                case "run": try RunOnly.parseAsRoot(arguments)
                default: try parse(arguments)
                }
            try SelfTest.run()
            try command.run()
        } catch let error as ExitCode {
            Glibc.exit(error.rawValue)
        } catch let error as InputError {
            Terminal.error("vigil: \(error)\n")
            Glibc.exit(ExitStatus.input.rawValue)
        } catch {
            exit(withError: error)
        }
    }
}

/// `vigil` as far as `vigil core` needs it.
private struct CoreOnly: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vigil", version: Release.version, subcommands: [CoreCommand.self])
}

/// `vigil` as far as `vigil run` needs it.
private struct RunOnly: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vigil", version: Release.version, subcommands: [RunCommand.self])
}

/// What the exit status of a command means; scripts rely on it (docs/commands.md).
enum ExitStatus {
    /// A key file was refused, or a signature is not valid.
    static let refused = ExitCode(1)
    /// A file that was named cannot be used: missing, unreadable, malformed.
    static let input = ExitCode(2)
    /// The descriptor the core was started with is no way to a controller.
    static let transport = ExitCode(3)
}
