// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls

/// What the threads that write cards and the one thread that has the inventory tell each other.
final class FlashExchange: @unchecked Sendable {
    // Unchecked: everything below is touched under `mutex` alone.

    /// How one card stands.
    struct State {
        var phase = CardWriter.Phase.waiting
        var done: UInt64 = 0
        var total: UInt64 = 0
        var lastMove = SystemCall.monotonicTime()
        /// When the last byte of the image was written and synced.
        var writtenAt: Duration?
        /// The thread waits for a board.
        var asks = false
        var answer: Result<[Patch], CardFault>?
        var outcome: Result<Void, CardFault>?
    }

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var states: [State]

    init(count: Int) {
        states = Array(repeating: State(), count: count)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    private func locked<Value>(_ body: () -> Value) -> Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    // MARK: The threads that write

    func progress(_ index: Int, _ phase: CardWriter.Phase, _ done: UInt64, _ total: UInt64) {
        locked {
            states[index].lastMove = SystemCall.monotonicTime()
            if states[index].phase == .writing, phase == .checking { states[index].writtenAt = states[index].lastMove }
            (states[index].phase, states[index].done, states[index].total) = (phase, done, total)
        }
    }

    /// Waits for an answer.
    func ask(_ index: Int) throws(CardFault) -> [Patch] {
        let answer = locked {
            states[index].asks = true
            pthread_cond_broadcast(condition)
            while true {
                if let answer = states[index].answer { return answer }
                pthread_cond_wait(condition, mutex)
            }
        }
        return try answer.get()
    }

    func end(_ index: Int, _ outcome: Result<Void, CardFault>) {
        locked {
            // One that was given up stays given up.
            if states[index].outcome == nil { states[index].outcome = outcome }
            pthread_cond_broadcast(condition)
        }
    }

    // MARK: The thread that has the inventory

    /// All states, after `limit` at most, and at once when a card asks or has ended whose end is not in `known`.
    func wait(for limit: Duration, known: Set<Int>) -> [State] {
        let end = SystemCall.monotonicTime() + limit
        var time = timespec(
            tv_sec: Int(end.components.seconds), tv_nsec: Int(end.components.attoseconds / 1_000_000_000))
        return locked {
            while !states.indices.contains(where: { index in
                states[index].asks && states[index].answer == nil || states[index].outcome != nil && !known.contains(index)
            }) {
                if pthread_cond_timedwait(condition, mutex, &time) != 0 { break }
            }
            return states
        }
    }

    func answer(_ index: Int, _ answer: Result<[Patch], CardFault>) {
        locked {
            states[index].answer = answer
            states[index].lastMove = SystemCall.monotonicTime()
            pthread_cond_broadcast(condition)
        }
    }

    /// Ends a card that does not move; its thread may hang in the system for ever, and gets no board any more.
    func giveUp(_ index: Int, _ fault: CardFault) {
        locked {
            states[index].outcome = .failure(fault)
            if states[index].answer == nil { states[index].answer = .failure(fault) }
            pthread_cond_broadcast(condition)
        }
    }
}
