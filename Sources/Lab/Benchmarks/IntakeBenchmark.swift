// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import FoundationEssentials
import GAEN
import Glibc
import KeyArchive
import KeyExport
import KeyIntake
import Matching
import Trust

/// Measures the intake of the largest key file ever published (592,715 keys) against 50,000 sightings, in one process and
/// through the unzip program in the core's slices.
public enum IntakeBenchmark {
    private static let keyCount = 592_715
    private static let sightingCount = 50_000
    private static let smallFiles = 100

    /// Measures in a temporary folder, and returns the figures; blocks. `vigil` is the path of the executable for
    /// the whole path; with `nil` it is the one beside this program. Stops the program when a planted key is not
    /// found, or any other is; throws when a file or a child process fails.
    public static func run(vigil: String? = nil) throws -> BenchmarkResult {
        let workload = Workload(keys: keyCount, sightings: sightingCount)
        let index = SightingIndex(workload.sightings)
        let folder = try Folder()
        let (zip, trust) = try workload.file()
        try Files.write(zip, to: folder.path + "/large.zip")
        let (small, smallTrust) = try Workload(keys: 1, sightings: 3).file()
        try Files.write(small, to: folder.path + "/small.zip")

        var ownWall = Double.infinity
        for _ in 0..<3 {
            let start = ContinuousClock.now
            let matcher = Matcher(index: index, now: Workload.now)
            let feed = MatcherFeed(matcher)
            _ = try KeyFileReader(path: folder.path + "/large.zip").read(trust: trust, time: Workload.now.unixSeconds) {
                feed.add($0)
            }
            precondition(matcher.finish().count == Workload.planted, "every planted key must be found, and no other")
            ownWall = min(ownWall, seconds(ContinuousClock.now - start))
        }
        var large = Trial()
        for _ in 0..<3 { large.improve(try trial(["large.zip"], folder, index, trust)) }
        precondition(large.matches == Workload.planted, "every planted key must be found, and no other")
        var many = 0.0
        for _ in 0..<smallFiles { many += try trial(["small.zip"], folder, index, smallTrust).wall }
        let bad = try wronglySigned(folder, index)
        let whole = try WholePathTrial.run(vigil: vigil ?? ChildProcess.siblingPath("vigil"))
        return BenchmarkResult(
            "intake",
            whole + [
                Figure("592,715 keys, in one process", ownWall, "s"),
                Figure("592,715 keys, through the program", large.wall, "s"),
                Figure("of that, processor time of the core", large.core, "s"),
                Figure("of that, processor time of the program", large.program, "s"),
                Figure("longest slice, processor time", large.longestSlice * 1e3, "ms"),
                Figure("longest slice, which opens a file", large.longestOpening * 1e3, "ms"),
                Figure("slices of the file over 2 ms", Double(large.longSlices), "slices"),
                Figure("memory the core's run adds", large.memory, "MiB"),
                Figure("1,000,000 keys signed by somebody else, until refused", bad.wall, "s"),
                Figure("memory the core's run adds for that", bad.memory, "MiB"),
                Figure("one file of one key", many / Double(smallFiles) * 1e3, "ms"),
            ])
    }

    private struct Trial {
        var wall = Double.infinity
        var core = Double.infinity
        var program = Double.infinity
        var longestSlice = Double.infinity
        var longestOpening = Double.infinity
        var longSlices = Int.max
        var memory = 0.0
        var matches = 0
        var failure: IntakeFailure?

        /// Times are what they are when nobody interferes, memory is what it is at worst.
        mutating func improve(_ other: Trial) {
            wall = min(wall, other.wall)
            core = min(core, other.core)
            program = min(program, other.program)
            longestSlice = min(longestSlice, other.longestSlice)
            longestOpening = min(longestOpening, other.longestOpening)
            longSlices = min(longSlices, other.longSlices)
            memory = max(memory, other.memory)
            matches = other.matches
        }
    }

    private static func trial(
        _ files: [String], _ folder: Folder, _ index: SightingIndex, _ trust: TrustStore
    ) throws -> Trial {
        let run = IntakeRun(
            files: files, spool: try Spool(path: folder.path), index: index, time: Workload.now.unixSeconds, trust: trust,
            policy: .namedKeys, program: try Unpacking.program())
        var trial = Trial(core: 0, longestSlice: 0, longestOpening: 0, longSlices: 0)
        let program = usage(RUSAGE_CHILDREN.rawValue)
        let memory = residentMiB()
        let start = ContinuousClock.now
        var slices = 0
        while run.result == nil {
            let isOpening = run.descriptor == nil && run.progress.fileBytes == run.progress.fileAnnounced
            if let descriptor = run.descriptor {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&waiting, 1, 1_000)
            }
            let before = Measurement.threadNanoseconds()
            run.advance(at: ContinuousClock.now - start)
            let slice = Double(Measurement.threadNanoseconds() - before) / 1e9
            trial.core += slice
            if slice > 0.002 { trial.longSlices += 1 }
            if isOpening {
                trial.longestOpening = max(trial.longestOpening, slice)
            } else {
                trial.longestSlice = max(trial.longestSlice, slice)
            }
            slices += 1
            if slices.isMultiple(of: 64) { trial.memory = max(trial.memory, residentMiB() - memory) }
        }
        trial.wall = seconds(ContinuousClock.now - start)
        trial.program = usage(RUSAGE_CHILDREN.rawValue) - program
        switch run.result {
        case .success(let result): trial.matches = result.files.reduce(0) { $0 + $1.matches.count }
        case .failure(let failure): trial.failure = failure
        case nil: break
        }
        return trial
    }

    /// A file that is fine until its last byte is read and the signature turns out to be of a stranger who uses a trusted name.
    private static func wronglySigned(_ folder: Folder, _ index: SightingIndex) throws -> Trial {
        let (zip, _) = try Workload(keys: 1_000_000, sightings: 300, seed: 2).file()
        let (_, otherTrust) = try Workload(keys: 1, sightings: 3).file()
        try Files.write(zip, to: folder.path + "/bad.zip")
        let bad = try trial(["bad.zip"], folder, index, otherTrust)
        guard bad.failure?.rule?.code == .signatureMismatch else {
            throw InputError(file: "bad.zip", "was not refused for its signature")
        }
        return bad
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
    }

    private static func usage(_ whose: __rusage_who_t) -> Double {
        var usage = rusage()
        getrusage(whose, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    private static func residentMiB() -> Double {
        guard let bytes = try? Files.read("/proc/self/statm", limit: 256) else { return 0 }
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? (Double(fields[1]) ?? 0) * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576 : 0
    }

    private final class Folder {
        let path = FileManager.default.temporaryDirectory.path + "/vigil-bench-intake-\(getpid())"

        init() throws {
            guard mkdir(path, 0o700) == 0 else { throw InputError(file: path, "cannot be created") }
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }
}
