// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import SyncPlan
import SyncTrial

/// Weeks of boards in virtual time, their sync stopped before, in or after any effect, with faults of every kind around it.
struct SyncProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Stops the sync engine at random effects in virtual time, among faults; then asks what the core got.")

    @Option(help: "Number of stops, spread over all kinds of sources.")
    var stops = 20_000

    @Option(help: "Seed of the first board.")
    var seed: UInt64 = 1

    /// What is tried, and under which name it is counted.
    private static let families: [(name: String, settings: @Sendable (SourceSettings.Kind) -> SyncTrial.Setting)] = [
        ("stops", { SyncTrial.Setting(kind: $0, faults: 0.02, stopEvery: 12) }),
        ("stops, faults", { SyncTrial.Setting(kind: $0, faults: 0.2, badShare: 0.05, stopEvery: 15) }),
        ("stops, clocks", { SyncTrial.Setting(kind: $0, faults: 0.05, stopEvery: 20, clockJumps: true) }),
    ]

    private struct Sum {
        var lives = 0
        var sound = 0
        var stops = 0
        var effects = 0
        var keys = 0
        var accepted = 0
        var repeated = 0
    }

    func validate() throws {
        guard (1...10_000_000).contains(stops) else { throw ValidationError("--stops takes 1 to 10,000,000") }
    }

    func run() throws {
        let kinds: [SourceSettings.Kind] = [.cwa, .index, .nhs]
        var sums: [String: Sum] = [:]
        var names: [String] = []
        var done = 0
        var number = seed
        let start = ContinuousClock.now
        do {
            var bar = ProgressBar("stops")
            while done < stops {
                for family in Self.families {
                    for kind in kinds {
                        let name = "\(kind), \(family.name)"
                        if sums[name] == nil { names.append(name) }
                        let verdict = SyncTrial(family.settings(kind)).run(seed: number)
                        for complaint in verdict.complaints { print("\(name), seed \(number): \(complaint)") }
                        var sum = sums[name] ?? Sum()
                        sum.lives += 1
                        sum.sound += verdict.complaints.isEmpty ? 1 : 0
                        sum.stops += verdict.stopCount
                        sum.effects += verdict.effectCount
                        sum.keys += verdict.keyCount
                        sum.accepted += verdict.acceptedCount
                        sum.repeated += verdict.repeatedCount
                        sums[name] = sum
                        done += verdict.stopCount
                    }
                }
                number += 1
                bar.update(UInt64(min(done, stops)), of: UInt64(stops))
            }
        }
        report(names.map { ($0, sums[$0] ?? Sum()) }, elapsed: (ContinuousClock.now - start) / .seconds(1))
        let failed = sums.values.reduce(0) { $0 + $1.lives - $1.sound }
        if failed > 0 { throw ExitCode.failure }
    }

    private func report(_ rows: [(name: String, sum: Sum)], elapsed: Double) {
        let columns = ["source, trial", "boards", "ok", "stops", "effects", "packages", "again"]
        let table =
            [columns]
            + rows.map { row in
                let sum = row.sum
                return [row.name]
                    + [sum.lives, sum.sound, sum.stops, sum.effects, sum.accepted, sum.repeated].map {
                        Terminal.grouped($0)
                    }
            }
        for line in table {
            print(
                line.enumerated().map { place, cell in
                    let space = String(repeating: " ", count: max(1, (place == 0 ? 22 : 11) - cell.count))
                    return place == 0 ? cell + space : space + cell
                }.joined())
        }
        let sum = rows.reduce(into: Sum()) { total, row in
            total.lives += row.sum.lives
            total.sound += row.sum.sound
            total.stops += row.sum.stops
            total.keys += row.sum.keys
        }
        print(
            """
            \(Terminal.grouped(sum.stops)) stops of \(Terminal.grouped(sum.lives)) boards, \(Terminal.grouped(sum.keys)) keys to be \
            had, in \(Terminal.fixed(elapsed, 0)) s
            \(Terminal.grouped(sum.sound)) passed, \(Terminal.grouped(sum.lives - sum.sound)) failed
            """)
    }
}
