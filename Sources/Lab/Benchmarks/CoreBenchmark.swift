// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import FoundationEssentials
import Glibc
import Radio
import Vault

/// Measures the real `vigil core` with controllers in this process: the time until it is on air, its delay under load, its
/// needs at rest, and the reports that it takes in a second.
public enum CoreBenchmark {
    private static let repetitions = 20
    private static let floodRates = [1_000, 5_000, 20_000, 50_000, 100_000]

    /// A part of the benchmark that can be run by itself.
    public enum Part: String, CaseIterable, Sendable {
        /// `start`: the time to the first advertisement. `lateness`: the delay of identifiers under load. `pairings`: that delay on one processor while warnings are tried on hidden visits; all of
        /// the benchmark must have one processor (`taskset -c 0`), so it is run only if it is named. `matching`: the
        /// delay while keys are matched. `idle`: memory and processor time at rest. `flood`: the reports that are taken per
        /// second. `size`: the size of the executable.
        case start, lateness, matching, idle, flood, size, pairings

        /// Those that are run if none is named.
        public static var usual: [Part] { allCases.filter { $0 != .pairings } }
    }

    /// Measures `parts` one after the other, each with cores that it starts, and returns the figures; blocks.
    /// `vigil` is the path of the executable; with `nil` it is the one beside this program. A part without its tool
    /// (`strip`; Python and `Benchmarks/hobby-beacon.py` below the working folder) has no figure for it, or one
    /// with a note. Throws `InputError` when a core fails in its part.
    public static func run(_ parts: [Part] = Part.usual, vigil: String? = nil) throws -> BenchmarkResult {
        let folder = FileManager.default.temporaryDirectory.path + "/vigil-core-\(getpid())"
        guard mkdir(folder, 0o700) == 0 else { throw InputError(file: folder, "cannot be created") }
        let memory = BoardFolders.memoryFolder(for: folder)
        _ = mkdir(memory, 0o700)
        defer { for folder in [folder, memory] { try? FileManager.default.removeItem(atPath: folder) } }
        let vigil = try vigil ?? ChildProcess.siblingPath("vigil")
        return BenchmarkResult("core", try parts.flatMap { try measure($0, vigil, in: folder) })
    }

    private static func measure(_ part: Part, _ vigil: String, in folder: String) throws -> [Figure] {
        switch part {
        case .start: try starts(vigil, in: folder)
        case .lateness: try lateness(vigil, in: folder)
        case .matching: try matchingLateness(vigil, in: folder)
        case .idle: try idle(vigil, in: folder)
        case .flood: try flood(vigil, in: folder)
        case .size: [size(vigil, in: folder)]
        case .pairings: try pairingLateness(vigil, in: folder)
        }
    }

    // MARK: Starts

    private static func starts(_ vigil: String, in folder: String) throws -> [Figure] {
        let station = try Station(socket: folder + "/starts.air")
        var (first, again, hobby, dark) = ([Double](), [Double](), [Double](), [Double]())
        func untilOnAir(_ board: BoardProcess) throws -> Double {
            station.serve(seconds: 10) { station.host(of: board.process)?.onAir.isEmpty == false }
            guard let onAir = station.host(of: board.process)?.onAir.first else {
                throw InputError(file: vigil, "was not on air within 10 s")
            }
            return Double(onAir.moment - board.started) / 1e6
        }
        for number in 0..<repetitions {
            let folders = try BoardFolders("start-\(number)", in: folder)
            for isFirst in [true, false] {
                try folders.setTime()
                let board = try BoardProcess(folders.command(vigil, station))
                let time = try untilOnAir(board)
                if isFirst { first.append(time) } else { again.append(time) }
                board.end(SIGKILL)
            }
            guard let script = hobbyBeacon else { continue }
            hobby.append(try untilOnAir(BoardProcess([script.python, script.path, station.socket])))
        }
        let folders = try BoardFolders("kills", in: folder)
        try folders.setTime()
        var board = try BoardProcess(folders.command(vigil, station))
        _ = try untilOnAir(board)
        for _ in 0..<repetitions {
            station.serve(seconds: .random(in: 0.02...1))
            let killed = Station.now
            board.end(SIGKILL)
            board = try BoardProcess(folders.command(vigil, station))
            dark.append(try untilOnAir(board) + Double(board.started - killed) / 1e6)
        }
        var figures =
            spread("start to first advertisement, first start ever", first)
            + spread("start to first advertisement", again) + spread("off air after kill -9, restarted at once", dark)
        if hobby.isEmpty {
            figures.append(Figure("start, core / Python beacon", .nan, "ratio", note: "no python3, or not in the tree"))
        } else {
            figures.append(Figure("start to first advertisement, Python beacon, median", Statistics.median(hobby), "ms"))
            figures.append(
                Figure("start, core / Python beacon", Statistics.median(again) / Statistics.median(hobby), "ratio"))
        }
        return figures
    }

    private static func spread(_ name: String, _ values: [Double]) -> [Figure] {
        [Figure("\(name), median", Statistics.median(values), "ms"), Figure("\(name), worst", values.max() ?? .nan, "ms")]
    }

    /// What a hobby port would use, and an interpreter without a launcher of somebody's in front of it.
    private static var hobbyBeacon: (python: String, path: String)? {
        let path = "Benchmarks/hobby-beacon.py"
        let pythons = ["/usr/bin/python3", "/usr/local/bin/python3"]
        guard access(path, R_OK) == 0, let python = pythons.first(where: { access($0, X_OK) == 0 }) else { return nil }
        return (python, path)
    }

    // MARK: Lateness

    private static func lateness(_ vigil: String, in folder: String) throws -> [Figure] {
        let quiet = try LatenessTrial(vigil, in: folder, rounds: 1, load: .nothing)
        let loaded = try LatenessTrial(vigil, in: folder, rounds: 3, load: .processors)
        var figures: [Figure] = []
        for (name, trial) in [("idle machine", quiet), ("processors full", loaded)] {
            for (event, values) in [("identifier changes at midnight", trial.rotations), ("scan starts", trial.scans)] {
                figures.append(Figure("\(event), \(name), late, median", Statistics.median(values), "ms"))
                figures.append(Figure("\(event), \(name), late, p99", Statistics.percentile(values, 0.99), "ms"))
                figures.append(Figure("\(event), \(name), late, worst", values.max() ?? .nan, "ms"))
            }
            figures.append(Figure("the benchmark itself, \(name), late, p99", Statistics.percentile(trial.own, 0.99), "ms"))
        }
        return figures
    }

    /// Peace and pairings in turn, so that what else the machine does is in both.
    private static func pairingLateness(_ vigil: String, in folder: String) throws -> [Figure] {
        try LatenessTrial.requireOneProcessor()
        var late: [LatenessTrial.Load: [Double]] = [:]
        for round in 0..<3 {
            for load in [LatenessTrial.Load.nothing, .pairings] {
                let folder = "\(folder)/\(load)-\(round)"
                guard mkdir(folder, 0o700) == 0 else { throw InputError(file: folder, "cannot be created") }
                late[load, default: []] += try LatenessTrial(vigil, in: folder, rounds: 1, load: load).rotations
            }
        }
        return [LatenessTrial.Load.nothing, .pairings].flatMap { load -> [Figure] in
            let values = late[load] ?? []
            let name =
                "identifier changes at midnight, one processor, \(load == .nothing ? "peace" : "3,000 pairings"), late"
            return [
                Figure("\(name), median", Statistics.median(values), "ms"),
                Figure("\(name), p99", Statistics.percentile(values, 0.99), "ms"),
                Figure("\(name), worst of \(values.count)", values.max() ?? .nan, "ms"),
            ]
        }
    }

    private static func matchingLateness(_ vigil: String, in folder: String) throws -> [Figure] {
        let workload = Workload(keys: 1, sightings: 50_000, firstDay: Workload.firstDayUntilNow)
        let origin = try LiveCore.Origin(workload, in: folder)
        let files = try HostileFiles(in: folder, keys: 2_000_000)
        return try MatchingLatenessTrial.Work.allCases.flatMap { work in
            let trial = try MatchingLatenessTrial(vigil, work, in: folder, from: origin, files: files)
            let name = "identifier changes at midnight, given \(work.rawValue)"
            return [
                Figure("\(name), late, median", Statistics.median(trial.rotations), "ms"),
                Figure("\(name), late, worst of \(trial.rotations.count)", trial.rotations.max() ?? .nan, "ms"),
                Figure("\(name), boards at it over midnight", Double(trial.busy), "boards"),
                Figure("\(name), calls answered", Double(trial.answers), "calls"),
            ]
        }
    }

    // MARK: At rest

    private static func idle(_ vigil: String, in folder: String) throws -> [Figure] {
        let trial = try IdleTrial(vigil, in: folder, hobbyBeacon: hobbyBeacon.map { [$0.python, $0.path] })
        let linking = trial.memory.isSwiftDynamic ? "Swift as libraries" : "Swift in the executable, as on boards"
        var figures = [
            Figure("idle core, memory (PSS, \(linking))", trial.memory.alone, "MiB"),
            Figure("idle core, anonymous memory", trial.memory.anonymous, "MiB"),
            Figure("idle core, resident memory", trial.memory.resident, "MiB"),
        ]
        if let hobby = trial.hobbyMemory {
            figures.append(Figure("Python beacon, memory (PSS)", hobby.alone, "MiB"))
            figures.append(Figure("Python beacon, anonymous memory", hobby.anonymous, "MiB"))
            figures.append(
                Figure("anonymous memory, core / Python beacon", trial.memory.anonymous / hobby.anonymous, "ratio"))
            figures.append(Figure("memory, core / Python beacon", trial.memory.alone / hobby.alone, "ratio"))
        }
        for board in trial.boards {
            figures.append(Figure("\(board.name), wake-ups in a minute, measured", board.wakeUpsPerMinute, ""))
            figures.append(Figure("\(board.name), processor per wake-up, measured", board.nanosecondsPerWakeUp / 1e3, "us"))
            let day = try SimulatedDay(profile: board.profile, phones: board.phones)
            figures.append(Figure("\(board.name), wake-ups in a simulated day", Double(day.wakeUps), ""))
            figures.append(Figure("\(board.name), scans in a simulated day", Double(day.scans), ""))
            figures.append(
                Figure("\(board.name), processor a day", Double(day.wakeUps) * board.nanosecondsPerWakeUp / 1e9, "s"))
        }
        return figures
    }

    // MARK: Flood

    private static func flood(_ vigil: String, in folder: String) throws -> [Figure] {
        var figures: [Figure] = []
        var withoutLoss = 0.0
        for rate in floodRates {
            let trial = try FloodTrial(vigil, in: folder, rate: rate)
            let share = trial.arrived / trial.made
            figures.append(Figure("reports that arrived of \(Terminal.grouped(rate)) a second", share * 100, "%"))
            figures.append(
                Figure("processor per report at \(Terminal.grouped(rate)) a second", trial.microsecondsPerReport, "us"))
            figures.append(Figure("identifiers kept of \(Terminal.grouped(rate)) a second", trial.kept, ""))
            guard share == 1 else { break }
            withoutLoss = trial.made / trial.seconds
        }
        return figures + [Figure("reports a second without loss", withoutLoss, "1/s")]
    }

    private static func size(_ vigil: String, in folder: String) -> Figure {
        let name = "size of vigil, stripped"
        let stripped = folder + "/stripped"
        var information = stat()
        guard (try? ChildProcess.run("strip", ["-o", stripped, vigil]))?.status == 0, stat(stripped, &information) == 0
        else {
            return Figure(name, .nan, "MB", note: "strip is not installed")
        }
        return Figure(name, Double(information.st_size) / 1e6, "MB")
    }
}
