// SPDX-License-Identifier: Apache-2.0

import IndicatorPlan
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
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20 {
            var show = Show()
            var scene = Scene(signals: [.onAir])
            var now = 0
            for _ in 0..<8 {
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: scene.presses += 1
                case 1: scene.button = .consentWanted
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
}
