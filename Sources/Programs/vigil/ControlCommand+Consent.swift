// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ControlTool
import Interfaces

extension ControlCommand {
    struct Consent: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Agrees to one act, once, and prints the ticket for it.")
        @OptionGroup var options: ControlOptions

        @Argument(help: "What for: releaseKeys, reset or pair.")
        var purpose: PurposeArgument

        func run() throws { try options.run { session throws(ControlFailure) in try session.consent(purpose.value) } }
    }

    struct Release: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes the own keys to a file, to warn others.",
            discussion: "The file can be read by you only, and by `vigil export create --keys`. Keys are never shown.")
        @OptionGroup var options: ControlOptions
        @OptionGroup var agreement: Agreement

        @Option(help: "Where the keys go (CSV); must not exist.", completion: .file())
        var output: String

        func run() throws {
            try options.run(leavesFiles: true) { session throws(ControlFailure) in
                try session.release(to: output, isAgreed: agreement.isGiven)
            }
        }
    }

    struct Pair: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes another device of the same person count as no encounter.",
            subcommands: [Write.self, Read.self, List.self, Forget.self], defaultSubcommand: List.self)

        struct Write: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Writes this device's pairing file.")
            @OptionGroup var options: ControlOptions

            @Argument(help: "Where it goes; must not exist.", completion: .file())
            var file: String

            func run() throws {
                try options.run(leavesFiles: true) { session throws(ControlFailure) in try session.writePairing(to: file) }
            }
        }

        struct Read: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Reads another device's pairing file.")
            @OptionGroup var options: ControlOptions

            @Argument(help: "The other device's pairing file.", completion: .file())
            var file: String

            @Option(help: "What to call the other device: up to 32 letters, digits, dashes and blanks.")
            var name: String

            func run() throws {
                try options.run(leavesFiles: true) { session throws(ControlFailure) in
                    try session.readPairing(file, name: name)
                }
            }
        }

        struct List: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Lists the paired devices.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.listPaired() } }
        }

        struct Forget: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Forgets a paired device.")
            @OptionGroup var options: ControlOptions

            @Argument(help: "Its name.")
            var name: String

            func run() throws { try options.run { session throws(ControlFailure) in try session.forgetPaired(name) } }
        }
    }

    struct ExportMyData: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export-my-data", abstract: "Tells what this device holds about its wearer.")
        @OptionGroup var options: ControlOptions

        @Option(
            help: "Write it to this file, readable by you only, instead of the terminal; must not exist.",
            completion: .file())
        var output: String?

        func run() throws {
            try options.run(leavesFiles: output != nil) { session throws(ControlFailure) in
                try session.exportMyData(to: output)
            }
        }
    }

    struct Reset: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Erases everything and starts as new.")
        @OptionGroup var options: ControlOptions
        @OptionGroup var agreement: Agreement

        @Flag(help: "The device is for somebody else from now on: the wearer's secret ends, too.")
        var handOn = false

        func run() throws {
            try options.run { session throws(ControlFailure) in
                try session.reset(handsOn: handOn, isAgreed: agreement.isGiven)
            }
        }
    }

    struct Wiped: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says whether the device was erased to be handed on, and whether anything of before is left.",
            discussion:
                "Exit status: 0 when it is ready for the next person; 3 when it is not, or nobody can say. docs/pool.md has the rest."
        )
        @OptionGroup var options: ControlOptions

        func run() throws {
            var isReady = false
            try options.run { session throws(ControlFailure) in isReady = try session.wiped() }
            guard isReady else { throw ExitCode(ControlStatus.bad.rawValue) }
        }
    }
}

/// What the command line calls the purposes of a consent.
enum PurposeArgument: String, ExpressibleByArgument, CaseIterable {
    case releaseKeys, reset, pair

    var value: Device1.Purpose {
        switch self {
        case .releaseKeys: .releaseKeys
        case .reset: .reset
        case .pair: .pair
        }
    }
}
