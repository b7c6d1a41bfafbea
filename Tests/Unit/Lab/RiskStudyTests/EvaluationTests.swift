// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ExposureRisk
import GAEN
import JSON
import Matching
import RandomValues
import RiskConfiguration
import Testing

@testable import RiskStudy

/// Scores are the models' own, intervals hold what they promise, shares are Wilson's.
@Suite struct EvaluationTests {
    /// By hand: 30 minutes at 60 dB weigh 0.8, a test and standard infectiousness are level 7, whose value is 1.4.
    @Test func theScoreIsTheModels() throws {
        let evaluation = try Samples.evaluate(
            [StudyCase(name: "a", windows: [Samples.window(60)]), StudyCase(name: "b", windows: [Samples.window(80)])],
            .cwaSecond)
        let results = evaluation.models[0].cases
        #expect(abs(results[0].score - 30 * 0.8 * 1.4) < 1e-9)
        #expect(results[0].limit == 9)
        #expect(results[0].verdict == "increased" && results[0].robustness == .sure)
        // 2 dB nearer it is in the band that weighs 0.1.
        #expect(results[1].score == 0)
        #expect(abs(results[1].highest - 30 * 0.1 * 1.4) < 1e-9)
        #expect(results[1].verdict == "low")
        #expect(evaluation.models[0].increased == 1)
    }

    @Test(arguments: [
        (CalibrationConfidence.high, CaseResult.Robustness.sure), (.medium, .eitherWay), (.lowest, .eitherWay),
    ])
    func theVerdictIsAsSureAsTheCalibration(_ confidence: CalibrationConfidence, _ robustness: CaseResult.Robustness) throws
    {
        // Increased from 72 dB on inwards: 3 dB away.
        let one = StudyCase(name: "a", windows: [Samples.window(75, confidence: confidence)])
        let result = try Samples.evaluate([one], .cwaSecond).models[0].cases[0]
        #expect(!result.isIncreased)
        #expect(result.robustness == robustness)
        let sure = try Samples.evaluate([one], .cwaSecond, calibration: .none).models[0].cases[0]
        #expect(sure.lowest == sure.score && sure.highest == sure.score && sure.robustness == .sure)
    }

    /// The weights of March 2022 rise from 0.8 to 1 beyond 63 dB: the highest score is neither at the nearest nor at the furthest.
    @Test func theMiddleOfTheIntervalCounts() throws {
        let one = StudyCase(name: "a", windows: [Samples.window(66, confidence: .lowest)])
        let result = try Samples.evaluate([one], .cwaSecond).models[0].cases[0]
        #expect(abs(result.highest - 30 * 1.4) < 1e-9)
        #expect(abs(result.lowest - 30 * 0.1 * 1.4) < 1e-9)
        let other = StudyCase(
            name: "b", windows: [Samples.window(62, confidence: .lowest), Samples.window(79, confidence: .lowest)])
        let both = try Samples.evaluate([other], .cwaSecond).models[0].cases[0]
        // Shifted together: at most one at 0.8 and one at 1, never both at 1.
        #expect(abs(both.highest - 30 * 1.8 * 1.4) < 1e-9)
    }

    @Test(arguments: [RiskModelName.cwaSecond, .nhsSecond, .dailySummaries])
    func intervalsHoldTheScoreAndGrow(_ model: RiskModelName) throws {
        var dice = SeededGenerator(seed: 3)
        let cases = (0..<12).map { index in
            StudyCase(
                name: "\(index)",
                windows: (0..<Int.random(in: 1...3, using: &dice)).map { _ in
                    Samples.window(
                        Int.random(in: 45...85, using: &dice), scans: Int.random(in: 2...6, using: &dice),
                        day: Int.random(in: 0...1, using: &dice),
                        confidence: CalibrationConfidence.allCases.randomElement(using: &dice) ?? .low)
                })
        }
        let narrow = try Samples.evaluate(cases, model, calibration: #require(CalibrationError("2"))).models[0].cases
        let wide = try Samples.evaluate(cases, model, calibration: #require(CalibrationError("6"))).models[0].cases
        for (narrow, wide) in zip(narrow, wide) {
            #expect((narrow.lowest...narrow.highest).contains(narrow.score))
            #expect(wide.lowest <= narrow.lowest && wide.highest >= narrow.highest)
            #expect(wide.score == narrow.score)
            if narrow.robustness == .eitherWay { #expect(wide.robustness == .eitherWay) }
        }
    }

    /// Days count from the study's own day 0, wherever that is.
    @Test(arguments: [RiskModelName.cwaSecond, .nhsSecond, .dailySummaries])
    func onlyTheDifferenceOfDaysCounts(_ model: RiskModelName) throws {
        let results = try [-300, 0, 300].map { offset in
            let one = StudyCase(
                name: "a", windows: [Samples.window(58, day: offset), Samples.window(63, scans: 4, day: offset + 2)])
            return try Samples.evaluate([one], model, today: offset + 3).models[0].cases[0]
        }
        for (result, offset) in zip(results, [-300, 0, 300]) {
            #expect(result.score == results[1].score && result.level == results[1].level)
            #expect(result.day == results[1].day.map { $0 + offset })
        }
        let late = StudyCase(name: "a", windows: [Samples.window(58)])
        #expect(try Samples.evaluate([late], .cwaSecond, today: 30).models[0].cases[0].score == 0)
    }

    @Test func revokedAndRecursiveCountNowhere() throws {
        for type in [ReportType.revoked, .recursive] {
            var window = Samples.window(50)
            window.reportType = type
            let result = try Samples.evaluate([StudyCase(name: "a", windows: [window])], .dailySummaries).models[0].cases[0]
            #expect(result.score == 0 && !result.isIncreased)
        }
    }

    /// Of the onset the configuration's own mapping makes the infectiousness.
    @Test func theMappingReadsOnsets() throws {
        var (mapped, said) = (Samples.window(60), Samples.window(60))
        mapped.infectiousness = nil
        mapped.daysSinceOnset = 0
        said.infectiousness = .high
        let results = try Samples.evaluate(
            [StudyCase(name: "a", windows: [mapped]), StudyCase(name: "b", windows: [said])], .nhsSecond
        ).models[0].cases
        #expect(results[0] == results[1])
        #expect(results[0].score > 0)
    }

    // MARK: First generation

    private static func first(_ cases: [StudyCase]) throws -> [CaseResult] {
        let configuration = RiskConfiguration(version: 1, models: [.cwaFirst(try Samples.first())], mapping: .standard)
        return Evaluation(
            StudyDataset(cases: cases), models: configuration.models, mapping: configuration.mapping
        ).models[0].cases
    }

    @Test func exposuresAreGivenMadeOrMissing() throws {
        let window = Samples.window(50, level: 8)
        let exposure = StudyExposure(
            day: 0, transmissionRiskLevel: 8, calibrationConfidence: .high,
            periods: [.init(attenuation: 50, seconds: 1_800)])
        let results = try Self.first([
            StudyCase(name: "given", windows: [], exposures: [exposure]), StudyCase(name: "made", windows: [window]),
            StudyCase(name: "missing", windows: [window, Samples.window(50)]),
            StudyCase(name: "nothing"), StudyCase(name: "none", windows: [window], exposures: []),
        ])
        #expect(results.map(\.source) == [.given, .approximated, .missing, .given, .given])
        #expect(results[0].score == results[1].score)
        // By hand: total risk score 2 · 5 · 1 · 8 = 80 over 50, times 30 minutes of weight 1.
        #expect(abs(results[0].score - 80.0 / 50 * 30) < 0.01)
        #expect(results[0].isIncreased)
        #expect(results[4].score == 0)
        #expect(!results[2].isJudged)
        // A model of windows says nothing of a case that has exposures only.
        let other = try Samples.evaluate([StudyCase(name: "a", exposures: [exposure])], .cwaSecond).models[0]
        #expect(other.judged == 0)
    }

    /// What phones of the first generation made of sightings, and what is made of a dataset's periods, are the same.
    @Test func scoredAsPhonesDid() throws {
        var dice = SeededGenerator(seed: 4)
        let configuration = try Samples.first().exposures
        let data = try #require(Block([UInt8](repeating: 7, count: 16)))
        for _ in 0..<300 {
            let level = UInt8.random(in: 1...8, using: &dice)
            let day = UInt32(CaseEvidence.dayZero)
            let key = try #require(
                DiagnosisKey(
                    data: data, rollingStart: ENIN(day * ENIN.perDay),
                    transmissionRiskLevel: level, reportType: .confirmedTest))
            var time = day * 86_400
            let sightings = (0..<UInt32(Int.random(in: 1...20, using: &dice))).map { number in
                let previous = time
                time += UInt32.random(in: 60...400, using: &dice)
                return MatchedSighting(
                    position: number, interval: ENIN(day * ENIN.perDay), time: time, previousScan: previous,
                    rssi: Int8.random(in: -90 ... -40, using: &dice), transmitPower: 0, confidence: .high)
            }
            let match = Match(key: key, sightings: sightings)
            let today = Int.random(in: 0...14, using: &dice)
            let expected = match.exposuresV1(
                configuration: configuration, mapping: .standard, now: Int64(day + UInt32(today)) * 86_400)
            let scored = match.stretchesV1().map { stretch in
                StudyExposure(
                    day: 0, transmissionRiskLevel: level, calibrationConfidence: .high,
                    periods: stretch.periods.map { .init(attenuation: $0.attenuation, seconds: $0.seconds) }
                ).scored(under: configuration, today: today) { $0 }
            }
            #expect(!expected.isEmpty && scored == expected)
        }
    }

    // MARK: Shares

    /// Against values that were computed apart (Wilson 1927, z = 1.959964).
    @Test(
        arguments: [
            (8, 10, 0.4901625, 0.9433178), (0, 10, 0, 0.2775328), (10, 10, 0.7224672, 1), (1, 2, 0.0945312, 0.9054688),
            (45, 50, 0.7863977, 0.9565242),
        ])
    func sharesAreWilsons(_ count: Int, _ total: Int, _ low: Double, _ high: Double) throws {
        let share = try #require(Share(count, of: total))
        #expect(abs(share.low - low) < 1e-6 && abs(share.high - high) < 1e-6, "\(share)")
    }

    @Test func verdictsAreHeldAgainstTheTruth() throws {
        func one(_ name: String, _ attenuation: Int, _ expected: RiskLevel?) -> StudyCase {
            StudyCase(name: name, truth: StudyTruth(expected: expected), windows: [Samples.window(attenuation)])
        }
        let result = try Samples.evaluate(
            [
                one("a", 60, .increased), one("b", 85, .increased), one("c", 60, .low), one("d", 85, .low),
                one("e", 60, nil),
                one("f", 61, .increased),
            ], .cwaSecond
        ).models[0]
        #expect(result.agreement.cases == 5)
        #expect(result.agreement.sensitivity == Share(2, of: 3))
        #expect(result.agreement.specificity == Share(1, of: 2))
        #expect(Share(1, of: 0) == nil)
    }

    @Test(arguments: [("6", 6.0, 6.0), ("8,6,4,2", 8, 2), ("0", 0, 0)])
    func errorsOfCalibrationAreRead(_ text: String, _ lowest: Double, _ high: Double) throws {
        let error = try #require(CalibrationError(text))
        #expect(error[.lowest] == lowest && error[.high] == high)
        #expect(CalibrationError(error.words.replacing(" dB", with: "")) == nil || lowest == high)
    }

    @Test(arguments: ["", "-1", "41", "1,2", "a", "1,2,3,4,5", "nan", "inf", "1,,2,3"])
    func otherErrorsAreRefused(_ text: String) { #expect(CalibrationError(text) == nil) }

    // MARK: Configurations

    @Test func everyFormOfConfigurationIsRead() throws {
        func seed(_ name: String) throws -> [UInt8] {
            Array(try Samples.file("Fuzz/corpus/fuzz-risk-config/\(name)").dropFirst())
        }
        #expect(try StudyConfiguration.read(seed("cwa-second")).models.map(\.name) == [.cwaSecond])
        #expect(try StudyConfiguration.read(seed("cwa-first")).models.map(\.name) == [.cwaFirst])
        #expect(try StudyConfiguration.read(seed("nhs")).models.map(\.name) == [.nhsSecond, .nhsFirst])
        #expect(try StudyConfiguration.read(seed("own-cwa")).models.map(\.name) == [.cwaSecond, .cwaFirst])
        for bad in [
            try seed("gaen"), [], Array("{}".utf8), Array("{\"vigilRisk\":1}".utf8), Array("{\"vigilRisk\":1,".utf8),
            Array("PK\u{3}\u{4}".utf8), [0xFF],
        ] {
            #expect(throws: StudyError(.invalidConfiguration)) { try StudyConfiguration.read(bad) }
        }
        #expect(throws: StudyError(.noSuchModel)) { try Samples.configuration().studied("cwaFirst") }
    }

    // MARK: Output

    @Test func namesCannotBreakOutOfTheOutput() throws {
        let name = "=1+1,\"</text><script>&"
        let evaluation = try Samples.evaluate([StudyCase(name: name, windows: [Samples.window(60)])], .cwaSecond)
        #expect(!evaluation.picture.contains("<script"))
        #expect(evaluation.picture.contains("&lt;script&gt;"))
        #expect(evaluation.csv.contains("\"'=1+1,\"\"</text><script>&\""))
        #expect(evaluation.json["models"]?.array?[0]["cases"]?.array?[0]["name"]?.string == name)
    }

    @Test func picturesAreWhole() throws {
        let cases =
            (0..<230).map { StudyCase(name: "\($0)", windows: [Samples.window(40 + $0 % 50)]) } + [StudyCase(name: "empty")]
        let picture = try Samples.evaluate(cases, .cwaSecond).picture
        for part in ["<title id=\"title\">", "<desc id=\"description\">", "31 more cases are not drawn", "either way"] {
            #expect(picture.contains(part), "\(part)")
        }
        #expect(!picture.contains("nan") && !picture.contains("inf"))
        for tag in ["text", "title", "svg", "desc"] {
            #expect(picture.ranges(of: "<\(tag)").count == picture.ranges(of: "</\(tag)>").count, "\(tag)")
        }
    }
}
