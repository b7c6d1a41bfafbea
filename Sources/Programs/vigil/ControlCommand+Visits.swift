// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BoardClock
import ControlTool
import Interfaces
import TimeTrust

extension ControlCommand {
    struct Visits: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The wearer's visits at venues, and warnings about them.",
            discussion: """
                A visit is kept for 14 days, on this device only. It ends by itself when the code says that visitors are usually gone. \
                docs/check-in.md has the rest.
                """,
            subcommands: [
                List.self, CheckIn.self, CheckOut.self, Edit.self, Delete.self, Keep.self, Drop.self, Notices.self,
                Export.self, Hide.self,
            ], defaultSubcommand: List.self)

        struct List: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Lists the visits.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var hidden: OpeningOptions

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.listVisits(isOpened: hidden.open) }
            }
        }

        struct Hide: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Hides the places of SwissCovid's codes from whoever takes the device.",
                discussion: """
                    It asks for a secret of 12 bytes or more, without which nobody can read the places; for a new one twice. New visits are hidden at once, those that are kept in the minutes \
                    after that: `vigil ctl visits` says how many are left. Warnings come as before. \
                    A hidden visit ends by itself after twelve hours, whatever its code says. Places of the Corona-Warn-App and of the NHS cannot be hidden. \
                    Needs `swissCovidKey` in the plugin's settings. docs/check-in.md has the rest.
                    """)
            @OptionGroup var options: ControlOptions

            @Flag(help: "Do not hide the places of new visits any more. Those that are hidden stay so.")
            var off = false

            @Flag(help: "Take another secret than before: nobody can read then which places are hidden now.")
            var newSecret = false

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.hideVisits(!off, isAnew: newSecret) }
            }
        }

        struct CheckIn: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "check-in", abstract: "Checks in by the text of a code at a door.")
            @OptionGroup var options: ControlOptions

            @Argument(help: "The code's text; asked for if not given, so that it is in no history.")
            var code: String?

            func run() throws { try options.run { session throws(ControlFailure) in try session.checkIn(code) } }
        }

        struct CheckOut: ParsableCommand {
            static let configuration = CommandConfiguration(commandName: "check-out", abstract: "Ends a visit now.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var visit: VisitNumber

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.checkOut(visit.number) }
            }
        }

        struct Edit: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Changes the times of a visit that is over.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var visit: VisitNumber

            @Option(help: "When the visit began, in UTC: 2026-11-21T10:00:00Z or \"2026-11-21 10:00\".")
            var arrival: String?

            @Option(help: "When it ended, likewise.")
            var departure: String?

            func run() throws {
                let (arrival, departure) = (try seconds(arrival), try seconds(departure))
                try options.run { session throws(ControlFailure) in
                    try session.editVisit(visit.number, arrival: arrival, departure: departure)
                }
            }
        }

        struct Delete: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Deletes a visit that is over, and the warnings about it. Asks first.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var visit: VisitNumber
            @OptionGroup var agreement: Agreement

            func run() throws {
                try options.run { session throws(ControlFailure) in
                    try session.deleteVisit(visit.number, isAgreed: agreement.isGiven)
                }
            }
        }

        struct Keep: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract:
                    "Marks a visit as one that may be published when the wearer warns others, as it is at first. A warning that was agreed to already does not change."
            )
            @OptionGroup var options: ControlOptions
            @OptionGroup var visit: VisitNumber

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.setWarning(visit.number, to: true) }
            }
        }

        struct Drop: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract:
                    "Marks a visit as one that may not be published. It stays in the diary. A warning that was agreed to already does not change."
            )
            @OptionGroup var options: ControlOptions
            @OptionGroup var visit: VisitNumber

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.setWarning(visit.number, to: false) }
            }
        }

        struct Notices: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Shows warnings about visits, and whether all warnings are known.")
            @OptionGroup var options: ControlOptions

            @Flag(help: "Notes that the wearer has seen them.")
            var seen = false

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.showNotices(isSeen: seen) }
            }
        }

        struct Export: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Writes the visits as comma-separated values, for a doctor.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var hidden: OpeningOptions

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.exportVisits(isOpened: hidden.open) }
            }
        }
    }

    struct OpeningOptions: ParsableArguments {
        @Flag(help: "Ask for the secret for hidden places, and show them.")
        var open = false
    }

    struct VisitNumber: ParsableArguments {
        @Argument(help: "The number that `vigil ctl visits` shows.")
        var number: Int
    }
}

/// Unix seconds of a time as it is typed.
func seconds(_ text: String?) throws -> Int64? {
    guard let text else { return nil }
    do { return try UnixTime(parsing: text).seconds } catch {
        throw ValidationError("\(text.debugDescription): \(error)")
    }
}
