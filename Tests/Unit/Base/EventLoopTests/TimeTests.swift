// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import Testing

@testable import EventLoop

@Suite struct `Times` {
    @Test func `The wait ends at the earliest deadline of all`() {
        let stage = Stage()
        let start = stage.clock.now
        stage.loop.after(.seconds(5)) {}
        stage.loop.whenDue({ start + .seconds(3) }, rank: .work) { _ in }
        stage.loop.inEveryRound(orAt: { start + .seconds(4) }) { _ in }
        #expect(stage.loop.deadline == start + .seconds(3))
        stage.loop.turn()
        stage.loop.turn(until: start + .seconds(1))
        #expect(stage.clock.waits == [start + .seconds(3)])
        #expect(stage.clock.now == start + .seconds(3))
    }

    @Test func `What was missed comes once, and the rhythm goes on from then`() {
        let stage = Stage()
        let start = stage.clock.now
        stage.loop.every(.seconds(10)) { [unowned stage] in stage.log.append("tick") }
        stage.clock.now = start + .seconds(47)
        stage.turn(3)
        #expect(stage.log == ["tick"])
        #expect(stage.loop.deadline == start + .seconds(57))
    }

    @Test func `What goes before long waits comes before long waits only, and not too often`() {
        let stage = Stage()
        let start = stage.clock.now
        var due: [Duration] = [1, 4, 4.5, 5.4, 6.4, 9.3, 11, 60].map { start + .seconds($0) }
        stage.loop.whenDue({ due.first }) { [unowned stage] in
            stage.log.append("\($0 - start)")
            due.removeFirst()
        }
        stage.loop.beforeLongWaits { [unowned stage] in stage.log.append("before") }
        while !due.isEmpty { stage.loop.turn() }
        // At 4 and 4.5 the next deadline is too near; at 5.4 it is a second away; at 9.3 four seconds have not passed.
        #expect(
            stage.log == [
                "1.0 seconds", "4.0 seconds", "4.5 seconds", "5.4 seconds", "before", "6.4 seconds", "9.3 seconds",
                "11.0 seconds",
                "before", "60.0 seconds",
            ])
        stage.makeReady(7)
        stage.watch("read", 7, .control)
        stage.loop.turn()
        #expect(stage.log.suffix(2) == ["before", "read"], "a wait without an end is a long one")
    }

    @Test func `A deadline is rounded up to the millisecond`() {
        #expect(SystemLoopClock.milliseconds(.zero) == 0)
        #expect(SystemLoopClock.milliseconds(.seconds(-3)) == 0)
        #expect(SystemLoopClock.milliseconds(.nanoseconds(1)) == 1)
        #expect(SystemLoopClock.milliseconds(.milliseconds(1)) == 1)
        #expect(SystemLoopClock.milliseconds(.nanoseconds(1_000_001)) == 2)
        #expect(SystemLoopClock.milliseconds(.seconds(60)) == 60_000)
        #expect(SystemLoopClock.milliseconds(.seconds(10_000_000_000)) == 1_000_000_000)
    }

    @Test func `A wait of the system's clock is not over before its deadline`() {
        let clock = SystemLoopClock()
        for _ in 0..<20 {
            let deadline = clock.now + .microseconds(1_300)
            var none: [pollfd] = []
            clock.wait(for: &none, until: deadline)
            #expect(clock.now >= deadline)
        }
    }

    @Test func `The clock is the one that counts the board's sleep`() {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        let boot = Duration.seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        let difference = SystemLoopClock().now - boot
        #expect(difference >= .zero && difference < .seconds(60))
    }

    @Test func `A signal ends a wait with nothing ready, and the loop goes on`() throws {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        sigaction(SIGUSR2, &action, nil)
        // Threads of the test runner take no signals.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGUSR2)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        defer { pthread_sigmask(SIG_BLOCK, &signals, nil) }
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let clock = SystemLoopClock()
        let loop = EventLoop(clock: clock)
        var served = 0
        loop.watch(ends[0], for: .reading) { _ in served += 1 }
        // Interrupts until the wait has ended, however late it began.
        let isOver = Shared()
        let target = pthread_self()
        let thread = Interrupter(target, isOver)
        let began = clock.now
        loop.turn(until: began + .seconds(60))
        isOver.value.store(true, ordering: .relaxed)
        thread.join()
        #expect(served == 0 && clock.now < began + .seconds(60))
        _ = write(ends[1], [1], 1)
        // Interrupted or not, in one of the next rounds it is served.
        while served == 0 { loop.turn(until: clock.now + .seconds(1)) }
        #expect(served == 1)
    }

    @Test func `When a round began to wait, and when it should have gone on, is known`() throws {
        let stage = Stage()
        let start = stage.clock.now
        stage.loop.after(.seconds(2)) {}
        stage.loop.turn()
        #expect(try #require(stage.loop.lastWait) == (start, start + .seconds(2)))
        // The machine stood still while the loop waited for two seconds.
        stage.loop.after(.seconds(2)) {}
        stage.clock.onWait = { [unowned stage] in stage.clock.now += .seconds(30) }
        stage.loop.turn()
        #expect(try #require(stage.loop.lastWait) == (start + .seconds(2), start + .seconds(4)))
    }
}

private final class Shared: Sendable { let value = Atomic(false) }

/// Sends a signal to a thread again and again.
private final class Interrupter {
    private struct Work {
        let target: pthread_t
        let isOver: Shared
    }

    private var thread = pthread_t()

    init(_ target: pthread_t, _ isOver: Shared) {
        let work = Unmanaged.passRetained(Box(Work(target: target, isOver: isOver)))
        pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                let work = Unmanaged<Box<Work>>.fromOpaque(pointer).takeRetainedValue().value
                while !work.isOver.value.load(ordering: .relaxed) {
                    pthread_kill(work.target, SIGUSR2)
                    // Several fall into each wait of ten milliseconds and more, and the waiter runs in between.
                    usleep(2_000)
                }
                return nil
            }, work.toOpaque())
    }

    func join() { pthread_join(thread, nil) }
}

private final class Box<Value> {
    let value: Value
    init(_ value: Value) { self.value = value }
}
