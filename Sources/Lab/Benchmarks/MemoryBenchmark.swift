// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Cryptography
import FoundationEssentials
import GAEN
import Glibc
import KeyExport
import Trust

/// Measures the peak memory and the time per key of the real `vigil match` with 4,000,000 keys.
public enum MemoryBenchmark {
    private static let keyCount = 4_000_000
    private static let sightingCount = 50_000

    /// Runs the `vigil` beside this executable once, and returns the figures; blocks. Memory is in MiB, time in nanoseconds
    /// of processor time per key. Throws `InputError` when the folder cannot be created or a child process fails.
    public static func run() throws -> BenchmarkResult {
        let folder = FileManager.default.temporaryDirectory.path + "/vigil-bench-\(getpid())"
        guard mkdir(folder, 0o700) == 0 else { throw InputError(file: folder, "cannot be created") }
        let files = Scratch(folder)
        defer { files.remove() }
        // In a process of its own: the kernel counts what the parent held when it started a child as the child's peak.
        let lab = try ChildProcess.siblingPath("vigil-lab")
        let maker = try ChildProcess.run(lab, ["workload-files", folder, "\(keyCount)", "\(sightingCount)"])
        guard maker.status == 0 else { throw InputError(file: lab, "ended with status \(maker.status)") }
        let vigil = try ChildProcess.siblingPath("vigil")
        let account = try ChildProcess.run(
            vigil,
            [
                "match", "--keys", files.keys, "--verify", "bench-v1=\(files.pem)", "--sightings", files.sightings, "--now",
                "\(Workload.now.unixSeconds)", "--json",
            ])
        guard account.status == 0 else { throw InputError(file: vigil, "ended with status \(account.status)") }
        var information = stat()
        stat(files.keys, &information)
        return BenchmarkResult(
            "memory",
            [
                Figure("peak memory of vigil match, 4,000,000 keys", account.peakMiB, "MiB"),
                Figure(
                    "vigil match, 4,000,000 keys, everything", account.processorSeconds * 1e9 / Double(keyCount), "ns/key"),
                Figure("size of the key file", Double(information.st_size) / Double(keyCount), "bytes/key"),
            ])
    }

    /// Writes the files that ``run()`` needs into `folder`, which must exist: `keys.zip` with `keys` keys, `sightings.csv`
    /// with `sightings` sightings, and `public.pem`. It is called in a process of its own, so that its memory does not
    /// count. Throws when a file cannot be written.
    public static func writeFiles(to folder: String, keys: Int, sightings: Int) throws {
        let files = Scratch(folder)
        let workload = Workload(keys: keys, sightings: sightings)
        let (zip, trust) = try workload.file()
        try Files.write(zip, to: files.keys)
        try Files.write(Array(SightingsFile.text(workload.sightings).utf8), to: files.sightings)
        try Files.write(Array(trust.keys[0].key.pem().utf8), to: files.pem)
    }

    private struct Scratch {
        let folder: String
        let keys: String
        let sightings: String
        let pem: String

        init(_ folder: String) {
            self.folder = folder
            keys = folder + "/keys.zip"
            sightings = folder + "/sightings.csv"
            pem = folder + "/public.pem"
        }

        func remove() {
            for path in [keys, sightings, pem] { unlink(path) }
            rmdir(folder)
        }
    }
}
