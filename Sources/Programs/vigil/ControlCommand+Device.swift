// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BoardClock
import ControlTool
import Interfaces
import TimeTrust

extension ControlCommand {
    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Says what the device does.")
        @OptionGroup var options: ControlOptions

        func run() throws { try options.run { session throws(ControlFailure) in try session.status() } }
    }

    struct Enable: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Agrees that this device sends and listens.")
        @OptionGroup var options: ControlOptions

        func run() throws { try options.run { session throws(ControlFailure) in try session.enable() } }
    }

    struct Disable: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Withdraws it: nothing is sent or listened to from now on.")
        @OptionGroup var options: ControlOptions
        @OptionGroup var agreement: Agreement

        func run() throws {
            try options.run { session throws(ControlFailure) in try session.disable(isAgreed: agreement.isGiven) }
        }
    }

    struct Notify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says whether light and buzzer tell that there is news, or changes it.",
            discussion: "They never tell what the news is. As long as nobody has chosen, they tell.")
        @OptionGroup var options: ControlOptions

        @Argument(help: "on or off.")
        var choice: NotifyArgument?

        func run() throws {
            try options.run { session throws(ControlFailure) in
                if let choice { try session.notify(choice == .on) } else { try session.showNotify() }
            }
        }
    }

    struct Evidence: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows, hour by hour, that the device really ran.")
        @OptionGroup var options: ControlOptions

        @Option(help: "How many UTC days, today included: 1 to 15.")
        var days = 7

        @Flag(help: "A row for each hour instead of each day.")
        var hours = false

        func validate() throws {
            guard (1...15).contains(days) else {
                throw ValidationError("--days must be between 1 and 15; more is not kept")
            }
        }

        func run() throws {
            try options.run { session throws(ControlFailure) in try session.evidence(days: days, byHour: hours) }
        }
    }

    struct Radio: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says what the radio does, and what was done against trouble.")
        @OptionGroup var options: ControlOptions

        func run() throws { try options.run { session throws(ControlFailure) in try session.radio() } }
    }

    struct Time: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says what time the device believes it is, or sets it.", subcommands: [Show.self, Set.self],
            defaultSubcommand: Show.self)

        struct Show: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Says what time the device believes it is.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.showTime() } }
        }

        struct Set: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Sets the time by hand, on boards that hear no clock.")
            @OptionGroup var options: ControlOptions

            @Argument(
                help: "In UTC: 2026-11-21T10:00:00Z, \"2026-11-21 10:00\", Unix seconds, or `now` for the system clock's.")
            var time: String

            func run() throws {
                let parsed: UnixTime
                do { parsed = try UnixTime(parsing: time) } catch {
                    throw ValidationError("\(time.debugDescription): \(error)")
                }
                try options.run { session throws(ControlFailure) in try session.setTime(parsed.milliseconds) }
            }
        }
    }

    struct Role: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says whose risk the device stands for, or changes it.",
            discussion: "A change forgets every match; on a terminal it is asked for.")
        @OptionGroup var options: ControlOptions
        @OptionGroup var agreement: Agreement

        @Argument(help: "person or place.")
        var role: RoleArgument?

        func run() throws {
            try options.run { session throws(ControlFailure) in
                if let role { try session.setRole(role.value, isAgreed: agreement.isGiven) } else { try session.showRole() }
            }
        }
    }

    struct Audit: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the log of consents, releases and changes, and whether it is whole.")
        @OptionGroup var options: ControlOptions

        @Option(help: "Only entries with a higher number.")
        var after: Int64?

        func run() throws { try options.run { session throws(ControlFailure) in try session.audit(after: after) } }
    }

    struct Storage: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Says what the disk holds, and what is wrong with it.")
        @OptionGroup var options: ControlOptions

        func run() throws { try options.run { session throws(ControlFailure) in try session.storage() } }
    }

    struct Watch: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Says what happens, as it happens, until Ctrl-C.")
        @OptionGroup var options: ControlOptions

        func run() throws { try options.run { session throws(ControlFailure) in try session.watch() } }
    }
}

/// What the command line calls the roles.
enum NotifyArgument: String, ExpressibleByArgument, CaseIterable {
    case on, off
}

enum RoleArgument: String, ExpressibleByArgument, CaseIterable {
    case person, place

    var value: Exposure1.Role { self == .person ? .person : .place }
}
