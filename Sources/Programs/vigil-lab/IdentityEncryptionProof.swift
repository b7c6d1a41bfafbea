// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import LabKit
import VirtualAir

/// Messages to random identities: encrypted, stored, opened by the right key and no other, and damaged.
struct IdentityEncryptionProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity-encryption",
        abstract: "Encrypts to random identities, and decrypts with the right key, with others, and after a changed bit.")

    @Option(help: "Number of rounds.")
    var rounds = 10_000

    @Option(help: "Seed of the first round; the next round has the next one, so that a later run can go on there.")
    var seed: UInt64 = 1

    func validate() throws {
        guard (1...10_000_000).contains(rounds) else { throw ValidationError("--rounds takes 1 to 10,000,000") }
    }

    func run() throws {
        var failures = 0
        var damages: [IdentityEncryptionTrial.Damage: Int] = [:]
        do {
            var bar = ProgressBar("rounds")
            for number in 0..<UInt64(rounds) {
                var generator = SplitMix64(seed: seed &+ number)
                let trial = IdentityEncryptionTrial(using: &generator)
                if let problem = trial.problem {
                    failures += 1
                    print("seed \(seed &+ number): \(problem)")
                }
                if let damage = trial.damage { damages[damage, default: 0] += 1 }
                bar.update(number, of: UInt64(rounds))
            }
        }
        let counts = IdentityEncryptionTrial.Damage.allCases.map { "\(Terminal.grouped(damages[$0] ?? 0)) \($0.rawValue)" }
        print("damaged messages: \(counts.joined(separator: ", ")); the next round has seed \(seed &+ UInt64(rounds))")
        print("\(rounds - failures) passed, \(failures) failed")
        if failures > 0 { throw ExitCode.failure }
    }
}
