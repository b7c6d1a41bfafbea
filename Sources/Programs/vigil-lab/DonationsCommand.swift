// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import DonationTrial

/// Whether a donation can be linked to the board that sent it.
struct DonationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "donations", abstract: "Plays boards that donate, for an adversary, and judges its guesses.",
        discussion: "docs/donation.md has what the adversary gets and what its guesses look like.",
        subcommands: [DonationsRunCommand.self, DonationsJudgeCommand.self, DonationsRoundingCommand.self])
}

struct DonationsRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Plays boards for days against the real servers; writes what an adversary gets.",
        discussion: """
            truth.jsonl is for `judge` only. The same seed gives the same boards and times; keys are new each time. 1,000 boards for 30 days take \
            minutes and a gigabyte.
            """)

    @Argument(help: "Folder to write; made, or empty.")
    var folder: String

    @Option(help: "Boards.")
    var boards = 1_000

    @Option(help: "Days.")
    var days = 30

    @Option(help: "Seed of all that is drawn but keys.")
    var seed: UInt64 = 1

    @Option(help: "What servers and network see of where a board is: \(names(DonationTrialSettings.Addresses.self)).")
    var addresses = "shared"

    @Option(help: "What is broken on purpose: \(names(DonationTrialSettings.Flaw.self)).")
    var flaw: String?

    @Flag(help: "Boards meet people, and donate that.")
    var encounters = false

    @Option(help: "Share of wearers who agree, 0 to 1.")
    var consenting = 1.0

    @Option(help: "Share of wearers who take part in a survey, donating or not, 0 to 1.")
    var surveying = 0.0

    @Option(help: "Devices before the issuer signs; 50, or a tenth of fewer than 500 boards.")
    var minimumFleet: Int?

    @Option(
        help:
            "Token keys of each day with the flaw device-key, 1 to 128: the issuer tells devices apart as far as that goes."
    )
    var deviceKeys = 64

    private static func names<Choice: CaseIterable & RawRepresentable<String>>(_: Choice.Type) -> String {
        Choice.allCases.map(\.rawValue).joined(separator: ", ")
    }

    func validate() throws {
        guard (1...100_000).contains(boards), (1...200).contains(days), (0...1).contains(consenting),
            (0...1).contains(surveying),
            (1...128).contains(deviceKeys), (2...1_000_000).contains(minimumFleet ?? 2),
            DonationTrialSettings.Addresses(rawValue: addresses) != nil,
            flaw.map({ DonationTrialSettings.Flaw(rawValue: $0) != nil }) ?? true
        else { throw ValidationError("see --help for what can be given") }
    }

    func run() throws {
        var settings = DonationTrialSettings(
            boards: boards, days: days, seed: seed, addresses: .init(rawValue: addresses) ?? .shared,
            flaw: flaw.flatMap { .init(rawValue: $0) }, hasEncounters: encounters)
        settings.consenting = consenting
        settings.surveying = surveying
        settings.deviceKeys = deviceKeys
        settings.minimumFleet = minimumFleet
        var bar = ProgressBar("days")
        let summary: DonationTrial.Summary
        do {
            summary = try DonationTrial(settings).run(into: folder) { bar.update(UInt64($0), of: UInt64(days)) }
        } catch let error as DonationTrialError { throw InputError(file: error.file, line: error.line, error.message) }
        print(
            "\(boards) boards, \(summary.consents) consents, \(days) days: \(Terminal.grouped(summary.donations)) donations stored; "
                + (summary.participants == 0
                    ? "" : "\(summary.participants) take part in the survey, \(summary.digests) digests stored; ")
                + "\(Terminal.grouped(summary.issuerExchanges)) exchanges with the issuer, "
                + "\(Terminal.grouped(summary.serverExchanges)) with the donation server")
    }
}

struct DonationsJudgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "judge", abstract: "Compares an adversary's guesses with the truth, and both with chance.",
        discussion: """
            Exit status: 0 when the guesses are no better than chance, 1 when they are, 2 when a file cannot be used. Chance is one of the \
            devices that donated in the same hour; of digests, one of those whose digests came on the same day.
            """)

    @Argument(help: "Folder that `run` has written.")
    var folder: String

    @Argument(
        help: #"Guesses, a line each: {"n": 17, "guess": "<device>", "candidates": 1}; of a digest also "donation": 12."#)
    var guesses: String

    @Flag(help: "Print JSON.")
    var json = false

    private static let mostBytes = 256 << 20

    func run() throws {
        let verdict: DonationJudge.Verdict
        do {
            let judge = try DonationJudge(
                truth: Files.read("\(folder)/truth.jsonl", limit: Self.mostBytes),
                devices: Files.read("\(folder)/devices.json", limit: Self.mostBytes))
            verdict = try judge.judge(Files.read(guesses, limit: Self.mostBytes), file: guesses)
        } catch let error as DonationTrialError { throw InputError(file: error.file, line: error.line, error.message) }
        if json { print(verdict.json) } else { for line in verdict.lines { print(line) } }
        if verdict.isBetterThanChance { throw ExitCode.failure }
    }
}
