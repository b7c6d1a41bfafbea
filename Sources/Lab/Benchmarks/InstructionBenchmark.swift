// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import FoundationEssentials
import GAEN
import Glibc
public import Matching

/// Counts the instructions per key of the portable kernel with callgrind; the result is the same on every machine and at
/// any load.
public enum InstructionBenchmark {
    private static let keys = (few: 500, many: 2_500)

    /// Runs a stripped copy of the `vigil-lab` beside this program under valgrind twice, with 500 and 2,500 keys,
    /// and returns the difference in instructions per key; blocks. If valgrind or `strip` is missing or fails, the
    /// figure is not a number and has a note. Throws when the output of callgrind cannot be read.
    public static func run() throws -> BenchmarkResult {
        let name = "instructions"
        let label = "portable kernel"
        guard let few = try count(keys.few), let many = try count(keys.many) else {
            return BenchmarkResult(
                name, [Figure(label, .nan, "instructions/key", note: "valgrind or strip is not installed")])
        }
        // What start-up and the sightings cost is the same in both runs.
        let perKey = Double(many - few) / Double(keys.many - keys.few)
        return BenchmarkResult(name, [Figure(label, perKey, "instructions/key")])
    }

    /// Instructions of this executable's own `kernel-run` with that many keys.
    private static func count(_ keyCount: Int) throws -> UInt64? {
        let output = FileManager.default.temporaryDirectory.path + "/vigil-callgrind-\(getpid())-\(keyCount)"
        defer { unlink(output) }
        // Valgrind 3.19 gives up on the debugging information Swift writes.
        let lab = output + "-stripped"
        defer { unlink(lab) }
        guard (try? ChildProcess.run("strip", ["-o", lab, ChildProcess.siblingPath("vigil-lab")]))?.status == 0,
            let account = try? ChildProcess.run(
                "valgrind",
                ["-q", "--tool=callgrind", "--callgrind-out-file=\(output)", lab, "kernel-run", "portable", "\(keyCount)"]),
            account.status == 0
        else { return nil }
        let text = try String(decoding: Files.read(output, limit: 64 << 20), as: UTF8.self)
        let total = text.split(separator: "\n").first { $0.hasPrefix("totals:") || $0.hasPrefix("summary:") }
        return total?.split(separator: " ").last.flatMap { UInt64($0) }
    }

    /// Runs one kernel over `keys` made-up keys and 50,000 sightings, which is the run that callgrind measures. Only
    /// `vigil-lab kernel-run` calls it.
    public static func runKernel(_ kernel: MatchKernel, keys: Int) {
        let workload = Workload(keys: keys, sightings: 50_000)
        _ = BareScan(index: SightingIndex(workload.sightings), keys: workload.keys, kernel: kernel).run()
    }
}
