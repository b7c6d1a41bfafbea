// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Glibc
import Synchronization

/// Calculates for suspended connections, one after the other on a thread of its own, and lets each go on when its turn is over.
///
/// Every member may be called from any thread.
final class HTTPCalculator: Sendable {
    /// What one connection waits for.
    ///
    /// Unchecked, since a calculation ends on the server's thread and only begins on another: its `finish`, which may hold anything of the handler's, is touched by
    /// the server's thread alone; `calculate` is `Sendable`; `isCalculated` orders one after the other.
    final class Entry: @unchecked Sendable {
        let calculation: HTTPCalculation
        let isCalculated = Atomic(false)
        fileprivate let connection: OpaquePointer

        init(_ calculation: HTTPCalculation, _ connection: OpaquePointer) {
            self.calculation = calculation
            self.connection = connection
        }
    }

    private struct State: ~Copyable {
        var urgent: [Entry] = []
        var others: [Entry] = []
        var isStopping = false
        /// The last one that was started, to be joined; it runs while there is something to do, because most servers never calculate.
        var thread: pthread_t?
        var isRunning = false
    }

    private let state = Mutex(State())

    /// Takes its turn, in order; the connection has to be suspended. `false` when it will not: the caller lets the connection go on itself.
    func add(_ entry: Entry) -> Bool {
        state.withLock { state in
            guard !state.isStopping else { return false }
            if !state.isRunning {
                // It has said under this lock that it ends, and does nothing after that.
                if let former = state.thread { pthread_join(former, nil) }
                state.thread = startThread()
                guard state.thread != nil else { return false }
                state.isRunning = true
            }
            if entry.calculation.isUrgent { state.urgent.append(entry) } else { state.others.append(entry) }
            return true
        }
    }

    private func startThread() -> pthread_t? {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<HTTPCalculator>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context.toOpaque())
        if status != 0 { context.release() }
        return status == 0 ? thread : nil
    }

    private func run() {
        while let (entry, isWanted) = next() {
            if isWanted {
                entry.calculation.calculate()
                entry.isCalculated.store(true, ordering: .releasing)
            }
            MHD_resume_connection(entry.connection)
        }
    }

    private func next() -> (entry: Entry, isWanted: Bool)? {
        state.withLock { state in
            let entry =
                !state.urgent.isEmpty
                ? state.urgent.removeFirst() : !state.others.isEmpty ? state.others.removeFirst() : nil
            if entry == nil { state.isRunning = false }
            return entry.map { ($0, !state.isStopping) }
        }
    }

    /// Nothing is calculated any more but what is under way; everybody who waits goes on, and nobody waits from now on. Returns when the thread is done.
    func stop() {
        let thread = state.withLock { state in
            state.isStopping = true
            return state.thread
        }
        if let thread { pthread_join(thread, nil) }
    }
}
