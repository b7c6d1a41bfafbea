// SPDX-License-Identifier: Apache-2.0

import IndicatorPlan
import RandomValues
import Testing

@Suite struct ShowTests {
    private static func subsets() -> [Set<Signal>] {
        (0..<(1 << Signal.allCases.count)).map { bits in
            Set(Signal.allCases.enumerated().filter { bits & 1 << $0.offset != 0 }.map(\.element))
        }
    }

    @Test func neverAllIsWellAndTroubleTogether() {
        for signals in Self.subsets() {
            let told = Scene(signals: signals).told
            #expect(!told.isEmpty)
            if told.contains(.onAir) { #expect(!told.contains(where: \.isTrouble) && !told.contains(.off)) }
            #expect(told == told.sorted())
            // Nothing is kept from who asks.
            for signal in signals where signal != .onAir { #expect(told.contains(signal)) }
        }
    }

    @Test func theFirstInOrderIsShown() {
        #expect(Scene(signals: [.onAir]).shown == .onAir)
        #expect(Scene(signals: [.onAir, .news]).shown == .news)
        #expect(Scene(signals: [.onAir, .news, .batteryLow]).shown == .batteryLow)
        #expect(Scene(signals: [.news, .batteryLow, .timeUntrusted]).shown == .timeUntrusted)
        #expect(Scene(signals: [.timeUntrusted, .problem]).shown == .problem)
        #expect(Scene(signals: Set(Signal.allCases)).shown == .updating)
        #expect(Scene(signals: [.off]).shown == nil)
        #expect(Scene(signals: [.off, .news]).shown == .news)
        #expect(Scene().shown == .problem)
    }

    /// Light and sound of every millisecond.
    private func film(_ show: Show, from start: Int = 0, to end: Int) -> [Show.Look] {
        (start..<end).map { show.look(at: $0) }
    }

    /// Where light begins and how long it is.
    private func flashes(_ film: [Show.Look]) -> [Int] {
        var result: [Int] = []
        var length = 0
        for look in film + [.dark] {
            if look.colour != nil {
                length += 1
            } else if length > 0 {
                result.append(length)
                length = 0
            }
        }
        return result
    }

    @Test func blinksWhatHolds() {
        var show = Show()
        show.see(Scene(signals: [.onAir]), at: 0)
        let film = film(show, to: 20_000)
        #expect(flashes(film) == [40, 40, 40])
        #expect(film.allSatisfy { !$0.sounds })
        #expect(film.allSatisfy { $0.colour == nil || $0.colour == .green })
    }

    @Test func aPressTellsEverythingInOrderTwiceThenGoesOn() {
        var show = Show()
        show.see(Scene(signals: [.timeUntrusted, .news]), at: 0)
        show.see(Scene(signals: [.timeUntrusted, .news], presses: 1), at: 10_000)
        let told = film(show, from: 10_000, to: 17_500)
        #expect(flashes(told) == [240, 40, 240, 40, 40, 40, 40, 40])
        #expect(told.allSatisfy { $0.sounds == ($0.colour != nil) })
        let rest = film(show, from: 20_000, to: 40_000)
        #expect(rest.allSatisfy { !$0.sounds })
        #expect(flashes(rest).count >= 6)
    }

    @Test func switchedOffIsDarkAndSaysSoWhenAsked() {
        var show = Show()
        show.see(Scene(signals: [.off]), at: 0)
        #expect(flashes(film(show, to: 20_000)).isEmpty)
        #expect(show.change(after: 0) == nil)
        show.see(Scene(signals: [.off], presses: 1), at: 20_000)
        #expect(flashes(film(show, from: 20_000, to: 30_000)) == [240, 240, 240, 240])
        #expect(flashes(film(show, from: 30_000, to: 50_000)).isEmpty)
    }

    @Test func newsAreSaidOnceAndNotAgainAfterARestart() {
        var show = Show()
        show.see(Scene(signals: [.onAir, .news]), at: 0)
        #expect(film(show, to: 10_000).allSatisfy { !$0.sounds })
        var other = Show()
        other.see(Scene(signals: [.onAir]), at: 0)
        other.see(Scene(signals: [.onAir, .news]), at: 5_000)
        #expect(film(other, from: 5_000, to: 8_000).contains { $0.sounds })
        other.see(Scene(signals: [.onAir, .news]), at: 9_000)
        #expect(film(other, from: 9_000, to: 30_000).allSatisfy { !$0.sounds })
    }

    @Test func aCountdownCountsAndLettingGoEndsIt() {
        var show = Show()
        var scene = Scene(signals: [.onAir])
        show.see(scene, at: 0)
        var counted: [Int] = []
        for (index, left) in (1...5).reversed().enumerated() {
            scene.button = .countdown(left)
            let start = 10_000 + index * Act.count
            show.see(scene, at: start)
            counted.append(flashes(film(show, from: start, to: start + Act.count)).count)
        }
        #expect(counted == [5, 4, 3, 2, 1])
        scene.button = .idle
        scene.cancelled = 1
        show.see(scene, at: 20_000)
        #expect(flashes(film(show, from: 20_000, to: 21_500)) == [400, 80])
        #expect(flashes(film(show, from: 21_500, to: 40_000)).allSatisfy { $0 == 40 })
    }

    @Test func changesAreWhereAnythingChanges() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20 {
            var show = Show()
            var scene = Scene(signals: [.onAir])
            var now = 0
            for _ in 0..<8 {
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: scene.presses += 1
                case 1: scene.button = Bool.random(using: &generator) ? .consentWanted : .collecting
                case 2: scene.button = .countdown(Int.random(in: 1...5, using: &generator))
                case 3:
                    scene.button = .idle
                    scene.done += 1
                case 4: scene.signals = Self.subsets().randomElement(using: &generator) ?? []
                default:
                    scene.button = .idle
                    scene.cancelled += 1
                }
                show.see(scene, at: now)
                let end = now + Int.random(in: 1..<9_000, using: &generator)
                var due = show.change(after: now)
                for moment in (now + 1)..<max(end, now + 2) {
                    let isDue = due == moment
                    if show.look(at: moment) != show.look(at: moment - 1) { #expect(isDue, "\(scene) at \(moment)") }
                    if isDue { due = show.change(after: moment) }
                    if let due { #expect(due > moment) }
                }
                now = end
            }
        }
    }

    /// What is heard, as lengths of sound and silence in between; equal lengths are equal to the ear.
    private func heard(_ film: [Show.Look]) -> [Int] { lengths(film.map(\.sounds)) }

    private func lengths(_ film: [Bool]) -> [Int] {
        var result: [Int] = []
        var length = 0
        var isSounding = false
        for sounds in film {
            if sounds != isSounding {
                if isSounding || !result.isEmpty { result.append(length) }
                (isSounding, length) = (sounds, 0)
            }
            length += 1
        }
        if isSounding { result.append(length) }
        return result
    }

    /// Every state that the light tells has a sound of its own: when it begins, unasked, and when somebody asks. No two are alike, nor like what the
    /// button does.
    @Test func everyStateHasASoundOfItsOwn() {
        var unasked: [[Int]: Signal] = [:]
        var asked: [[Int]: Signal] = [:]
        for signal in Signal.allCases {
            // From a state that is not it and is replaced by it.
            var show = Show()
            let before: Set<Signal> = signal == .onAir ? [.batteryLow] : [.onAir]
            let after: Set<Signal> = signal == .news ? [.onAir, .news] : [signal]
            show.see(Scene(signals: before), at: 0)
            show.see(Scene(signals: after), at: 20_000)
            let film = film(show, from: 20_000, to: 30_000)
            // Wherever there is sound there is light, so that both say the same.
            #expect(film.allSatisfy { !$0.sounds || $0.colour != nil })
            let sound = heard(film)
            #expect(!sound.isEmpty, "\(signal) is not announced")
            // News are told before the flash that all is well again.
            #expect(unasked.updateValue(signal, forKey: sound) == nil, "\(signal)")
            show.see(Scene(signals: after, presses: 1), at: 60_000)
            let answer = heard(self.film(show, from: 60_000, to: 75_000))
            #expect(!answer.isEmpty)
            #expect(asked.updateValue(signal, forKey: answer) == nil, "\(signal)")
        }
        #expect(unasked.count == Signal.allCases.count && asked.count == Signal.allCases.count)
        for act in Act.allCases {
            let rhythm = act.rhythm
            let once = lengths((0..<rhythm.length).map { rhythm.isLit(at: $0) })
            if once.count > 1 || rhythm.flashes.first.map({ $0 > 240 }) == true { #expect(unasked[once] == nil, "\(act)") }
        }
    }

    /// Each set of states: what has begun is heard, what went on is not; and nothing is heard of what is kept from sight.
    @Test func whatBeginsIsHeardWhatGoesOnIsNot() {
        for first in Self.subsets() {
            for second in Self.subsets() {
                var show = Show()
                show.see(Scene(signals: first), at: 0)
                show.see(Scene(signals: second), at: 20_000)
                let begun = Scene(signals: second).told.filter { !Scene(signals: first).told.contains($0) }
                // Every sound is twice as long as a step, at least.
                let isHeard = stride(from: 20_000, to: 24_000, by: 20).contains { show.look(at: $0).sounds }
                #expect(isHeard == !begun.isEmpty, "\(first) to \(second)")
            }
        }
    }

    /// A radio that comes and goes does not beep all night; news are said each time.
    @Test func whatComesAndGoesIsSaidOnceAnHour() {
        for (signal, expected) in [(Signal.problem, 2), (.news, 10)] {
            var show = Show()
            show.see(Scene(signals: [.onAir]), at: 0)
            var count = 0
            for round in 1...10 {
                let start = round * 720_000
                show.see(Scene(signals: signal == .news ? [.onAir, .news] : [signal]), at: start)
                if !heard(film(show, from: start, to: start + 4_000)).isEmpty { count += 1 }
                show.see(Scene(signals: [.onAir]), at: start + 360_000)
            }
            #expect(count == expected, "\(signal)")
        }
    }
}
