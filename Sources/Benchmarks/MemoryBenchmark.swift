// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import GAEN
import Glibc
import KeyExport
import Offline
import Trust

/// 4,000,000 keys through the real `vigil match`: peak memory of the process and time per key.
public enum MemoryBenchmark {
    private static let keyCount = 4_000_000
    private static let sightingCount = 50_000

    public static func run() throws -> BenchmarkResult {
        let folder = FileManager.default.temporaryDirectory.path + "/vigil-bench-\(getpid())"
        guard mkdir(folder, 0o700) == 0 else { throw InputError(file: folder, "cannot be created") }
        let (keys, sightings, pem) = (folder + "/keys.zip", folder + "/sightings.csv", folder + "/public.pem")
        defer {
            for path in [keys, sightings, pem] { unlink(path) }
            rmdir(folder)
        }
        let workload = Workload(keys: keyCount, sightings: sightingCount)
        let (zip, trust) = try workload.file()
        try Files.write(zip, to: keys)
        try Files.write(Array(SightingsFile.text(workload.sightings).utf8), to: sightings)
        try Files.write(Array(trust.keys[0].key.pem().utf8), to: pem)
        let vigil = try ChildProcess.siblingPath("vigil")
        let account = try ChildProcess.run(
            vigil,
            [
                "match", "--keys", keys, "--verify", "bench-v1=\(pem)", "--sightings", sightings, "--now",
                "\(workload.now.unixSeconds)", "--json",
            ])
        guard account.status == 0 else { throw InputError(file: vigil, "ended with status \(account.status)") }
        return BenchmarkResult(
            "memory",
            [
                Figure("peak memory of vigil match, 4,000,000 keys", account.peakMiB, "MiB"),
                Figure(
                    "vigil match, 4,000,000 keys, everything", account.processorSeconds * 1e9 / Double(keyCount), "ns/key"),
                Figure("size of the key file", Double(zip.count) / Double(keyCount), "bytes/key"),
            ])
    }
}
