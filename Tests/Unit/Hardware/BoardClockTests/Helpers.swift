// SPDX-License-Identifier: Apache-2.0

import BoardClock
import Glibc
import Testing

/// The code of the failure that `body` throws; records an issue if it throws none.
func code(of body: () throws -> Void) -> ClockFailure.Code? {
    do {
        try body()
    } catch let failure as ClockFailure {
        // One line, with the code: what a log and a status page show.
        #expect(failure.description.hasSuffix("[\(failure.code.rawValue)]") && !failure.description.contains("\n"))
        return failure.code
    } catch {
        Issue.record("\(error)")
    }
    Issue.record("nothing was thrown")
    return nil
}
