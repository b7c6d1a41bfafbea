// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Glibc
import Synchronization

/// Calculates for suspended connections, one after the other on a thread of its own, and lets each go on when its turn is over.
///
/// Every member may be called from any thread.
final class HTTPCalculator: Sendable {
    /// What one connection waits for.
    final class Entry: @unchecked Sendable {
        // Touched on the server's thread only, but for `calculate`, which may run anywhere.
        let calculation: HTTPCalculation
        // Written before the connection goes on, read after it.
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
        var isRunning = false
    }

    private let state = Mutex(State())

    /// Takes its turn, in order; the connection has to be suspended.
    func add(_ entry: Entry) {
        let starts = state.withLock { state in
            if entry.calculation.isUrgent { state.urgent.append(entry) } else { state.others.append(entry) }
            defer { state.isRunning = true }
            return !state.isRunning
        }
        // A thread only while there is something to do: most servers never calculate. Without one it is done here and now.
        if starts, !startThread() { run() }
    }

    private func startThread() -> Bool {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread, &attributes,
            { context in
                if let context { Unmanaged<HTTPCalculator>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context.toOpaque())
        if status != 0 { context.release() }
        return status == 0
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

    /// Nothing is calculated any more but what is under way; everybody who waits goes on. Returns when the thread is done.
    func stop() {
        state.withLock { $0.isStopping = true }
        while state.withLock({ $0.isRunning }) { usleep(1_000) }
    }
}
