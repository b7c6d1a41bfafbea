// SPDX-License-Identifier: Apache-2.0

import BoardClock
import CommandFiles
import Glibc
import TimeTrust

/// How late the core does what is due, with the processors free or taken by others.
///
/// A profile cannot make identifiers change within a minute (the specification says ten), but midnight ends every identifier: boards
/// whose operator set the time to shortly before midnight show it. Scans every two seconds show the rest.
struct LatenessTrial {
    /// Milliseconds from midnight to the new identifier on air.
    private(set) var rotations: [Double] = []
    /// Milliseconds from when a scan was due to its start.
    private(set) var scans: [Double] = []
    /// Milliseconds that this process was late itself.
    private(set) var own: [Double] = []

    /// What else the machine has to do.
    enum Load: String {
        case nothing
        /// Twice as many busy loops as there are processors.
        case processors
        /// Hidden visits of one wearer are compared with warnings, on the processor that all boards have (``HiddenVisitBenchmark/tryWarnings(_:)``).
        case pairings
    }

    /// Pairings that are tried: those of 1,000 warnings and the visits of a fortnight.
    static let pairingCount = 3_000

    private static let midnightBoards = 20
    private static let scanBoards = 10
    private static let scanPeriod: Int64 = 2_000_000_000

    init(_ vigil: String, in folder: String, rounds: Int, load: Load) throws {
        let profile = folder + "/often.json"
        let text = #"{"name":"often","scan":{"duration":500,"period":2000,"spread":0}}"#
        try Files.write(Array(text.utf8), to: profile)
        let isFirst = Self.goFirst()
        defer { if isFirst { Self.goOrdinary() } }
        let burners = load == .processors ? try Self.burners() : []
        defer { for burner in burners { burner.end(SIGKILL) } }
        for round in 0..<rounds { try run(vigil, "\(load)-\(round)", in: folder, profile, load) }
        // Not slower than 1 in 100,000 (docs/time.md), so no scan can be early by more than a rounding.
        guard rotations.count == rounds * Self.midnightBoards else {
            throw InputError(
                file: vigil, "changed \(rotations.count) of \(rounds * Self.midnightBoards) identifiers at midnight")
        }
    }

    private mutating func run(
        _ vigil: String, _ name: String, in folder: String, _ profile: String, _ load: Load
    ) throws {
        let station = try Station(socket: "\(folder)/\(name).air")
        let midnight = UnixTime(seconds: (BoardClock.system().day + 1) * 86_400)
        // Time for all of them to start and to end their first scan; then one after the other, as they would not all be in one box.
        let begin = Station.now + 9_000_000_000
        var boards: [(process: BoardProcess, midnight: Int64?)] = []
        for number in 0..<(Self.midnightBoards + Self.scanBoards) {
            let folders = try BoardFolders("\(name)-\(number)", in: folder)
            var due: Int64?
            if number < Self.midnightBoards {
                let moment = begin + Int64(number) * 250_000_000
                try folders.setTime(midnight, before: moment)
                due = moment
            } else {
                try folders.setTime()
            }
            let process = try BoardProcess(folders.command(vigil, station, profile: due == nil ? profile : "token"))
            boards.append((process, due))
            station.serve(seconds: 0.05)
        }
        let midnights = Double(Self.midnightBoards) / 4
        station.serve(seconds: Double(begin - Station.now) / 1e9 - 0.5)
        let lab = ["/proc/self/exe", "pairing-load", "\(Self.pairingCount)"]
        let pairings = load == .pairings ? try BoardProcess(lab) : nil
        defer { pairings?.end(SIGKILL) }
        station.serve(seconds: midnights + 0.5)
        if pairings?.isOver == true {
            throw InputError(file: vigil, "was measured while the pairings were over already: the processor is too fast")
        }
        station.serve(seconds: 3)
        for board in boards {
            guard let host = station.host(of: board.process.process) else { continue }
            if let midnight = board.midnight {
                let before = host.onAir.last { $0.moment < midnight }
                let after = host.onAir.first { $0.moment >= midnight && $0.data != before?.data }
                if let after, before != nil { rotations.append(Double(after.moment - midnight) / 1e6) }
            } else {
                for (start, next) in zip(host.scans, host.scans.dropFirst()) {
                    scans.append(Double(next - start - Self.scanPeriod) / 1e6)
                }
            }
        }
        own += station.ownLateness.map { Double($0) / 1e6 }
    }

    /// Twice as many busy loops as processors. The limit ends them should this process die.
    private static func burners() throws -> [BoardProcess] {
        try (0..<(2 * sysconf(Int32(_SC_NPROCESSORS_ONLN)))).map { _ in
            try BoardProcess(["/bin/sh", "-c", "ulimit -t 300; while :; do :; done"])
        }
    }

    /// Puts this process before the others, so that it notes when things arrive and not when it gets round to it. Children do not
    /// inherit it. Needs a privilege; without it the figures are worse than the truth.
    private static func goFirst() -> Bool {
        var parameters = sched_param(sched_priority: 10)
        let resetOnFork: Int32 = 0x4000_0000
        return sched_setscheduler(0, SCHED_FIFO | resetOnFork, &parameters) == 0
    }

    /// Throws unless this process, and all that it starts, has one processor, as a small board has.
    static func requireOneProcessor() throws {
        let status = String(decoding: try Files.read("/proc/self/status", limit: 1 << 16), as: UTF8.self)
        let allowed = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
        guard let list = allowed?.dropFirst("Cpus_allowed_list:".count), !list.contains("-"), !list.contains(",") else {
            throw InputError(
                file: "/proc/self/status", "has several processors, and a small board has one: start it by `taskset -c 0`")
        }
    }

    private static func goOrdinary() {
        var parameters = sched_param(sched_priority: 0)
        _ = sched_setscheduler(0, SCHED_OTHER, &parameters)
    }
}

extension BoardFolders {
    /// Sets the time so that it will be `time` at `moment` of the boot clock.
    func setTime(_ time: UnixTime, before moment: Int64) throws {
        let now = Station.now
        try setTime(time.advanced(by: .nanoseconds(now - moment)), at: now)
    }
}
