// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import LabKit
import VirtualAir

/// Power cuts and kills at every operation of the ledger and of the vault that keeps its keys.
struct LedgerProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger", abstract: "Cuts the power and kills the process at random operations of the ledger.")

    @Option(help: "Number of cuts.")
    var cuts = 5_000

    @Option(help: "Seed of the first trial.")
    var seed: UInt64 = 1

    private static let cutsPerTrial = 250

    func run() throws {
        var failures = 0
        var transactions = 0
        var redeemed = 0
        var places: [String: Int] = [:]
        let trials = max(1, cuts / Self.cutsPerTrial)
        do {
            var bar = ProgressBar("cuts")
            for number in 0..<UInt64(trials) {
                var trial = LedgerCutTrial(generator: SplitMix64(seed: seed &+ number))
                if let problem = trial.run(cuts: Self.cutsPerTrial) {
                    failures += 1
                    print("seed \(seed &+ number): \(problem)")
                }
                transactions += trial.transactions
                redeemed += trial.redeemed
                places.merge(trial.places, uniquingKeysWith: +)
                bar.update(number, of: UInt64(trials))
            }
        }
        print(
            "\(Terminal.grouped(trials * Self.cutsPerTrial)) cuts, half of them of the power and half of the process only; "
                + "\(Terminal.grouped(transactions)) transactions, \(Terminal.grouped(redeemed)) tickets redeemed")
        for (place, count) in places.sorted(by: { $0.key < $1.key }) {
            print("  after \(place): \(Terminal.grouped(count))")
        }
        print("\(trials - failures) passed, \(failures) failed")
        if failures > 0 { throw ExitCode.failure }
    }
}
