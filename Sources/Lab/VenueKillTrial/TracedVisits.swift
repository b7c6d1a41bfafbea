// SPDX-License-Identifier: Apache-2.0

import Interfaces
public import SyncKillTrial
import VirtualAir

/// One life of the plugin that ends exactly at one of its steps, and the disk that it leaves behind. It runs in a process of its own, which passes
/// descriptors 0 to 3 and its environment on.
public struct TracedVisits {
    private let places: KillPlaces
    /// The step at which the power fails; with `nil` the plugin lives to its end.
    public var death: KillTrial.Death?
    /// Of what the disk keeps of what was not synced.
    public var seed: UInt64 = 1
    /// Whether the disk keeps nothing at all.
    public var isDeaf = false
    /// Whether the names of all steps are reported, and the number of calls.
    public var isListed = false

    /// Creates a life in these places, which belong to a ``VenueTrial``.
    public init(_ places: KillPlaces) { self.places = places }

    private static let words = StepWords(
        peers: [
            (Diagnosis1.name, "Diagnosis"), (Exposure1.name, "the core"), (Device1.name, "the core"),
            (Indicator1.name, "the core"), (Door1.name, "the core"),
        ],
        topics: [
            Exposure1.Method.getStatus.rawValue, Device1.Method.getTime.rawValue, Indicator1.Method.sayNews.rawValue,
            Diagnosis1.Method.getPublished.rawValue, Door1.Method.takeCode.rawValue, Door1.Method.noteVisit.rawValue,
        ],
        kinds: [
            ("config", "configuration"), ("/hour|", "index"), ("traceKeys", "trace keys"), ("risky-venues", "venues"),
            ("circuit-breaker", "question"),
        ])

    /// Starts the program, follows it to its end, and leaves the disk as the power did. Returns what is to be reported, line by line: as
    /// ``TracedLife/play(_:_:all:)``, and with ``isListed`` before it `did NAME` for each step and `calls N`. Blocks until then. Throws
    /// ``TrialFailure`` if the program cannot be followed or the disk cannot be written.
    public func play(_ program: String, _ arguments: [String]) throws(TrialFailure) -> [String] {
        let disk = CutDisk(folder: places.state, isDeaf: isDeaf)
        var life = TracedLife(
            step: death?.step, occurrence: death?.occurrence ?? 1, isAfter: death?.isAfter ?? false,
            places: [("state", places.state), ("spool", places.spool)])
        life.words = Self.words
        var calls = 0
        life.watch = { stop, process in
            if stop.isEntry { calls += 1 }
            disk.see(stop, process)
        }
        var lines: [String] = []
        let isListed = isListed
        let ending = try life.play(program, arguments) { if isListed { lines.append("did \($0)") } }
        if isListed { lines.append("calls \(calls)") }
        if ending.contains(where: { $0.hasPrefix("step ") }) {
            var random = SplitMix64(seed: seed)
            try disk.cut(using: &random)
        }
        return lines + ending
    }
}
