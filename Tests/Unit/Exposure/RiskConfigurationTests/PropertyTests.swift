// SPDX-License-Identifier: Apache-2.0

import CivilTime
import ExposureRisk
import GAEN
import JSON
import Matching
import RandomValues
import Testing

@testable import RiskConfiguration

/// Any configuration without problems survives writing and reading; nothing that is read does harm.
@Suite struct PropertyTests {
    private struct Maker {
        var dice: SeededGenerator

        mutating func number(_ range: ClosedRange<Double>) -> Double {
            // Whole numbers are written as others are; both must come back.
            Int.random(in: 0..<3, using: &dice) == 0
                ? Double.random(in: range, using: &dice) : Double.random(in: range, using: &dice).rounded(.down)
        }
        mutating func whole(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &dice) }
        mutating func flag() -> Bool { Bool.random(using: &dice) }
        mutating func numbers(_ count: Int, _ range: ClosedRange<Double>) -> [Double] {
            (0..<count).map { _ in number(range) }
        }
        mutating func scores() -> [Int] { (0..<8).map { _ in whole(0...8) } }

        mutating func range() -> CWASecondParameters.Range {
            let (low, high) = (number(0...100), number(100...1_000))
            return .init(min: low, minExclusive: flag(), max: high, maxExclusive: flag())
        }

        mutating func exposures() throws -> ExposureConfigurationV1 {
            let low = whole(0...100)
            return try #require(
                ExposureConfigurationV1(
                    minimumRiskScore: whole(0...4_096), attenuationScores: scores(), daysScores: scores(),
                    durationScores: scores(), transmissionRiskScores: scores(),
                    durationThresholds: (low, whole(low...255))))
        }

        mutating func mapping() throws -> DiagnosisKeyMapping {
            try #require(
                DiagnosisKeyMapping(
                    infectiousness: (0..<29).map { _ in Infectiousness.allCases.randomElement(using: &dice) ?? .none },
                    whenOnsetMissing: Infectiousness.allCases.randomElement(using: &dice) ?? .none,
                    reportTypeWhenMissing: [.confirmedTest, .clinicalDiagnosis, .selfReport, .recursive]
                        .randomElement(using: &dice) ?? .confirmedTest))
        }

        mutating func model(_ name: RiskModelName) throws -> RiskModelParameters {
            switch name {
            case .dailySummaries:
                var parameters = DailySummariesParameters(
                    summaries: try #require(
                        DailySummariesConfiguration(
                            attenuationThresholds: [whole(0...50), whole(51...80), whole(81...255)],
                            attenuationWeights: numbers(4, 0...2.5), reportTypeWeights: numbers(6, 0...2.5),
                            infectiousnessWeights: numbers(3, 0...2.5), minimumWindowScore: number(0...1_000),
                            daysSinceExposureThreshold: whole(0...14))))
                parameters.measure = [.maximum, .sum, .weightedDuration].randomElement(using: &dice) ?? .sum
                parameters.increasedFrom = number(1...10_000)
                parameters.classes = (0..<whole(0...4)).map { _ in
                    var made = ExposureClass()
                    made.confirmedTestPerDaySum = number(1...3_000)
                    made.perDayMaximum = number(0...3_000)
                    made.weightedDuration = number(0...3_000)
                    return made
                }
                return .dailySummaries(parameters)
            case .cwaFirst:
                var parameters = CWAFirstParameters(exposures: try exposures())
                parameters.weights = numbers(3, 0...2)
                parameters.offset = number(0...10)
                parameters.divisor = number(10...100)
                parameters.capMinutes = number(1...60)
                let limit = number(1...100)
                parameters.classes = [
                    .init(level: .low, min: 0, max: limit), .init(level: .increased, min: limit, max: 1_000_000),
                ]
                return .cwaFirst(parameters)
            case .cwaSecond:
                var parameters = Samples.cwaSecond
                parameters.minutesAtAttenuationFilters = (0..<whole(0...4)).map { _ in
                    .init(attenuationRange: range(), dropIfMinutesInRange: range())
                }
                parameters.trlFilters = (0..<whole(0...3)).map { _ in .init(min: 1, max: Double(whole(1...8))) }
                for index in 0..<3 { parameters.minutesAtAttenuationWeights[index].weight = number(0...5) }
                parameters.transmissionRiskLevelMultiplier = number(0.1...3)
                for level in 1...8 { parameters.transmissionRiskValueMapping[level] = number(0...5) }
                parameters.transmissionRiskValueMapping[8] = 1.6
                parameters.maxEncounterAgeInDays = whole(0...14)
                return .cwaSecond(parameters)
            case .nhsFirst:
                var parameters = NHSFirstParameters(exposures: try exposures())
                parameters.durationBucketWeights = numbers(3, 0...2)
                parameters.riskThreshold = number(1...1_000)
                parameters.sigma = number(1...10)
                return .nhsFirst(parameters)
            case .nhsSecond:
                var parameters = NHSSecondParameters()
                parameters.sampleResolution = number(1...60)
                parameters.minimumDistance = number(1...3)
                parameters.weightCoefficient = Double.random(in: 0.01...1, using: &dice)
                parameters.covariance = Double.random(in: 0.01...1, using: &dice)
                parameters.observationType = flag() ? .log : .gen
                parameters.initialMean = number(1...5)
                parameters.infectiousnessWeights = numbers(3, 0...2)
                parameters.riskThreshold = number(1...1_000)
                parameters.contactCaseDays = whole(1...14)
                return .nhsSecond(parameters)
            case .swissCovid:
                var parameters = SwissCovidParameters()
                parameters.lowerThreshold = whole(0...100)
                parameters.higherThreshold = whole(101...255)
                parameters.factorLow = number(1...5)
                parameters.factorHigh = number(0...5)
                parameters.triggerThreshold = number(1...1_440)
                parameters.daysToConsider = whole(1...14)
                return .swissCovid(parameters)
            }
        }

        mutating func configuration() throws -> RiskConfiguration {
            let names = RiskModelName.allCases.shuffled(using: &dice).prefix(whole(1...5))
            var models: [RiskModelParameters] = []
            for name in names { models.append(try model(name)) }
            let services: [RiskService] = [
                .running, .paused(words: nil), .paused(words: "Später „mehr“ 🙂"),
                .ended(eraseOn: CivilDate(day: Int64(whole(18_262...47_481))), words: nil),
            ]
            return RiskConfiguration(
                version: Int64(whole(1...Int(Int32.max))), validFrom: flag() ? nil : Int64(whole(0...Int(Int32.max))),
                models: models,
                mapping: try mapping(), service: services.randomElement(using: &dice) ?? .running)
        }
    }

    @Test func writtenAndReadItIsTheSame() throws {
        var maker = Maker(dice: SeededGenerator(seed: 1))
        for _ in 0..<200 {
            let configuration = try maker.configuration()
            let bytes = configuration.document
            do throws(RiskConfigurationError) {
                let read = try RiskConfiguration(parsing: bytes)
                #expect(read == configuration)
                #expect(read.document == bytes)
            } catch { Issue.record("\(error)") }
        }
    }

    /// The fuzzer begins with documents, not with rubbish.
    @Test func theFuzzersSeedsAreRead() throws {
        func seed(_ name: String) throws -> [UInt8] {
            Array(try Samples.file("Fuzz/corpus/fuzz-risk-config/\(name)").dropFirst())
        }
        for name in ["own-cwa", "own-nhs", "own-paused"] { _ = try RiskConfiguration(parsing: seed(name)) }
        _ = try RiskConfiguration(cwaConfiguration: seed("cwa-second"), version: 1)
        _ = try RiskConfiguration(cwaFirstConfiguration: seed("cwa-first"), version: 1)
        _ = try RiskConfiguration(nhsConfiguration: seed("nhs"), version: 1)
        _ = try RiskConfiguration(cwaIOSConfiguration: seed("cwa-ios"), version: 1)
        _ = try RiskConfiguration(swissCovidConfiguration: seed("swisscovid"), version: 1)
        _ = try RiskConfiguration(profileDocument: seed("en-express"))
        _ = try #require(NHSIsolation(seed("nhs-days")))
        _ = try RiskConfiguration(dailySummaries: seed("gaen"), measure: .sum, increasedFrom: 1, version: 1)
    }

    /// Whatever comes, it is a configuration that survives writing, or reasons that can be shown.
    @Test func nothingThatIsReadDoesHarm() throws {
        var dice = SeededGenerator(seed: 2)
        let sample = try Samples.json()
        let bytes = sample.bytes
        for round in 0..<1_500 {
            var text: [UInt8]
            if round % 3 == 0 {
                text = Mutation.changed(sample, using: &dice).bytes
            } else {
                text = bytes
                for _ in 0..<Int.random(in: 1...6, using: &dice) {
                    let index = Int.random(in: 0..<text.count, using: &dice)
                    switch Int.random(in: 0..<4, using: &dice) {
                    case 0: text.remove(at: index)
                    case 1: text.insert(UInt8(ascii: "9"), at: index)
                    case 2: text.removeSubrange(index..<min(text.count, index + 40))
                    default: text[index] = UInt8.random(in: 0...255, using: &dice)
                    }
                }
            }
            do throws(RiskConfigurationError) {
                let read = try RiskConfiguration(parsing: text)
                #expect(read.problems.isEmpty)
            } catch {
                #expect(!error.problems.isEmpty && error.problems.count <= RiskConfigurationError.mostProblems)
                for problem in error.problems {
                    #expect(problem.description.utf8.count < 1_000)
                    #expect(problem.description.unicodeScalars.allSatisfy { $0.value >= 0x20 })
                }
            }
        }
    }
}
