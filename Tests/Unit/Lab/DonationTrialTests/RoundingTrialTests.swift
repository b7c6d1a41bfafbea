// SPDX-License-Identifier: Apache-2.0

import JSON
import Matching
import RandomValues
import Testing

@testable import DonationTrial

/// People who meet, boards that donate, and somebody who knows half of it.
@Suite struct RoundingTrialTests {
    private static let small = Result { try RoundingTrial(RoundingSettings(boards: 48, days: 7, seed: 3)) }

    private func left(_ form: RoundingForm) throws -> RoundingTrial.Left {
        try #require(try Self.small.get().left.first { $0.form == form })
    }

    private func names(
        _ form: RoundingForm, alsoOthers: Bool, _ size: RoundingTrial.Size = .any
    ) throws -> RoundingTrial.Names {
        try #require(try left(form).names.first { $0.alsoOthers == alsoOthers && $0.size == size })
    }

    /// Whoever has the encounters of a board as they are donated recognises them, and takes no donation of another board for its own.
    @Test func rawEncountersAreFingerprints() throws {
        let raw = try names(.raw, alsoOthers: false)
        #expect(raw.known.count > 5)
        #expect(raw.known.right == raw.known.count)
        #expect(raw.others.right == 0 && raw.wrong.right == 0)
        #expect(abs(raw.known.chance - 1.0 / 24) < 1e-9)
        #expect(try left(.raw).windowOthers == 0)
    }

    /// Each form has less in it than the one before.
    @Test func roundingTakesInformation() throws {
        let windows = try RoundingForm.allCases.map { try left($0).window }
        #expect(Set(windows.map(\.count)).count == 1)
        for (finer, coarser) in zip(windows, windows.dropFirst()) {
            #expect(coarser.distinct < finer.distinct && coarser.plugIn < finer.plugIn)
        }
        #expect(windows.allSatisfy { $0.corrected > $0.plugIn })
    }

    /// Boards of which only the other end of meetings is known are found by that more often than by chance; without it never.
    @Test func theOtherEndTells() throws {
        for form in RoundingForm.allCases {
            let names = try names(form, alsoOthers: true)
            #expect(names.others.count > 20 && names.others.isBetterThanChance && names.others.share < 1)
            #expect(try self.names(form, alsoOthers: false).others.right == 0)
        }
    }

    @Test func sizesAddUp() throws {
        let trial = try Self.small.get()
        for form in RoundingForm.allCases {
            for alsoOthers in [false, true] {
                let parts = try [.one, .two, .more].map { try names(form, alsoOthers: alsoOthers, $0) }
                let any = try names(form, alsoOthers: alsoOthers)
                #expect(any.wrong.count == trial.donations && parts.reduce(0) { $0 + $1.wrong.count } == trial.donations)
                #expect(any.known.count + any.others.count == trial.donations)
                #expect(parts.reduce(0) { $0 + $1.known.right } == any.known.right)
            }
        }
    }

    @Test func theSameSeedGivesTheSameNumbers() throws {
        let settings = RoundingSettings(boards: 24, days: 4, seed: 5)
        let (one, two) = (try RoundingTrial(settings), try RoundingTrial(settings))
        #expect(one.donations > 0 && one.json == two.json && one.lines == two.lines)
        #expect(try RoundingTrial(RoundingSettings(boards: 24, days: 4, seed: 6)).json["forms"] != one.json["forms"])
        #expect(one.json["forms"]?.array?.count == RoundingForm.allCases.count)
    }

    /// Both ends of a meeting measure nearly the same, and not the same.
    @Test func bothEndsMeasureNearlyTheSame() throws {
        let settings = RoundingSettings(boards: 48, days: 7, seed: 3)
        var random = SeededNumbers(3, part: 0)
        let meetings = Meetings(settings, using: &random)
        var radio = try MeetingRadio(settings, meetings.people)
        var (differences, equal) = ([Double](), 0)
        for day in 0..<settings.days {
            for contact in meetings.contacts(on: day, using: &random) {
                let windows = try [contact.other, contact.source].map { try radio.windows(of: contact, heardBy: $0) }
                let levels = windows.map { $0.flatMap(\.scanInstances).map { Double($0.typicalAttenuation) } }
                guard levels.allSatisfy({ $0.count > 20 }) else { continue }
                differences.append(
                    levels[0].reduce(0, +) / Double(levels[0].count) - levels[1].reduce(0, +) / Double(levels[1].count))
                if windows[0] == windows[1] { equal += 1 }
            }
        }
        #expect(differences.count > 20 && equal == 0)
        // Four errors of boards, 2 dB each, and what is left of the fading.
        let spread = (differences.reduce(0) { $0 + $1 * $1 } / Double(differences.count)).squareRoot()
        #expect(spread > 1 && spread < 7)
    }
}

/// The estimates, against what is known.
@Suite struct WindowBitsTests {
    @Test func uniformThings() {
        let bits = WindowBits((0..<4_096).map { $0 % 16 })
        #expect(bits.count == 4_096 && bits.distinct == 16 && abs(bits.plugIn - 4) < 1e-9)
        #expect(bits.corrected > 4 && bits.corrected < 4.01)
        #expect(abs((bits.collision ?? 0) - 4) < 0.01)
    }

    /// All different: the plug-in entropy says no more than how many there are, and no two are equal.
    @Test func differentThings() {
        let bits = WindowBits(Array(0..<1_024))
        #expect(abs(bits.plugIn - 10) < 1e-9 && bits.corrected > 10.7 && bits.collision == nil)
        #expect(WindowBits([Int]()).plugIn == 0 && WindowBits([1]).collision == nil)
    }

    /// Of 4,096 things 256 are seen: the correction helps, and the chance of two equal ones tells more.
    @Test func fewOfMany() {
        var random = SeededGenerator(seed: 41)
        let bits = WindowBits((0..<256).map { _ in Int.random(in: 0..<4_096, using: &random) })
        #expect(bits.plugIn < 8.01 && bits.corrected > bits.plugIn + 0.5 && bits.corrected < 12)
        #expect((10...14).contains(bits.collision ?? 0))
    }

    @Test func othersThatLookTheSame() {
        #expect(WindowBits.medianOthers([["a", "a", "a"], ["a", "b"]]) == 2)
        #expect(WindowBits.medianOthers([["a"], ["a"]]) == 0 && WindowBits.medianOthers([[String]]()) == 0)
    }
}

/// Somebody with true encounters, against donations that are made by hand.
@Suite struct RoundingAdversaryTests {
    private func window(_ level: Int, day: Int = 1) throws -> SeenWindow {
        let window = DonatedWindowMaker.window(day: day, levels: [level, level + 3, level])
        return try RoundingDonor.raw(window)
    }

    @Test func aBoardIsRecognisedByAllItsEncounters() throws {
        let (a, b, c) = (try window(41), try window(58), try window(72))
        let adversary = RoundingAdversary(
            .raw, boards: 4,
            known: [
                0: [.init(window: a, day: 3), .init(window: b, day: 3)], 1: [.init(window: a, day: 3)],
                2: [.init(window: c, day: 5)],
            ], measured: [:])
        var random = SeededNumbers(1, part: 1)
        func name(_ windows: [SeenWindow], _ day: Int) -> Int? {
            adversary.name(windows, on: day, alsoOthers: false, using: &random)
        }
        #expect(name([a, b], 4) == 0)
        // Both have it; of one it is all that was new.
        #expect(name([a], 4) == 1)
        // Once is not twice, and a board cannot tell of what it does not know yet.
        #expect(name([b, b], 4) == nil && name([c], 5) == nil && name([c], 6) == 2 && name([a, c], 6) == nil)
    }

    @Test func tiesAreBrokenAtRandom() throws {
        let a = try window(41)
        let adversary = RoundingAdversary(
            .raw, boards: 4, known: [0: [.init(window: a, day: 3)], 1: [.init(window: a, day: 3)]], measured: [:])
        var random = SeededNumbers(1, part: 1)
        let names = (0..<400).map { _ in adversary.name([a], on: 4, alsoOthers: true, using: &random) }
        #expect((130...270).contains(names.count { $0 == 0 }) && names.allSatisfy { $0 == 0 || $0 == 1 })
    }

    @Test func theNearestOfTheOtherEndIsTaken() throws {
        let (near, far) = (try window(40), try window(70))
        for form in RoundingForm.allCases {
            let adversary = RoundingAdversary(
                form, boards: 4, known: [:], measured: [2: [.init(window: near, day: 3)], 3: [.init(window: far, day: 3)]])
            var random = SeededNumbers(1, part: 1)
            let donated = [form.seen(try window(72))]
            #expect(adversary.name(donated, on: 4, alsoOthers: true, using: &random) == 3)
            #expect(adversary.name(donated, on: 4, alsoOthers: false, using: &random) == nil)
            // Of another day, and on another day.
            #expect(adversary.name([form.seen(try window(72, day: 2))], on: 4, alsoOthers: true, using: &random) == nil)
            #expect(adversary.name(donated, on: 5, alsoOthers: true, using: &random) == nil)
        }
    }

    @Test func formsAreCoarser() throws {
        let raw = try RoundingDonor.raw(DonatedWindowMaker.window(day: 1, levels: [41, 62, 75]))
        #expect(RoundingForm.raw.seen(raw).scans.map(\.typical) == [41, 62, 75])
        #expect(RoundingForm.rounded.seen(raw).scans.map(\.typical) == [40, 60, 70])
        #expect(RoundingForm.rounded.seen(raw).scans.map(\.least) == [30, 50, 70])
        #expect(RoundingForm.withoutLeast.seen(raw).scans.map(\.least) == [0, 0, 0])
        #expect(RoundingForm.minutesByLevel.seen(raw).scans.map(\.minutes) == [5, 5, 0, 5])
    }
}
