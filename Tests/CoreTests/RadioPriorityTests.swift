// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Testing
import TimeTrust

@testable import Core

/// When the core runs before everybody else, and that it stops doing so.
@Suite struct RadioPriorityTests {
    private final class Kernel {
        var says: [Bool] = []
        var allows = true
    }

    private let kernel = Kernel()

    private func priority() -> RadioPriority {
        RadioPriority { [kernel] first in
            kernel.says.append(first)
            return kernel.allows
        }
    }

    private func at(_ milliseconds: Int64) -> BootInstant { BootInstant(.milliseconds(milliseconds)) }

    @Test func goesFirstForAChangeOfIdentifierAndNoLonger() {
        var priority = priority()
        let due = Duration.seconds(600)
        priority.look(rotationDue: due, isUnderWay: false, at: at(599_979))
        #expect(kernel.says.isEmpty)
        #expect(priority.due(rotationDue: due) == at(599_980))
        priority.look(rotationDue: due, isUnderWay: false, at: at(599_980))
        #expect(kernel.says == [true])
        // The next is planned, the controller has not answered yet.
        priority.look(rotationDue: .seconds(1_200), isUnderWay: true, at: at(600_001))
        #expect(kernel.says == [true])
        priority.look(rotationDue: .seconds(1_200), isUnderWay: false, at: at(600_006))
        #expect(kernel.says == [true, false])
        #expect(priority.due(rotationDue: .seconds(1_200)) == at(1_199_980))
        #expect(priority.due(rotationDue: nil) == nil)
    }

    @Test func aControllerThatNeverAnswersDoesNotKeepItThere() {
        var priority = priority()
        for moment in stride(from: Int64(0), to: 10_000, by: 10) {
            priority.look(rotationDue: .seconds(600), isUnderWay: true, at: at(moment))
        }
        #expect(kernel.says == [true, false])
        #expect(priority.due(rotationDue: .seconds(600)) == nil)
        priority.look(rotationDue: .seconds(600), isUnderWay: false, at: at(10_000))
        priority.look(rotationDue: .seconds(600), isUnderWay: true, at: at(10_010))
        #expect(kernel.says == [true, false, true])
        #expect(priority.due(rotationDue: .seconds(600)) == at(10_260))
    }

    @Test func withoutTheRightItAsksOnce() {
        kernel.allows = false
        var priority = priority()
        for moment in stride(from: Int64(0), to: 1_000, by: 10) {
            priority.look(rotationDue: .milliseconds(moment), isUnderWay: true, at: at(moment))
        }
        #expect(kernel.says == [true])
    }

    /// Within the core it is first with and without the right to be so in the machine.
    @Test(arguments: [true, false]) func callersWaitForAChangeAndNoLonger(isAllowed: Bool) {
        kernel.allows = isAllowed
        var priority = priority()
        var waited: [Int64] = []
        for moment in Int64(0)..<1_000 {
            let isChanging = (500..<510).contains(moment)
            priority.look(rotationDue: .milliseconds(moment < 500 ? 500 : 5_000), isUnderWay: isChanging, at: at(moment))
            if priority.isFirst { waited.append(moment) }
        }
        #expect(waited == Array(480..<510))
    }

    @Test func callersDoNotWaitForAControllerThatNeverAnswers() {
        var priority = priority()
        let waits = (0..<10_000).filter { moment in
            priority.look(rotationDue: nil, isUnderWay: true, at: at(Int64(moment)))
            return priority.isFirst
        }
        #expect(waits == Array(0..<250))
    }

    /// On a thread of its own: the flag that what is started does not inherit it stays with a thread.
    @Test func theKernelTakesItAndGivesItBack() throws {
        var answers: [Int32] = []
        try withUnsafeMutablePointer(to: &answers) { answers in
            var thread = pthread_t()
            let status = pthread_create(
                &thread, nil,
                { answers in
                    answers!.assumingMemoryBound(to: [Int32].self).pointee = [
                        vigil_go_first(1), sched_getscheduler(0), vigil_go_first(0), sched_getscheduler(0),
                    ]
                    return nil
                }, answers)
            try #require(status == 0)
            pthread_join(thread, nil)
        }
        // SCHED_RESET_ON_FORK of linux/sched.h.
        let isNotInherited: Int32 = 0x4000_0000
        let back = SCHED_OTHER | isNotInherited
        if answers.first == 0 {
            #expect(answers == [0, SCHED_FIFO | isNotInherited, 0, back])
        } else {
            #expect(answers == [-EPERM, SCHED_OTHER, 0, back])
        }
    }
}
