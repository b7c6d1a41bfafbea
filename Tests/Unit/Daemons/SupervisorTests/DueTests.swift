// SPDX-License-Identifier: Apache-2.0

import Supervision
import Testing

@testable import Supervisor

/// When the supervisor looks at a process: a time that stays in the past would keep it busy.
@Suite struct DueTests {
    private static func process(_ state: ManagedProcess.State) -> ManagedProcess {
        let process = ManagedProcess("sync", .plugin, rules: .plugin, at: .zero)
        process.startAt = .seconds(5)
        process.become(state, at: .zero)
        return process
    }

    @Test func aWaitingProcessStartsWhenPlanned() {
        let process = Self.process(.waiting)
        #expect(process.due(isStopping: false) == .seconds(5))
        #expect(process.due(isStopping: true) == nil)
    }

    @Test(arguments: [.quarantined, .disabled, .refused, .safeMode] as [ManagedProcess.State])
    func aPlannedStartDoesNotKeepTheSupervisorBusy(state: ManagedProcess.State) {
        #expect(Self.process(state).due(isStopping: false) == nil)
    }

    @Test func aPauseThatOutlastsAPlannedStartIsWaitedFor() {
        let process = Self.process(.backingOff(until: .seconds(60)))
        #expect(process.due(isStopping: false) == .seconds(60))
        #expect(process.due(isStopping: true) == nil)
    }

    @Test func anEndIsWaitedForAlsoWhenTheBoardStops() {
        #expect(Self.process(.stopping(by: .seconds(6))).due(isStopping: true) == .seconds(6))
    }
}
