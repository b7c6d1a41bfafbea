// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import Encounters
import FoundationEssentials
import Glibc
import RiskStudy
import Simulation
import VirtualAir

/// People with boards for days, and what they find out about each other.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Simulates people with boards for days; compares what the boards find with where everybody was.",
        discussion: "Exit status: 0 when every check holds, 1 when one does not, 2 when the scenario cannot be used.")

    @Argument(help: "Scenario (docs/simulation.md).")
    var scenario: String

    @Option(help: "People, instead of the scenario's (with a generator).")
    var people: Int?

    @Option(help: "Days, instead of the scenario's.")
    var days: Int?

    @Option(help: "Seed, instead of the scenario's.")
    var seed: UInt64?

    @Option(
        help: "The air to begin with, instead of the scenario's: plain, measured, fitted or bodies (docs/virtual-air.md).")
    var air: String?

    @Flag(help: "The whole report as JSON.")
    var json = false

    @Flag(help: "Checks that do not hold, and nothing else.")
    var quiet = false

    @Option(help: "Write what the boards found into this file, with the truth, for vigil-lab risk (docs/risk-study.md).")
    var windows: String?

    func validate() throws {
        guard air == nil || air.flatMap(Scenario.EnvironmentChange.Air.init) != nil else {
            throw ValidationError("--air must be plain, measured, fitted or bodies")
        }
    }

    func run() throws {
        let bytes = try Files.read(scenario, limit: 16 << 20)
        let report: EncounterSimulationReport
        let elapsed: Duration
        do {
            let scenario = try changed(PeopleScenario(json: bytes))
            let clock = ContinuousClock()
            let start = clock.now
            report = try simulate(scenario)
            elapsed = clock.now - start
        } catch let error as EncountersError where error.code == .invalidScenario {
            throw InputError(file: scenario, "\(error)")
        }
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            print(String(decoding: try encoder.encode(report), as: UTF8.self))
        } else {
            for line in SimulationText.lines(report, isQuiet: quiet) { print(line) }
            if !quiet { print("computed in \(Terminal.fixed(elapsed.seconds, 1)) s") }
        }
        if !report.isSound { throw ExitCode.failure }
    }

    private func changed(_ original: PeopleScenario) throws -> PeopleScenario {
        var scenario = original
        if let people {
            guard scenario.generator != nil else {
                throw InputError(file: self.scenario, "has no generator: its people are given one by one")
            }
            scenario.generator?.people = people
            if let diagnoses = scenario.generator?.diagnoses { scenario.generator?.diagnoses = min(diagnoses, people) }
        }
        if let days { scenario.days = days }
        if let seed { scenario.seed = seed }
        if let air {
            var environment = scenario.environment ?? Scenario.EnvironmentChange()
            environment.air = Scenario.EnvironmentChange.Air(rawValue: air)
            scenario.environment = environment
        }
        try scenario.check()
        return scenario
    }

    private func simulate(_ scenario: PeopleScenario) throws -> EncounterSimulationReport {
        var bar = ProgressBar("days")
        let simulation = try EncounterSimulation(scenario)
        let report = try simulation.run { bar.update(UInt64($0), of: UInt64($1)) }
        if let windows { try Files.write(simulation.windowsDataset().document, to: windows) }
        return report
    }
}

/// The report for people.
enum SimulationText {
    static func lines(_ report: EncounterSimulationReport, isQuiet: Bool) -> [String] {
        let checks = report.checks.map { check in
            check.problem.map { "FAILED  \(check.claim): \($0)" } ?? "ok      \(check.claim)"
        }
        if isQuiet { return checks.filter { $0.hasPrefix("FAILED") } }
        var lines = [
            "\(report.people) people, \(report.days) days, seed \(report.seed): \(Terminal.grouped(report.scans)) scans, "
                + "\(Terminal.grouped(report.sightings)) identifiers heard; \(report.kills) kills, \(report.powerCuts) power cuts",
            "shadowing \(Terminal.fixed(report.shadowing, 1)) dB; \(report.interruptedCalls) calls with files cut short and made again",
            "\(report.diagnosed) diagnosed, \(report.publishedKeys) keys published, \(report.matches) of them met by somebody; "
                + "\(report.filesGiven) files verified and matched",
            "",
            "Encounters (observer, published person, day); only the laboratory knows whose key it was",
        ]
        lines += table(report.encounters)
        lines += ["", "Days of a wearer: what all windows of a day say together"]
        lines += table(report.wearerDays)
        lines += ["", "Attenuation of a scan against what the distance gives"]
        lines.append(row(["up to", "scans", "mean error", "deviation"], widths: [8, 9, 11, 10]))
        for error in report.attenuationErrors {
            lines.append(
                row(
                    [
                        error.metres.map { "\(Terminal.fixed($0, 0)) m" } ?? "beyond", Terminal.grouped(error.scans),
                        "\(Terminal.fixed(error.mean, 2)) dB", "\(Terminal.fixed(error.deviation, 2)) dB",
                    ], widths: [8, 9, 11, 10]))
        }
        lines += ["", "\(report.certain) encounters within 8 m for a whole scan period, \(report.certainFound) found"]
        return lines + checks
    }

    private static let widths = [17, 6, 6, 6, 6, 10, 8]

    private static func table(_ rows: [EncounterSimulationReport.Row]) -> [String] {
        var lines = [row(["at least", "at", "real", "found", "right", "precision", "recall"], widths: widths)]
        for entry in rows {
            let what = "\(Terminal.fixed(entry.minutes, 0)) min in \(Terminal.fixed(entry.metres, 0)) m"
            func share(_ value: Double?) -> String { value.map { "\(Terminal.fixed($0 * 100, 1)) %" } ?? "-" }
            lines.append(
                row(
                    [
                        what, "\(entry.attenuation) dB", "\(entry.real)", "\(entry.found)", "\(entry.right)",
                        share(entry.precision), share(entry.recall),
                    ], widths: widths))
            var notes = entry.missed.sorted { $0.key < $1.key }.map { "missed, \($0.key): \($0.value)" }
            notes += entry.wrong.sorted { $0.key < $1.key }.map { "not real, \($0.key): \($0.value)" }
            if entry.boardOff > 0 { notes.append("not counted, a board was off: \(entry.boardOff)") }
            if !notes.isEmpty { lines.append("    " + notes.joined(separator: "; ")) }
        }
        return lines
    }

    private static func row(_ cells: [String], widths: [Int]) -> String {
        zip(cells, widths).map { cell, width in String(repeating: " ", count: max(0, width - cell.count)) + cell }
            .joined(separator: " ")
    }
}
