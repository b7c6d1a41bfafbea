// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import Testing

@testable import PluginKit

struct WorkerTests {
    /// Says when it goes.
    private final class Last: Sendable {
        let isGone: DispatchSemaphore
        init(_ isGone: DispatchSemaphore) { self.isGone = isGone }
        deinit { isGone.signal() }
    }

    /// The thread finds nobody to tell: that is no reason to end the process.
    @Test func aJobThatOutlivesItsWorkerEndsInSilence() throws {
        let (isRunning, mayEnd, isGone) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let isCancelled = Mutex(false)
        var worker = Worker()
        _ = try #require(worker).add({ cancellation in
            isRunning.signal()
            mayEnd.wait()
            do { try cancellation.check() } catch { isCancelled.withLock { $0 = true } }
            return Last(isGone)
        }) { _ in Issue.record("nobody waits for it") }
        try #require(isRunning.wait(timeout: .now() + 120) == .success)
        worker = nil
        mayEnd.signal()
        // The result goes with what both threads share, which is after the thread's last word.
        #expect(isGone.wait(timeout: .now() + 120) == .success)
        #expect(isCancelled.withLock { $0 })
    }
}
