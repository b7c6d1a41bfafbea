// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing

@testable import DoorBroadcast

extension DoorCollector {
    /// All at one moment.
    fileprivate mutating func hear(_ fragment: DoorFragment, from sender: UInt64, strength: Int) -> DoorCode? {
        hear(fragment, from: sender, strength: strength, at: .zero)
    }
}

@Suite struct DoorCollectorTests {
    private var generator = SeededGenerator(seed: 11)

    private mutating func code(_ length: Int = 120, power: Int8 = 4) throws -> DoorCode {
        try DoorCodeTests.code(length, &generator, power: power)
    }

    @Test mutating func aPlaceIsCompleteWithAsManyFragmentsAsItsCodeHasPieces() throws {
        let code = try code()
        var collector = DoorCollector()
        let first = UInt8(200)
        for number in 0..<code.pieceCount {
            #expect(collector.hearsAPlace == (number >= 3))
            // Every fragment twice, as on air: the second adds nothing.
            let fragment = code.fragment(first &+ UInt8(number))
            let got = collector.hear(fragment, from: 1, strength: -40)
            #expect((got == code) == (number == code.pieceCount - 1))
            let again = collector.hear(fragment, from: 1, strength: -40)
            #expect((again == code) == (number == code.pieceCount - 1))
        }
    }

    /// Two places at once, and a third sender that forwards fragments of both under one address.
    @Test mutating func fragmentsOfTwoPlacesNeverMix() throws {
        let (one, two) = (try code(120), try code(120))
        var collector = DoorCollector()
        var got: [DoorCode] = []
        for index in 0..<one.pieceCount - 1 {
            for (code, sender) in [(one, 1), (two, 2), (one, 3), (two, 3)] {
                got += [collector.hear(code.fragment(UInt8(index)), from: UInt64(sender), strength: -40)].compactMap(\.self)
            }
        }
        #expect(got.isEmpty)
        // What one sender lacks another does not complete.
        let missing = one.fragment(250)
        #expect(collector.hear(missing, from: 2, strength: -40) == nil)
        #expect(collector.hear(missing, from: 1, strength: -40) == one)
        #expect(collector.hear(two.fragment(250), from: 3, strength: -40) == two)
    }

    /// Forged fragments under the tag and address of a place: never a wrong code, and the right one when they end.
    @Test mutating func forgedFragmentsGiveNoCode() throws {
        let code = try code()
        var collector = DoorCollector()
        for round in 0..<50 {
            for index in 0..<code.pieceCount {
                var fragment = code.fragment(UInt8(index))
                if index == round % code.pieceCount {
                    fragment = DoorFragment(
                        tag: fragment.tag, pieceCount: fragment.pieceCount, index: fragment.index, bytes: generator.bytes(7)
                    )
                }
                #expect(collector.hear(fragment, from: 1, strength: -40) == nil)
            }
        }
        var got: DoorCode?
        for index in 0..<2 * code.pieceCount {
            got = got ?? collector.hear(code.fragment(UInt8(index)), from: 1, strength: -40)
        }
        #expect(got == code)
    }

    /// A flood of bogus tags costs a bounded memory; a place that is nearer than the flood is completed all the same.
    @Test mutating func aFloodOfBogusTagsIsBounded() throws {
        let code = try code()
        var collector = DoorCollector()
        var got: DoorCode?
        for index in 0..<code.pieceCount {
            for _ in 0..<500 {
                let bogus = DoorFragment(
                    tag: UInt32.random(in: 0...UInt32.max, using: &generator),
                    pieceCount: Int.random(in: DoorCode.pieceCounts, using: &generator),
                    index: UInt8.random(in: 0...255, using: &generator), bytes: generator.bytes(7))
                let heard = collector.hear(bogus, from: generator.next() & 7, strength: -50)
                #expect(heard == nil)
                #expect(collector.sourceCount <= DoorCollector.maximumSources)
            }
            got = collector.hear(code.fragment(UInt8(index)), from: 99, strength: -42)
        }
        #expect(got == code)
    }

    /// The place is near by the power that it states: the same strength is near for one and far for another.
    @Test mutating func theGateIsAnAttenuation() throws {
        for (power, strength, isNear) in [(4, -45, true), (4, -47, false), (-20, -69, true), (-20, -71, false)] {
            let code = try code(20, power: Int8(power))
            var collector = DoorCollector()
            var got: DoorCode?
            for index in 0..<40 { got = collector.hear(code.fragment(UInt8(index)), from: 1, strength: strength) }
            #expect((got != nil) == isNear, "\(power) dBm heard with \(strength) dBm")
        }
        // Complete from afar, and near a second later.
        let code = try code(20)
        var collector = DoorCollector()
        for index in 0..<40 { #expect(collector.hear(code.fragment(UInt8(index)), from: 1, strength: -70) == nil) }
        let heard = (40..<80).map { collector.hear(code.fragment(UInt8($0)), from: 1, strength: -30) }
        let first = try #require(heard.firstIndex { $0 != nil })
        #expect(first < 10)
    }

    /// A code that is complete from afar is not taken for one strong reading.
    @Test mutating func oneReflectionDecidesNothing() throws {
        let code = try code(power: 4)
        var collector = DoorCollector()
        for index in 0..<40 { #expect(collector.hear(code.fragment(UInt8(index)), from: 1, strength: -75) == nil) }
        #expect(collector.hear(code.fragment(40), from: 1, strength: -44) == nil)
        // The place is there: many of them decide.
        #expect((41..<80).contains { collector.hear(code.fragment(UInt8($0)), from: 1, strength: -44) != nil })
    }

    /// A place in the next street does not keep a wearer from erasing the device.
    @Test mutating func aWeakPlaceDoesNotCountAsHeard() throws {
        let code = try code()
        var collector = DoorCollector()
        for index in 0..<40 { _ = collector.hear(code.fragment(UInt8(index)), from: 1, strength: -75) }
        #expect(!collector.hearsAPlace)
    }

    /// Who states next to no power would be near from the other end of the street.
    @Test mutating func aStatedPowerMakesNobodyNear() throws {
        for strength in [-90, -80, -71] {
            let code = try code(3, power: -127)
            var collector = DoorCollector()
            for index in 0..<200 {
                #expect(collector.hear(code.fragment(UInt8(index)), from: 1, strength: strength) == nil)
            }
            #expect(!collector.hearsAPlace)
        }
        // What is near for its code is heard as well, whatever power it states.
        for power: Int8 in [-127, -60, -20, 4, 20] {
            let code = try code(30, power: power)
            var collector = DoorCollector()
            for strength in stride(from: -100, through: -20, by: 1) {
                for index in 0..<20 where collector.hear(code.fragment(UInt8(index)), from: 1, strength: strength) != nil {
                    #expect(collector.hearsAPlace)
                }
            }
        }
    }

    /// A sender under the place's own address and tag that is heard more than 30 dB weaker spoils nothing, however much it sends, and whether it comes
    /// before the place, between its fragments, or under the same index.
    @Test(arguments: [-95, -84, -75, -74]) mutating func weakForgeriesSpoilNothing(forgery: Int) throws {
        let code = try code(120)
        func forged(_ index: UInt8) -> DoorFragment {
            let right = code.fragment(index)
            return DoorFragment(
                tag: right.tag, pieceCount: right.pieceCount, index: index, bytes: generator.bytes(7))
        }
        var collector = DoorCollector()
        for index in 0..<code.pieceCount - 1 {
            #expect(collector.hear(forged(UInt8(index)), from: 1, strength: forgery) == nil)
        }
        var got: DoorCode?
        // A few more than the code has: the average begins with the forgeries.
        for index in 0..<code.pieceCount + 4 {
            for other in [UInt8(index), UInt8(index) &+ 1, UInt8(index) &+ 100] {
                #expect(collector.hear(forged(other), from: 1, strength: forgery) == nil || forgery == -74)
            }
            got = collector.hear(code.fragment(UInt8(index)), from: 1, strength: -44)
        }
        #expect((got == code) == (forgery < -74))
    }

    /// As long as the place is heard, the strongest of its fragments counts: weak forgeries spoil nothing later either.
    @Test mutating func weakForgeriesSpoilNothingInTheLongRun() throws {
        let code = try code(120)
        var collector = DoorCollector()
        for round in 0..<20 {
            var got: DoorCode?
            for step in 0..<code.pieceCount {
                let time = Duration.milliseconds(100 * (round * code.pieceCount + step))
                got = collector.hear(code.fragment(UInt8(step)), from: 1, strength: -44, at: time)
                for number in 0..<3 {
                    let index = UInt8(100 + 3 * step + number)
                    let forgery = DoorFragment(
                        tag: code.fragment(index).tag, pieceCount: code.pieceCount, index: index,
                        bytes: generator.bytes(7))
                    let heard = collector.hear(forgery, from: 1, strength: -75, at: time + .milliseconds(30))
                    #expect(heard == nil)
                }
            }
            #expect(got == code, "\(round)")
        }
    }

    /// One strong packet under the place's address and tag, by somebody else: the place is found while the button is held.
    @Test mutating func oneStrongForgeryHidesNoPlaceForLong() throws {
        for (length, forgery) in [(120, -20), (120, 20), (20, -29), (20, 0)] {
            let code = try code(length, power: -20)
            var collector = DoorCollector()
            let right = code.fragment(3)
            let forged = DoorFragment(
                tag: right.tag, pieceCount: right.pieceCount, index: right.index, bytes: generator.bytes(7))
            #expect(collector.hear(forged, from: 1, strength: forgery, at: .seconds(7)) == nil)
            var got: DoorCode?
            for step in 1...50 where got == nil {
                got = collector.hear(
                    code.fragment(UInt8(step)), from: 1, strength: -60 + step % 3,
                    at: .seconds(7) + .milliseconds(100 * step))
            }
            #expect(got == code, "\(length) \(forgery)")
        }
    }

    /// Strong bogus tags that are sent once take no room from a place for longer than a moment.
    @Test mutating func strongTagsThatAreHeardNoMoreMakeRoom() throws {
        let code = try code(120, power: -20)
        var collector = DoorCollector()
        for number in 0..<DoorCollector.maximumSources {
            let bogus = DoorFragment(tag: UInt32(number), pieceCount: 3, index: 0, bytes: generator.bytes(7))
            #expect(collector.hear(bogus, from: 9, strength: -20, at: .zero) == nil)
        }
        var got: DoorCode?
        for step in 1...50 where got == nil {
            got = collector.hear(code.fragment(UInt8(step)), from: 1, strength: -60, at: .milliseconds(100 * step))
            #expect(collector.sourceCount == DoorCollector.maximumSources)
        }
        #expect(got == code)
    }

    /// A wearer who comes nearer: what was collected from afar goes, and the code is complete a moment later.
    @Test mutating func whoComesNearerIsAtThePlace() throws {
        let code = try code(120)
        var collector = DoorCollector()
        var got: DoorCode?
        for index in 0..<200 where got == nil {
            got = collector.hear(code.fragment(UInt8(index)), from: 1, strength: max(-75, min(-40, -75 + index)))
        }
        #expect(got == code)
    }
}
