// SPDX-License-Identifier: Apache-2.0

import HTTPService

/// Answers that all leave after the same time, unless the work took longer: an observer of the line does not tell by the time what was done.
struct AnswerSlot {
    /// The time after which an answer leaves.
    let milliseconds: Double

    /// The answer, with what is left of the time to wait.
    func filled(_ answer: () -> HTTPResponse) -> HTTPResponse {
        let clock = ContinuousClock()
        let start = clock.now
        var made = answer()
        made.delayMilliseconds = max(0, milliseconds - (clock.now - start) / .milliseconds(1))
        return made
    }
}
