// SPDX-License-Identifier: Apache-2.0

import CTracer
import Glibc

/// A life of any program that ends at one of its steps, exactly. Runs in a process of its own, which hands descriptors 0 to 3 and its
/// environment on.
public struct TracedLife {
    /// Milliseconds that what the dead process had started may take to end.
    private static let afterlife: Int32 = 3_000

    /// The name of the step that it does not survive; it lives to its end if `nil`.
    public var step: String?
    /// The number of the step among those of this name, from 1. How often some steps come depends on how soon others
    /// answer; names do not.
    public var occurrence: Int
    /// Whether it is killed when the call is done, not before it is made.
    public var isAfter: Bool
    /// The paths of the folders whose files count, each with the word by which steps name it.
    public var places: [(word: String, folder: String)]

    /// Made by the command `traced-life`. Nothing is checked and nothing is started before ``play(_:_:all:)``. See the
    /// properties for units and `nil`.
    public init(step: String?, occurrence: Int, isAfter: Bool, places: [(word: String, folder: String)]) {
        self.step = step
        self.occurrence = occurrence
        self.isAfter = isAfter
        self.places = places
    }

    /// Starts the program, follows it to its end, and blocks meanwhile. Gives what is to be told about it, line by line: `step before NAME` or
    /// `step after NAME` where it was killed, and then `alive` if a process of it lives on; otherwise `ended STATUS`, with the status as wait(2)
    /// has it. `all` hears every step's name. Throws ``TrialFailure`` when it cannot be followed or killed.
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

/// The reason why a trial cannot go on: something beside what it is to prove went wrong.
public struct TrialFailure: Error, CustomStringConvertible {
    /// The fault, in words for people.
    public let description: String

    init(_ description: String) { self.description = description }
}
