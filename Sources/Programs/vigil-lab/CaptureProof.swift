// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import LabKit
import Reality

/// Captures changed at random.
struct CaptureProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "captures",
        abstract: "Captures changed at random: each is read or refused, and a board hears what is read.",
        discussion: """
            Slices of up to 200 records, a number each; the same number gives the same bytes. After a crash or a stop go on with --seed at \
            the number that was said last. Exit status: 0 when none failed, else 1; 2 when a file cannot be used.
            """)

    @Argument(help: "Captures to take slices of; one that is made here if none is given.") var files: [String] = []
    @Option(help: "Number of changed slices.") var count = 20_000
    @Option(help: "Number of the first one.") var seed: UInt64 = 1

    private static let step = 50_000

    func validate() throws {
        guard (1...1_000_000_000).contains(count) else { throw ValidationError("--count must be 1 to 1000000000") }
    }

    func run() throws {
        let trial = try CaptureTrial(files)
        var refusals: [String: Int] = [:]
        var failures = 0
        do {
            var bar = ProgressBar("changed captures")
            for number in 0..<count {
                let outcome = trial.run(seed &+ UInt64(number))
                if let refusal = outcome.refusal { refusals[refusal, default: 0] += 1 }
                if let problem = outcome.problem {
                    failures += 1
                    print("seed \(seed &+ UInt64(number)): \(problem)")
                }
                if number % Self.step == Self.step - 1, number + 1 < count {
                    print("up to \(seed &+ UInt64(number)); go on with --seed \(seed &+ UInt64(number) &+ 1)")
                }
                bar.update(UInt64(number), of: UInt64(count))
            }
        }
        let refused = refusals.values.reduce(0, +)
        let rules = refusals.sorted { $0.value > $1.value }.map { "\($0.key) \(Terminal.grouped($0.value))" }
        print(
            "\(Terminal.grouped(count - refused)) read, \(Terminal.grouped(refused)) refused: \(rules.joined(separator: ", "))"
        )
        print("\(count - failures) passed, \(failures) failed")
        if failures > 0 { throw ExitCode.failure }
    }
}
