// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ExposureRisk
import GAEN
import Matching
import Testing

@testable import RiskConfiguration

/// Which model judges what, by what was published with the keys; and what is told where none can.
@Suite struct SelectionTests {
    private static let today: UInt32 = 2_650_000 / 144

    /// A key that was heard for `minutes` at 50 dB.
    private func match(
        level: UInt8 = 0, type: ReportType = .confirmedTest, onset: Int32? = nil, minutes: UInt32 = 0
    ) throws -> Match {
        let key = try #require(
            DiagnosisKey(
                data: Block(), rollingStart: ENIN(2_649_888), transmissionRiskLevel: level, reportType: type,
                daysSinceOnset: onset))
        let start = Self.today * 86_400 + 36_000
        let sightings = (0...minutes / 2).map { step in
            MatchedSighting(
                position: step, interval: ENIN((start + step * 120) / 600), time: start + step * 120,
                previousScan: start + step * 120 - 120, rssi: -60, transmitPower: -10, confidence: .high)
        }
        return Match(key: key, sightings: sightings)
    }

    /// As the Corona-Warn-App publishes: {1: standard, 2: high}, a missing onset means none.
    private func configuration() throws -> RiskConfiguration {
        RiskConfiguration(
            version: 1, models: [.cwaSecond(Samples.cwaSecond), .cwaFirst(try Samples.cwaFirst())],
            mapping: try #require(DiagnosisKeyMapping(days: [1: .standard, 2: .high], whenOnsetMissing: .none)))
    }

    private func choice(_ matches: [Match], _ configuration: RiskConfiguration) throws -> RiskSelection {
        try #require(configuration.choose(for: matches))
    }

    private func finding(_ matches: [Match], _ configuration: RiskConfiguration) throws -> RiskFinding {
        try #require(
            configuration.judge(matches, today: Self.today, now: Int64(Self.today) * 86_400 + 80_000))
    }

    @Test func withNothingHeardTheFirstJudges() throws {
        let choice = try choice([], configuration())
        #expect(choice.shares.map(\.model.name) == [.cwaSecond] && choice.keys == 0)
        #expect(choice.sentence(showing: .cwaSecond) == nil)
        #expect(try finding([], configuration()).level == .low)
    }

    @Test func theFirstWhoseInputIsThereJudges() throws {
        let second = try choice([match(level: 5, onset: 1)], configuration())
        #expect(second.shares.map(\.model.name) == [.cwaSecond] && second.sentence(showing: .cwaSecond) == nil)
        // Keys of 2020: a level, and nothing else.
        let first = try choice([match(level: 5, type: .unknown), match(level: 0, type: .unknown)], configuration())
        #expect(first.shares.map(\.model.name) == [.cwaFirst] && first.passedOver == [.cwaSecond])
        #expect(first.unjudged == 1)
        let sentence = try #require(first.sentence(showing: .cwaFirst))
        #expect(sentence.contains("cwaFirst judges instead of cwaSecond") && sentence.contains("1 of the 2"))
    }

    /// Every onset from -15 to 15 and none: the mapping is asked, not the range.
    @Test func theMappingSaysWhatCanBeRead() throws {
        let configuration = try configuration()
        for onset in [nil] + (-15...15).map(Optional.init) as [Int32?] {
            let isRead = onset == 1 || onset == 2
            let choice = try choice([match(level: 5, onset: onset)], configuration)
            #expect(choice.shares.map(\.model.name) == [isRead ? .cwaSecond : .cwaFirst], "\(onset ?? 99)")
            let without = try self.choice([match(onset: onset)], configuration)
            #expect(without.unjudged == (isRead ? 0 : 1), "\(onset ?? 99)")
        }
    }

    /// NHS COVID-19's levels begin with 0, which a day has that is seven or more from the onset. The Corona-Warn-App's begin with 1.
    @Test func levelZeroIsALevelForTheFirstNHSModelOnly() throws {
        var configuration = try configuration()
        var parameters = NHSFirstParameters(exposures: try Samples.scores())
        parameters.riskThreshold = 900
        configuration.models = [.nhsFirst(parameters)]
        let mild = try finding([match(level: 0, type: .unknown, onset: 8, minutes: 30)], configuration)
        #expect(mild.level == .low && mild.unjudged == 0 && mild.judged(by: .nhsFirst))
        configuration.models = [.cwaFirst(try Samples.cwaFirst())]
        let none = try finding([match(level: 0, type: .unknown, onset: 8, minutes: 30)], configuration)
        #expect(none.level == nil && none.unjudged == 1)
    }

    /// A day that the authority names as not infectious is judged: that is what it says of it.
    @Test func noneIsAJudgementWhereItIsNamed() throws {
        var configuration = try configuration()
        configuration.mapping = try #require(DiagnosisKeyMapping(days: [0: .none, 1: .high], whenOnsetMissing: .none))
        let low = try finding([match(onset: 0, minutes: 30)], configuration)
        #expect(low.level == .low && low.unjudged == 0 && low.assessment.model == .cwaSecond)
        let unknown = try finding([match(onset: 2, minutes: 30)], configuration)
        #expect(unknown.level == nil && unknown.unjudged == 1)
    }

    @Test func whatNoRuleCanJudgeIsNeverLow() throws {
        let configuration = try configuration()
        for matches in [
            [try match()], [try match(), try match(onset: 1)], [try match(onset: 99), try match(level: 1, minutes: 30)],
            [try match(onset: 0)],
        ] {
            let finding = try finding(matches, configuration)
            #expect(finding.level == nil && finding.unjudged == 1)
            #expect(
                finding.sentence?.contains("1 of the \(matches.count) people heard were published with nothing") == true)
        }
        // Increased is increased, whatever else cannot be judged.
        let finding = try finding([match(), match(onset: 2, minutes: 30)], configuration)
        #expect(finding.level == .increased && finding.unjudged == 1)
    }

    /// The first model says low of what it reads; the other, of a key that the first cannot read, increased: that counts, and no number is
    /// a sum of both.
    @Test func theFallbacksIncreasedIsNotLost() throws {
        let configuration = try configuration()
        let short = try match(type: .selfReport, onset: 1, minutes: 2)
        let long = try match(level: 6, minutes: 30)
        let both = try finding([short, long], configuration)
        #expect(both.level == .increased && both.assessment.model == .cwaFirst)
        let alone = try finding([long], configuration)
        #expect(both.assessment == alone.assessment)
        #expect(both.sentence?.contains("cwaFirst judges them by themselves") == true)
        #expect(both.sentence?.contains("The numbers are those of cwaFirst") == true)
        #expect(both.judged(by: .cwaFirst) && both.judged(by: .cwaSecond))
        // And the other way round the first is shown.
        let other = try finding([match(type: .confirmedTest, onset: 2, minutes: 30), match(level: 3)], configuration)
        #expect(other.level == .increased && other.assessment.model == .cwaSecond)
        let low = try finding([short, match(level: 3)], configuration)
        #expect(low.level == .low && low.assessment.model == .cwaSecond && low.unjudged == 0)
    }

    @Test func keysThatThePreferredModelCannotReadAreCounted() throws {
        let choice = try choice([match(onset: 2), match(level: 8), match(onset: 99)], configuration())
        #expect(choice.shares.map(\.matches.count) == [1, 1] && choice.unjudged == 1 && choice.keys == 3)
        let sentence = try #require(choice.sentence(showing: .cwaSecond))
        #expect(sentence.contains("1 of the 3 people heard were published without days since onset"))
        #expect(sentence.contains("1 of the 3 people heard were published with nothing"))
    }

    @Test func aMappingThatKnowsWhatAMissingOnsetMeansIsEnough() throws {
        var configuration = try configuration()
        configuration.mapping = .standard
        let choice = try choice([match(type: .unknown)], configuration)
        #expect(choice.shares.map(\.model.name) == [.cwaSecond] && choice.unjudged == 0)
    }

    @Test func revokedKeysDoNotCount() throws {
        for type in [ReportType.revoked, .recursive] {
            let choice = try choice([match(type: type, onset: 1)], configuration())
            #expect(choice.keys == 0 && choice.unjudged == 0)
            #expect(try finding([match(type: type)], configuration()).level == .low)
        }
    }

    @Test func withoutModelsNobodyJudges() {
        #expect(RiskConfiguration(version: 1, models: [], mapping: .standard).choose(for: []) == nil)
    }

    /// A document keeps which days are named, through reading and writing.
    @Test func namedDaysOutlastTheDocument() throws {
        var configuration = try configuration()
        configuration.mapping = try #require(DiagnosisKeyMapping(days: [-14: .none, 2: .high], whenOnsetMissing: .none))
        let read = try RiskConfiguration(parsing: configuration.document)
        #expect(read == configuration)
        #expect(DiagnosisKeyMapping.days.filter(read.mapping.names(day:)) == [-14, 2])
        #expect(DiagnosisKeyMapping(days: [15: .high], whenOnsetMissing: .none) == nil)
        #expect(DiagnosisKeyMapping.days.allSatisfy(DiagnosisKeyMapping.standard.names(day:)))
    }
}
