// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ControlTool
import Interfaces

extension ControlCommand {
    struct Venue: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The codes at the door of a place, on a device that stands for one.",
            discussion: """
                A place can be a room or a bus; a code says what was described when it was made. Scanning a code tells the place nothing, so there \
                is no count of visitors. docs/check-in.md has the rest.
                """,
            subcommands: [
                List.self, Describe.self, Forget.self, Start.self, End.self, Import.self, Revoke.self, Poster.self,
                Broadcast.self,
            ], defaultSubcommand: List.self)

        struct List: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Lists the places and their codes.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.listPlaces() } }
        }

        struct Describe: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Describes a place, and makes its code.",
                discussion: "Other words are another code: posters have to be printed anew.")
            @OptionGroup var options: ControlOptions

            @Argument(help: "What visitors call it.")
            var name: String

            @Argument(help: "Street and town.")
            var street: String

            @Option(help: "What it is: \(PlaceKindArgument.allCases.map(\.rawValue).joined(separator: ", ")).")
            var kind = PlaceKindArgument.other

            @Option(help: "Minutes after which a visitor is usually gone, 15 to 1425.")
            var stay = 120

            @Option(help: "The number of a place that is described anew.")
            var place: Int?

            func run() throws {
                let call = Checkin1.DescribeCall(
                    number: place, name: name, street: street, kind: kind.value, stayMinutes: stay)
                try options.run { session throws(ControlFailure) in try session.describe(call) }
            }
        }

        struct Forget: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Forgets a place and its codes.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var agreement: Agreement

            @Argument(help: "The number of the place.")
            var place: Int

            func run() throws {
                try options.run { session throws(ControlFailure) in
                    try session.forgetPlace(place, isAgreed: agreement.isGiven)
                }
            }
        }

        struct Start: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Makes a code for an event at a place.")
            @OptionGroup var options: ControlOptions

            @Argument(help: "The number of the place.")
            var place: Int

            @Option(help: "When it ends, in UTC: 2026-11-21T22:00:00Z or \"2026-11-21 22:00\".")
            var ends: String

            @Option(help: "When it begins, likewise; now if not given.")
            var begins: String?

            @Option(help: "What it is called; as the place if not given.")
            var name: String?

            @Option(help: "What it is: \(EventKindArgument.allCases.map(\.rawValue).joined(separator: ", ")).")
            var kind = EventKindArgument.other

            func run() throws {
                guard let end = try seconds(ends) else { return }
                let call = Checkin1.StartCall(
                    number: place, name: name, kind: kind.value, begins: try seconds(begins), ends: end)
                try options.run { session throws(ControlFailure) in try session.startEvent(call) }
            }
        }

        struct End: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Ends an event before its time.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var code: CodeNumber

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.endEvent(code.number) }
            }
        }

        struct Import: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Takes in a code that was made elsewhere, such as the NHS's, after it was verified.")
            @OptionGroup var options: ControlOptions

            @Argument(help: "The number of the place.")
            var place: Int

            @Argument(help: "The code's text.")
            var text: String

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.importCode(text, to: place) }
            }
        }

        struct Revoke: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Withdraws a code. A place's own is replaced by a new one. Take the poster down yourself.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var code: CodeNumber

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.revokeCode(code.number) }
            }
        }

        struct Broadcast: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Broadcasts a place's code for tokens beside it, or ends that.",
                discussion: """
                    The wearer of a token holds its button down beside this device and is checked in. Whoever is near can receive the code, as \
                    whoever is at the door can read the poster. Without a place the broadcast ends.
                    """)
            @OptionGroup var options: ControlOptions

            @Argument(help: "The number of the place; nothing to broadcast no more.")
            var place: Int?

            @Option(help: "When it begins each day, UTC, like 08:00.")
            var opens: MinuteArgument?

            @Option(help: "When it ends each day, UTC, like 22:00; before the beginning it is on the next day.")
            var closes: MinuteArgument?

            func run() throws {
                let call = Checkin1.BroadcastCall(number: place, opens: opens?.minute, closes: closes?.minute)
                try options.run { session throws(ControlFailure) in try session.setBroadcast(call) }
            }
        }

        struct Poster: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Prints the text that is drawn as a QR code, for a program that draws it.")
            @OptionGroup var options: ControlOptions
            @OptionGroup var code: CodeNumber

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.showPoster(code.number) }
            }
        }
    }

    struct CodeNumber: ParsableArguments {
        @Argument(help: "The number of the code that `vigil ctl venue` shows.")
        var number: Int
    }
}

/// A minute of the day, as the command line calls it: 08:00.
struct MinuteArgument: ExpressibleByArgument {
    let minute: Int

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let hour = Int(parts[0]), let rest = Int(parts[1]), hour < 24, rest < 60
        else { return nil }
        minute = hour * 60 + rest
    }
}

/// What a place is, as the command line calls it.
enum PlaceKindArgument: String, ExpressibleByArgument, CaseIterable {
    case other, retail, foodService, craft, workplace, education, publicBuilding

    var value: Checkin1.Kind {
        switch self {
        case .other: .other
        case .retail: .retail
        case .foodService: .foodService
        case .craft: .craft
        case .workplace: .workplace
        case .education: .education
        case .publicBuilding: .publicBuilding
        }
    }
}

/// What an event is, as the command line calls it.
enum EventKindArgument: String, ExpressibleByArgument, CaseIterable {
    case other, culture, club, privateEvent, worship

    var value: Checkin1.EventKind {
        switch self {
        case .other: .other
        case .culture: .culture
        case .club: .club
        case .privateEvent: .privateEvent
        case .worship: .worship
        }
    }
}
