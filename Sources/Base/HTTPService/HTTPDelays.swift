// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Glibc

/// Lets suspended connections go on when their time has come, on a thread of its own.
///
/// Every member may be called from any thread. Unchecked, since conditions with a deadline have no Swift form that the compiler could judge:
/// what is shared is guarded by `mutex`, by hand.
final class HTTPDelays: @unchecked Sendable {
    private struct Entry {
        let deadline: UInt64
        let connection: OpaquePointer
    }

    // Guarded by `mutex`: `entries` and `isStopping`.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var entries: [Entry] = []
    private var isStopping = false
    private var thread: pthread_t?

    init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        changed = .allocate(capacity: 1)
        changed.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // A clock that somebody sets must not hold answers back.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        changed.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// `false` when it will not: the caller lets the connection go on itself.
    func resume(_ connection: OpaquePointer, afterMilliseconds delay: Double) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard !isStopping, hasThread() else { return false }
        entries.append(
            Entry(deadline: Self.now() + UInt64(min(max(0, delay), 86_400_000) * 1_000_000), connection: connection))
        pthread_cond_signal(changed)
        return true
    }

    /// Made when first needed: most servers never wait.
    private func hasThread() -> Bool {
        if thread != nil { return true }
        var started = pthread_t()
        let status = pthread_create(
            &started, nil,
            { context in
                if let context { Unmanaged<HTTPDelays>.fromOpaque(context).takeUnretainedValue().run() }
                return nil
            }, Unmanaged.passUnretained(self).toOpaque())
        guard status == 0 else { return false }
        thread = started
        return true
    }

    private func run() {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            let now = isStopping ? UInt64.max : Self.now()
            for entry in entries where entry.deadline <= now { MHD_resume_connection(entry.connection) }
            entries.removeAll { $0.deadline <= now }
            if isStopping { return }
            if let next = entries.lazy.map(\.deadline).min() {
                var until = timespec(tv_sec: Int(next / 1_000_000_000), tv_nsec: Int(next % 1_000_000_000))
                pthread_cond_timedwait(changed, mutex, &until)
            } else {
                pthread_cond_wait(changed, mutex)
            }
        }
    }

    /// Everybody who waits goes on at once, and nobody waits from now on.
    func stop() {
        pthread_mutex_lock(mutex)
        isStopping = true
        let running = thread
        pthread_cond_signal(changed)
        pthread_mutex_unlock(mutex)
        if let running { pthread_join(running, nil) }
    }
}
