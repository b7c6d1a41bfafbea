// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ControlTool

extension ControlCommand {
    struct Configuration: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The configuration of the board's fleet: what holds, what is on trial, what was taken back.",
            discussion: """
                A board tries a configuration, and keeps it when a program fetches it once more. Where nothing can be fetched, a person keeps it, by its version. \
                docs/fleet.md has the rest.
                """,
            subcommands: [Show.self, Take.self, Keep.self], defaultSubcommand: Show.self)

        struct Show: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Says which configuration holds, is on trial, was taken back or refused, and why.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.showConfiguration() } }
        }

        struct Take: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Brings a signed configuration, which is tried then. To bring it again keeps nothing.")
            @OptionGroup var options: ControlOptions

            @Argument(help: "The signed file (vigil-fleet configure).", completion: .file())
            var file: String

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.takeConfiguration(file) }
            }
        }

        struct Keep: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Keeps the configuration on trial, though it was not fetched again.",
                discussion:
                    "Only if you have seen that the board can still be reached as it has to be: nobody takes it back afterwards."
            )
            @OptionGroup var options: ControlOptions

            @Argument(help: "The version on trial.")
            var version: Int64

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.keepConfiguration(version) }
            }
        }
    }
}
