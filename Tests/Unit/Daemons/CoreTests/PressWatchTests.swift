// SPDX-License-Identifier: Apache-2.0

import Core
import RandomValues
import Testing

@Suite struct PressWatchTests {
    /// A button and who has it in hand; milliseconds.
    private struct Hand {
        var watch: PressWatch
        var now = 0
        var events: [PressWatch.Event] = []

        init(isPressed: Bool = false) { watch = PressWatch(isPressed: isPressed, at: .zero) }

        mutating func wait(_ span: Int) {
            now += span
            watch.advance(to: .milliseconds(now))
            events += watch.takeEvents()
        }

        mutating func set(_ isPressed: Bool) {
            watch.line(isPressed: isPressed, at: .milliseconds(now))
            events += watch.takeEvents()
        }

        mutating func press(_ span: Int) {
            set(true)
            wait(span)
            set(false)
            wait(100)
        }

        mutating func take() -> [PressWatch.Event] {
            defer { events = [] }
            return events
        }
    }

    private static let countdown: [PressWatch.Event] = [5, 4, 3, 2, 1].map { .counting($0) }

    @Test func aPressIsOne() {
        var hand = Hand()
        hand.wait(2_000)
        hand.press(150)
        #expect(hand.take() == [.pressed(began: .milliseconds(2_000))])
        #expect(hand.watch.deadline == nil)
    }

    /// A hold that got another meaning is neither a press nor a reset, whenever that was and however long it lasts; the next one is what it always was.
    @Test(arguments: [600, 2_500, 9_000, 12_000]) func aClaimedHoldIsNeitherPressNorReset(_ moment: Int) {
        var hand = Hand()
        hand.wait(2_000)
        hand.set(true)
        hand.wait(moment)
        _ = hand.take()
        #expect((hand.watch.heldSince != nil) == (moment < 2_000))
        hand.watch.claim(at: .milliseconds(hand.now))
        hand.wait(0)
        #expect(hand.take() == [.claimed])
        // A second time it is no news.
        hand.watch.claim(at: .milliseconds(hand.now))
        hand.wait(30_000)
        #expect(hand.take().isEmpty && hand.watch.isPressed)
        hand.set(false)
        hand.wait(1_000)
        hand.press(150)
        #expect(hand.take().map { if case .pressed = $0 { true } else { false } } == [true])
        // What is held on for ever is stuck, and comes free.
        hand.set(true)
        hand.wait(600)
        hand.watch.claim(at: .milliseconds(hand.now))
        hand.wait(61_000)
        hand.set(false)
        hand.wait(100)
        #expect(hand.take() == [.claimed, .stuck, .free])
    }

    /// Where nothing is held, or the last step of a reset is open, there is nothing to claim.
    @Test func whatIsNotHeldCannotBeClaimed() {
        var hand = Hand()
        hand.wait(2_000)
        hand.watch.claim(at: .milliseconds(hand.now))
        hand.press(10_500)
        hand.watch.claim(at: .milliseconds(hand.now))
        hand.wait(1_000)
        hand.press(150)
        #expect(hand.take().last == .confirmed)
    }

    @Test func anyBouncingIsOnePress() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<200 { bounce(&generator) }
    }

    private func bounce(_ generator: inout SeededGenerator) {
        var hand = Hand()
        hand.wait(2_000)
        for level in [true, false] {
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                hand.set(Bool.random(using: &generator))
                hand.wait(Int.random(in: 0...29, using: &generator))
            }
            hand.set(level)
            hand.wait(Int.random(in: 60...400, using: &generator))
        }
        hand.wait(500)
        let events = hand.take()
        #expect(events.count == 1)
        guard case .pressed = events.first else {
            Issue.record("\(events)")
            return
        }
    }

    @Test func whatIsTooShortIsNothing() {
        var hand = Hand()
        hand.wait(2_000)
        for _ in 0..<100 {
            hand.set(true)
            hand.wait(29)
            hand.set(false)
            hand.wait(29)
        }
        hand.wait(1_000)
        #expect(hand.take().isEmpty)
    }

    @Test func heldDuringTheStartIsNoWish() {
        var hand = Hand(isPressed: true)
        hand.wait(20_000)
        hand.set(false)
        hand.wait(500)
        hand.press(200)
        hand.wait(3_000)
        #expect(hand.take().isEmpty)
        hand.press(200)
        #expect(hand.take().count == 1)
    }

    @Test func heldForEverIsStuckAndNeverErases() {
        for isPressed in [true, false] {
            var hand = Hand(isPressed: isPressed)
            hand.wait(2_000)
            hand.set(true)
            hand.wait(3_600_000)
            let events = hand.take()
            #expect(events.last == .stuck)
            #expect(!events.contains(.confirmed) && !events.contains(.confirmWanted))
            hand.set(false)
            hand.wait(100)
            #expect(hand.take() == [.free])
            hand.press(100)
            #expect(hand.take().count == 1)
        }
    }

    @Test func heldToTheEndLetGoAndPressedOnceMoreErases() {
        var hand = Hand()
        hand.wait(2_000)
        hand.press(10_500)
        #expect(hand.take() == Self.countdown + [.letGo, .confirmWanted])
        hand.wait(2_000)
        hand.press(200)
        #expect(hand.take() == [.confirmed])
        hand.press(200)
        #expect(hand.take().count == 1)
    }

    @Test func lettingGoCallsOff() {
        for (index, span) in [2_100, 4_000, 5_600, 7_200, 9_900].enumerated() {
            var hand = Hand()
            hand.wait(2_000)
            hand.press(span)
            #expect(hand.take() == Self.countdown.prefix(index + 1) + [.cancelled], "\(span)")
            hand.press(200)
            #expect(hand.take().count == 1)
        }
    }

    @Test func theSecondWordMustBeASecondWord() {
        func armed() -> Hand {
            var hand = Hand()
            hand.wait(2_000)
            hand.press(10_500)
            _ = hand.take()
            return hand
        }
        // The hand that trembled.
        var hand = armed()
        hand.press(100)
        hand.wait(1_000)
        #expect(hand.take() == [.cancelled])
        // Nobody.
        hand = armed()
        hand.wait(11_000)
        #expect(hand.take() == [.cancelled])
        // Held again.
        hand = armed()
        hand.wait(2_000)
        hand.press(5_000)
        #expect(hand.take() == [.cancelled])
        // Never let go after the countdown.
        hand = Hand()
        hand.wait(2_000)
        hand.press(30_000)
        #expect(hand.take() == Self.countdown + [.letGo, .cancelled])
        hand.press(100)
        #expect(hand.take().count == 1)
    }

    /// Whatever a line does, a reset has a countdown, a letting go and a confirming press behind it, and takes as long as that takes.
    @Test func noNoiseErases() {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<30 { makeNoise(&generator) }
    }

    private func makeNoise(_ generator: inout SeededGenerator) {
        var hand = Hand()
        var last: [PressWatch.Event] = []
        var lastReset = 0
        for _ in 0..<2_000 {
            if Bool.random(using: &generator) { hand.set(Bool.random(using: &generator)) }
            hand.wait([1, 20, 31, 200, 900, 2_500, 9_000].randomElement(using: &generator) ?? 1)
            if let deadline = hand.watch.deadline { #expect(deadline > .milliseconds(hand.now)) }
            for event in hand.take() {
                last.append(event)
                guard event == .confirmed else { continue }
                #expect(Array(last.suffix(8)) == Self.countdown + [.letGo, .confirmWanted, .confirmed])
                #expect(hand.now - lastReset > 10_000)
                lastReset = hand.now
            }
        }
    }
}
