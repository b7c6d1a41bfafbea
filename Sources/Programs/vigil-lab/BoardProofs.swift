// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import Simulation
import VirtualAir

/// Days of boards that are killed, cut off, set and troubled, judged by what is on air.
struct RotationProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotation",
        abstract: "Boards for days in virtual time: no address ever betrays an identifier, none comes twice.")

    @Option(help: "Days of virtual time.")
    var days = 7

    @Option(help: "Boards on the same air; their controllers differ.")
    var boards = 3

    @Option(help: "Seed of everything.")
    var seed: UInt64 = 1

    func run() throws {
        guard (1...100).contains(days), (1...20).contains(boards) else {
            throw ValidationError("--days takes 1 to 100, --boards 1 to 20")
        }
        let report = simulate()
        let (figures, tally) = (report.figures, report.tally)
        for finding in report.findings.prefix(20) { print(finding) }
        func sum(_ values: [Double]) -> String { Terminal.fixed(values.reduce(0, +) / Double(max(1, values.count)), 1) }
        print(
            """
            \(days) days, \(boards) boards: \(Terminal.grouped(figures.identifiers)) identifiers from \(report.keys) TEKs in \
            \(figures.lives) lives
            interrupted by \(tally.kills) kills, \(tally.powerCuts) power cuts (\(tally.cutsWithoutClock) without a clock after), \
            \(tally.clockSteps) clock steps, \(tally.troubles) controllers in trouble
            rotations: \(figures.rotations.count) by their own time, \(sum(figures.rotations)) s on average, \
            \(Terminal.fixed(figures.rotations.min() ?? 0, 1)) to \(Terminal.fixed(figures.rotations.max() ?? 0, 1)) s; \
            off air \(Terminal.fixed((figures.changes.max() ?? 0) * 1_000, 0)) ms at most
            from a start to the beacon: \(Terminal.fixed((figures.startups.max() ?? 0) * 1_000, 0)) ms at most, after \
            \(figures.startups.count) starts
            a receiver heard \(Terminal.grouped(figures.packets)) packets
            scans: \(Terminal.grouped(report.totals.reduce(0) { $0 + $1.scans })), lost \
            \(report.totals.reduce(0) { $0 + $1.lostScans }); \(Terminal.grouped(report.storedSightings)) sightings in the vaults
            """)
        let judged = figures.identifiers + figures.startups.count + figures.packets
        print("\(judged - report.findings.count) passed, \(report.findings.count) failed")
        if !report.findings.isEmpty { throw ExitCode.failure }
    }

    private func simulate() -> RotationTrial.Report {
        var bar = ProgressBar("hours")
        return RotationTrial(days: days, boards: boards, seed: seed).run { bar.update(UInt64($0), of: UInt64($1)) }
    }
}

/// Cuts of whole boards at every operation.
struct BoardCutProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "board-cuts",
        abstract: "Cuts the power of whole boards, or kills their core, at random operations; then asks what is left.")

    @Option(help: "Number of cuts.")
    var cuts = 15_000

    @Option(help: "Seed of the first trial.")
    var seed: UInt64 = 1

    /// A board lives through so many; more would be more keys in 14 days than a vault keeps.
    private static let cutsPerTrial = 50

    func run() throws {
        var problems: [String] = []
        var sum = BoardCutTrial.Tally()
        let trials = max(1, cuts / Self.cutsPerTrial)
        let elapsed = ContinuousClock().measure {
            var bar = ProgressBar("cuts")
            for number in 0..<UInt64(trials) {
                let trial = BoardCutTrial(seed: seed &+ number)
                for problem in trial.run(cuts: Self.cutsPerTrial) { problems.append("seed \(seed &+ number): \(problem)") }
                sum.add(trial.tally)
                bar.update(number, of: UInt64(trials))
            }
        }
        for problem in problems.prefix(20) { print(problem) }
        let operations = sum.operations.sorted { $0.value > $1.value }.map { "\($0.key) \(Terminal.grouped($0.value))" }
        print(
            "cut at: \(operations.joined(separator: ", ")); between two actions \(Terminal.grouped(sum.killsBetweenActions))"
        )
        print(
            """
            \(Terminal.grouped(sum.cuts)) cuts, \(Terminal.grouped(sum.powerCuts)) of the power, \
            \(Terminal.grouped(sum.cutsAtStart)) while starting; \(Terminal.grouped(sum.midnights)) midnights, \
            \(Terminal.grouped(sum.keys)) TEKs, \(Terminal.grouped(sum.identifiers)) identifiers
            \(Terminal.grouped(sum.committedScans)) scans committed; \(Terminal.grouped(sum.uncertainScans)) that were being stored were \
            there afterwards
            \(Terminal.fixed(Double(sum.cuts) / max(elapsed.seconds, 0.001), 0)) cuts a second
            """)
        print("\(sum.cuts - problems.count) passed, \(problems.count) failed")
        if !problems.isEmpty { throw ExitCode.failure }
    }
}
