// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import Testing

@Suite struct `Order of service` {
    @Test func `Everything ready at once is served by rank, and within a rank in the order of joining`() {
        let stage = Stage()
        stage.loop.inEveryRound { [unowned stage] _ in stage.log.append("work") }
        stage.watch("second caller", 6, .callers)
        stage.watch("signals", 5, .control)
        stage.watch("first caller", 7, .callers)
        stage.loop.after(.zero) { [unowned stage] in stage.log.append("timer") }
        stage.watch("radio", 4, .radio)
        stage.makeReady(4, 5, 6, 7)
        stage.turn()
        #expect(stage.log == ["radio", "timer", "signals", "second caller", "first caller", "work"])
    }

    @Test func `The radio goes first when it wakes between two callers`() {
        let stage = Stage()
        stage.watch("radio", 4, .radio)
        stage.watch("a", 5, .callers) { [unowned stage] in stage.makeReady(4) }
        stage.watch("b", 6, .callers)
        stage.makeReady(5, 6)
        stage.turn()
        #expect(stage.log == ["a", "radio", "b"])
    }

    @Test func `A deadline of the radio goes first between two callers`() {
        let stage = Stage()
        var due: Duration? = stage.clock.now + .milliseconds(3)
        stage.loop.whenDue({ due }, rank: .radio) { [unowned stage] _ in
            due = nil
            stage.log.append("radio")
        }
        // Each caller takes two milliseconds.
        for (name, descriptor) in [("a", Int32(5)), ("b", 6), ("c", 7)] {
            stage.watch(name, descriptor, .callers) { [unowned stage] in stage.clock.now += .milliseconds(2) }
        }
        stage.makeReady(5, 6, 7)
        stage.turn()
        #expect(stage.log == ["a", "b", "radio", "c"])
    }

    @Test func `A part with many turns is interrupted between them, and says itself when it is called in one`() {
        let stage = Stage()
        stage.watch("radio", 4, .radio)
        var left = 0
        stage.loop.join(
            descriptors: { [.reading(5)] }, deadline: { nil }, begin: { _, _ in left = 3 },
            proceed: { [unowned stage] _ in
                stage.log.append("caller \(left)")
                left -= 1
                if left == 1 {
                    #expect(!stage.loop.isCalled(above: .callers))
                    stage.makeReady(4)
                    #expect(stage.loop.isCalled(above: .callers))
                    #expect(!stage.loop.isCalled(above: .radio))
                }
                stage.clock.ready[5] = nil
                return left > 0
            })
        stage.makeReady(5)
        stage.turn()
        #expect(stage.log == ["caller 3", "caller 2", "radio", "caller 1"])
    }

    @Test func `A radio that never rests takes every second turn, and everybody else is served`() {
        let stage = Stage()
        stage.watch("radio", 4, .radio, keepsReady: true)
        stage.watch("a", 5, .callers)
        stage.watch("signal", 6, .control)
        stage.watch("b", 7, .callers)
        stage.makeReady(4, 5, 6, 7)
        stage.turn()
        #expect(stage.log == ["radio", "signal", "radio", "a", "radio", "b"])
    }

    @Test
    func
        `With everything above never resting, a caller waits for a turn of each, and the radio has one before each of theirs`()
    {
        let stage = Stage()
        stage.watch("radio", 4, .radio, keepsReady: true)
        stage.loop.whenDue({ .zero }) { [unowned stage] _ in stage.log.append("due") }
        stage.watch("control", 5, .control, keepsReady: true)
        stage.watch("a", 6, .callers)
        stage.watch("b", 7, .callers)
        stage.makeReady(4, 5, 6, 7)
        stage.turn()
        let row = ["radio", "due", "radio", "control"]
        #expect(
            stage.log == row + ["radio", "due", "radio", "a"] + [
                "radio", "due", "radio", "control", "radio", "due", "radio", "b",
            ])
    }

    @Test func `Times that ask for the next time at once do not keep callers waiting`() {
        let stage = Stage()
        func again() {
            stage.loop.after(.zero) {
                stage.log.append("timer")
                again()
            }
        }
        again()
        stage.watch("a", 5, .callers)
        stage.watch("b", 6, .callers)
        stage.makeReady(5, 6)
        stage.turn()
        #expect(stage.log == ["timer", "a", "timer", "b"])
    }

    @Test func `What is held back is neither waited for nor served, from the middle of a round on`() {
        let stage = Stage()
        var isOn = false
        let end = stage.clock.now + .milliseconds(250)
        stage.loop.holdBack(from: .callers, until: { isOn ? end : nil }, while: { isOn && stage.clock.now < end })
        stage.watch("radio", 4, .radio) { isOn = true }
        stage.watch("control", 8, .control)
        stage.loop.whenDue({ stage.clock.now }, rank: .callers) { [unowned stage] _ in stage.log.append("due caller") }
        stage.watch("a", 5, .callers) { [unowned stage] in stage.makeReady(4) }
        stage.watch("b", 6, .callers)
        stage.loop.inEveryRound { [unowned stage] _ in stage.log.append("work") }
        stage.makeReady(5, 6, 8)
        stage.turn()
        // The first caller made the radio begin; the second one and the files wait.
        #expect(stage.log == ["control", "due caller", "a", "radio"])
        stage.log = []
        stage.loop.turn()
        #expect(stage.clock.asked.last == [4, 8])
        #expect(stage.clock.waits.last == end)
        // The hold's own deadline came; nothing but that.
        #expect(stage.log == [] && stage.clock.now == end)
        isOn = false
        stage.turn()
        #expect(stage.log == ["due caller", "b", "work"])
    }
}

@Suite struct `What follows every round` {
    @Test func `It comes as soon as it is no longer held back, and does not wait for something to happen`() {
        let stage = Stage()
        var isOn = false
        stage.loop.holdBack(from: .callers, until: { nil }, while: { isOn })
        stage.watch("begins", 4, .radio) { isOn = true }
        stage.watch("ends", 5, .radio) { isOn = false }
        stage.loop.inEveryRound { [unowned stage] _ in stage.log.append("work") }
        stage.makeReady(4)
        stage.turn()
        #expect(stage.log == ["begins"])
        // The hold ends in a round that began held back.
        stage.makeReady(5)
        stage.turn()
        #expect(stage.log == ["begins", "ends"])
        let waits = stage.clock.waits.count
        stage.loop.turn(until: stage.clock.now + .seconds(3600))
        #expect(stage.log == ["begins", "ends", "work"])
        #expect(stage.clock.waits.count == waits)
        // Not twice.
        stage.loop.turn(until: stage.clock.now + .seconds(3600))
        #expect(stage.clock.waits.count == waits + 1)
    }
}

@Suite struct `Who is served` {
    @Test func `A watch that is cancelled in the same round is not called`() {
        let stage = Stage()
        var second: EventLoop.Watch?
        var timer: EventLoop.Timer?
        stage.watch("first", 4, .control) {
            second?.cancel()
            timer?.cancel()
        }
        second = stage.watch("second", 5, .control)
        timer = stage.loop.after(.zero, rank: .work) { [unowned stage] in stage.log.append("timer") }
        stage.makeReady(4, 5)
        stage.turn(2)
        #expect(stage.log == ["first"])
    }

    @Test func `A descriptor that is closed, and whose number is another one's in the same round, is not taken for it`() {
        let stage = Stage()
        var old: EventLoop.Watch?
        stage.watch("closes", 4, .control) { [unowned stage] in
            old?.cancel()
            stage.clock.ready[5] = nil
            stage.watch("new", 5, .callers)
        }
        old = stage.watch("old", 5, .callers)
        stage.makeReady(4, 5)
        stage.turn()
        #expect(stage.log == ["closes"])
        stage.makeReady(5)
        stage.turn()
        #expect(stage.log == ["closes", "new"])
    }

    @Test func `The same part may open another descriptor under the same number, and is called when that one is ready`() {
        let stage = Stage()
        var current: Int32? = 5
        stage.watch("reopens", 4, .control) { [unowned stage] in stage.clock.ready[5] = nil }
        stage.loop.watchCurrent({ current }) { [unowned stage] _ in stage.log.append("current") }
        stage.makeReady(4, 5)
        stage.turn()
        #expect(stage.log == ["reopens"])
        current = nil
        stage.makeReady(5)
        stage.turn()
        #expect(stage.log == ["reopens"])
        current = 5
        stage.turn()
        #expect(stage.log == ["reopens", "current"])
    }

    @Test func `One descriptor watched twice is served twice, each for what it wants`() {
        let stage = Stage()
        var found: [EventLoop.Interest] = []
        stage.loop.watch(4, for: .reading, rank: .callers) { found.append($0) }
        stage.loop.watch(4, for: .writing, rank: .control) { found.append($0) }
        stage.clock.ready[4] = POLLIN | POLLOUT
        stage.turn()
        #expect(found == [.writing, .reading])
    }

    @Test func `Being hung up is readable and writable, but for who waits for nothing`() {
        let stage = Stage()
        var found: [EventLoop.Interest] = []
        let watch = stage.loop.watch(4, for: .reading) { found.append($0) }
        stage.clock.ready[4] = POLLHUP
        stage.turn()
        #expect(found == [[.reading, .writing]])
        watch.interest = []
        stage.turn()
        #expect(found.count == 1)
    }

    @Test func `What was done by somebody before is not done again`() {
        let stage = Stage()
        var due: Duration? = stage.clock.now
        stage.watch("reads both", 4, .control) { [unowned stage] in
            stage.clock.ready[5] = nil
            due = nil
        }
        stage.watch("late", 5, .callers)
        stage.loop.whenDue({ due }, rank: .callers) { [unowned stage] _ in stage.log.append("due") }
        stage.makeReady(4, 5)
        stage.turn()
        #expect(stage.log == ["reads both"])
    }

    @Test func `A part is given its own descriptors only, and none when its time has come`() {
        let stage = Stage()
        var given: [[Int32]] = []
        var due: Duration?
        stage.watch("other", 4, .control)
        stage.loop.join(descriptors: { [.reading(5), .reading(6)] }, deadline: { due }) { ready, _ in
            given.append(ready.map(\.fd))
            due = nil
        }
        stage.makeReady(4, 6)
        stage.turn()
        stage.clock.ready = [:]
        due = stage.clock.now
        stage.turn()
        #expect(given == [[6], []])
    }
}
