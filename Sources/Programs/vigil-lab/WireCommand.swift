// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DiagnosisPlan
import FoundationEssentials
import Glibc
import JSON
import Synchronization
import WireTrial

/// What goes over the wire on days with a test and a warning, and on days without.
struct WireCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wire", abstract: "Plays days of devices that warn others, for who listens (Tools/test-wire.py).",
        subcommands: [WireDriveCommand.self, WireServeCommand.self])
}

struct WireDriveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drive", abstract: "Plays days, mixed and many at a time, and writes down what was played when.")

    @Option(help: "The diagnosis plugin's settings, as JSON: servers, way to warn, slots.")
    var settings: String

    @Option(help: "PEM file of the certificate authority to believe.")
    var authorities: String

    @Option(
        help: "Folder of the authority's tests; its servers run. For another way: address of the stand-in's administration."
    )
    var office: String

    @Option(help: "Folder for the devices; there is nothing in it.")
    var folder: String

    @Option(help: "File to write: a line of JSON for each slot.")
    var journal: String

    @Option(help: "Days with a test and a warning.")
    var with = 100

    @Option(help: "Days without.")
    var without = 100

    @Option(help: "How many times faster than life a slot passes; what is between slots is left out.")
    var factor: Int64 = 60

    @Option(help: "Devices at a time.")
    var parallel = 32

    @Option(help: "What is broken on purpose: \(WireFault.allCases.map(\.rawValue).joined(separator: ", ")).")
    var fault = "none"

    func validate() throws {
        guard WireFault(rawValue: fault) != nil, (2...100).contains(factor),
            with >= 0, without >= 0, with + without <= 100_000, (1...200).contains(parallel)
        else { throw ValidationError("see --help for what can be given") }
    }

    func run() throws {
        guard let fault = WireFault(rawValue: fault), let file = fopen(journal, "w") else {
            throw ValidationError("\(journal) cannot be written")
        }
        defer { fclose(file) }
        var random = SystemRandomNumberGenerator()
        let days = DayPlan.days(with: with, without: without, using: &random)
        let lines = Mutex<[String]>([])
        let trial = WireTrial(
            settings: try JSON(parsing: Array(settings.utf8)), authorities: authorities, office: office, folder: folder,
            factor: factor, fault: fault, parallel: parallel)
        try trial.play(days) { played in
            guard let line = try? JSONEncoder().encode(played) else { return }
            lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
        for line in lines.withLock({ $0 }) { fputs(line + "\n", file) }
    }
}

struct WireServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Runs the servers without their slot of 100 ms: a fault, on purpose.")

    @Option(help: "Folder of the authority.")
    var state: String

    func run() throws {
        let servers = try PromptServers(tests: "\(state)/tests")
        print("ready verification-port=\(servers.verificationPort) submission-port=\(servers.submissionPort)")
        fflush(nil)
        while true { pause() }
    }
}
