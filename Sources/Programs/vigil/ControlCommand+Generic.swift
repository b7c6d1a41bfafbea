// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ControlTool

extension ControlCommand {
    struct Interfaces: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists what the core can be asked, or shows one interface.")
        @OptionGroup var options: ControlOptions

        @Argument(help: "An interface, such as org.vigil.device1 or device1.")
        var name: String?

        func run() throws {
            try options.run { session throws(ControlFailure) in
                if let name { try session.interface(name) } else { try session.interfaces() }
            }
        }
    }

    struct Call: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes any call and prints the answer as JSON.",
            discussion: "For scripts and technicians; `vigil ctl interfaces NAME` says what there is.")
        @OptionGroup var options: ControlOptions

        @Argument(help: "INTERFACE.METHOD, such as org.vigil.device1.GetAudit.")
        var method: String

        @Argument(help: "Parameters, a JSON object.")
        var parameters: String?

        @Flag(help: "Take several answers, one per line, until the last or Ctrl-C.")
        var more = false

        @Flag(help: "Wait for no answer, not even an error.")
        var oneway = false

        func validate() throws {
            if more, oneway { throw ValidationError("--more and --oneway exclude each other") }
        }

        func run() throws {
            try options.run { session throws(ControlFailure) in
                try session.call(method, parameters: parameters, answers: oneway ? .none : more ? .several : .one)
            }
        }
    }
}
