// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ControlTool

extension ControlCommand {
    struct Record: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Records what the radio and its controller say, made harmless, for whoever mends it.",
            discussion: """
                Identifiers and addresses are replaced by others, names and other content are blanked; the key of that is lost at the end. On a \
                person's board the wearer presses the button first. docs/recording.md has the rest.
                """,
            subcommands: [Show.self, Start.self, Stop.self], defaultSubcommand: Show.self)

        struct Show: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Says how far the recording is.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.showRecording() } }
        }

        struct Start: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Begins a recording, after asking.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var agreement: Agreement

            @Option(help: "How long at most, 1 to 1440.")
            var minutes = 60

            func validate() throws {
                guard (1...1_440).contains(minutes) else { throw ValidationError("--minutes must be 1 to 1440") }
            }

            func run() throws {
                try options.run { session throws(ControlFailure) in
                    try session.startRecording(seconds: Int64(minutes) * 60, isAgreed: agreement.isGiven)
                }
            }
        }

        struct Stop: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Ends the recording and takes it to a file.")
            @OptionGroup var options: ControlOptions

            @Option(help: "The new file, in the btsnoop format.", completion: .file())
            var output: String

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.stopRecording(to: output) }
            }
        }
    }
}
