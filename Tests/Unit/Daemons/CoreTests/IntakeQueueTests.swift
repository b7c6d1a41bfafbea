// SPDX-License-Identifier: Apache-2.0

import Interfaces
import KeyIntake
import Matching
import Testing
import TimeTrust

@testable import Core

/// The order of files that wait, without anything to match.
@Suite struct IntakeQueueTests {
    private static let now = BootInstant(nanoseconds: 1_000_000_000)
    private static let always = WorkWindow(rotationDue: nil)

    private let queue = IntakeQueue()

    private func job(_ name: String = "a.zip") -> ProvideJob {
        let job = ProvideJob([name], by: ExposureServiceBench.caller(), .none)
        queue.add(job)
        return job
    }

    private func loader() throws -> SightingLoader {
        SightingLoader(try ExposureServiceBench().vault, now: UInt32(ExposureServiceBench.noon)) { _ in 0 }
    }

    @Test func withoutAJobThereIsNothingToDo() {
        #expect(queue.isEmpty && queue.descriptor == nil && queue.deadline(at: Self.now, in: Self.always) == nil)
        #expect(queue.advance(at: Self.now, in: Self.always) == nil)
    }

    @Test func aJobIsLoadedDayByDayAndThenStarted() throws {
        let job = job()
        guard case .load(let asked)? = queue.advance(at: Self.now, in: Self.always) else {
            Issue.record("it asks for what to compare with")
            return
        }
        #expect(asked === job)
        job.load(try loader())
        var days = 0
        while true {
            guard let step = queue.advance(at: Self.now, in: Self.always) else {
                days += 1
                continue
            }
            guard case .start(let started, _) = step else {
                Issue.record("it asks to be started")
                return
            }
            #expect(started === job)
            break
        }
        #expect(days <= Int(SightingLoading.days) + 1)
    }

    @Test func nothingIsBegunWhenAnIdentifierIsDue() throws {
        let job = job()
        let near = WorkWindow(rotationDue: Self.now.duration + RadioPriority.lead)
        #expect(queue.advance(at: Self.now, in: near) == nil)
        let due = try #require(queue.deadline(at: Self.now, in: near))
        #expect(due.duration == Self.now.duration + RadioPriority.lead + RadioPriority.lead)
        // With half a second left, days are loaded, and the index is not made.
        job.load(try loader())
        let soon = WorkWindow(rotationDue: Self.now.duration + .milliseconds(500))
        for _ in 0..<20 { #expect(queue.advance(at: Self.now, in: soon) == nil) }
        guard case .start? = queue.advance(at: Self.now, in: Self.always) else {
            Issue.record("it waits for the next identifier only")
            return
        }
    }

    @Test func oneJobIsUnderWayAndTheNextFollows() {
        let (first, second) = (job("a.zip"), job("b.zip"))
        var ended: [String] = []
        first.onEnd = { _ in ended.append("a") }
        second.onEnd = { _ in ended.append("b") }
        queue.end(first, .failure(.busy("")))
        guard case .load(let next)? = queue.advance(at: Self.now, in: Self.always) else {
            Issue.record("the next is under way")
            return
        }
        #expect(next === second && ended == ["a"])
    }

    @Test func aJobThatNobodyWaitsForIsGivenUp() {
        let job = job()
        job.isWanted = { false }
        guard case .giveUp(let given)? = queue.advance(at: Self.now, in: Self.always) else {
            Issue.record("nobody waits for it")
            return
        }
        #expect(given === job)
    }

    @Test func fewMayWaitAndAllAreToldWhenTheEndComes() throws {
        var told: [String] = []
        for number in 0..<IntakeQueue.mostJobs {
            try queue.requireRoom()
            job("\(number)").onEnd = { if case .failure(let refusal) = $0 { told.append(refusal.name) } }
        }
        #expect(throws: Refusal.self) { try queue.requireRoom() }
        queue.cancelAll()
        #expect(told == [String](repeating: "Busy", count: IntakeQueue.mostJobs) && queue.isEmpty)
        try queue.requireRoom()
    }
}
