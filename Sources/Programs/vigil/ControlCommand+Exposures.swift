// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import ControlTool

extension ControlCommand {
    struct Keys: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Provides files of diagnosis keys.", subcommands: [Provide.self, Limit.self])

        struct Provide: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Has signed key files matched with what was heard: all of them or none.")
            @OptionGroup var options: ControlOptions

            @Argument(help: "Key files (zip), at most 128; batches must be whole.", completion: .file(extensions: ["zip"]))
            var files: [String]

            func run() throws {
                try options.run(leavesFiles: true) { session throws(ControlFailure) in
                    try session.provide(files, showsProgress: Terminal.showsProgress)
                }
            }
        }

        struct Limit: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Says how often files may still be provided.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.limit() } }
        }
    }

    struct Risk: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says whether the wearer's risk is increased by the health authority's rules, and why.")
        @OptionGroup var options: ControlOptions

        @Flag(name: .customLong("explain"), help: "What each day's verdict is made of.")
        var explains = false

        @Flag(name: .customLong("seen"), help: "Note that the wearer has seen the news.")
        var wasSeen = false

        func validate() throws {
            if explains, wasSeen { throw ValidationError("--explain and --seen are two questions") }
        }

        func run() throws {
            try options.run { session throws(ControlFailure) in
                if wasSeen { try session.riskWasSeen() } else { try session.risk(explains: explains) }
            }
        }
    }

    struct Exposures: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows what was found: windows, or scores of either generation.",
            subcommands: [Daily.self, Windows.self, Summary.self, Information.self], defaultSubcommand: Daily.self)

        struct Daily: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "What each day amounts to.")
            @OptionGroup var options: ControlOptions

            @Option(
                help: "Weights and limits (JSON, DailySummariesConfiguration); Apple's defaults if not given.",
                completion: .file())
            var config: String?

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.daily(configuration: config) }
            }
        }

        struct Windows: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Every exposure window of the last 14 days.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.windows() } }
        }

        struct Summary: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "What everything amounts to by the rules of the first generation.")
            @OptionGroup var options: ControlOptions

            @Option(help: "Scores (JSON, ExposureConfiguration); Google's defaults if not given.", completion: .file())
            var config: String?

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.summary(configuration: config) }
            }
        }

        struct Information: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "The encounters by the rules of the first generation.")
            @OptionGroup var options: ControlOptions

            @Option(help: "Scores (JSON, ExposureConfiguration); Google's defaults if not given.", completion: .file())
            var config: String?

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.information(configuration: config) }
            }
        }
    }

    struct Mapping: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows or sets the health authority's reading of what is published.",
            subcommands: [Show.self, Set.self],
            defaultSubcommand: Show.self)

        struct Show: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Shows the mapping that holds.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.mapping() } }
        }

        struct Set: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Sets the mapping, at most once in seven days.")
            @OptionGroup var options: ControlOptions

            @Argument(help: "The mapping (JSON, DiagnosisKeysDataMapping).", completion: .file())
            var file: String

            func run() throws { try options.run { session throws(ControlFailure) in try session.setMapping(file) } }
        }
    }
}
