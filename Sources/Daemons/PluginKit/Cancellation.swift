// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Tells a job on the worker thread that nobody waits for it any more.
public final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    /// Creates a cancellation that has not happened yet.
    public init() {}

    /// Whether ``cancel()`` was called; may be read on any thread. A job that takes long reads it now and then.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Cancels the job; may be called on any thread, and more than once. The job runs on until it next asks. Cannot fail.
    public func cancel() { flag.store(true, ordering: .relaxed) }

    /// Returns if ``cancel()`` was not called; may be called on any thread.
    ///
    /// - Throws: `CancellationError` after ``cancel()``; nothing else.
    public func check() throws { if isCancelled { throw CancellationError() } }
}
