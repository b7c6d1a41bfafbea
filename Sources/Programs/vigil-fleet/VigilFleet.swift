// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinux
import CommandFiles
import FleetCard
import Glibc

/// Cards for boards. Runs on an operator's computer, never on a board.
@main
struct VigilFleet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vigil-fleet",
        abstract: "Makes what boards read at their first start, for one board or many.",
        discussion: """
            `vigil-fleet one FOLDER` asks five questions and writes a folder `provision` that goes onto the boot partition of one board's \
            card. `vigil-fleet plan` does so for all boards of a table. docs/fleet.md has the rest.

            Exit status: 0 when it is done, 2 when an answer, a file or a folder cannot be used; then nothing was written.
            """,
        version: "0.3.0",
        subcommands: [OneCommand.self, PlanCommand.self, InventoryCommand.self])

    static func main() {
        do {
            var command = try parseAsRoot(
                (1..<max(1, vigil_argument_count())).compactMap { vigil_argument($0).map { String(cString: $0) } })
            try command.run()
        } catch let error as AnswerFault {
            fail("\(error)")
        } catch let error as FolderFault {
            fail("\(error)")
        } catch let error as TableFault {
            fail("\(error)")
        } catch let error as InventoryFault {
            fail("\(error)")
        } catch let error as LabelFault {
            fail("\(error)")
        } catch let error as InputError {
            fail("\(error)")
        } catch let error as ExitCode {
            Glibc.exit(error.rawValue)
        } catch {
            exit(withError: error)
        }
    }

    private static func fail(_ text: String) -> Never {
        Terminal.error("vigil-fleet: \(text)\n")
        Glibc.exit(2)
    }
}
