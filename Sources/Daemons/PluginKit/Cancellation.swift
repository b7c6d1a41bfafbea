// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Tells a job on the worker thread that nobody waits for it any more.
public final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    /// A cancellation that has not happened yet.
    public init() {}

    /// Whether it was cancelled; may be asked on any thread. Jobs that take long ask now and then.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Cancels the job; may be called on any thread, and more than once. The job goes on until it asks. Cannot fail.
    public func cancel() { flag.store(true, ordering: .relaxed) }

    /// Returns as long as nothing was cancelled.
    ///
    /// - Throws: `CancellationError` once it was cancelled; nothing else.
    public func check() throws { if isCancelled { throw CancellationError() } }
}
