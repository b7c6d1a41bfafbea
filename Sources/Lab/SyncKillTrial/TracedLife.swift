// SPDX-License-Identifier: Apache-2.0

import CTracer
import Glibc

/// A life of any program that ends exactly at one of its steps. It runs in a process of its own, which passes descriptors 0
/// to 3 and its environment on.
public struct TracedLife {
    /// Milliseconds that what the dead process had started may take to end.
    private static let afterlife: Int32 = 3_000

    /// The name of the step at which the program is killed; with `nil` it lives to its end.
    public var step: String?
    /// The number of the step among those of this name, counted from 1. The number of some steps depends on how fast other
    /// processes answer; their names do not.
    public var occurrence: Int
    /// Whether the program is killed after the call instead of before it.
    public var isAfter: Bool
    /// The paths of the folders whose files count, each with the word that stands for it in the names of steps.
    public var places: [(word: String, folder: String)]

    /// Creates a life of these parts. Nothing is checked, and nothing is started before ``play(_:_:all:)``.
    public init(step: String?, occurrence: Int, isAfter: Bool, places: [(word: String, folder: String)]) {
        self.step = step
        self.occurrence = occurrence
        self.isAfter = isAfter
        self.places = places
    }

    /// Starts the program, traces it to its end, and returns what is to be reported, line by line: `step before
    /// NAME` or `step after NAME` where it was killed, followed by `alive` if a process that it started still lives
    /// three seconds later; otherwise `ended STATUS`, with the status of wait(2). Blocks until then. `all` is
    /// called with every step's name. Throws ``TrialFailure`` when the program cannot be traced or killed.
    public func play(
        _ program: String, _ arguments: [String], all: (String) -> Void = { _ in }
    ) throws(TrialFailure) -> [String] {
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let process = vigil_tracer_start(program, &words)
        guard process > 0 else {
            throw TrialFailure("\(program) cannot be followed: \(String(cString: strerror(-process)))")
        }
        let names = StepNames(places: places, process: process)
        var count = 0
        var fatal: (thread: pid_t, name: String)?
        while true {
            var stop = vigil_tracer_stop()
            let result = vigil_tracer_next(process, &stop)
            guard result == 0 else { throw TrialFailure("following \(program): \(String(cString: strerror(-result)))") }
            switch stop.kind {
            case VIGIL_TRACER_ENDED: return ["ended \(stop.status)"]
            case VIGIL_TRACER_ENTRY:
                if let name = names.name(of: stop) {
                    all(name)
                    if name == step { count += 1 }
                    if name == step, count == occurrence {
                        guard isAfter else { return try end(process, "before \(name)") }
                        fatal = (stop.thread, "after \(name)")
                    }
                }
            case VIGIL_TRACER_EXIT:
                if let fatal, fatal.thread == stop.thread { return try end(process, fatal.name) }
            default: break
            }
            vigil_tracer_resume(stop.thread)
        }
    }

    private func end(_ process: pid_t, _ name: String) throws(TrialFailure) -> [String] {
        let left = vigil_tracer_kill(process, Self.afterlife)
        guard left >= 0 else { throw TrialFailure("it cannot be killed: \(String(cString: strerror(-left)))") }
        return ["step \(name)"] + (left > 0 ? ["alive"] : [])
    }
}

/// The reason why a trial cannot go on: something failed that it does not test.
public struct TrialFailure: Error, CustomStringConvertible {
    /// The failure in words.
    public let description: String

    init(_ description: String) { self.description = description }
}
