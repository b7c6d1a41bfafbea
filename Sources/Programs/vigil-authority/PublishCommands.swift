// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Authority
import ContentBundle
import Cryptography
import Donation
import Glibc
import KeyExport
import RiskConfiguration

struct PublishCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Publishes what is due, once, and wakes boards.",
        discussion: """
            What `serve` does by itself. May be called as often as one likes, from a timer as well, and after being killed at any \
            moment. The configuration gets a higher number with each change and once a day, by which boards tell an older one.
            """)

    @OptionGroup var options: StateOptions

    @Flag(help: "For demonstrations: publish the hour under way, with every key that is no longer in use.")
    var early = false

    @Flag(help: "Do not wake boards.")
    var quiet = false

    @Option(help: .hidden)
    var dieAtStep: Int?

    func run() throws {
        let authority = try options.authority()
        try authority.requireFittingRules()
        let now = options.clock.seconds()
        var steps = 0
        let report = try authority.publish(now: now, early: early) { _ in
            steps += 1
            // For trials: as if the power had gone.
            if steps == dieAtStep { kill(getpid(), SIGKILL) }
        }
        for package in report.packages { print("\(package.path): \(package.keys) keys, \(package.bytes) bytes") }
        if !report.isChanged { print("nothing new") }
        if dieAtStep != nil { print("steps: \(steps)") }
        if !quiet { for region in try authority.sendWakes(now: now) { print("woke \(region)") } }
        try report.throwFaults()
    }
}

extension PublicationReport {
    /// All but the first are said; the first ends the command.
    func throwFaults() throws {
        for fault in configurationFaults.dropFirst() { say("vigil-authority: \(fault)") }
        if let fault = configurationFaults.first { throw fault }
    }
}

struct RevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Withdraws the keys of a published package.",
        discussion: """
            The package and those that share its keys are replaced by ones without them, and listed as revoked in the configuration, \
            so that boards drop what they have and fetch again; boards that have compared the keys already learn with the next packages \
            that they are taken back. The keys are not taken again. There is no undoing it. For the warning of one person: `warnings`.
            """)

    @OptionGroup var options: StateOptions

    @Option(help: "Region of the package.")
    var region: String

    @Option(help: "Day of the package, for example 2026-11-21.")
    var date: String

    @Option(help: "Hour of the package, 0 to 23; without it the package of the whole day.")
    var hour: Int?

    @Option(help: "File with the keys to withdraw (as for `accept`); without it all keys of the package.")
    var keys: String?

    @Option(help: "Why, for the audit.")
    var reason: String

    @Flag(help: "Only say how many keys it would withdraw.")
    var dryRun = false

    func run() throws {
        let authority = try options.authority()
        let now = options.clock.seconds()
        var data: Set<[UInt8]>?
        if let keys {
            let bytes = try SmallFile.read(keys, limit: KeySubmission.maximumBytes)
            data = Set(try KeySubmission.keys(in: bytes).map(\.key.data.bytes))
        }
        let count = try authority.revoke(
            region: region, date: date, hour: hour, keys: data, reason: String(reason.prefix(200)), isTrial: dryRun,
            now: now)
        guard !dryRun else { return print("\(count) keys would be withdrawn; nothing was changed") }
        let report = try authority.publish(now: now)
        print("\(count) keys withdrawn")
        for package in report.packages { print("\(package.path): \(package.keys) keys, \(package.bytes) bytes") }
        try report.throwFaults()
    }
}

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract:
            "Checks the settings, the configuration, the risk configuration and the content, without publishing anything.",
        discussion: """
            Tells every fault at once, and whether boards and phones read published keys as they are meant. Exit status 1 when there is a \
            fault. Languages that boards speak and the content lacks are named, too; that is no fault.
            """)

    @Option(help: "Folder of the authority.")
    var state: String

    @Option(help: "Another configuration than the folder's.")
    var configuration: String?

    @Option(help: "Another risk configuration than the folder's.")
    var risk: String?

    @Option(help: "Other content than the folder's.")
    var content: String?

    func run() throws {
        let folder = try StateFolder(path: state)
        var faults: [AuthorityError] = []
        var publishing: PublishingRules?
        do { publishing = try folder.settings().publishing } catch { faults.append(error) }
        do {
            let checked = try folder.checked(PublicConfiguration.self, other: configuration)
            if let publishing { try checked?.requireFit(publishing) }
        } catch { faults.append(error) }
        do {
            let checked = try folder.checked(RiskConfiguration.self, other: risk)
            if let publishing { try checked?.requireFit(publishing) }
        } catch { faults.append(error) }
        var content: ContentBundle?
        do { content = try folder.checked(ContentBundle.self, other: self.content) } catch { faults.append(error) }
        do { _ = try folder.checked(DonationTerms.self) } catch { faults.append(error) }
        for fault in faults { say("vigil-authority: \(fault)") }
        guard faults.isEmpty else { throw ExitCode(1) }
        print(
            "settings, configuration and risk configuration are good\(content == nil ? "; there is no content" : ", and so is the content")"
        )
        for gap in content?.gaps ?? [] { say("vigil-authority: content: \(gap)") }
    }
}
