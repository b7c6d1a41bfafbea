// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RandomValues

@Suite struct SeededGeneratorTests {
    private func numbers(_ generator: SeededGenerator) -> [UInt64] {
        var generator = generator
        return (0..<4).map { _ in generator.next() }
    }

    /// The published numbers of SplitMix64 for the seed 1234567 (rosettacode.org, "Pseudo-random numbers/Splitmix64").
    @Test func withoutASeedOfTheRunTheNumbersAreSplitMix64s() {
        let generator = SeededGenerator(seed: 1_234_567, runSeed: 0)
        #expect(
            numbers(generator) == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
            ])
    }

    @Test func theSeedOfTheRunChangesAllOfThem() {
        var starts: Set<UInt64> = []
        for run in [0, 1, 2, UInt64.max] {
            for seed in 0..<100 { starts.insert(SeededGenerator(seed: seed, runSeed: run).first) }
        }
        #expect(starts.count == 400)
    }

    @Test func aSeedIsAnyWholeNumber() {
        #expect(numbers(SeededGenerator(seed: -1)) == numbers(SeededGenerator(seed: UInt64.max)))
        #expect(numbers(SeededGenerator(seed: 7 as UInt8)) == numbers(SeededGenerator(seed: 7)))
    }

    /// A path to a socket has 107 bytes: a name that is long by chance would be a test that fails by chance.
    @Test func namesAreEquallyLongAndNoneComesAgain() {
        let names = (0..<10_000).map { _ in Unique.name() }
        #expect(names.allSatisfy { $0.utf8.count == 16 })
        #expect(Set(names).count == names.count)
    }

    @Test func portsAreBelowThoseOfTheKernel() throws {
        for _ in 0..<1_000 { #expect((10_240..<32_768).contains(Unique.port())) }
    }
}

extension SeededGenerator {
    fileprivate var first: UInt64 {
        var copy = self
        return copy.next()
    }
}
