// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets another thread end requests that are under way. Can be called from any thread.
public final class HTTPCancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    /// A cancellation that has not happened yet. One may serve many requests, on any threads; there is no way back once it
    /// is cancelled.
    public init() {}

    /// Ends the requests within a second, with ``HTTPError/Code/cancelled``. There is no way back. Cannot fail.
    public func cancel() { flag.store(true, ordering: .relaxed) }

    /// Whether ``cancel()`` was called; stays so.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }
}
