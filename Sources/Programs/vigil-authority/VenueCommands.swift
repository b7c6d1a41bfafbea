// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Authority
import ForeignText
import VenueNotices

/// The table of venues that visitors are warned of.
struct VenuesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "venues", abstract: "Edits the list of venues that visitors with a poster's code are warned of.",
        discussion: """
            As NHS COVID-19 does: contact tracers name a venue and a time, and every device compares its own visits. The list is signed by the \
            configuration's key and becomes public at `/distribution/risky-venues` with the next publication (`publish`, or the service within the hour; \
            SIGHUP does it at once). Entries are forgotten 14 days after their end. docs/authority.md has the rest.
            """,
        subcommands: [VenueAddCommand.self, VenueRemoveCommand.self, VenueListCommand.self, TraceKeysCommand.self])
}

struct VenueAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Lists a venue; prints its number.")

    enum Advice: String, ExpressibleByArgument, CaseIterable {
        case inform, bookATest

        var advice: RiskyVenue.Advice { self == .inform ? .inform : .bookATest }
    }

    @OptionGroup var options: StateOptions

    @Option(help: "The venue's id, as its poster's code has it.")
    var id: String

    @Option(help: "Since when visitors are warned, UTC, like 2026-11-21T18:00:00Z.")
    var from: String

    @Option(help: "Until when, likewise; at most 31 days later.")
    var until: String

    @Option(help: "What visitors read: watch for symptoms (inform), or have a test made (bookATest).")
    var advice = Advice.inform

    func run() throws {
        func time(_ text: String, _ name: String) throws -> Int64 {
            guard let time = UTCInstant.unixSeconds(text) else {
                throw ValidationError("\(name): must be a time in UTC like 2026-11-21T18:00:00Z")
            }
            return time
        }
        let venue = RiskyVenue(
            id: id, from: try time(from, "--from"), until: try time(until, "--until"), advice: advice.advice)
        print(try options.authority().listVenue(venue, now: options.clock.seconds()))
    }
}

struct VenueRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Takes a venue off the list.")

    @OptionGroup var options: StateOptions

    @Argument(help: "Its number, as `list` shows it.")
    var number: Int64

    func run() throws { try options.authority().unlistVenue(number, now: options.clock.seconds()) }
}

struct VenueListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Shows the venues that are listed.")

    @OptionGroup var options: StateOptions

    func run() throws {
        for (number, venue) in try options.authority().listedVenues() {
            let times = "\(UTCInstant.text(venue.from)) to \(UTCInstant.text(venue.until))"
            let advice = venue.advice == .inform ? "inform" : "bookATest"
            print("\(number): \(ForeignText.line(venue.id, limit: 64)), \(times), \(advice)")
        }
    }
}
