// SPDX-License-Identifier: Apache-2.0

import DiagnosisPlan
import RandomValues
import Testing

@Suite struct TeleTANTests {
    @Test func isReadHoweverItIsTyped() throws {
        for typed in ["9A3B578UMG", "9a3b578umg", "9A3 B57 8UMG", " 9a3-b57-8umg\n", "9A3\u{2013}B57\u{A0}8UMG"] {
            let tan = try TeleTAN(typed: typed)
            #expect(tan.text == "9A3B578UMG")
            #expect(tan.grouped == "9A3 B57 8UMG")
        }
    }

    @Test func saysEveryProblem() {
        #expect(TeleTAN.problems(in: " - ") == [.empty])
        #expect(TeleTAN.problems(in: "PTPHM15RP4") == [.notInAlphabet(position: 6, "1")])
        #expect(
            TeleTAN.problems(in: "O0-") == [
                .notInAlphabet(position: 1, "O"), .notInAlphabet(position: 2, "0"), .tooShort(missing: 8),
            ])
        #expect(TeleTAN.problems(in: "9A3B578UMG22") == [.tooShort(missing: 1)])
        #expect(TeleTAN.problems(in: "9A3B578UMG22222") == [.tooLong(extra: 2)])
        #expect(TeleTAN.problems(in: "DEU7TKSV32") == [.checkCharacterWrong])
        #expect(TeleTAN.problems(in: "9A3B578UM\u{1B}") == [.notInAlphabet(position: 10, "\u{1B}")])
    }

    @Test func wordsCanBeShown() throws {
        let error = #expect(throws: DiagnosisPlanError.self) { try TeleTAN(typed: "l\u{7}\u{202E}") }
        let text = try #require(error).description
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E && $0.value != 7 })
        #expect(try #require(error).detail.hasPrefix("character 1, \u{201C}L\u{201D}, is not used in teleTANs (1, I and L"))
        #expect(
            try #require(error).detail.hasSuffix("7 characters are missing; there are 10 or 13, as the hotline gave them"))
    }

    @Test func beginningIsCheckedWhileTyping() {
        #expect(TeleTAN.problemsWhileTyping("").isEmpty)
        #expect(TeleTAN.problemsWhileTyping("9a3-b").isEmpty)
        #expect(TeleTAN.problemsWhileTyping("9a3-1") == [.notInAlphabet(position: 4, "1")])
        #expect(TeleTAN.problemsWhileTyping("9", prefixes: ["9A", "B"]).isEmpty)
        #expect(TeleTAN.problemsWhileTyping("9A3", prefixes: ["9a", "B"]).isEmpty)
        #expect(TeleTAN.problemsWhileTyping("9B", prefixes: ["9A", "B"]) == [.foreignPrefix])
        #expect(TeleTAN.problems(in: "9A3B578UMG", prefixes: ["E"]) == [.foreignPrefix])
    }

    @Test func isMadeOfNineOrTwelveCharacters() throws {
        #expect(TeleTAN(body: "FE9A5MAK6".utf8)?.text == "FE9A5MAK6C")
        #expect(TeleTAN(body: "FE9A5MAK".utf8) == nil)
        #expect(TeleTAN(body: "FE9A5MAK6CD".utf8) == nil)
        #expect(TeleTAN(body: "FE9A5MAK6CDE".utf8)?.grouped == "FE9 A5M AK6 CDEH")
        #expect(TeleTAN(body: "FE9A5MAK1".utf8) == nil)
        var random = SeededGenerator(seed: 1)
        for number in 0..<1_000 {
            let tan = TeleTAN(using: &random, length: TeleTAN.lengths[number % 2])
            #expect(try TeleTAN(typed: tan.grouped.lowercased()) == tan)
        }
    }

    /// A check character of 16 values finds 15 of 16 changes of the nine others, and every change of itself.
    @Test func oneWrongCharacterIsFoundFifteenTimesInSixteen() {
        var random = SeededGenerator(seed: 2)
        var (changes, missed, swaps, missedSwaps) = (0, 0, 0, 0)
        for _ in 0..<400 {
            let right = Array(TeleTAN(using: &random, length: 10).text.utf8)
            for place in right.indices {
                for character in TeleTAN.alphabet where character != right[place] {
                    var wrong = right
                    wrong[place] = character
                    let problems = TeleTAN.problems(in: String(decoding: wrong, as: UTF8.self))
                    // What is not found is a valid other one.
                    let other = TeleTAN(body: wrong.dropLast())?.text.utf8
                    #expect(problems.isEmpty == (other.map(Array.init) == wrong))
                    if place == 9 { #expect(problems == [.checkCharacterWrong]) }
                    changes += 1
                    missed += problems.isEmpty ? 1 : 0
                }
                if place > 0, right[place] != right[place - 1] {
                    var swapped = right
                    swapped.swapAt(place, place - 1)
                    swaps += 1
                    missedSwaps += TeleTAN.problems(in: String(decoding: swapped, as: UTF8.self)).isEmpty ? 1 : 0
                }
            }
        }
        // 9 of 10 places, one in sixteen each: 5.6 %.
        let share = Double(missed) / Double(changes)
        #expect((0.053...0.060).contains(share), "\(missed) of \(changes)")
        #expect(Double(missedSwaps) / Double(swaps) < 0.08, "\(missedSwaps) of \(swaps)")
    }
}
