// SPDX-License-Identifier: Apache-2.0

package import CTracer
import Glibc

/// A life of any program that ends exactly at one of its steps. It runs in a process of its own, which passes descriptors 0
/// to 3 and its environment on.
public struct TracedLife {
    /// In place of the name of a step: any call of the system, whatever it is about. Nothing outside a process changes
    /// between two of its calls, so a kill before or after each of them is one at any instruction.
    public static let anyCall = "any call"
    /// Milliseconds that what the dead process had started may take to end.
    private static let afterlife: Int32 = 3_000

    /// The name of the step at which the program is killed, or ``anyCall``; with `nil` it lives to its end.
    public var step: String?
    /// The number of the step among those of this name, counted from 1. The number of some steps depends on how fast other
    /// processes answer; their names do not.
    public var occurrence: Int
    /// Whether the program is killed after the call instead of before it.
    public var isAfter: Bool
    /// The paths of the folders whose files count, each with the word that stands for it in the names of steps.
    public var places: [(word: String, folder: String)]
    /// The words for what the program says to others.
    package var words = StepWords.sync
    /// Called at every stop of the process with this number, before it goes on or is killed; by default nothing.
    package var watch: (vigil_tracer_stop, Int32) -> Void = { _, _ in }

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
        let names = StepNames(places: places, words: self.words, process: process)
        var count = 0
        var fatal: (thread: pid_t, name: String)?
        while true {
            var stop = vigil_tracer_stop()
            let result = vigil_tracer_next(process, &stop)
            guard result == 0 else { throw TrialFailure("following \(program): \(String(cString: strerror(-result)))") }
            switch stop.kind {
            case VIGIL_TRACER_ENDED: return ["ended \(stop.status)"]
            case VIGIL_TRACER_ENTRY:
                watch(stop, process)
                let name = names.name(of: stop)
                if let name { all(name) }
                guard let step, fatal == nil, step == name || step == Self.anyCall else { break }
                count += 1
                guard count == occurrence else { break }
                let said = name ?? step
                guard isAfter else { return try end(process, "before \(said)") }
                fatal = (stop.thread, "after \(said)")
            case VIGIL_TRACER_EXIT:
                watch(stop, process)
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

    package init(_ description: String) { self.description = description }
}
