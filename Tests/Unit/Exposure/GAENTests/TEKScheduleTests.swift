// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import RandomValues
import Testing

@Suite struct TEKScheduleTests {
    private let day = ENIN(18_600 * 144)
    private var generator = SeededGenerator(seed: 1)

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

    /// A published key is anybody's, and its parts can be set.
    @Test func anEndBeyondTheLastIntervalIsTheLast() throws {
        var key = try #require(DiagnosisKey(data: Block(low: 1, high: 2), rollingStart: day))
        #expect(key.end == ENIN(day.number + 144))
        key.rollingStart = ENIN(.max - 10)
        #expect(key.end == ENIN(.max))
        key.rollingStart = day
        key.rollingPeriod = .max
        #expect(key.end == ENIN(.max))
    }

    /// What was on air is published, nothing that was not, and no interval of two keys.
    @Test mutating func releasingCutsTodaysKeyAndStartsAFreshOne() throws {
        var schedule = TEKSchedule()
        let before = schedule.next(at: at(20), using: &generator)
        _ = schedule.next(at: at(48), using: &generator)
        let released = schedule.release(at: at(50))
        #expect(released.map(\.rollingPeriod) == [49])
        #expect(released[0].secret == before.key.secret)
        let after = schedule.next(at: at(50), using: &generator)
        #expect(after.isFreshKey)
        #expect(after.key.secret != before.key.secret)
        #expect(after.addressSecret != before.addressSecret)
        #expect(after.key.rollingStart == at(50))
        #expect(after.key.end == at(144))
        // Within the interval that the released key has used, the fresh one begins with the next.
        #expect(schedule.release(at: at(50)).map(\.rollingPeriod) == [49, 1])
        let next = schedule.next(at: at(50), using: &generator)
        #expect(next.isFreshKey && next.interval == at(51) && next.key.rollingStart == at(51))
        // A key that begins ahead is of no use to a server, and would tie two submissions together: it waits.
        #expect(schedule.release(at: at(50)).map(\.rollingPeriod) == [49, 1])
        // Releasing again gives the same shortened keys, not the long ones.
        #expect(schedule.release(at: at(51)).map(\.rollingPeriod) == [49, 1, 1])
    }

    @Test mutating func aTurnThatWasNotUsedIsNotReleased() {
        var schedule = TEKSchedule()
        _ = schedule.next(at: at(20), using: &generator)
        // Stored for what comes, while 20 is on air.
        _ = schedule.next(at: at(21), using: &generator)
        #expect(schedule.release(at: at(20), onAir: at(20)).map(\.end) == [at(21)])
        // Tomorrow's key, a second before midnight: nothing of it was sent.
        _ = schedule.next(at: at(143), using: &generator)
        _ = schedule.next(at: at(144), using: &generator)
        #expect(schedule.release(at: at(143), onAir: at(143)).map(\.end) == [at(21), at(144)])
        #expect(schedule.next(at: at(143), using: &generator).interval == at(144))
    }

    @Test mutating func afterARestartTheSamePairComesAgain() {
        var schedule = TEKSchedule()
        let first = schedule.next(at: at(7), using: &generator)
        for _ in 0..<5 {
            let again = schedule.next(at: at(7), mayRepeat: true, using: &generator)
            #expect(again.isRepeated && !again.isFreshKey)
            #expect((again.key, again.interval) == (first.key, first.interval))
            #expect(again.addressSecret == first.addressSecret)
        }
        // Killed after the next turn was stored and before it was used: it comes now.
        let stored = schedule.next(at: at(8), using: &generator)
        #expect(schedule.next(at: at(7), mayRepeat: true, using: &generator).interval == stored.interval)
        #expect(schedule.past.isEmpty)
    }

    @Test mutating func withinAProcessThePairIsAnother() {
        var schedule = TEKSchedule()
        let first = schedule.next(at: at(7), using: &generator)
        #expect(schedule.next(at: at(7), using: &generator).interval == at(8))
        #expect(schedule.next(at: at(7), using: &generator).interval == at(9))
        // Two intervals ahead is as far as it goes.
        let fresh = schedule.next(at: at(7), using: &generator)
        #expect(fresh.isFreshKey && fresh.key.secret != first.key.secret && fresh.addressSecret != first.addressSecret)
        #expect(schedule.past.map(\.end) == [at(10)])
    }

    @Test mutating func aStepBackwardsRollsAFreshKey() {
        var schedule = TEKSchedule()
        let first = schedule.next(at: at(100), using: &generator)
        for mayRepeat in [false, true] {
            var schedule = schedule
            let second = schedule.next(at: at(90), mayRepeat: mayRepeat, using: &generator)
            #expect(second.key.secret != first.key.secret)
            #expect(second.key.rollingStart == at(90))
            let yesterday = schedule.next(at: at(-10), using: &generator)
            #expect(yesterday.key.end == day)
        }
    }

    /// A key that an earlier release stored has no secret for addresses: what it sent must not come again with another.
    @Test mutating func aKeyOfAnEarlierReleaseGoesOnWithoutRepeating() throws {
        var old = TEKSchedule()
        let turn = old.next(at: at(30), using: &generator)
        var schedule = TEKSchedule(current: old.current, lastInterval: old.lastInterval, past: [])
        let next = schedule.next(at: at(30), mayRepeat: true, using: &generator)
        #expect((next.key, next.interval, next.isRepeated) == (turn.key, at(31), false))
        #expect(schedule.next(at: at(31), mayRepeat: true, using: &generator).addressSecret == next.addressSecret)
    }

    @Test mutating func keysAreForgottenAfterFourteenDays() {
        var schedule = TEKSchedule()
        for offset in 0..<30 { _ = schedule.next(at: at(144 * offset), using: &generator) }
        #expect(schedule.ownKeys(at: at(144 * 29)).count == 15)
        schedule.forgetExpired(at: at(144 * 29))
        #expect(schedule.past.count == 14)
    }

    /// Whatever the clock does and whenever keys are released or the process is killed: a pair of key and interval comes again only right
    /// after a restart, right after itself and with the same secret for its address; an identifier is at most 20 minutes ahead of its
    /// interval; nothing released covers what was not sent; no two keys released share an interval unless the clock was set back.
    @Test(arguments: 0..<300)
    func everyPairHasItsTime(_ round: Int) {
        var generator = SeededGenerator(seed: round)
        var schedule = TEKSchedule()
        var now = 1_000
        var used: [[UInt8]: SecretBytes] = [:]
        var last: [UInt8]?
        var mayRepeat = true
        var wasSetBack = false
        for _ in 0..<150 {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0:
                now -= .random(in: 0...300, using: &generator)
                wasSetBack = true
            case 1: now += .random(in: 0...300, using: &generator)
            case 2:
                let sent = schedule.lastInterval
                let current = schedule.current
                let released = schedule.release(at: at(now))
                for key in released where key.secret == current?.secret {
                    #expect(sent.map { key.end.number == $0.number + 1 } ?? false)
                }
                #expect(released.allSatisfy { $0.rollingStart <= at(now) })
                if !wasSetBack {
                    for (key, next) in zip(released, released.dropFirst()) { #expect(key.end <= next.rollingStart) }
                }
                continue
            case 3, 4:
                // A restart: only what was stored is there.
                schedule = TEKSchedule(
                    current: schedule.current, lastInterval: schedule.lastInterval,
                    addressSecret: schedule.addressSecret, past: schedule.past)
                mayRepeat = true
                continue
            default: now += .random(in: mayRepeat ? 0...3 : 1...3, using: &generator)
            }
            let turn = schedule.next(at: at(now), mayRepeat: mayRepeat, using: &generator)
            #expect(turn.interval >= at(now) && turn.interval <= at(now + 2))
            #expect(turn.key.contains(turn.interval))
            #expect(turn.key.end.number % 144 == 0)
            let pair = turn.key.secret.withBytes { Array($0) } + withUnsafeBytes(of: turn.interval.number) { Array($0) }
            #expect(turn.isRepeated == (used[pair] != nil))
            if let before = used[pair] { #expect(mayRepeat && last == pair && before == turn.addressSecret) }
            used[pair] = turn.addressSecret
            last = pair
            mayRepeat = false
            // Two ahead is as far as it goes: three releases within ten minutes share an interval, too.
            if turn.interval > at(now + 1) { wasSetBack = true }
        }
    }

    /// However often it is killed, a day has one key; also when that happens while tomorrow's is stored and not used yet.
    @Test(arguments: 0..<50) func aDayFullOfKillsHasOneKey(_ round: Int) {
        var generator = SeededGenerator(seed: round)
        var schedule = TEKSchedule()
        var now = 0
        var keys: Set<UInt32> = []
        while now < 144 * 3 {
            // Within a process, an identifier stays at least ten minutes; a kill may come at any time.
            let isKilled = Bool.random(using: &generator)
            now += .random(in: isKilled ? 0...1 : 1...2, using: &generator)
            let turn = schedule.next(at: at(now), mayRepeat: isKilled, using: &generator)
            keys.insert(turn.key.rollingStart.number)
            // The next turn is stored a second before its interval begins.
            if Int.random(in: 0..<3, using: &generator) == 0 {
                _ = schedule.next(at: at(now + 1), using: &generator)
                let early = schedule.next(at: at(now), mayRepeat: true, using: &generator)
                keys.insert(early.key.rollingStart.number)
                now = Int(early.interval.number) - Int(day.number)
            }
        }
        #expect(schedule.past.count + 1 == keys.count && (3...4).contains(keys.count))
        #expect(schedule.past.allSatisfy { $0.rollingPeriod == 144 })
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
