// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ControlTool

extension ControlCommand {
    struct Processes: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Says what runs on the board, what does not, and why.")
        @OptionGroup var options: ControlOptions

        func run() throws { try options.run { session throws(ControlFailure) in try session.processes() } }
    }

    struct Log: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the board's log since its start, as far as it is kept in memory.")
        @OptionGroup var options: ControlOptions

        @Option(help: "Only of this process: core, egress, supervisor or a plugin's name.")
        var process: String?

        @Option(help: "Only of this level or worse.")
        var level: LogLevel?

        @Flag(help: "Goes on with what comes, until it is interrupted.")
        var follow = false

        func run() throws {
            let level = level == .trace ? "debug" : level?.rawValue
            try options.run { session throws(ControlFailure) in
                try session.log(process: process, level: level, isFollowed: follow)
            }
        }
    }
}
