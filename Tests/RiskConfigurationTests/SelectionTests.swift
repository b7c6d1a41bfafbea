// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ExposureRisk
import GAEN
import Matching
import Testing

@testable import RiskConfiguration

/// Which model judges, by what was published with the keys.
@Suite struct SelectionTests {
    private func match(level: UInt8 = 0, type: ReportType = .confirmedTest, onset: Int32? = nil) throws -> Match {
        let key = try #require(
            DiagnosisKey(
                data: Block(), rollingStart: ENIN(2_650_000), transmissionRiskLevel: level, reportType: type,
                daysSinceOnset: onset))
        return Match(key: key, sightings: [])
    }

    private func configuration() throws -> RiskConfiguration {
        RiskConfiguration(
            version: 1, models: [.cwaSecond(Samples.cwaSecond), .cwaFirst(try Samples.cwaFirst())],
            mapping: try Samples.mapping())
    }

    private func choice(_ matches: [Match], _ configuration: RiskConfiguration) throws -> RiskSelection {
        try #require(configuration.choose(for: RiskInputs(matches, mapping: configuration.mapping)))
    }

    @Test func withNothingHeardTheFirstJudges() throws {
        let choice = try choice([], configuration())
        #expect(choice.model.name == .cwaSecond && choice.reason == .preferred && choice.sentence == nil)
    }

    @Test func theFirstWhoseInputIsThereJudges() throws {
        let second = try choice([match(level: 5, onset: 1)], configuration())
        #expect(second.model.name == .cwaSecond && second.reason == .preferred && second.sentence == nil)
        // Keys of 2020: a level, and nothing else.
        let first = try choice([match(level: 5, type: .unknown), match(level: 0, type: .unknown)], configuration())
        #expect(first.model.name == .cwaFirst && first.reason == .fallback && first.passedOver == [.cwaSecond])
        #expect(first.unreadable == 1)
        let sentence = try #require(first.sentence)
        #expect(sentence.contains("cwaFirst judges instead of cwaSecond") && sentence.contains("1 of the 2"))
    }

    @Test func keysThatThePreferredModelCannotReadAreCounted() throws {
        let choice = try choice([match(onset: 2), match(level: 8), match(onset: 99)], configuration())
        #expect(choice.model.name == .cwaSecond && choice.reason == .preferred && choice.unreadable == 2)
        #expect(choice.sentence?.contains("2 of the 3") == true)
    }

    @Test func withoutAnyInputTheFirstJudgesAndSaysSo() throws {
        let choice = try choice([match()], configuration())
        #expect(choice.model.name == .cwaSecond && choice.reason == .inputMissing)
        #expect(choice.sentence?.contains("None of the 1") == true)
    }

    @Test func aMappingThatKnowsWhatAMissingOnsetMeansIsEnough() throws {
        var configuration = try configuration()
        configuration.mapping = .standard
        let choice = try choice([match(type: .unknown)], configuration)
        #expect(choice.model.name == .cwaSecond && choice.reason == .preferred && choice.unreadable == 0)
    }

    @Test func revokedKeysDoNotCount() throws {
        #expect(RiskInputs([try match(type: .revoked, onset: 1)], mapping: .standard) == RiskInputs())
        #expect(RiskInputs([try match(type: .recursive, onset: 1)], mapping: .standard) == RiskInputs())
    }

    @Test func withoutModelsNobodyJudges() {
        #expect(RiskConfiguration(version: 1, models: [], mapping: .standard).choose(for: RiskInputs()) == nil)
    }
}
