// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ControlTool
import Interfaces

extension ControlCommand {
    struct Tests: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Tests of the wearer, their results, and warning others.",
            discussion: """
                What is entered leaves at the next exchange, and these take place many times a day whether there is anything to say or not: nobody on \
                the way can tell who was tested. docs/warn-others.md has the rest.
                """,
            subcommands: [
                List.self, Enter.self, Result.self, Warn.self, Withdraw.self, Forget.self, Watch.self,
            ], defaultSubcommand: List.self)

        struct List: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Lists the tests; never their results.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.listTests() } }
        }

        struct Enter: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Enters the code of a test, or the characters that a hotline gave.")
            @OptionGroup var options: ControlOptions

            @Argument(help: "The code's text (https://…) or the characters; asked for if not given.")
            var code: String?

            @Option(
                help: "YYYY-MM-DD, where the laboratory asked for it; - to be asked for it, so that it is in no history.")
            var dateOfBirth: String?

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.enterTest(code, born: dateOfBirth) }
            }
        }

        struct Result: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Shows the result of a test.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var test: TestNumber

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.showResult(of: test.number) }
            }
        }

        struct Warn: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Warns those who were met, after a positive result, without a name.",
                discussion:
                    "What is said about symptoms makes the warning fit: it says on which days who was how infectious.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var test: TestNumber
            @OptionGroup var agreement: Agreement

            @Option(help: "Symptoms began so many days ago (0 to 21).")
            var symptomsSince: Int?

            @Option(help: "What else can be said: \(SymptomsArgument.allCases.map(\.rawValue).joined(separator: ", ")).")
            var symptoms: SymptomsArgument?

            @Flag(help: "Health authorities of other countries may publish the keys, too.")
            var federation = false

            func validate() throws {
                if symptomsSince != nil, symptoms != nil {
                    throw ValidationError("--symptoms-since and --symptoms exclude each other")
                }
                if let symptomsSince, !(0...21).contains(symptomsSince) {
                    throw ValidationError("--symptoms-since must be between 0 and 21")
                }
            }

            func run() throws {
                let said =
                    symptomsSince.map { Diagnosis1.Symptoms(statement: .since, daysAgo: $0) }
                    ?? Diagnosis1.Symptoms(statement: symptoms?.value ?? .noStatement)
                try options.run { session throws(ControlFailure) in
                    try session.warn(
                        test.number, symptoms: said, isFederated: federation, isAgreed: agreement.isGiven)
                }
            }
        }

        struct Withdraw: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Takes a warning back that was not sent yet.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var test: TestNumber

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.withdrawWarning(test.number) }
            }
        }

        struct Forget: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Forgets a test and all that belongs to it.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var test: TestNumber
            @OptionGroup var agreement: Agreement

            func run() throws {
                try options.run { session throws(ControlFailure) in
                    try session.forgetTest(test.number, isAgreed: agreement.isGiven)
                }
            }
        }

        struct Watch: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Says when there is news, and never what.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.watchTests() } }
        }
    }

    struct TestNumber: ParsableArguments {
        @Argument(help: "The number that `vigil ctl tests` shows.")
        var number: Int
    }
}

/// What a wearer can say about symptoms, as the command line calls it.
enum SymptomsArgument: String, ExpressibleByArgument, CaseIterable {
    case lastSevenDays, oneToTwoWeeksAgo, moreThanTwoWeeksAgo, unknownSince, noSymptoms

    var value: Diagnosis1.Statement {
        switch self {
        case .lastSevenDays: .lastSevenDays
        case .oneToTwoWeeksAgo: .oneToTwoWeeksAgo
        case .moreThanTwoWeeksAgo: .moreThanTwoWeeksAgo
        case .unknownSince: .unknownSince
        case .noSymptoms: .noSymptoms
        }
    }
}
