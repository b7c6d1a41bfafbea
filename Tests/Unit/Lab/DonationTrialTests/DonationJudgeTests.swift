// SPDX-License-Identifier: Apache-2.0

import JSON
import RandomValues
import Testing

@testable import DonationTrial

/// Whoever knows nothing gets chance, whoever knows the truth gets all; a file of guesses that is not one is refused.
@Suite struct DonationJudgeTests {
    private static func name(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static let devices = JSON.array((0..<20).map { ["device": .string(name($0)), "ueid": "01"] }).bytes

    /// Donations of 20 devices, each once a day for ten days at any second.
    private static func donations() -> [(number: Int, time: Double, device: Int)] {
        var random = SeededGenerator(seed: 21)
        var all: [(number: Int, time: Double, device: Int)] = []
        for day in 0..<10 {
            for device in 0..<20 {
                all.append((0, Double(day * 86_400) + .random(in: 0..<86_400, using: &random), device))
            }
        }
        all.sort { $0.time < $1.time }
        for index in all.indices { all[index].number = index + 1 }
        return all
    }

    private static func truth() -> [UInt8] {
        donations().flatMap { donation -> [UInt8] in
            JSON.object([
                "n": .int(Int64(donation.number)), "t": .double(donation.time), "device": .string(name(donation.device)),
            ])
            .bytes + [10]
        }
    }

    private static func guess(_ number: Int, _ device: Int, _ candidates: Int = 1) -> String {
        #"{"n": \#(number), "guess": "\#(name(device))", "candidates": \#(candidates)}"#
    }

    private func judged(_ lines: [String]) throws -> DonationJudge.Verdict {
        try DonationJudge(truth: Self.truth(), devices: Self.devices).judge(
            Array(lines.joined(separator: "\n").utf8), file: "guesses")
    }

    @Test func theTruthIsRight() throws {
        let verdict = try judged(Self.donations().map { Self.guess($0.number, $0.device) })
        #expect(verdict.all.right == 200 && verdict.all.share == 1 && verdict.sure.right == 200)
        #expect(
            verdict.isBetterThanChance
                && verdict.sentence.hasPrefix("better than chance: of all donations 100.00 % are right"))
    }

    @Test func oneOfTheSameHourIsChance() throws {
        var random = SeededGenerator(seed: 22)
        let donations = Self.donations()
        let guesses = donations.map { donation in
            let hour = Set(donations.filter { Int($0.time) / 3_600 == Int(donation.time) / 3_600 }.map(\.device))
            return Self.guess(donation.number, hour.sorted().randomElement(using: &random) ?? 0, hour.count)
        }
        let verdict = try judged(guesses)
        #expect(!verdict.all.isBetterThanChance && verdict.all.right > 80)
        #expect(verdict.all.interval.contains(verdict.all.chance))
        #expect(verdict.byDay.isBetterThanChance)
        // It is sure where there is one device only, and that is no art.
        #expect(verdict.sure.share == 1 && verdict.sure.chance == 1 && !verdict.isBetterThanChance)
        #expect(verdict.sentence == "no better than chance")
    }

    @Test func oneOfAllIsWorseThanOneOfTheHour() throws {
        var random = SeededGenerator(seed: 23)
        let verdict = try judged(
            Self.donations().map { Self.guess($0.number, .random(in: 0..<20, using: &random), 20) })
        #expect(!verdict.isBetterThanChance && verdict.all.difference.value < 0 && !verdict.byDay.isBetterThanChance)
        #expect(verdict.sure.count == 0 && verdict.lines.contains("sure: none"))
    }

    /// Ten right links among two hundred donations are not seen in the mean; who says which they are wins.
    @Test func fewSureGuessesWin() throws {
        let donations = Self.donations()
        let crowded = donations.filter { donation in
            Set(donations.filter { Int($0.time) / 3_600 == Int(donation.time) / 3_600 }.map(\.device)).count > 1
        }
        let verdict = try judged(crowded.prefix(10).map { Self.guess($0.number, $0.device) })
        #expect(!verdict.all.isBetterThanChance && verdict.sure.right == 10 && verdict.isBetterThanChance)
        #expect(verdict.sentence.hasPrefix("better than chance: of those it is sure of 100.00 %"))
    }

    @Test func noGuessesAreNoWin() throws {
        let verdict = try judged([])
        #expect(verdict.all.count == 200 && verdict.all.right == 0 && !verdict.isBetterThanChance)
    }

    @Test func guessesAboutNothingAreCounted() throws {
        #expect(try judged([Self.guess(1, 0), Self.guess(999, 0)]).aboutNothing == 1)
    }

    @Test(arguments: [
        "{", "[]", "17", #"{"n": 0, "guess": "0000000000000001", "candidates": 1}"#,
        #"{"guess": "0000000000000001", "candidates": 1}"#,
        #"{"n": "1", "guess": "0000000000000001", "candidates": 1}"#, #"{"n": 1, "guess": "1", "candidates": 1}"#,
        #"{"n": 1, "guess": "00000000000000ff", "candidates": 1}"#, #"{"n": 1, "candidates": 1}"#,
        #"{"n": 1, "guess": "0000000000000001"}"#, #"{"n": 1, "guess": "0000000000000001", "candidates": 0}"#,
        #"{"n": 1, "guess": "0000000000000001", "candidates": 1.5}"#,
        #"{"n": 2, "guess": "0000000000000001", "candidates": 1}"#,
        String(repeating: " ", count: 2_000) + "1",
    ])
    func malformedGuessesAreRefusedWithTheirLine(_ line: String) throws {
        let error = try #require(throws: DonationTrialError.self) { _ = try judged([Self.guess(2, 1), "", line]) }
        #expect(error.file == "guesses" && error.line == 3, "\(error)")
    }

    @Test func aTruthThatIsNoneIsRefused() {
        #expect(throws: DonationTrialError.self) { _ = try DonationJudge(truth: [1, 2], devices: Self.devices) }
        #expect(throws: DonationTrialError.self) { _ = try DonationJudge(truth: Self.truth(), devices: [1]) }
        let twice = Array(#"{"n":1,"t":5,"device":"a"}"#.utf8) + [10] + Array(#"{"n":1,"t":5,"device":"a"}"#.utf8)
        #expect(throws: DonationTrialError.self) { _ = try DonationJudge(truth: twice, devices: Self.devices) }
    }

    /// Against numbers of Newcombe (1998) for 81 of 263, and the ends.
    @Test func intervalsAreThoseOfWilson() {
        let share = JudgedShare(right: 81, chances: Array(repeating: 0.25, count: 263))
        #expect(abs(share.interval.lowerBound - 0.2553) < 0.0001 && abs(share.interval.upperBound - 0.3662) < 0.0001)
        #expect(share.isBetterThanChance)
        #expect(
            abs(share.chanceInterval.lowerBound - 0.1977) < 0.001 && abs(share.chanceInterval.upperBound - 0.3023) < 0.001)
        #expect(JudgedShare(right: 0, chances: [0.5, 0.5]).interval.lowerBound == 0)
        #expect(JudgedShare(right: 2, chances: [0.5, 0.5]).interval.upperBound == 1)
        #expect(JudgedShare(right: 0, chances: []).interval == 0...1)
    }
}
