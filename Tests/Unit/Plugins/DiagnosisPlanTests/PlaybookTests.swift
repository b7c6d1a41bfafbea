// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DiagnosisPlan
import RandomValues
import Testing

@Suite struct PlaybookTests {
    private static let occasions: [Playbook.Occasion] = [
        .register, .askResult, .submit(needsTAN: true), .submit(needsTAN: false), .nothing,
    ]

    @Test func everyPlaybookIsTwoVerificationsAndASubmission() {
        for occasion in Self.occasions {
            let steps = Playbook(occasion).steps
            #expect(steps.count == Playbook.stepCount && Playbook.stepOffsets.count == Playbook.stepCount)
            #expect(steps.map { $0.call == .submission } == [false, false, true])
        }
        #expect(Playbook(.register).steps.map(\.isGenuine) == [true, true, false])
        #expect(Playbook(.askResult).steps.map(\.isGenuine) == [true, false, false])
        #expect(Playbook(.submit(needsTAN: true)).steps.map(\.isGenuine) == [true, false, true])
        #expect(Playbook(.submit(needsTAN: false)).steps.map(\.isGenuine) == [false, false, true])
        #expect(Playbook(.nothing).steps.map(\.isGenuine) == [false, false, false])
    }

    @Test func afterAFailureTheRestIsPlayedAsFakes() {
        for occasion in Self.occasions {
            for failing in 0..<3 {
                var run = PlaybookRun(Playbook(occasion))
                var played: [Playbook.Step] = []
                while let step = run.next() {
                    played.append(step)
                    if played.count - 1 == failing { run.stepFailed() }
                }
                let planned = Playbook(occasion).steps
                #expect(played.map { $0.call == .submission } == [false, false, true])
                #expect(Array(played.prefix(failing + 1)) == Array(planned.prefix(failing + 1)))
                let isGenuineFailure = planned[failing].isGenuine
                #expect(run.failedStep == (isGenuineFailure ? failing : nil))
                #expect(run.isComplete == !isGenuineFailure)
                if isGenuineFailure { #expect(played.dropFirst(failing + 1).allSatisfy { !$0.isGenuine }) }
            }
        }
    }

    @Test func withdrawnConsentLeavesNothingGenuine() {
        var run = PlaybookRun(Playbook(.submit(needsTAN: true)))
        #expect(run.next()?.isGenuine == true)
        run.withdraw()
        #expect(run.next()?.isGenuine == false)
        #expect(run.next() == Playbook.Step?.some(Playbook(.nothing).steps[2]))
        #expect(run.next() == nil)
        #expect(!run.isComplete && run.failedStep == nil)
    }

    @Test func warningsComeFirst() {
        let all = SlotWork(submissionNeedsTAN: true, hasRegistration: true, pollDue: 0)
        #expect(all.occasion(at: 5) == .submit(needsTAN: true))
        #expect(SlotWork(hasRegistration: true, pollDue: 0).occasion(at: 5) == .register)
        #expect(SlotWork(pollDue: 5).occasion(at: 5) == .askResult)
        #expect(SlotWork(pollDue: 6).occasion(at: 5) == .nothing)
        #expect(SlotWork().occasion(at: 5) == .nothing)
    }
}

@Suite struct SlotScheduleTests {
    private func schedule(_ seed: UInt8, _ density: SlotSchedule.Density) -> SlotSchedule {
        SlotSchedule(seed: SecretBytes(copying: [UInt8](repeating: seed, count: 32)), density: density)
    }

    @Test(arguments: SlotSchedule.Density.allCases)
    func everyWindowHasOneSlotAndRoomForIt(_ density: SlotSchedule.Density) throws {
        let schedule = schedule(1, density)
        var before: Int64?
        for day in Int64(18_600)..<18_610 {
            let slots = try schedule.slots(day: day)
            #expect(slots.map { $0 / schedule.windowSeconds } == (0..<density.rawValue).map { day * density.rawValue + $0 })
            for slot in slots {
                if let before {
                    #expect(slot - before >= SlotSchedule.minimumGap)
                    #expect(slot - before <= schedule.longestWait)
                }
                before = slot
            }
        }
        let playbook = (Playbook.stepOffsets.last ?? 0) + Playbook.stepTimeout
        #expect(playbook < SlotSchedule.minimumGap)
    }

    @Test func theNextSlotIsTheFirstAfter() throws {
        let schedule = schedule(2, .twentyFour)
        let slots = try schedule.slots(day: 18_600) + schedule.slots(day: 18_601)
        var moment = Int64(18_600 * 86_400)
        while moment < 18_601 * 86_400 {
            #expect(try schedule.next(after: moment) == slots.first { $0 > moment })
            moment += 97
        }
        #expect(try schedule.next(after: slots[0]) == slots[1])
        #expect(try schedule.next(after: .min) > 0)
        #expect(try schedule.next(after: .max) > 0)
    }

    @Test func slotsAreTheSeeds() throws {
        let slots = try schedule(3, .fortyEight).slots(day: 18_600)
        #expect(try schedule(3, .fortyEight).slots(day: 18_600) == slots)
        #expect(try schedule(4, .fortyEight).slots(day: 18_600) != slots)
        let places = slots.map { $0 % 1_800 }
        let tomorrow = try schedule(3, .fortyEight).slots(day: 18_601).map { $0 % 1_800 }
        #expect(places != tomorrow)
        // Even over the window: the mean of 48 × 60 places is within four deviations of the middle.
        let all = try (Int64(18_600)..<18_660).flatMap { try schedule(3, .fortyEight).slots(day: $0) }.map {
            Double($0 % 1_800)
        }
        let mean = all.reduce(0, +) / Double(all.count)
        #expect(abs(mean - 839.5) < 4 * 1_680 / (12 * Double(all.count)).squareRoot())
    }

    @Test(arguments: SlotSchedule.Density.allCases)
    func waitsAreAsStated(_ density: SlotSchedule.Density) throws {
        let schedule = schedule(5, density)
        var random = SeededGenerator(seed: 6)
        var sum = 0.0
        var longest: Int64 = 0
        let rounds = 4_000
        for _ in 0..<rounds {
            let moment = Int64.random(in: 18_600 * 86_400..<18_900 * 86_400, using: &random)
            let wait = try schedule.next(after: moment) - moment
            sum += Double(wait)
            longest = max(longest, wait)
        }
        #expect(abs(sum / Double(rounds) / schedule.meanWait - 1) < 0.04)
        #expect(longest <= schedule.longestWait)
    }
}
