// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Authority
import CivilTime
import Cryptography
import ForeignText
import KeyExport
import Verification

/// Taking the warning of one person back.
struct WarningsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warnings", abstract: "Takes warnings back: one person proposes, another one confirms.",
        discussion: """
            For the warning of one person that rests on a mistake, such as swapped samples; have the laboratory correct the result first. What \
            was published stays, and the next packages say that it is taken back. Vigil boards believe that of this authority's keys; phones \
            do not believe it of a confirmed test. The health office does the same on its page (`portal serve --publisher-url`); here the \
            names are not proven, only written down. Hours at venues go off SwissCovid's lists with the next publication; whoever was told of them stays told. docs/authority.md has the rest.
            """,
        subcommands: [
            WarningProposeCommand.self, WarningConfirmCommand.self, WarningDropCommand.self, WarningListCommand.self,
        ])

    static func text(_ proposal: WarningProposal) -> String {
        let days = [proposal.firstDay, proposal.lastDay].map { UTCDay.text(day: UInt32(clamping: $0)) }
        var text =
            "proposal \(proposal.number) by \(proposal.person): \(proposal.change.rawValue), \(proposal.published) public keys"
        text += proposal.waiting > 0 ? ", \(proposal.waiting) that are not public yet and never will be" : ""
        text += proposal.venueHours > 0 ? ", \(proposal.venueHours) hours at venues" : ""
        text += ", days \(days[0]) to \(days[1])"
        text += proposal.regions.isEmpty ? "" : ", \(proposal.regions.joined(separator: " "))"
        let unmoved = proposal.published - proposal.believedByPhones
        text += unmoved > 0 ? "; phones do not believe it of \(unmoved) of them" : ""
        return ForeignText.line(text, limit: 2_000) + "\n  \(ForeignText.line(proposal.reason, limit: 2_000))"
    }
}

struct WarningProposeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "propose", abstract: "Proposes that a warning is taken back, or that its report type changes.")

    enum Change: String, ExpressibleByArgument, CaseIterable {
        case revoked, confirmedTest, clinicalDiagnosis

        var change: WarningChange { WarningChange(rawValue: rawValue) ?? .revoked }
    }

    @OptionGroup var options: StateOptions

    @Option(
        help:
            "Code of the test, teleTAN, or token for hours at venues with which it began; for tests served from STATE/tests."
    )
    var code: String?

    @Option(help: "Instead of a code: file with the keys (as for `accept`).")
    var keys: String?

    @Option(help: "What becomes of it.")
    var to = Change.revoked

    @Option(help: "Who proposes.")
    var by: String

    @Option(help: "Why, 3 to 200 characters, without anything about the person.")
    var reason: String

    @Flag(help: "Only say what would be proposed.")
    var dryRun = false

    func validate() throws {
        guard (code == nil) != (keys == nil) else { throw ValidationError("give one of --code and --keys") }
    }

    func run() throws {
        let authority = try options.authority()
        let meant: WarningKeys
        if let keys {
            let bytes = try SmallFile.read(keys, limit: KeySubmission.maximumBytes)
            meant = .keys(Set(try KeySubmission.keys(in: bytes).map(\.key.data.bytes)))
        } else {
            meant = .handles(
                try TestsFolder.verification(TestsFolder.make(in: options.state)).warningHandles(code ?? ""))
        }
        let proposal = try authority.propose(
            to.change, of: meant, by: by, reason: reason, isTrial: dryRun, now: options.clock.seconds())
        print(WarningsCommand.text(proposal))
        print(
            dryRun
                ? "nothing was changed"
                : "another person confirms: vigil-authority warnings confirm --state \(options.state) --by NAME \(proposal.number)"
        )
    }
}

struct WarningConfirmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm", abstract: "Confirms a proposal of another person; it is public with the next packages.")

    @OptionGroup var options: StateOptions

    @Option(help: "Who confirms.")
    var by: String

    @Argument(help: "Number of the proposal.")
    var proposal: Int64

    @Flag(help: "Only say what would be confirmed.")
    var dryRun = false

    func run() throws {
        let confirmed = try options.authority().confirm(
            proposal, by: by, isTrial: dryRun, now: options.clock.seconds())
        print(WarningsCommand.text(confirmed))
        print(dryRun ? "nothing was changed" : "confirmed; the next packages say so")
    }
}

struct WarningDropCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "drop", abstract: "Drops a proposal.")

    @OptionGroup var options: StateOptions

    @Option(help: "Who drops it.")
    var by: String

    @Argument(help: "Number of the proposal.")
    var proposal: Int64

    func run() throws { try options.authority().drop(proposal, by: by, now: options.clock.seconds()) }
}

struct WarningListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists proposals that wait for a second person.")

    @OptionGroup var options: StateOptions

    @Flag(help: "One JSON object per line.")
    var json = false

    func run() throws {
        for proposal in try options.authority().openProposals(now: options.clock.seconds()) {
            print(json ? "\(proposal.json)" : WarningsCommand.text(proposal))
        }
    }
}
