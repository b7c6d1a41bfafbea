// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ControlTool

extension ControlCommand {
    struct Donation: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Data and error logs that the wearer gives to the health authority, and surveys, if they agree.",
            discussion:
                "Nothing is sent without a consent, and nothing in its first 24 hours. docs/donation.md has the rest.",
            subcommands: [
                Show.self, Preview.self, Agree.self, Withdraw.self, Log.self, AgreeLog.self, SendLog.self, WithdrawLog.self,
                Survey.self, AgreeSurvey.self, WithdrawSurvey.self, Key.self,
            ], defaultSubcommand: Show.self)

        struct Show: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Shows who asks, the consent, the next donation, and what was sent.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.showDonation() } }
        }

        struct Preview: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Shows what a donation of now would hold, field by field. Sends nothing.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.previewDonation() } }
        }

        struct Agree: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Shows the whole consent text, asks, and agrees.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var agreement: Agreement

            func run() throws {
                try options.run { session throws(ControlFailure) in
                    try session.agreeToDonation(isAgreed: agreement.isGiven)
                }
            }
        }

        struct Withdraw: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Takes the consent back, and erases what was kept for donations. Does not ask.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.withdrawDonation() } }
        }

        struct Log: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Shows the consent to error logs, and the log that would be sent, line by line. Sends nothing.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.showErrorLog() } }
        }

        struct AgreeLog: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "agree-log", abstract: "Shows the whole consent text about error logs, asks, and agrees.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var agreement: Agreement

            func run() throws {
                try options.run { session throws(ControlFailure) in
                    try session.agreeToErrorLogs(isAgreed: agreement.isGiven)
                }
            }
        }

        struct SendLog: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "send-log",
                abstract: "Shows the error log line by line, asks, and lets exactly these lines go.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var agreement: Agreement

            func run() throws {
                try options.run { session throws(ControlFailure) in
                    try session.sendErrorLog(isAgreed: agreement.isGiven)
                }
            }
        }

        struct WithdrawLog: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "withdraw-log",
                abstract: "Takes the consent to error logs back, and erases what was kept for them. Does not ask.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.withdrawErrorLogs() } }
        }

        struct Survey: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Shows the survey to which you are invited, and its password once there is one.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.showSurvey() } }
        }

        struct AgreeSurvey: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "agree-survey",
                abstract: "Shows the survey and the whole consent text about it, asks, and agrees.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var agreement: Agreement

            func run() throws {
                try options.run { session throws(ControlFailure) in
                    try session.agreeToSurvey(isAgreed: agreement.isGiven)
                }
            }
        }

        struct WithdrawSurvey: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "withdraw-survey",
                abstract: "Takes the consent to a survey back, and erases its password. Does not ask.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.withdrawSurvey() } }
        }

        struct Key: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Prints the device's name and public key, on one line, for the operator of the ticket server."
            )
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.showDonor() } }
        }
    }
}
