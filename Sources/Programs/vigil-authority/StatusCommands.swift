// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Authority
import Glibc
import JSON

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Says what waits and what is public.",
        discussion: "Counts include padding. Exit status 0.")

    @OptionGroup var options: StateOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let status = try options.authority().status(now: options.clock.seconds())
        guard !json else { return print(status) }
        print("time \(status["time"]?.string ?? "")")
        for region in status["regions"]?.array ?? [] {
            let name = region["region"]?.string ?? ""
            let since = region["waitingSince"]?.string.map { " (for hours from \($0))" } ?? ""
            print("\(name): \(region["waiting"]?.int ?? 0) keys wait\(since)")
            for package in region["packages"]?.array ?? [] {
                let hour = package["hour"]?.int.map { " hour \($0)" } ?? " day"
                let numbers = "\(package["keys"]?.int ?? 0) keys, \(package["bytes"]?.int ?? 0) bytes"
                print("  \(package["date"]?.string ?? "")\(hour): \(numbers), revision \(package["revision"]?.int ?? 0)")
            }
        }
        if let version = status["donationDocument"]?["version"]?.int,
            let digest = status["donationDocument"]?["digest"]?.string
        {
            print("data donation: version \(version), \(digest)")
        }
        if let days = status["donationDays"]?.int { print("data donation: keys of \(days) more days") }
    }
}

struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Prints what was accepted, published, revoked and sent, one JSON object per line.",
        discussion: """
            Each entry is chained to all before it; a chain that is broken is told and ends with exit status 1. It holds counts, \
            paths and hashes, never a key.
            """)

    @OptionGroup var options: StateOptions

    @Option(help: "First entry to print.")
    var since: Int64 = 1

    func run() throws {
        let (events, isWhole) = try options.authority().audit(since: since)
        for event in events { print(event.json) }
        guard isWhole else {
            say("vigil-authority: the audit was changed: its chain is broken")
            throw ExitCode(1)
        }
    }
}
