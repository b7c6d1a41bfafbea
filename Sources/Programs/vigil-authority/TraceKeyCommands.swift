// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Authority
import BLS12381
import CivilTime
import CrowdNotifier
import Cryptography
import Glibc
import VenueNotices

/// Warnings of the visitors of a venue whose code the operator has.
struct TraceKeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace-keys", abstract: "Warns the visitors of venues with SwissCovid's codes.",
        discussion: """
            A host gives the code of the place or event; every device compares its own visits. Needs "swissCovid" in settings.json. What was \
            added or removed becomes public at `/v3/traceKeys` with the next publication after the hour (`publish --early` does it at once), \
            and is forgotten with the end of the 14th day after the visit. docs/authority.md has the rest.
            """,
        subcommands: [
            TraceKeyAddCommand.self, TraceKeyRemoveCommand.self, TraceKeyListCommand.self, TraceKeySecretCommand.self,
        ])
}

/// Which hours of which venue.
struct VenueHoursOptions: ParsableArguments {
    @Option(help: "The text of the venue's code, a link. Without it, it is asked for, so that the place is in no history.")
    var code: String?

    @Option(help: "Since when, UTC, like 2026-11-21T18:00:00Z.")
    var from: String

    @Option(help: "Until when, likewise; at most 7 days later.")
    var until: String

    func time() throws -> (from: Int64, until: Int64) {
        func time(_ text: String, _ name: String) throws -> Int64 {
            guard let time = UTCInstant.unixSeconds(text) else {
                throw ValidationError("\(name): must be a time in UTC like 2026-11-21T18:00:00Z")
            }
            return time
        }
        return (try time(from, "--from"), try time(until, "--until"))
    }

    func venue(_ rules: AuthoritySettings.SwissCovidRules) throws -> CrowdNotifierVenue {
        var text = code
        if text == nil {
            if isatty(0) == 1 { say("The text of the venue's code:") }
            text = readLine()
        }
        do throws(CrowdNotifierError) { return try rules.code.decode(text ?? "") } catch {
            throw ValidationError("\(error)")
        }
    }
}

struct TraceKeyAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Warns who was at a venue; prints how many hours of it are new.")

    @OptionGroup var options: StateOptions
    @OptionGroup var hours: VenueHoursOptions

    @Option(help: "What visitors read, at most 200 bytes. Default: the settings' message.")
    var message: String?

    @Flag(help: "Mark the warning as urgent, for apps that show it; boards make no difference.")
    var urgent = false

    func run() throws {
        let authority = try options.authority()
        let rules = authority.settings.swissCovid ?? .init()
        let (from, until) = try hours.time()
        let warning = VenueWarning(
            from: from, until: until, message: message ?? rules.message, isUrgent: urgent || rules.isUrgent)
        print(try authority.warnVisitors(of: hours.venue(rules), warning, now: options.clock.seconds()))
    }
}

struct TraceKeyRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Withdraws what a venue's visitors are warned of, whoever warned; prints the number of trace keys.",
        discussion: "Boards that have read the warning keep their notices.")

    @OptionGroup var options: StateOptions
    @OptionGroup var hours: VenueHoursOptions

    func run() throws {
        let authority = try options.authority()
        let (from, until) = try hours.time()
        let venue = try hours.venue(authority.settings.swissCovid ?? .init())
        print(try authority.withdrawWarnings(of: venue, from: from, until: until, now: options.clock.seconds()))
    }
}

struct TraceKeyListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Counts trace keys by the day of the visit; of which places, nobody can see.")

    @OptionGroup var options: StateOptions

    func run() throws {
        for (day, waiting, published) in try options.authority().traceKeyCounts() {
            print("\(CivilDate(day: day).isoText): \(published) public, \(waiting) waiting")
        }
    }
}

struct TraceKeySecretCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "public-key", abstract: "Prints the key that devices hide visits with, in Base64.",
        discussion: """
            It belongs into the profile (`checkIn.swissCovidKey`), and into codes of venues that phones of SwissCovid are to read. Its counterpart is `trace-secret` \
            in the state folder: with it each trace key opens its hour of hidden visits, from the next publication on. Back it up, and never replace it: visits \
            that were hidden for another one are never warned. Whoever has it can read in a stolen device which venues its wearer has visited.
            """)

    @OptionGroup var options: StateOptions

    @Flag(help: "Make the secret if there is none.")
    var newSecret = false

    func run() throws {
        let authority = try options.authority()
        let key = newSecret ? try authority.makeTraceSecret(now: options.clock.seconds()) : try authority.tracePublicKey()
        guard let key else {
            throw ValidationError(
                "there is no trace-secret in the state folder, so no visit is hidden for this authority; add --new-secret to make one, or restore it from the backup"
            )
        }
        print(Base64.string(key.bytes))
    }
}
