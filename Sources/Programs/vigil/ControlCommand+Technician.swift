// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ControlTool
import SelfCheck

extension ControlCommand {
    struct Processes: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Says what runs on the board, what does not, and why.")
        @OptionGroup var options: ControlOptions

        func run() throws { try options.run { session throws(ControlFailure) in try session.processes() } }
    }

    struct Health: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says whether the board is sound, what is wrong with it, and what helps.",
            discussion: "Exit status 0: good. 3: bad. 4: it cannot be told. Others as everywhere.")
        @OptionGroup var options: ControlOptions

        func run() throws {
            var verdict = HealthVerdict.unknown
            try options.run { session throws(ControlFailure) in verdict = try session.health() }
            switch verdict {
            case .good: return
            case .bad: throw ExitCode(ControlStatus.bad.rawValue)
            case .unknown: throw ExitCode(ControlStatus.unknown.rawValue)
            }
        }
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
