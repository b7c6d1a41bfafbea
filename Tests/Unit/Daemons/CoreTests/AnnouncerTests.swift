// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Testing

@testable import Core

@Suite struct AnnouncerTests {
    @Test func everyListenerIsToldInTheOrderInWhichTheyCame() {
        let announcer = Announcer()
        var told: [String] = []
        announcer.tell(.risk)
        announcer.listen { told.append("a \($0 == .scene)") }
        announcer.listen { told.append("b \($0 == .scene)") }
        announcer.tell(.scene)
        #expect(told == ["a true", "b true"], "and nobody of what was before")
    }

    @Test func stepsGoToWhomTheAnnouncerWasMadeFor() {
        var steps: [String] = []
        let announcer = Announcer(onStep: { steps.append($0) })
        announcer.step("reset.begun")
        #expect(steps == ["reset.begun"])
    }

    @Test func theFirstStateIsNoChange() {
        var changes = StateChanges()
        let told = [Exposure1.State.active, .active, .disabled].map { changes.look($0, hasTrouble: false) }
        #expect(told == [[], [], [.stateChanged]])
    }

    @Test func troubleIsToldWhenItBeginsAndWhenItEnds() {
        var changes = StateChanges()
        let told = [(Exposure1.State.active, true), (.radioTrouble, true), (.active, false)]
            .map { changes.look($0, hasTrouble: $1) }
        #expect(told == [[.troubled], [.stateChanged], [.stateChanged, .recovered]])
    }
}
