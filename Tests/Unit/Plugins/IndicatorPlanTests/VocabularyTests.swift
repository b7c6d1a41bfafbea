// SPDX-License-Identifier: Apache-2.0

import IndicatorPlan
import Testing

@Suite struct VocabularyTests {
    /// Who looks for so long knows what blinks, whenever they began. Milliseconds.
    static let enough = 12_500

    private static let blinking = Signal.allCases.filter(\.blinksUnasked)

    private func seen(_ rhythm: Rhythm, from start: Int) -> Onlooker.Seen? {
        Onlooker.look({ rhythm.isLit(at: $0) }, from: start, for: Self.enough)
    }

    @Test(arguments: blinking) func isTheSameWheneverOneLooks(signal: Signal) throws {
        let first = try #require(seen(signal.rhythm, from: 0))
        for start in stride(from: 0, to: signal.rhythm.period, by: 61) {
            #expect(seen(signal.rhythm, from: start) == first, "from \(start) ms on")
        }
        #expect(first != .dark && first != .steady)
    }

    @Test func noTwoSignalsLookAlikeWithoutColours() {
        let looks = Self.blinking.map { seen($0.rhythm, from: 0) }
        #expect(Set(looks).count == Self.blinking.count)
    }

    /// What the button does is no signal, by its rhythm alone: where it has groups they differ, where it is even its light is of another length.
    @Test func noActLooksLikeASignal() {
        for act in Act.allCases where act.rhythm.period < Act.count {
            let look = Onlooker.look({ act.rhythm.isLit(at: $0) }, from: 0, for: 5_000)
            #expect(!Self.blinking.contains { seen($0.rhythm, from: 0) == look }, "\(act)")
        }
        let counts: [Act] = [.one, .two, .three, .four, .five]
        for (index, act) in counts.enumerated() {
            #expect(act.rhythm.flashes.count == index + 1)
            #expect(act.rhythm.period == Act.count)
            #expect(act.rhythm.length < Act.count - 400)
        }
    }

    @Test func groupsEndBeforeTheNextOneBegins() {
        for rhythm in Signal.allCases.map(\.rhythm) + Act.allCases.map(\.rhythm) {
            #expect(rhythm.length <= rhythm.period)
            #expect(rhythm.flashes.allSatisfy { $0 > 0 })
            if rhythm.flashes.count > 1 { #expect(rhythm.gap >= 100) }
        }
        for signal in Self.blinking where signal != .updating {
            #expect(signal.rhythm.period - signal.rhythm.length >= 4 * signal.rhythm.gap, "\(signal)")
        }
    }

    /// A light of 2 mA: what shines day and night may take 0.02 mA, what stands for trouble that ends soon a little more.
    @Test func lightSparesTheBattery() {
        #expect(Signal.onAir.rhythm.duty <= 0.01)
        #expect(Signal.news.rhythm.duty <= 0.02)
        #expect(Signal.batteryLow.rhythm.duty <= 0.02)
        for signal in Self.blinking where signal != .updating { #expect(signal.rhythm.duty <= 0.06, "\(signal)") }
    }

    @Test func changesAreWhereTheLightChanges() {
        for rhythm in Signal.allCases.map(\.rhythm) + Act.allCases.map(\.rhythm) {
            var changes: Set<Int> = []
            var moment = 0
            while moment < 3 * rhythm.period {
                let next = rhythm.change(after: moment)
                #expect(next > moment)
                moment = next
                changes.insert(next)
            }
            for moment in 1...(3 * rhythm.period - 1) where rhythm.isLit(at: moment) != rhythm.isLit(at: moment - 1) {
                #expect(changes.contains(moment), "\(rhythm) at \(moment)")
            }
        }
    }

    @Test func everyLightShowsEveryColour() {
        let colours: [Colour] = [.red, .green, .blue, .yellow, .white]
        for board in colours.map({ Lights([$0]) }) + [Lights([.red, .green]), Lights([.red, .green, .blue])] {
            for colour in colours { #expect(board.mask(for: colour) != 0) }
        }
        let two = Lights([.red, .green])
        #expect(two.mask(for: .red) == 0b01)
        #expect(two.mask(for: .green) == 0b10)
        #expect(two.mask(for: .yellow) == 0b11)
        #expect(two.mask(for: .blue) == 0b11)
        let three = Lights([.red, .green, .blue])
        #expect(three.mask(for: .blue) == 0b100)
        #expect(three.mask(for: .yellow) == 0b011)
        #expect(three.mask(for: .white) == 0b111)
        #expect(Lights([]).mask(for: .red) == 0)
        #expect(Lights([]).all == 0 && two.all == 0b11 && three.all == 0b111)
        for count in [63, 64, 65, 200] {
            let many = Lights([Colour](repeating: .white, count: count))
            #expect(many.all == many.mask(for: .white) && many.all.nonzeroBitCount == min(count, 64))
        }
    }
}
