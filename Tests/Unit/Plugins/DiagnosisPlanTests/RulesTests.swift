// SPDX-License-Identifier: Apache-2.0

import CivilTime
import DiagnosisPlan
import KeyLevels
import Testing

@Suite struct RulesTests {
    @Test func resultsAreTheirCodes() {
        for code in Int64(0)...9 { #expect(TestResult(code: code)?.code == UInt8(code)) }
        for code in [Int64(-1), 10, .min, .max] { #expect(TestResult(code: code) == nil) }
        #expect(TestResult(code: 7) == TestResult(.positive, isRapid: true))
        #expect(TestResult(code: 0)?.isFinal == false && TestResult(code: 5)?.isFinal == false)
        #expect((Int64(0)...9).filter { TestResult(code: $0)?.allowsWarning == true } == [2, 7])
        #expect("\(TestResult(.positive))" == "\(TestResult(.negative))")
    }

    @Test func laboratoryTestsAreAskedForEveryTwoHours() {
        #expect(PollingRhythm.nextPoll(.pcr, registered: 1_000, lastAsked: nil, lastResult: nil) == 1_000)
        let pending = TestResult(.pending)
        #expect(PollingRhythm.nextPoll(.pcr, registered: 1_000, lastAsked: 5_000, lastResult: pending) == 12_200)
        for meaning in TestResult.Meaning.allCases where meaning != .pending {
            let next = PollingRhythm.nextPoll(.pcr, registered: 0, lastAsked: 5, lastResult: TestResult(meaning))
            #expect(next == nil)
        }
    }

    @Test func rapidTestsAreAskedForQuicklyForNinetyMinutes() {
        func next(_ asked: Int64, sample: Int64?) -> Int64? {
            PollingRhythm.nextPoll(
                .rapidAntigen, registered: 10_000, lastAsked: asked, lastResult: TestResult(.pending, isRapid: true),
                sampleCollected: sample)
        }
        #expect(next(10_000, sample: nil) == 10_900)
        #expect(next(15_399, sample: nil) == 16_299)
        #expect(next(15_400, sample: nil) == 20_800)
        #expect(next(10_000, sample: 4_600) == 15_400)
        #expect(next(20_000, sample: 18_000) == 20_900)
        // A sample that is said to be taken in years does not make it quick for years.
        #expect(next(200_000, sample: .max) == 205_400)
    }

    @Test func askingEnds() {
        let last = PollingRhythm.retentionSeconds
        #expect(PollingRhythm.nextPoll(.pcr, registered: 0, lastAsked: last - 1, lastResult: nil) == last + 7_199)
        #expect(PollingRhythm.nextPoll(.pcr, registered: 0, lastAsked: last, lastResult: nil) == nil)
        #expect(PollingRhythm.nextPoll(.rapidPCR, registered: .max, lastAsked: .max, lastResult: nil) == nil)
        #expect(
            PollingRhythm.nextPoll(.rapidPCR, registered: 0, lastAsked: 9, lastResult: nil, sampleCollected: .min) != nil)
    }

    @Test func statementsHaveFifteenAges() {
        let statements: [SymptomStatement] =
            (0...25).map { .since(daysAgo: $0) } + [
                .lastSevenDays, .oneToTwoWeeksAgo, .moreThanTwoWeeksAgo, .unknownSince, .noSymptoms, .noStatement,
            ]
        for statement in statements {
            #expect(
                statement.levels.count == SymptomStatement.ages && statement.daysSinceOnset.count == SymptomStatement.ages)
            #expect(statement.levels.allSatisfy { (1...8).contains($0) })
            #expect(statement.daysSinceOnset.allSatisfy { (-15...4_000).contains($0) })
        }
        #expect(SymptomStatement.since(daysAgo: -3).levels == SymptomStatement.since(daysAgo: 0).levels)
        #expect(SymptomStatement.since(daysAgo: .max).daysSinceOnset == SymptomStatement.since(daysAgo: 21).daysSinceOnset)
    }

    /// For exact dates what the phone says and what the server would derive are the same (specification cwa-protocols 5.1).
    @Test func phonesAndServersAgreeAboutDates() {
        for daysAgo in 0...21 {
            let statement = SymptomStatement.since(daysAgo: daysAgo)
            #expect(statement.levels == statement.daysSinceOnset.map(LevelDerivation.level))
        }
        #expect(LevelDerivation.level(daysSinceOnset: .min) == 1 && LevelDerivation.level(daysSinceOnset: .max) == 1)
        #expect(LevelDerivation.daysSinceOnset(level: 0) == nil)
    }

    /// Today's meetings are warned by what is stated, or not: symptoms for five days and more make today's key one of a low level.
    @Test func whichDaysAreWarnedFollowsFromTheStatement() {
        func ages(_ statement: SymptomStatement, from level: UInt8 = 3) -> [Int] {
            statement.publishedAges(minimumLevel: level)
        }
        for daysAgo in 0...4 { #expect(ages(.since(daysAgo: daysAgo)).first == 0, "\(daysAgo)") }
        for daysAgo in 5...17 {
            // From four days before the symptoms to four days after.
            #expect(ages(.since(daysAgo: daysAgo)) == Array((daysAgo - 4)...min(daysAgo + 4, 13)), "\(daysAgo)")
        }
        for daysAgo in 18...21 { #expect(ages(.since(daysAgo: daysAgo)).isEmpty, "\(daysAgo)") }
        #expect(
            ages(.noStatement) == Array(0...7) && ages(.noSymptoms) == [0, 1, 2] && ages(.unknownSince) == Array(0...7))
        #expect(ages(.lastSevenDays) == Array(0...9) && ages(.oneToTwoWeeksAgo) == Array(5...13))
        #expect(ages(.moreThanTwoWeeksAgo) == [12, 13])
        #expect(ages(.moreThanTwoWeeksAgo, from: 1).count == 14 && ages(.since(daysAgo: 0), from: 8) == [0, 1])
    }

    @Test func rangesCanBeEmpty() throws {
        let day = try #require(CivilDate(isoText: "2020-07-15"))
        let range = KeySubmissionRange(today: day, acknowledged: day, onset: try #require(CivilDate(isoText: "2020-07-20")))
        #expect(range.isEmpty)
        #expect(range.level(day: day, onset: day) == 0)
    }
}
