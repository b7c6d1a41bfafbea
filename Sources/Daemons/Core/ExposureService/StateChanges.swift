// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// Notices what changes by itself, without anybody having asked for it.
struct StateChanges {
    private var state: Exposure1.State?
    private var hadTrouble = false

    /// Takes how it is now, and gives what has changed since it was looked at last. What is there at the first look is no change, but trouble is.
    mutating func look(_ state: Exposure1.State, hasTrouble: Bool) -> [Exposure1.Event] {
        var events: [Exposure1.Event] = []
        if let before = self.state, before != state { events.append(.stateChanged) }
        self.state = state
        if hasTrouble != hadTrouble { events.append(hasTrouble ? .troubled : .recovered) }
        hadTrouble = hasTrouble
        return events
    }
}
