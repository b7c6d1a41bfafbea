// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import ControlTool
import Glibc
import PluginTool

/// The operator's side of plugins: what they ask for, get and lack, and which ones there are.
struct PluginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugin", abstract: "Explains, adds, removes, starts and stops plugins.",
        discussion: """
            Without a subcommand it lists them. What a plugin may have is written in the grants file and nowhere else; a running \
            supervisor is told of changes. Exit status: 0 done; 1 there are problems; 2 a file or plugin is not there or of no use; \
            64 the command line is wrong; 69 no supervisor runs; 74 nothing could be written; 77 not allowed. docs/manifest.md \
            explains manifests and grants.
            """,
        subcommands: [
            List.self, Check.self, Add.self, Remove.self, Start.self, Stop.self, Restart.self,
        ],
        defaultSubcommand: List.self)
}

/// What every command of `vigil plugin` takes.
struct PluginOptions: ParsableArguments {
    @Option(
        name: .customLong("plugins"),
        help: "Folder of plugins; repeatable, of two of one name the first counts. Plugins are added to the last.",
        completion: .directory)
    var folders: [String] = []

    @Option(help: "The grants file.", completion: .file())
    var grants = PluginPlaces.standard.grants

    @Option(name: .customLong("run"), help: "The supervisor's run folder.", completion: .directory)
    var runFolder = PluginPlaces.standard.run

    @Option(name: .customLong("state"), help: "Folder of the plugins' own data.", completion: .directory)
    var state = PluginPlaces.standard.state

    @Flag(help: "Print JSON; one document per line.")
    var json = false

    private var places: PluginPlaces {
        let folders = folders.isEmpty ? PluginPlaces.standard.plugins : folders
        return PluginPlaces(
            plugins: folders, added: folders.last ?? PluginPlaces.standard.added, grants: grants, run: runFolder,
            state: state)
    }

    /// Runs one command and ends the program with its status.
    func run(dryRun: Bool = false, _ command: (PluginSession) throws -> Void) throws {
        // A pipe that is closed shows when it is written to.
        signal(SIGPIPE, SIG_IGN)
        let session = PluginSession(
            places: places, isJSON: json, isDryRun: dryRun, screen: .standardOutput(), person: .atTerminal())
        do {
            try command(session)
        } catch let failure as PluginFailure {
            Terminal.error("vigil: \(failure)\n")
            try? session.showFailure(failure)
            throw ExitCode(failure.status.rawValue)
        } catch let failure as ControlFailure {
            Terminal.error("vigil: \(failure)\n")
            throw ExitCode(failure.status.rawValue)
        }
    }
}

/// For commands that change something.
struct DryRun: ParsableArguments {
    @Flag(name: .customLong("dry-run"), help: "Say what would be done, and do nothing.")
    var isDry = false
}
