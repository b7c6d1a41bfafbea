// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A signal that ends requests in progress from another thread. Every member may be called from any thread.
public final class HTTPCancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    /// Creates a cancellation that has not been triggered. It may serve any number of requests, on any threads, and cannot
    /// be reset.
    public init() {}

    /// Ends the requests within about a second, with ``HTTPError/Code/cancelled``, and every later request that uses this
    /// cancellation. Cannot be undone and cannot fail.
    public func cancel() { flag.store(true, ordering: .relaxed) }

    /// Whether ``cancel()`` was called. Never returns to `false`.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }
}
