// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinux
import CommandFiles
import FleetCard
import FleetFlash
import ForeignText
import Glibc
import SecurityToken

/// Cards for boards. Runs on an operator's computer, never on a board.
@main
struct VigilFleet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vigil-fleet",
        abstract: "Makes what boards read at their first start, for one board or many.",
        discussion: """
            `vigil-fleet one FOLDER` asks five questions and writes a folder `provision` that goes onto the boot partition of one board's \
            card. `vigil-fleet plan` does so for all boards of a table, and `vigil-fleet flash` writes their cards. `vigil-fleet configure` signs a configuration for \
            boards that run. `vigil-fleet card-page` makes a file that does so in a browser, for people without this program. docs/fleet.md has the rest.

            Exit status: 0 when it is done; 1 when `plan` is done and has found cards that are not as the table says, or `flash` has not \
            written each card; 2 when an answer, a \
            file or a folder cannot be used, and then nothing was written; 3 when another vigil-fleet is working there; 64 when the command \
            line is wrong.
            """,
        version: "0.3.0",
        subcommands: [
            OneCommand.self, PlanCommand.self, FlashCommand.self, InventoryCommand.self, ClaimsCommand.self,
            CardPageCommand.self, KeyCommand.self, ConfigureCommand.self,
            PoolCommand.self, LabelCommand.self, LabelsCommand.self,
        ])

    static func main() {
        do {
            var command = try parseAsRoot(try words())
            try command.run()
        } catch let error as AnswerFault {
            fail("\(error)")
        } catch let error as FolderFault {
            fail("\(error)", status: error == .inUse ? 3 : 2)
        } catch let error as TableFault {
            fail("\(error)")
        } catch let error as InventoryFault {
            fail("\(error)")
        } catch let error as PoolFault {
            fail("\(error)")
        } catch let error as ImageFault {
            fail("\(error)")
        } catch let error as LabelFault {
            fail("\(error)")
        } catch let error as TokenError {
            fail("\(error)")
        } catch let error as InputError {
            fail("\(error)")
        } catch let error as ExitCode {
            Glibc.exit(error.rawValue)
        } catch {
            exit(withError: error)
        }
    }

    /// The command line. A word that is not in UTF-8 is named by the option before it.
    private static func words() throws(InputError) -> [String] {
        var words: [String] = []
        for index in 1..<max(1, vigil_argument_count()) {
            guard let pointer = vigil_argument(index) else { continue }
            guard let word = String(validatingCString: pointer) else {
                throw InputError(
                    file: words.last.flatMap { $0.hasPrefix("--") ? $0 : nil } ?? "Word \(index)",
                    "this is not in UTF-8. Type it in a terminal whose language is set to UTF-8")
            }
            words.append(word)
        }
        if let first = words.first, !first.hasPrefix("-") { checkCommand(first) }
        return words
    }

    private static func checkCommand(_ word: String) {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        guard word != "help", !names.contains(word) else { return }
        let near = word.isEmpty ? nil : names.first { $0.hasPrefix(word) || isNear(word, $0) }
        fail(
            "There is no command “\(ForeignText.line(word, limit: 40))”. "
                + (near.map { "Did you mean \($0)?" } ?? "There are \(names.joined(separator: ", "))."), status: 64)
    }

    /// Whether one letter was left out of `name`, typed too much or typed wrongly.
    private static func isNear(_ word: String, _ name: String) -> Bool {
        let (left, right) = (Array(word.lowercased()), Array(name))
        guard abs(left.count - right.count) <= 1 else { return false }
        let head = zip(left, right).prefix { $0 == $1 }.count
        let tail = zip(left.reversed(), right.reversed()).prefix { $0 == $1 }.count
        return head + tail >= max(left.count, right.count) - 1
    }

    private static func fail(_ text: String, status: Int32 = 2) -> Never {
        Terminal.error("vigil-fleet: \(text)\n")
        Glibc.exit(status)
    }
}
