// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import SystemCalls

/// One thread beside the loop's, for what has to wait: jobs one after another, their results back on the loop.
final class Worker {
    typealias Outcome = Result<any Sendable, any Error>

    private struct Job: Sendable {
        let number: UInt64
        let cancellation: Cancellation
        let body: @Sendable (Cancellation) throws -> any Sendable
    }

    /// What both threads use.
    private final class Shared: Sendable {
        let jobs = Mutex<[Job]>([])
        let results = Mutex<[(number: UInt64, outcome: Outcome)]>([])
        /// Read by the worker, which waits there.
        let start: (reading: Int32, writing: Int32)
        /// Read by the loop.
        let finish: (reading: Int32, writing: Int32)

        init(start: (Int32, Int32), finish: (Int32, Int32)) {
            self.start = start
            self.finish = finish
        }

        func run() {
            // Once the loop has gone, nobody reads the byte that tells of a result.
            SystemCall.blockBrokenPipe()
            while true {
                var byte: UInt8 = 0
                let count = read(start.reading, &byte, 1)
                if count < 0, errno == EINTR { continue }
                guard count == 1 else { break }
                guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { continue }
                let outcome: Outcome
                do {
                    try job.cancellation.check()
                    outcome = .success(try job.body(job.cancellation))
                } catch {
                    outcome = .failure(error)
                }
                results.withLock { $0.append((job.number, outcome)) }
                _ = write(finish.writing, [1], 1)
            }
            close(start.reading)
            close(finish.writing)
        }
    }

    private let shared: Shared
    private var number: UInt64 = 0
    private var waiting: [UInt64: (Outcome) -> Void] = [:]
    private var cancellations: [UInt64: Cancellation] = [:]

    /// Starts the thread; `nil` when the system gives none.
    init?() {
        guard let start = Self.pipe(), let finish = Self.pipe() else { return nil }
        shared = Shared(start: start, finish: finish)
        _ = fcntl(finish.0, F_SETFL, O_NONBLOCK)
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // TLS and resolvers of C libraries want room; pages that are not used cost nothing.
        pthread_attr_setstacksize(&attributes, 1 << 20)
        var thread = pthread_t()
        let context = Unmanaged.passRetained(shared)
        let result = pthread_create(
            &thread, &attributes,
            { context in
                if let context { Unmanaged<Shared>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context.toOpaque())
        guard result == 0 else {
            context.release()
            for end in [start.0, start.1, finish.0, finish.1] { close(end) }
            return nil
        }
    }

    deinit {
        for cancellation in cancellations.values { cancellation.cancel() }
        // The thread ends when it has done its job and finds nobody at the other end.
        close(shared.start.writing)
        close(shared.finish.reading)
    }

    /// Readable when there are results.
    var descriptor: Int32 { shared.finish.reading }

    /// Jobs that wait or run, and those whose results were not handed on.
    var count: Int { waiting.count }

    func add(
        _ body: @escaping @Sendable (Cancellation) throws -> any Sendable, then: @escaping (Outcome) -> Void
    ) -> Cancellation {
        number += 1
        let cancellation = Cancellation()
        waiting[number] = then
        cancellations[number] = cancellation
        let job = Job(number: number, cancellation: cancellation, body: body)
        shared.jobs.withLock { $0.append(job) }
        _ = write(shared.start.writing, [1], 1)
        return cancellation
    }

    /// Hands on what is done.
    func collect() {
        var buffer = [UInt8](repeating: 0, count: 64)
        _ = read(descriptor, &buffer, buffer.count)
        let results = shared.results.withLock { results in
            defer { results = [] }
            return results
        }
        for (number, outcome) in results {
            cancellations[number] = nil
            waiting.removeValue(forKey: number)?(outcome)
        }
    }

    func cancelAll() { for cancellation in cancellations.values { cancellation.cancel() } }

    private static func pipe() -> (Int32, Int32)? {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
