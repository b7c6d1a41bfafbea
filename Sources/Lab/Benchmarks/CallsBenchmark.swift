// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Cryptography
import FoundationEssentials
import Glibc
import Interfaces
import Varlink

/// Measures the time of calls to a real `vigil core` over its real sockets, at rest and while the largest key file ever
/// published is matched. Each is compared with an echo of the same number of bytes by a process that does nothing else.
public enum CallsBenchmark {
    private static let calls = 5_000
    private static let rounds = 3
    private static let metPeople = 40
    private static let keyCount = 592_715
    private static let sightingCount = 50_000
    private static let pipelined = 32
    private static let changes = 100

    /// Starts a core, measures its calls, and returns the figures; blocks. `vigil` is the path of the executable;
    /// with `nil` it is the one beside this program. The echo is `vigil-lab`, which must be beside this program.
    /// Throws when the core cannot be started or does not answer, and when a file cannot be written.
    public static func run(vigil: String? = nil) throws -> BenchmarkResult {
        let scratch = try ScratchFolders("calls")
        let workload = Workload(keys: keyCount, sightings: sightingCount, firstDay: Workload.firstDayUntilNow)
        let origin = try LiveCore.Origin(workload, in: scratch.path)
        let core = try LiveCore(try vigil ?? ChildProcess.siblingPath("vigil"), "core", in: scratch.path, from: origin)
        try Files.write(try workload.file(of: metPeople, signedBy: origin.signer), to: core.consoleSpool + "/met.zip")
        let console = try core.connect("ctl")
        try console.call(LiveCore.Call.provide, LiveCore.Call.files(["met.zip"]))

        var figures: [Figure] = []
        // Good until its last byte is read, so it can be given again and again.
        try Files.write(try workload.file(signedBy: .generate()), to: core.spool + "/large.zip")
        let methods: [any InterfaceMethod] = [
            Exposure1.Method.getStatus, Device1.Method.getRadio, Exposure1.Method.getExposureWindows,
        ]
        for method in methods {
            let name = method.rawValue
            let call = CallSocket.message(method.path)
            try console.send(call)
            let reply = try console.receive()
            let echo = try Echo(in: core.folders.run + "/echo-\(name)", replyByteCount: reply.count + 1)
            var (atRest, floor) = ([Double](), [Double]())
            for _ in 0..<rounds {
                floor += try times(calls / rounds, echo.socket, call)
                atRest += try times(calls / rounds, console, call)
            }
            let busy = try whileMatching(core, console, call)
            figures.append(Figure("\(name), bytes of the reply", Double(reply.count + 1), "bytes"))
            for (state, values) in [("an echo of as many bytes", floor), ("at rest", atRest), ("while matching", busy)] {
                figures.append(Figure("\(name), \(state), median", Statistics.median(values), "us"))
                figures.append(Figure("\(name), \(state), p99", Statistics.percentile(values, 0.99), "us"))
            }
            figures.append(
                Figure("\(name) / echo, medians", Statistics.median(atRest) / Statistics.median(floor), "ratio"))
        }
        figures += try rates(core, console)
        return BenchmarkResult("calls", figures)
    }

    /// Microseconds of each of so many calls.
    private static func times(_ count: Int, _ socket: CallSocket, _ call: [UInt8]) throws -> [Double] {
        try (0..<count).map { _ in
            let start = now()
            try socket.send(call)
            _ = try socket.receive()
            return Double(now() - start) / 1e3
        }
    }

    /// The same while a file is being matched, from the first call until the file is refused for its signature.
    private static func whileMatching(_ core: LiveCore, _ console: CallSocket, _ call: [UInt8]) throws -> [Double] {
        var values: [Double] = []
        for _ in 0..<2 {
            let sync = try core.connect("sync")
            try sync.send(CallSocket.message(LiveCore.Call.provide, LiveCore.Call.files(["large.zip"])))
            var answer: [UInt8]?
            while answer == nil {
                values += try times(10, console, call)
                answer = sync.receiveWaiting()
            }
            guard let answer, String(decoding: answer, as: UTF8.self).contains("signatureMismatch") else {
                throw InputError(file: "large.zip", "was not refused for its signature")
            }
        }
        return values
    }

    private static func rates(_ core: LiveCore, _ console: CallSocket) throws -> [Figure] {
        let batch = Array(repeatElement(CallSocket.message(LiveCore.Call.status), count: pipelined).joined())
        var start = now()
        var count = 0
        while now() - start < 2_000_000_000 {
            try console.send(batch)
            for _ in 0..<pipelined { _ = try console.receive() }
            count += pipelined
        }
        let perSecond = Double(count) / (Double(now() - start) / 1e9)

        let watcher = try core.connect("ctl")
        try watcher.send(CallSocket.message(LiveCore.Call.watch, "{}", #""more":true"#))
        _ = try watcher.receive()
        start = now()
        for number in 0..<changes {
            let (method, event) = number.isMultiple(of: 2) ? LiveCore.Call.disable : LiveCore.Call.enable
            try console.call(method, "{}")
            while !String(decoding: try watcher.receive(), as: UTF8.self).contains("\"\(event)\"") {}
        }
        let change = Double(now() - start) / 1e9 / Double(changes)

        start = now()
        var (replies, entries) = (0, 0)
        while now() - start < 1_000_000_000 {
            try console.send(CallSocket.message(LiveCore.Call.audit, "{}", #""more":true"#))
            while true {
                let page = String(decoding: try console.receive(), as: UTF8.self)
                replies += 1
                entries += page.split(separator: #""sequence""#, omittingEmptySubsequences: false).count - 1
                guard page.contains(#""continues":true"#) else { break }
            }
        }
        let streamed = Double(now() - start) / 1e9
        return [
            Figure("GetStatus, \(pipelined) at a time", perSecond, "1/s"),
            Figure("a change, until its caller and a watcher know", change * 1e3, "ms"),
            Figure("GetAudit with more, entries a second", Double(entries) / streamed, "1/s"),
            Figure("GetAudit with more, calls a second", Double(replies) / streamed, "1/s"),
        ]
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// ``EchoFloor`` as a process of its own.
    private struct Echo {
        let socket: CallSocket
        private let process: BoardProcess

        init(in path: String, replyByteCount: Int) throws {
            process = try BoardProcess([ChildProcess.siblingPath("vigil-lab"), "echo-floor", path, "\(replyByteCount)"])
            socket = try CallSocket(path)
        }
    }
}

/// A folder for a benchmark of processes, and one in memory for what belongs there; both go with it.
final class ScratchFolders {
    let path: String

    init(_ name: String) throws {
        path = FileManager.default.temporaryDirectory.path + "/vigil-\(name)-\(getpid())"
        guard mkdir(path, 0o700) == 0 else { throw InputError(file: path, "cannot be created") }
        _ = mkdir(BoardFolders.memoryFolder(for: path), 0o700)
    }

    deinit {
        for folder in [path, BoardFolders.memoryFolder(for: path)] { try? FileManager.default.removeItem(atPath: folder) }
    }
}
