// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import FleetLoad
import JSON

/// What a million boards ask of a server.
struct FleetLoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet-load", abstract: "Runs a million boards' schedules and shows what their server sees.",
        discussion: """
            Each board runs the very decisions of the plugins Sync and Wake. \
            Ends with exit status 1 when a situation is worse than promised (docs/fleet-load.md). The same seed gives the same numbers.
            """)

    @Option(help: "Boards.")
    var clients = 1_000_000

    @Option(help: "Seed of all randomness.")
    var seed: UInt64 = 1

    @Option(help: "Window of the wake message, seconds.")
    var window: Int64 = 600

    @Option(parsing: .upToNextOption, help: "Situations: \(FleetLoadTrial.names.joined(separator: ", ")) (all of them).")
    var only: [String] = []

    @Flag(help: "Instead: what different windows cost.")
    var table = false

    @Option(help: "Folder for pictures (SVG), one per situation.")
    var pictures: String?

    @Flag(help: "Print JSON, with every minute.")
    var json = false

    func validate() throws {
        guard (1...100_000_000).contains(clients) else {
            throw ValidationError("--clients must be between 1 and 100,000,000")
        }
        guard (0...86_400).contains(window) else { throw ValidationError("--window must be between 0 and 86,400") }
        if let unknown = only.first(where: { !FleetLoadTrial.names.contains($0) }) {
            throw ValidationError("\(unknown) is no situation; there are \(FleetLoadTrial.names.joined(separator: ", "))")
        }
    }

    func run() throws {
        if table { return printTable() }
        var reports: [JSON] = []
        var holds = true
        for name in FleetLoadTrial.names where only.isEmpty || only.contains(name) {
            guard let trial = FleetLoadTrial(name, clients: clients, seed: seed, window: window) else { continue }
            holds = holds && trial.holds
            if let pictures { try draw(trial, to: pictures) }
            if json { reports.append(trial.report.json(name: name)) } else { describe(trial) }
        }
        if json { print(JSON.array(reports)) }
        if !holds { throw ExitCode(1) }
    }

    private func describe(_ trial: FleetLoadTrial) {
        let report = trial.report
        let perBar = max(1, report.perMinute.count / 80)
        let top = Double(max(report.peakMinute, 1))
        let bars = stride(from: 0, to: report.perMinute.count, by: perBar).map { start in
            Double(report.perMinute[start..<min(start + perBar, report.perMinute.count)].max() ?? 0) / top
        }
        let multiple = "\(Terminal.fixed(trial.multiple, 2)) × (promised: at most \(Terminal.fixed(trial.limit, 1)))"
        print(
            """
            \(trial.title)
              \(Terminal.bars(bars))
              mean \(Terminal.grouped(Int(report.meanMinute))) per minute, peak \(Terminal.grouped(report.peakMinute)) per minute, \
            \(Terminal.grouped(report.peakSecond)) per second
              \(trial.holds ? "holds" : "FAILS"): \(multiple) of \(Terminal.grouped(Int(trial.reference))) per minute
            """)
    }

    private func draw(_ trial: FleetLoadTrial, to folder: String) throws {
        var chart = SVGChart(
            title: "\(trial.title): runs per minute of \(Terminal.grouped(clients)) boards", values: trial.report.perMinute)
        chart.addLine(
            at: trial.reference * trial.limit, "promised: \(Terminal.fixed(trial.limit, 1)) × \(trial.referenceName)")
        try Files.write(Array(chart.svg.utf8), to: "\(folder)/fleet-load-\(trial.name).svg")
    }

    private func printTable() {
        let usual = FleetLoadReport(running: .wake(window: 3_600, clients: 1, seed: seed)).usualPerMinute * Double(clients)
        print("usual: \(Terminal.grouped(Int(usual))) per minute, \(Terminal.grouped(Int(usual / 60))) per second")
        print("| window, s | peak per minute | peak per second | times usual | peak : mean of the window |")
        print("| ---: | ---: | ---: | ---: | ---: |")
        for window in [60, 120, 300, 600, 900, 1_200, 1_800, 2_700, 3_600] as [Int64] {
            let report = FleetLoadReport(running: .wake(window: window, clients: clients, seed: seed))
            let mean = report.meanPerMinute(from: 3_660, to: 3_660 + window)
            let numbers = [
                Terminal.grouped(window), Terminal.grouped(report.peakMinute), Terminal.grouped(report.peakSecond),
                Terminal.fixed(Double(report.peakMinute) / usual, 1),
                Terminal.fixed(Double(report.peakMinute) / mean, 2),
            ]
            print("| \(numbers.joined(separator: " | ")) |")
        }
    }
}
