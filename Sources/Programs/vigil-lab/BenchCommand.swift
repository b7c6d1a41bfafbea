// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Benchmarks
import CommandFiles
import Matching

struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Runs one benchmark and holds it against the thresholds.",
        discussion:
            "Benchmarks: \(Name.allCases.map(\.rawValue).joined(separator: ", ")). The exit status is 1 when a threshold is missed."
    )

    enum Name: String, ExpressibleByArgument, CaseIterable {
        case matching, intake, calls, memory, instructions, storage, core, egress, risk, pairing, venue, donation
    }

    @Argument(help: "Which one.")
    var name: Name

    @Option(help: "File of thresholds.")
    var thresholds = "Benchmarks/thresholds.json"

    @Option(
        help:
            "Rounds of the matching, storage, risk, pairing, venue and donation benchmarks; the least time of each piece counts."
    )
    var rounds = 9

    @Option(
        parsing: .upToNextOption,
        help:
            "Parts of core: \(CoreBenchmark.Part.allCases.map(\.rawValue).joined(separator: ", ")). The last one only if it is named."
    )
    var only: [String] = []

    @Option(
        help:
            "Executable to measure with core, calls and intake, with venue and donation vigil-plugins, if it is not the one beside this."
    )
    var vigil: String?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        for part in only where CoreBenchmark.Part(rawValue: part) == nil {
            throw ValidationError("core has no part \(part)")
        }
    }

    func run() throws {
        let bounds = try Thresholds(path: thresholds)
        let result: BenchmarkResult
        switch name {
        case .matching: result = try MatchingBenchmark.run(rounds: rounds)
        case .intake: result = try IntakeBenchmark.run(vigil: vigil)
        case .calls: result = try CallsBenchmark.run(vigil: vigil)
        case .memory: result = try MemoryBenchmark.run()
        case .instructions: result = try InstructionBenchmark.run()
        case .storage: result = try StorageBenchmark.run(rounds: rounds)
        case .core: result = try CoreBenchmark.run(parts, vigil: vigil)
        case .egress: result = try EgressBenchmark.run()
        case .risk: result = try RiskBenchmark.run(rounds: rounds)
        case .pairing: result = try PairingBenchmark.run(rounds: rounds)
        case .venue: result = try VenueBenchmark.run(rounds: rounds, plugins: vigil)
        case .donation: result = try DonationBenchmark.run(rounds: rounds, plugins: vigil)
        }
        let isMissed = result.figures.contains { bounds.verdict($0, of: name.rawValue)?.isMet == false }
        if json {
            print(try JSONText.encode(result))
        } else {
            print("\(name.rawValue):")
            for figure in result.figures { print(line(figure, bounds)) }
            for figure in only.isEmpty ? bounds.absent(in: result) : [] {
                print("  not measured on this machine: \(figure)")
            }
        }
        if isMissed { throw ExitCode.failure }
    }

    private var parts: [CoreBenchmark.Part] {
        only.isEmpty ? CoreBenchmark.Part.usual : only.compactMap { CoreBenchmark.Part(rawValue: $0) }
    }

    private func line(_ figure: Figure, _ bounds: Thresholds) -> String {
        let title = figure.name + String(repeating: " ", count: max(1, 56 - figure.name.count))
        if let note = figure.note { return "  \(title)- (\(note))" }
        let value = figure.unit == "ratio" ? Terminal.fixed(figure.value, 2) : Terminal.fixed(figure.value, 1)
        var text = "  \(title)\(String(repeating: " ", count: max(0, 10 - value.count)))\(value) \(figure.unit)"
        if let (isMet, bound) = bounds.verdict(figure, of: name.rawValue) {
            let limit =
                bound.atMost.map { "at most \(Terminal.fixed($0, 2))" }
                ?? "at least \(Terminal.fixed(bound.atLeast ?? 0, 2))"
            text += "   \(isMet ? "ok" : "MISSED"), \(limit)"
        }
        return text
    }
}

/// What `bench memory` starts in a process of its own.
struct WorkloadFilesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workload-files", abstract: "Writes the files of a benchmark.", shouldDisplay: false)

    @Argument var folder: String
    @Argument var keys: Int
    @Argument var sightings: Int

    func run() throws { try MemoryBenchmark.writeFiles(to: folder, keys: keys, sightings: sightings) }
}

/// What `bench instructions` lets callgrind count.
struct KernelRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kernel-run", abstract: "Runs one matching kernel over random keys, for profilers.")

    @Argument(help: "Name of the kernel.")
    var kernel: String

    @Argument(help: "Number of keys.")
    var keys: Int

    func run() throws {
        guard let kernel = MatchKernel(name: kernel), kernel.isAvailable else {
            throw ValidationError("this machine has \(MatchKernel.available.map(\.name).joined(separator: ", "))")
        }
        InstructionBenchmark.runKernel(kernel, keys: keys)
    }
}

/// What `bench core --only pairings` has run beside boards.
struct PairingLoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pairing-load", abstract: "Tries warnings on hidden visits, for benchmarks.", shouldDisplay: false)

    @Argument var count: Int

    func run() throws { try HiddenVisitBenchmark.tryWarnings(count) }
}

/// What `bench calls` compares with.
struct EchoFloorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "echo-floor", abstract: "Answers every NUL on a socket with so many bytes, for benchmarks.",
        shouldDisplay: false)

    @Argument var path: String
    @Argument var replyByteCount: Int

    func run() throws { try EchoFloor.serve(path: path, replyByteCount: replyByteCount) }
}
