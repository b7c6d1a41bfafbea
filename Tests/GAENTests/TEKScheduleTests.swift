// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Testing

@Suite struct TEKScheduleTests {
    private let day = ENIN(18_600 * 144)
    private var generator = SystemRandomNumberGenerator()

    private func at(_ offset: Int) -> ENIN { ENIN(UInt32(Int(day.number) + offset)) }

    @Test mutating func aKeyLastsUntilMidnight() throws {
        var schedule = TEKSchedule()
        let first = schedule.next(at: at(10), using: &generator)
        #expect(first.isFreshKey)
        #expect(first.key.rollingStart == day)
        #expect(first.key.rollingPeriod == 144)
        let last = schedule.next(at: at(143), using: &generator)
        #expect(!last.isFreshKey)
        #expect(last.key == first.key)
        let next = schedule.next(at: at(144), using: &generator)
        #expect(next.isFreshKey)
        #expect(next.key.rollingStart == at(144))
        #expect(schedule.past == [first.key])
    }

    @Test mutating func releasingCutsTodaysKeyAndStartsAFreshOne() throws {
        var schedule = TEKSchedule()
        let before = schedule.next(at: at(20), using: &generator)
        let released = schedule.release(at: at(50))
        #expect(released.map(\.rollingPeriod) == [50])
        #expect(released[0].secret == before.key.secret)
        let after = schedule.next(at: at(50), using: &generator)
        #expect(after.isFreshKey)
        #expect(after.key.secret != before.key.secret)
        #expect(after.key.rollingStart == at(50))
        #expect(after.key.end == at(144))
        // Releasing again gives the same shortened key, not the long one.
        #expect(schedule.release(at: at(51)).map(\.rollingPeriod) == [50, 1])
    }

    @Test mutating func aKeyThatWouldCoverNothingIsNotReleased() {
        var schedule = TEKSchedule()
        _ = schedule.next(at: at(0), using: &generator)
        #expect(schedule.release(at: at(0)).isEmpty)
    }

    @Test mutating func theSameIntervalTwiceRollsAFreshKey() {
        var schedule = TEKSchedule()
        let first = schedule.next(at: at(7), using: &generator)
        let second = schedule.next(at: at(7), using: &generator)
        #expect(second.isFreshKey)
        #expect(second.key.secret != first.key.secret)
        #expect(schedule.past.map(\.end) == [at(8)])
    }

    @Test mutating func aStepBackwardsRollsAFreshKey() {
        var schedule = TEKSchedule()
        let first = schedule.next(at: at(100), using: &generator)
        let second = schedule.next(at: at(90), using: &generator)
        #expect(second.key.secret != first.key.secret)
        #expect(second.key.rollingStart == at(90))
        let yesterday = schedule.next(at: at(-10), using: &generator)
        #expect(yesterday.key.end == day)
    }

    @Test mutating func keysAreForgottenAfterFourteenDays() {
        var schedule = TEKSchedule()
        for offset in 0..<30 { _ = schedule.next(at: at(144 * offset), using: &generator) }
        #expect(schedule.ownKeys(at: at(144 * 29)).count == 15)
        schedule.forgetExpired(at: at(144 * 29))
        #expect(schedule.past.count == 14)
    }

    /// Whatever the clock does and whenever keys are released: no pair of key and interval is handed out twice, every
    /// identifier belongs to its key, and nothing released covers the present or the future.
    @Test(arguments: 0..<200)
    func noPairIsEverUsedTwice(_ round: Int) {
        var generator = SystemRandomNumberGenerator()
        var schedule = TEKSchedule()
        var now = 1_000
        var used: Set<[UInt8]> = []
        for _ in 0..<120 {
            switch Int.random(in: 0..<10) {
            case 0: now -= .random(in: 0...300)
            case 1: now += .random(in: 0...300)
            case 2:
                for key in schedule.release(at: at(now)) { #expect(key.end <= at(now)) }
                continue
            case 3:
                // A restart: only what was stored is there.
                schedule = TEKSchedule(
                    current: schedule.current, lastInterval: schedule.lastInterval, past: schedule.past)
                continue
            default: now += .random(in: 0...3)
            }
            let turn = schedule.next(at: at(now), using: &generator)
            #expect(turn.interval == at(now))
            #expect(turn.key.contains(at(now)))
            #expect(turn.key.end.number % 144 == 0)
            let pair = turn.key.secret.withBytes { Array($0) } + withUnsafeBytes(of: turn.interval.number) { Array($0) }
            #expect(used.insert(pair).inserted)
        }
    }
}

@Suite struct DiagnosisKeyTests {
    @Test func impossibleKeysCannotBeMade() {
        let data = Block(low: 1, high: 2)
        #expect(DiagnosisKey(data: data, rollingStart: ENIN(1), rollingPeriod: 0) == nil)
        #expect(DiagnosisKey(data: data, rollingStart: ENIN(1), rollingPeriod: 145) == nil)
        #expect(DiagnosisKey(data: data, rollingStart: ENIN(.max), rollingPeriod: 1) == nil)
        #expect(DiagnosisKey(data: data, rollingStart: ENIN(1), transmissionRiskLevel: 9) == nil)
        #expect(DiagnosisKey(data: data, rollingStart: ENIN(1), rollingPeriod: 144) != nil)
    }

    @Test func reportTypesMoveOneWay() {
        let moves = ReportType.allCases.flatMap { from in ReportType.allCases.filter(from.mayBecome).map { (from, $0) } }
        #expect(moves.map(\.0) == [.clinicalDiagnosis, .clinicalDiagnosis, .selfReport, .selfReport, .selfReport])
        #expect(moves.map(\.1) == [.confirmedTest, .revoked, .confirmedTest, .clinicalDiagnosis, .revoked])
    }

    @Test func aMappingWithAThirdLevelIsRefused() {
        #expect(DiagnosisKeyMapping(compact: 3) == nil)
        #expect(DiagnosisKeyMapping(compact: 1 << 60) == nil)
        #expect(DiagnosisKeyMapping(infectiousness: [.none], whenOnsetMissing: .none) == nil)
        #expect(
            DiagnosisKeyMapping(compact: 0x0104_555a_a610_0000)?.infectiousness(daysSinceOnset: 15) == Infectiousness.none)
    }

    @Test func timesBefore1970AreNoIntervals() {
        #expect(ENIN(unixSeconds: -1) == nil)
        #expect(ENIN(unixSeconds: .max) == nil)
        #expect(ENIN(unixSeconds: 0) == ENIN(0))
    }
}
