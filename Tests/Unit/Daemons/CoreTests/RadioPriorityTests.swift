// SPDX-License-Identifier: Apache-2.0

import Testing
import TimeTrust

@testable import Core

/// When the core serves nobody but the radio, and that it stops doing so.
@Suite struct RadioPriorityTests {
    private func at(_ milliseconds: Int64) -> BootInstant { BootInstant(.milliseconds(milliseconds)) }

    @Test func theRadioGoesFirstForAChangeOfIdentifierAndNoLonger() {
        var priority = RadioPriority()
        let due = Duration.seconds(600)
        priority.look(rotationDue: due, isUnderWay: false, at: at(599_979))
        #expect(!priority.isFirst)
        #expect(priority.due(rotationDue: due) == at(599_980))
        priority.look(rotationDue: due, isUnderWay: false, at: at(599_980))
        #expect(priority.isFirst)
        // The next is planned, the controller has not answered yet.
        priority.look(rotationDue: .seconds(1_200), isUnderWay: true, at: at(600_001))
        #expect(priority.isFirst)
        priority.look(rotationDue: .seconds(1_200), isUnderWay: false, at: at(600_006))
        #expect(!priority.isFirst)
        #expect(priority.due(rotationDue: .seconds(1_200)) == at(1_199_980))
        #expect(priority.due(rotationDue: nil) == nil)
    }

    @Test func callersWaitForAChangeAndNoLonger() {
        var priority = RadioPriority()
        var waited: [Int64] = []
        for moment in Int64(0)..<1_000 {
            let isChanging = (500..<510).contains(moment)
            priority.look(rotationDue: .milliseconds(moment < 500 ? 500 : 5_000), isUnderWay: isChanging, at: at(moment))
            if priority.isFirst { waited.append(moment) }
        }
        #expect(waited == Array(480..<510))
    }

    @Test func callersDoNotWaitForAControllerThatNeverAnswers() {
        var priority = RadioPriority()
        let waits = (Int64(0)..<10_000).filter { moment in
            priority.look(rotationDue: nil, isUnderWay: true, at: at(moment))
            return priority.isFirst
        }
        #expect(waits == Array(0..<250))
        #expect(priority.due(rotationDue: .seconds(600)) == nil)
        // It has to settle before the radio can be first again.
        priority.look(rotationDue: .seconds(600), isUnderWay: false, at: at(10_000))
        #expect(!priority.isFirst)
        priority.look(rotationDue: .seconds(600), isUnderWay: true, at: at(10_010))
        #expect(priority.isFirst)
        #expect(priority.due(rotationDue: .seconds(600)) == at(10_260))
    }
}
